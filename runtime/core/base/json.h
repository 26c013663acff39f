// Writes JSON as a stream, through a small buffer, to a file or to growing memory.
#pragma once

#include "os.h"
#include "shared/text/json.h"

namespace ada {

class JsonWriter : public JsonStructure<JsonWriter> {
public:
  // Writes to a file; the caller closes it.
  explicit JsonWriter(int fd) : fd_(fd) {}
  // Writes to memory.
  JsonWriter() : fd_(-1) {}
  ~JsonWriter();
  JsonWriter(const JsonWriter &) = delete;
  JsonWriter &operator=(const JsonWriter &) = delete;

  void put(const char *bytes, size_t size);

  // Returns 0, or the negative errno of the first write that failed.
  int finish();
  // The text written to memory, valid as long as this object lives; empty if memory ran out.
  TextPiece made() const { return {memory_, error_ ? 0 : used_}; }

private:
  void put(char c);
  void flush();

  int fd_, error_ = 0;
  char *memory_ = nullptr;
  size_t memoryBytes_ = 0, used_ = 0;
  char buffer_[8192];
};

} // namespace ada
