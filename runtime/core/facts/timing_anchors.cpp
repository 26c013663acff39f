// Keeps and writes pairs of host time and media time.
#include "timing_anchors.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {

bool TimingAnchors::add(const char *label, int64_t value, int64_t timescale) {
  const uint64_t now = sys::nowNs();
  SignalsBlocked blocked;
  Lock lock(mutex_);
  if (!anchors_.reserve(count_ + 1))
    return false;
  Anchor &anchor = anchors_[count_];
  anchor.hostTimeNs = now, anchor.mediaValue = value, anchor.mediaTimescale = timescale;
  size_t n = 0;
  for (; label && label[n] && n < sizeof anchor.label - 1; ++n)
    anchor.label[n] = label[n];
  while (n > 0 && label[n] && (static_cast<unsigned char>(label[n]) & 0xc0) == 0x80) // not within a character
    --n;
  anchor.label[n] = 0;
  __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
  return true;
}

void TimingAnchors::writeManifest(JsonWriter &json, Which which) {
  const uint64_t count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
  const uint64_t first = which == Which::All ? 0 : written_;
  if (first < count) {
    json.line().beginArray(manifest::kTimingAnchors);
    for (uint64_t i = first; i < count; ++i)
      FieldWriter(json.line()).object({}, anchors_[i], [](auto &f, auto &anchor) {
        manifest::anchorFields(f, anchor);
      });
    json.endArray();
  }
  written_ = count;
}

} // namespace ada::runtime
