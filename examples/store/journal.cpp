// Appends records with checksums, block by block.
#include "journal.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

constexpr size_t kBlockBytes = 4096;

// How long a disk takes to confirm a block. The example sleeps instead of calling fdatasync(), so that it does the
// same on any disk.
constexpr std::chrono::milliseconds kDiskTime{25};

[[noreturn]] void fail(const std::string &what) { throw std::system_error(errno, std::generic_category(), what); }

} // namespace

// FNV-1a: enough to notice a record that was half written.
static uint64_t checksum(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

Journal::Journal(std::string path, Writes writes)
    : path_(std::move(path)), writes_(writes), file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644)) {
  if (file_ < 0)
    fail(path_);
}

Journal::~Journal() { close(file_); }

void Journal::append(const std::string &key, const std::string &value) {
  char sum[24];
  std::snprintf(sum, sizeof sum, "%016llx ", static_cast<unsigned long long>(checksum(key + value)));
  block_.append(sum).append(key).append(" ").append(value).append("\n");
  if (block_.size() >= kBlockBytes)
    writeBlock();
}

void Journal::flush() {
  if (!block_.empty())
    writeBlock();
}

void Journal::writeBlock() {
  if (write(file_, block_.data(), block_.size()) != static_cast<ssize_t>(block_.size()))
    fail(path_);
  written_ += block_.size();
  block_.clear();
  if (writes_ == Writes::Now)
    std::this_thread::sleep_for(kDiskTime);
}

void Journal::replaceBy(Journal &other) {
  other.flush();
  if (rename(other.path_.c_str(), path_.c_str()) != 0)
    fail(path_);
  std::swap(file_, other.file_); // the old file is closed with `other`
  written_ = std::exchange(other.written_, written_);
  block_.clear();
}
