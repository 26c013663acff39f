// The JSON writer.
#include "json.h"

namespace ada::runtime {

JsonWriter::~JsonWriter() {
  if (memory_)
    sys::unmap(memory_, memoryBytes_);
}

void JsonWriter::put(const char *bytes, size_t size) {
  if (fd_ != kMemory && size <= sizeof buffer_ - used_) {
    __builtin_memcpy(buffer_ + used_, bytes, size);
    used_ += size;
    return;
  }
  for (size_t i = 0; i < size; ++i)
    put(bytes[i]);
}

void JsonWriter::put(char c) {
  if (fd_ != kMemory) {
    if (used_ == sizeof buffer_)
      flush();
    buffer_[used_++] = c;
    return;
  }
  if (used_ == memoryBytes_) {
    size_t more = memoryBytes_ ? memoryBytes_ * 2 : 65536;
    long p = memory_ ? sys::call(SYS_mremap, memory_, memoryBytes_, more, MREMAP_MAYMOVE)
                     : reinterpret_cast<long>(sys::mapMemory(more));
    if (p == 0 || (p < 0 && p > -4096)) {
      error_ = -ENOMEM;
      return;
    }
    memory_ = reinterpret_cast<char *>(p), memoryBytes_ = more;
  }
  memory_[used_++] = c;
}

int JsonWriter::open() const {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
  const int fd = sys::open(path_, kFlags);
  if (fd != -EEXIST)
    return fd;
  sys::unlink(path_);
  return sys::open(path_, kFlags);
}

void JsonWriter::flush() {
  if (fd_ == kNotOpen)
    if (fd_ = open(); fd_ < 0)
      error_ = fd_, fd_ = kFailed;
  if (error_ == 0)
    error_ = sys::moveAll(used_, -ENOSPC, [&](size_t done) { return sys::write(fd_, buffer_ + done, used_ - done); });
  used_ = 0;
}

bool JsonWriter::endAt(size_t bytes) {
  if (fd_ != kNotOpen || used_ >= bytes)
    return false;
  while (used_ + 1 < bytes)
    put(' ');
  put('\n');
  return hasEnd_ = true;
}

int JsonWriter::finish() {
  if (!hasEnd_)
    put('\n');
  flush();
  return error_;
}

} // namespace ada::runtime
