// Pairs of host time and media time from the program (ada_timing_anchor).
//
// They are kept in memory for the manifest, which has all of them. Between two manifests the drain writes them to the
// file of late modules as soon as they are added.
#pragma once

#include "core/base/json.h"
#include "core/base/os.h"
#include "core/base/stepped_array.h"
#include "which.h"

namespace ada::runtime {

class TimingAnchors {
public:
  static constexpr size_t kMaxLabelBytes = 71; // longer ones are cut off
  // False if there is no room for it.
  bool add(const char *label, int64_t value, int64_t timescale);
  // Whether there are any that writeManifest has not written.
  bool hasNew() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE) != written_; }
  // Writes the manifest's array, or only its new elements. For the drain.
  void writeManifest(JsonWriter &json, Which which);

  Mutex &mutex() { return mutex_; }
  // The child keeps its parent's anchors: both have the same clock.
  void resetAfterFork() { mutex_.reset(), written_ = 0; }

private:
  struct Anchor {
    uint64_t hostTimeNs;
    int64_t mediaValue, mediaTimescale;
    char label[kMaxLabelBytes + 1];
  };
  static constexpr uint64_t kMax = 1 << 16;

  Mutex mutex_;
  SteppedArray<Anchor, kMax> anchors_;
  uint64_t count_ = 0, written_ = 0;
};

} // namespace ada::runtime
