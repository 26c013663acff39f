// Records from bytes: the packed layout of version 3 and the aligned one of the chunked dialect.
#pragma once

#include "string_table.h"
#include "type_table.h"

#include "ada/trace/wtf/decoder.h"

#include <functional>

namespace ada::wtf {

enum class Layout : uint8_t {
  PackedBig,    ///< version 3, and legacy parts of the chunked dialect
  PackedLittle, ///< version 3 as described
  Aligned,      ///< chunked
};

/// Finds the end of a record, then turns its bytes into arguments and delivers them. The search for the end remembers
/// how far it came, so a record that arrives in many pieces is not read from its start each time.
class RecordParser {
public:
  RecordParser(Visitor &visitor, uint64_t maxRecordBytes) : visitor_(visitor), maxBytes_(maxRecordBytes) {}

  /// Sets what all records of a file share. Call before the first one.
  void begin(Dialect dialect, AsciiText asciiText, uint32_t timeScale);
  /// For parts that differ from that.
  void setLayout(Layout newLayout, AsciiText newText) {
    layout_ = newLayout;
    asciiText_ = newText;
  }
  /// The strings of the chunk, for Layout::Aligned.
  void setStrings(const StringTable *table) { strings_ = table; }

  struct Outcome {
    enum { Delivered, NeedMore } what;
    /// Delivered: the record's size. NeedMore: a size of `bytes` to try again with.
    uint64_t size;
  };
  /// Takes the record at the start of `bytes`, which is at `offset` in the file. `bytes` may only grow until the record
  /// is delivered.
  Expected<Outcome> parse(std::span<const std::byte> bytes, uint64_t offset);

  /// Forgets a record that will not be completed.
  void drop() { argsFound_ = 0; }

  uint64_t delivered() const { return count_; }
  void warn(const char *code, std::string message);

private:
  struct Slot { // where an argument's value is
    uint64_t at = 0;
    uint32_t count = 0; // bytes of text, elements of an array, string ordinal
    bool isNull = false;
  };

  Expected<uint64_t> measurePacked(std::span<const std::byte> bytes, uint64_t offset);
  Expected<uint64_t> measureAligned(std::span<const std::byte> bytes, uint64_t offset);
  void makeArgs(std::span<const std::byte> bytes);
  void makeText(Arg &arg, const Slot &slot, std::span<const std::byte> bytes, std::string &scratch);
  Expected<void> deliver(uint64_t offset, uint32_t time);
  Expected<void> define(const Record &record);

  Visitor &visitor_;
  uint64_t maxBytes_;
  Dialect dialect_ = Dialect::BigEndian;
  Layout layout_ = Layout::PackedBig;
  AsciiText asciiText_ = AsciiText::Latin1;
  uint32_t timeScale_ = 1;
  TypeTable types_;
  const StringTable *strings_ = nullptr;

  const EventType *type_ = nullptr;
  std::vector<Slot> slots_;
  size_t argsFound_ = 0;  // arguments of the current record whose end is known; 0: start over
  uint64_t foundEnd_ = 0; // and where the last of them ends
  std::vector<Arg> args_;
  std::vector<std::string> scratch_; // one for each argument, for text that had to be converted
  uint64_t count_ = 0;
  std::vector<std::string> warned_;
};

} // namespace ada::wtf
