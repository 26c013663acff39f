// Reads and writes scheduling records: when a thread was on-CPU.
//
// A record is in a file beside the thread's index file, or if it is short, in the thread's entry of the manifest. See
// docs/formats/sched.md.
#pragma once

#include "ada/trace/manifest.h"
#include "ada/trace/off_cpu.h"
#include "trace/base/file_bytes.h"

#include <map>

namespace ada::atf {

/// The path of the scheduling file of the thread at a place (see directories.h).
std::string schedPathIn(const std::string &place);

/// The bytes of a scheduling record, and where they are.
class SchedRecord {
public:
  /// That of the thread at the place `thread`, whatever holds it; nothing if there is none. `info`: the manifest's
  /// entry, or null. Errors: E_IO; E_BAD_RECORD if the entry is not base64.
  static Expected<std::optional<SchedRecord>> of(const std::string &thread, const ManifestThread *info);
  /// That in a file. Errors: E_IO.
  static Expected<SchedRecord> inFile(const std::string &path);

  std::span<const std::byte> bytes() const;
  /// The path of the file, or of the manifest.
  const std::string &path() const { return path_; }

private:
  std::string path_, kept_;
  FileBytes file_;
};

/// A record of at most that many bytes goes into the manifest.
inline constexpr size_t kMaxSchedInManifest = 1008;

/// The lanes of a session's threads; each record is read once.
class SchedLanes {
public:
  /// The lane of the thread with number `index` in the session; null if it has none. Errors in the record are added to
  /// `problems`.
  std::shared_ptr<const OffCpuLane> of(const std::string &thread, const ManifestThread *info, uint32_t index,
                                       std::vector<Error> &problems);

private:
  std::vector<std::shared_ptr<const OffCpuLane>> lanes_;
};

/// How long the recorder held a thread up, by the reason that its record gives: all periods that have ended. Empty
/// if there is no record, or if it can't be read. Keeps nothing of it.
std::map<uint32_t, uint64_t> heldNs(const std::string &thread, const ManifestThread *info);

/// The bytes of a scheduling file with everything known about a thread.
std::string schedBytes(const OffCpuLane &lane, uint32_t tid);

/// Writes a scheduling file with everything known about a thread.
Expected<void> writeSched(const std::string &path, const OffCpuLane &lane, uint32_t tid);

/// Completes the file of a process that was killed: cuts off an incomplete record and adds the end record. Does nothing
/// if the file has one. Removes a file without a complete header.
Expected<void> finishSched(const std::string &path);

/// Whether the file exists and has no end, or not even a whole header.
bool lacksEnd(const std::string &path);

/// Reports the first problem of a record: its header, records of unknown kinds, a wrong checksum, bytes after the end.
Expected<void> checkSched(const SchedRecord &record);
/// The same for a file.
Expected<void> checkSched(const std::string &path);

} // namespace ada::atf
