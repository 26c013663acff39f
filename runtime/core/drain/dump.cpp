// Copies files with raw system calls.
#include "dump.h"
#include "directory.h"
#include "shared/encode/packed_format.h"

namespace ada::runtime {
namespace {

// For the name of a thread's file: the thread's number, and in `file` what follows it (see thread_files). Otherwise -1.
int64_t threadOf(const char *name, const char *&file) {
  constexpr const char kPrefix[] = "thread_";
  if (!TextPiece(name).startsWith(kPrefix))
    return -1;
  int64_t number = 0;
  for (file = name + sizeof kPrefix - 1; *file >= '0' && *file <= '9'; ++file)
    number = number * 10 + (*file - '0');
  return number;
}

} // namespace

int Dump::begin(const char *place, const char *session, uint32_t processId) {
  place_ = place, count_ = next_ = 0;
  wanted_.clear(), temporary_.clear();
  wanted_ << session;
  temporary_ << session << ".part-" << processId;
  directory_ = temporary_;
  directory_ << "/pid_" << processId;
  files_ = static_cast<File *>(sys::mapMemory(kMaxFiles * sizeof(File)));
  buffer_ = static_cast<char *>(sys::mapMemory(kBufferBytes));
  int error = files_ && buffer_ ? 0 : -ENOMEM;
  Path above = wanted_;
  above.toParent();
  sys::makeDirectory(above.c_str()); // its parent existed when the program started
  if (error == 0)
    error = sys::makeDirectory(temporary_.c_str());
  if (error == 0 || error == -EEXIST)
    error = sys::makeDirectory(directory_.c_str());
  if (error == 0)
    eachName(place_, [&](const char *name) {
      const char *file = nullptr;
      const int64_t thread = threadOf(name, file);
      if (thread >= 0)
        error = add(static_cast<uint32_t>(thread), file);
      return error == 0;
    });
  if (error < 0)
    forget(true);
  return error;
}

// Adds the thread's file of that name.
int Dump::add(uint32_t thread, const char *name) {
  if (equal(name, thread_files::kPackedIndex))
    return addFile(thread, false);
  if (equal(name, thread_files::kPackedDetail))
    return addFile(thread, true);
  return equal(name, thread_files::kPackedSched) ? copySched(thread) : 0;
}

int Dump::openBoth(const File &file, bool isNew) {
  const char *name = file.isDetail ? thread_files::kPackedDetail : thread_files::kPackedIndex;
  from_.begin(place_, file.thread, name);
  to_.begin(directory_.c_str(), file.thread, name);
  int error = from_.openMade();
  if (error == 0)
    error = isNew ? to_.open([] { return 0; }) : to_.openMade();
  if (error < 0)
    closeBoth();
  return error;
}

void Dump::closeBoth() { from_.close(), to_.close(); }

// Copies the parts that will change, and notes the rest for later.
int Dump::addFile(uint32_t thread, bool isDetail) {
  if (count_ == kMaxFiles)
    return -ENOMEM;
  File file = {thread, isDetail, 0, 0};
  int error = openBoth(file, true);
  if (error < 0)
    return error;
  const int64_t size = from_.size();
  uint64_t begin = packed::kFileHeaderBytes, end = static_cast<uint64_t>(size);
  error = size < 0 ? static_cast<int>(size) : 0;
  if (error == 0 && !isDetail) {
    packed::RawFileHeader header;
    packed::RawTrailer trailer;
    error = from_.read(&header, sizeof header, 0);
    if (error == 0)
      error = from_.read(&trailer, sizeof trailer, header.trailerOffset);
    if (error == 0)
      begin = header.blocksOffset, end = trailer.indexOffset;
  }
  if (error == 0 && (begin > end || end > static_cast<uint64_t>(size)))
    error = -EIO;
  if (error == 0)
    error = copy(0, packed::kFileHeaderBytes);
  if (error == 0)
    error = copy(end, static_cast<uint64_t>(size));
  closeBoth();
  file.at = begin, file.end = end;
  files_[count_++] = file;
  return error;
}

// The file is small and finished, so it is copied at once.
int Dump::copySched(uint32_t thread) {
  from_.begin(place_, thread, thread_files::kPackedSched);
  to_.begin(directory_.c_str(), thread, thread_files::kPackedSched);
  int error = from_.openMade();
  if (error < 0)
    return error;
  error = to_.open([] { return 0; });
  const int64_t size = from_.size();
  if (error == 0)
    error = size < 0 ? static_cast<int>(size) : copy(0, static_cast<uint64_t>(size));
  closeBoth();
  return error;
}

int Dump::copy(uint64_t at, uint64_t end) {
  int error = 0;
  while (error == 0 && at < end) {
    const uint64_t n = end - at < kBufferBytes ? end - at : kBufferBytes;
    error = from_.read(buffer_, n, at);
    if (error == 0)
      error = to_.write(buffer_, n, at);
    at += n;
  }
  return error;
}

int Dump::step(uint64_t bytes) {
  int error = 0;
  while (error == 0 && bytes > 0 && next_ < count_) {
    File &file = files_[next_];
    if (file.at == file.end) {
      ++next_;
      continue;
    }
    const uint64_t n = file.end - file.at < bytes ? file.end - file.at : bytes;
    error = openBoth(file, false);
    if (error < 0)
      break;
    error = copy(file.at, file.at + n);
    closeBoth();
    file.at += n, bytes -= n;
  }
  if (error == 0 && next_ < count_)
    return 0;
  if (error == 0)
    error = publish();
  forget(error < 0);
  return error;
}

// The name is free, or is that of an empty directory (adatrace record creates one); otherwise a number is appended.
int Dump::publish() {
  session_ = wanted_;
  for (uint32_t number = 2;; ++number) {
    int error = sys::rename(temporary_.c_str(), session_.c_str());
    if ((error != -ENOTEMPTY && error != -EEXIST) || number == 10000)
      return error;
    session_ = wanted_;
    session_ << '_' << number;
  }
}

// Frees the memory, and removes a dump that failed.
void Dump::forget(bool failed) {
  if (failed)
    removeProcessDirectory(directory_.c_str());
  if (files_)
    sys::unmap(files_, kMaxFiles * sizeof(File));
  if (buffer_)
    sys::unmap(buffer_, kBufferBytes);
  files_ = nullptr, buffer_ = nullptr;
}

void removeProcessDirectory(const char *directory) {
  constexpr int kDirectory = 0x200; // AT_REMOVEDIR
  auto removeDirectory = [](const char *path) { sys::call(SYS_unlinkat, AT_FDCWD, path, kDirectory); };
  eachName(directory, [&](const char *name) {
    sys::unlink((Path(directory) << '/' << name).c_str());
    return true;
  });
  removeDirectory(directory);
  Path above(directory);
  above.toParent();
  removeDirectory(above.c_str());
}

} // namespace ada::runtime
