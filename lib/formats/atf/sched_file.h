// thread_N/sched.ads, beside a thread's index file: when it had a processor. See docs/formats/sched.md.
#ifndef ADA_LIB_FORMATS_ATF_SCHED_FILE_H
#define ADA_LIB_FORMATS_ATF_SCHED_FILE_H

#include "ada/trace/off_cpu.h"

namespace ada::atf {

/// In the directory of a thread.
std::string schedPathIn(const std::string &thread);

/// Those of a session's threads, each read once.
class SchedLanes {
public:
  /// Null if the thread, `index` in the session, has none. What is wrong with one is added to `problems`.
  std::shared_ptr<const OffCpuLane> of(const std::string &thread, std::uint32_t index, std::vector<Error> &problems);

private:
  std::vector<std::shared_ptr<const OffCpuLane>> lanes_;
};

/// The bytes of such a file for what is known of a thread.
std::string schedBytes(const OffCpuLane &lane, std::uint32_t tid);

/// Writes such a file for what is known of a thread.
Expected<void> writeSched(const std::string &path, const OffCpuLane &lane, std::uint32_t tid);

/// Completes one whose process was killed: cuts off what is not whole, and adds the record of the end. Does nothing if
/// it has one. A file without a whole header is removed.
Expected<void> finishSched(const std::string &path);

/// The first thing that is wrong with one: its header, records of no kind, a sum that does not fit, bytes
/// behind the end.
Expected<void> checkSched(const std::string &path);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_SCHED_FILE_H
