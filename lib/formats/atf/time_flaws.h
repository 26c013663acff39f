// What must be known of a session's times: how much of them is the recorder's, or not known.
#ifndef ADA_LIB_FORMATS_ATF_TIME_FLAWS_H
#define ADA_LIB_FORMATS_ATF_TIME_FLAWS_H

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <string>
#include <vector>

namespace ada::atf {

/// Looks at the threads of each process. A hundredth of a thread's time is worth a warning; where many processes are
/// worth the same one, the worst of them has it.
class TimeFlaws {
public:
  /// Of a thread without a lane nothing is known.
  void add(const model::Thread &thread);
  /// Those were the threads of this process. `manifest`: its, if it has one.
  void endProcess(const std::string &process, const Manifest *manifest);
  /// W_RECORDER_WAIT, W_SCHED_UNKNOWN. The one place of their texts.
  std::vector<Warning> warnings() const;

private:
  struct Share {
    std::uint64_t threads = 0, sumNs = 0; // of those with more than a hundredth
    double worst = 0;
    std::uint32_t worstThread = 0;
    void add(const model::Thread &thread, std::uint64_t ns, std::uint64_t allNs);
    std::string text(const char *how) const;
  };
  struct Flaw {
    double worst;
    std::string text;
  };
  static void tell(const std::vector<Flaw> &flaws, const char *code, std::vector<Warning> &to);

  Share recorder_, unknown_; // of the process whose threads come
  std::vector<Flaw> recorderFlaws_, unknownFlaws_;
};

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_TIME_FLAWS_H
