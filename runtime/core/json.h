// json.h - writes JSON in a stream, through a small buffer, to a file or to growing memory.
#ifndef ADA_RUNTIME_CORE_JSON_H
#define ADA_RUNTIME_CORE_JSON_H

#include "os.h"
#include "text.h"

namespace ada {

class JsonWriter {
public:
  // To a file; the caller closes it.
  explicit JsonWriter(int fd) : fd_(fd) {}
  // To memory, which release() hands over.
  JsonWriter() : fd_(-1) {}
  ~JsonWriter();
  JsonWriter(const JsonWriter &) = delete;
  JsonWriter &operator=(const JsonWriter &) = delete;

  JsonWriter &beginObject(const char *name = nullptr) { return open(name, '{'); }
  JsonWriter &endObject() { return close('}'); }
  JsonWriter &beginArray(const char *name = nullptr) { return open(name, '['); }
  JsonWriter &endArray() { return close(']'); }
  JsonWriter &text(const char *name, const char *value);
  JsonWriter &number(const char *name, uint64_t value);
  JsonWriter &boolean(const char *name, bool value);
  // "0x" and at least `digits` digits.
  JsonWriter &hex(const char *name, uint64_t value, unsigned digits);
  // Members that are JSON already, as release() gave them; nothing if empty.
  JsonWriter &raw(const char *members, size_t bytes);
  // A new line before the next element, for people who open the file.
  JsonWriter &line();

  // 0, or a negative errno of the first write that failed.
  int finish();
  // The memory, to be unmapped by the caller with its capacity; null if there was none or it ran out.
  char *release(size_t &bytes);

private:
  JsonWriter &open(const char *name, char bracket);
  JsonWriter &close(char bracket);
  void key(const char *name);
  void string(const char *s);
  void put(char c);
  void put(const char *s);
  void flush();

  int fd_, error_ = 0;
  bool first_ = true, lineBreak_ = false;
  char *memory_ = nullptr;
  size_t memoryBytes_ = 0, used_ = 0;
  char buffer_[8192];
};

} // namespace ada
#endif
