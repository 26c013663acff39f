// The ring file of a process that has recorded, mapped for giving orders.
//
// The file is found among the mappings of the process. Its path may mean another file by now. So the file is written
// only if it begins like a ring file, and is either the very file that is mapped (same device and inode; some file
// systems report others for mappings) or belongs to the process's owner.
#pragma once

#include "live/control/control.h"
#include "live/control/process_files.h"
#include "shared/ring/ring_file.h"
#include "trace/base/file_descriptor.h"

#include <optional>
#include <string>
#include <utility>

namespace ada::control {

class MappedRing {
public:
  /// The ring of a process. Nothing if it has none; then `answer` says why.
  static std::optional<MappedRing> ofProcess(const ProcessFacts &process, Answer &answer);
  /// The ring that the manifest of a process directory names.
  static std::optional<MappedRing> ofDirectory(const std::string &path, const std::string &directory);

  MappedRing(MappedRing &&other) noexcept
      : fd_(std::move(other.fd_)), memory_(std::exchange(other.memory_, nullptr)), path_(std::move(other.path_)) {}
  MappedRing &operator=(MappedRing &&other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(memory_, other.memory_);
    std::swap(path_, other.path_);
    return *this;
  }
  ~MappedRing();

  ada_ring_header &header() const { return *reinterpret_cast<ada_ring_header *>(memory_); }
  ada_ring_orders &orders() const { return *reinterpret_cast<ada_ring_orders *>(memory_ + ADA_RING_ORDERS_OFFSET); }
  /// The process directory that it names, as the process sees it.
  std::string directory() const;

  /// Whether the process still has the thread that carries orders out. It has not after exec.
  bool hasDrain() const;
  /// Gives the order and waits for the answer. `leaseNs`: see ada_ring_orders; 0 changes nothing but for "start".
  Answer give(const std::string &order, pid_t pid, uint64_t leaseNs = 0) const;

private:
  MappedRing(FileDescriptor fd, char *memory, std::string path)
      : fd_(std::move(fd)), memory_(memory), path_(std::move(path)) {}
  static std::optional<MappedRing> open(const std::string &path, const Mapping *mapped, uid_t owner);

  FileDescriptor fd_;
  char *memory_;
  std::string path_;
};

} // namespace ada::control
