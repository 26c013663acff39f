// json.cpp - the JSON writer.
#include "json.h"

namespace ada {

JsonWriter::~JsonWriter() {
  if (memory_)
    sys::unmap(memory_, memoryBytes_);
}

void JsonWriter::put(char c) {
  if (fd_ >= 0) {
    if (used_ == sizeof buffer_)
      flush();
    buffer_[used_++] = c;
    return;
  }
  if (used_ == memoryBytes_) {
    size_t more = memoryBytes_ ? memoryBytes_ * 2 : 65536;
    long p = memory_ ? sys::call(SYS_mremap, memory_, memoryBytes_, more, MREMAP_MAYMOVE)
                     : (long)sys::mapMemory(more);
    if (p == 0 || (p < 0 && p > -4096)) {
      error_ = -ENOMEM;
      return;
    }
    memory_ = (char *)p, memoryBytes_ = more;
  }
  memory_[used_++] = c;
}

void JsonWriter::put(const char *s) {
  while (*s)
    put(*s++);
}

void JsonWriter::flush() {
  size_t done = 0;
  while (done < used_ && error_ == 0) {
    long n = sys::write(fd_, buffer_ + done, used_ - done);
    if (n == -EINTR)
      continue;
    if (n <= 0)
      error_ = n < 0 ? (int)n : -ENOSPC;
    else
      done += (size_t)n;
  }
  used_ = 0;
}

void JsonWriter::string(const char *s) {
  put('"');
  for (; *s; ++s) {
    unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\')
      put('\\'), put((char)c);
    else if (c >= 0x20 && c < 0x80)
      put((char)c);
    else if (c >= 0x80) {
      // UTF-8 goes through; a byte that is not part of a well-formed sequence becomes U+FFFD, for file names may hold anything.
      unsigned n = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
      unsigned i = 0;
      while (i < n && ((unsigned char)s[i + 1] & 0xc0) == 0x80)
        ++i;
      unsigned char second = (unsigned char)s[1];
      bool bad = n == 0 || i < n || (c == 0xe0 && second < 0xa0) || (c == 0xed && second > 0x9f) ||
                 (c == 0xf0 && second < 0x90) || (c == 0xf4 && second > 0x8f);
      if (bad)
        put("\\ufffd");
      else
        for (i = 0; i <= n; ++i)
          put(s[i]);
      if (!bad)
        s += n;
    } else {
      put((Text<16>("\\u").number(c, 16, 4)).c_str());
    }
  }
  put('"');
}

void JsonWriter::key(const char *name) {
  if (!first_)
    put(',');
  if (lineBreak_)
    put('\n');
  first_ = lineBreak_ = false;
  if (name)
    string(name), put(':');
}

JsonWriter &JsonWriter::open(const char *name, char bracket) {
  key(name);
  put(bracket);
  first_ = true;
  return *this;
}
JsonWriter &JsonWriter::close(char bracket) {
  put(bracket);
  first_ = lineBreak_ = false;
  return *this;
}
JsonWriter &JsonWriter::text(const char *name, const char *value) {
  key(name);
  string(value);
  return *this;
}
JsonWriter &JsonWriter::number(const char *name, uint64_t value) {
  key(name);
  put((Text<32>() << value).c_str());
  return *this;
}
JsonWriter &JsonWriter::boolean(const char *name, bool value) {
  key(name);
  put(value ? "true" : "false");
  return *this;
}
JsonWriter &JsonWriter::hex(const char *name, uint64_t value, unsigned digits) {
  key(name);
  put((Text<32>("\"0x").number(value, 16, digits) << '"').c_str());
  return *this;
}
JsonWriter &JsonWriter::raw(const char *members, size_t bytes) {
  if (bytes == 0)
    return *this;
  key(nullptr);
  for (size_t i = 0; i < bytes; ++i)
    put(members[i]);
  return *this;
}
JsonWriter &JsonWriter::line() {
  lineBreak_ = true;
  return *this;
}

int JsonWriter::finish() {
  put('\n');
  flush();
  return error_;
}

char *JsonWriter::release(size_t &bytes) {
  bytes = error_ ? 0 : used_;
  char *m = error_ ? nullptr : memory_;
  if (m)
    memory_ = nullptr;
  return m;
}

} // namespace ada
