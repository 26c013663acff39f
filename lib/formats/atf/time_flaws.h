// What must be known of a process's times: how much of them is the recorder's, or not known.
#ifndef ADA_LIB_FORMATS_ATF_TIME_FLAWS_H
#define ADA_LIB_FORMATS_ATF_TIME_FLAWS_H

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <string>
#include <vector>

namespace ada::atf {

/// Looks at the threads of one process. A hundredth of a thread's time is worth a warning.
class TimeFlaws {
public:
  /// Of a thread without a lane nothing is known.
  void add(const model::Thread &thread);
  /// W_RECORDER_WAIT, W_SCHED_UNKNOWN. The one place of their texts. `manifest`: the process's, if it has one.
  std::vector<Warning> warnings(const std::string &process, const Manifest *manifest) const;

private:
  struct Share {
    std::uint64_t threads = 0, sumNs = 0; // of those with more than a hundredth
    double worst = 0;
    std::uint32_t worstThread = 0;
    void add(const model::Thread &thread, std::uint64_t ns, std::uint64_t allNs);
    std::string text(const char *how) const;
  };
  Share recorder_, unknown_;
};

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_TIME_FLAWS_H
