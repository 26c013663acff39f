// thread_N/sched.ads, beside a thread's index file: when the thread was on-CPU. See docs/formats/sched.md.
#pragma once

#include "ada/trace/off_cpu.h"

#include <map>

namespace ada::atf {

/// The path of sched.ads in the directory of a thread.
std::string schedPathIn(const std::string &thread);

/// The lanes of a session's threads; each file is read once.
class SchedLanes {
public:
  /// The lane of the thread with number `index` in the session; null if it has none. Errors in the file are added to
  /// `problems`.
  std::shared_ptr<const OffCpuLane> of(const std::string &thread, uint32_t index, std::vector<Error> &problems);

private:
  std::vector<std::shared_ptr<const OffCpuLane>> lanes_;
};

/// How long the recorder held a thread up, by the reason that its sched.ads gives: all periods that have ended. Empty
/// if there is no such file, or if it can't be read. Reads the file, but keeps nothing of it.
std::map<uint32_t, uint64_t> heldNs(const std::string &thread);

/// The bytes of a sched.ads with everything known about a thread.
std::string schedBytes(const OffCpuLane &lane, uint32_t tid);

/// Writes a sched.ads with everything known about a thread.
Expected<void> writeSched(const std::string &path, const OffCpuLane &lane, uint32_t tid);

/// Completes the file of a process that was killed: cuts off an incomplete record and adds the end record. Does nothing
/// if the file has one. Removes a file without a complete header.
Expected<void> finishSched(const std::string &path);

/// Whether the file exists and has no end, or not even a whole header.
bool lacksEnd(const std::string &path);

/// Reports the first problem of a file: its header, records of unknown kinds, a wrong checksum, bytes after the end.
Expected<void> checkSched(const std::string &path);

} // namespace ada::atf
