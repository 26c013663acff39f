// What a schema compiles to: an event then costs one step per run of equal fields instead of one look-up per field.
#pragma once

#include "value_access.h"

#include "ada/trace/dial9/schema.h"

#include <algorithm>
#include <array>

namespace ada::dial9 {

/// How the values of a run are read and written.
enum class RunKind : uint8_t {
  Varint,
  Bytes1, ///< U8
  Bytes2, ///< U16
  Bytes4, ///< U32 and pool ids
  Bytes8, ///< I64, F64
  Bool,
  Text,  ///< String, Bytes
  Stack, ///< StackFrames
  Container,
  Optional, ///< a presence byte first, then any of the above
};

/// Neighbouring fields of one type; at least one.
struct Run {
  RunKind kind;
  FieldType type;
  uint16_t count;
};

struct Plan {
  explicit Plan(std::shared_ptr<const Schema> source);

  std::shared_ptr<const Schema> schema;
  /// How many Varint fields come first. Nearly every type begins with some, and they need no look at a run.
  uint32_t leadingVarints = 0;
  /// The fields after these.
  std::vector<Run> runs;
  /// The most bytes that an event takes, including its header, but not counting what follows the length prefixes. At
  /// most 11 bytes per field.
  size_t boundedBytes;
  uint64_t head;     ///< an event's first bytes as a number: tag and type id
  size_t fieldCount; ///< a copy of the schema's, to save a look-up
  bool hasTimestamp; ///< likewise
};

/// What is known about each type id. It has two levels, so that a stream with one type of id 65535 doesn't cost half
/// a megabyte.
template <class Entry> class TypeTable {
public:
  TypeTable() { pages_.fill(&kNoEntries); }
  TypeTable(const TypeTable &) = delete;
  TypeTable &operator=(const TypeTable &) = delete;

  Entry *find(uint16_t typeId) const { return (*pages_[typeId >> 8])[typeId & 0xff]; }
  Entry &add(uint16_t typeId, std::unique_ptr<Entry> entry) {
    std::unique_ptr<Page> &page = ownPages_[typeId >> 8];
    if (!page) {
      page = std::make_unique<Page>();
      pages_[typeId >> 8] = page.get();
    }
    Entry *added = entry.get();
    entries_.push_back({typeId, std::move(entry)});
    return *((*page)[typeId & 0xff] = added);
  }
  /// Takes time in proportion to the types added, however high their ids.
  void clear() {
    for (const auto &[typeId, entry] : entries_)
      (*ownPages_[typeId >> 8])[typeId & 0xff] = nullptr;
    entries_.clear();
  }

private:
  using Page = std::array<Entry *, 256>;
  static constexpr Page kNoEntries = {}; // spares look-ups the question whether a page exists
  std::array<const Page *, 256> pages_;
  std::array<std::unique_ptr<Page>, 256> ownPages_;
  std::vector<std::pair<uint16_t, std::unique_ptr<Entry>>> entries_;
};

} // namespace ada::dial9
