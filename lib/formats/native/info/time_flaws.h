// Measures how much of a session's times is the recorder's or unknown, which readers must know.
#pragma once

#include "formats/native/info/held_reasons.h"

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <string>
#include <vector>

namespace ada::atf {

/// Looks at the threads of each process. More than a hundredth of a thread's time causes a warning; of the recorder's
/// time, also at least a millisecond. If many processes have the same one, only the worst of them is reported.
class TimeFlaws {
public:
  /// Adds a thread. A thread without a lane is ignored, because nothing is known about it.
  void add(const model::Thread &thread);
  /// Ends a process: the threads added since the last call were its threads. `manifest`: the process's, null if it has
  /// none.
  void endProcess(const std::string &process, const Manifest *manifest);
  /// W_RECORDER_WAIT and W_SCHED_UNKNOWN. Their texts are made only here.
  std::vector<Warning> warnings() const;

private:
  struct Share {
    uint64_t threads = 0, sumNs = 0; // threads with more than a hundredth
    double worst = 0;
    uint32_t worstThread = 0;
    /// Whether it is more than a hundredth.
    bool add(const model::Thread &thread, uint64_t ns, uint64_t allNs);
    std::string text(const char *how) const;
  };
  struct Flaw {
    double worst;
    std::string process, text;
  };
  static void tell(const std::vector<Flaw> &flaws, const char *code, std::vector<Warning> &to);

  void addReasons(const OffCpuLane &lane, uint64_t firstNs, uint64_t lastNs);

  Share recorder_, unknown_; // of the current process
  HeldReasons held_;         // of the threads of recorder_
  std::vector<Flaw> recorderFlaws_, unknownFlaws_;
};

} // namespace ada::atf
