// Writes JSON as a stream, through a small buffer, to a file or to growing memory.
#pragma once

#include "os.h"
#include "shared/text/json.h"

namespace ada::runtime {

class JsonWriter : public JsonStructure<JsonWriter> {
public:
  // Writes to a file; the caller closes it.
  explicit JsonWriter(int fd) : fd_(fd) {}
  // Writes to a new file, which is made when a buffer is full or finish() is called. It replaces one that was left.
  explicit JsonWriter(const char *path) : fd_(kNotOpen), path_(path) {}
  // Writes to memory.
  JsonWriter() : fd_(kMemory) {}
  ~JsonWriter();
  JsonWriter(const JsonWriter &) = delete;
  JsonWriter &operator=(const JsonWriter &) = delete;

  void put(const char *bytes, size_t size);

  // Ends the text with blanks and a newline, so that it has that many bytes. False, and nothing has changed, if it is
  // longer, or if a file was opened.
  bool endAt(size_t bytes);
  // All of the text, if it has a path and still fits into the buffer, so that no file was made; empty otherwise.
  TextPiece kept() const { return {buffer_, fd_ == kNotOpen ? used_ : 0}; }
  // Returns 0, or the negative errno of the first write that failed.
  int finish();
  // The file that was written to; negative if it writes to memory, or has not made its file.
  int descriptor() const { return fd_; }
  // The text written to memory, valid as long as this object lives; empty if memory ran out.
  TextPiece made() const { return {memory_, error_ ? 0 : used_}; }

private:
  void put(char c);
  int open() const;
  void flush();

  static constexpr int kMemory = -1, kNotOpen = -2, kFailed = -3;

  int fd_, error_ = 0;
  const char *path_ = nullptr;
  bool hasEnd_ = false;
  char *memory_ = nullptr;
  size_t memoryBytes_ = 0, used_ = 0;
  char buffer_[8192];
};

} // namespace ada::runtime
