// String and stack pools: look up ids when reading, assign ids when writing.
//
// An event may refer to an id before the frame that defines it, and an id may
// be defined again; ids restart in each segment. So there are two ways to read
// them. `find` gives what is defined so far. `findAt` gives what an event at
// some offset means, once the segment is complete:
//
//   void onStringPool(StringPoolView entries, uint64_t offset) override { strings.add(entries, offset); }
//   void onSegment(uint64_t) override { ...; strings.clear(); }
#ifndef ADA_TRACE_DIAL9_POOLS_H
#define ADA_TRACE_DIAL9_POOLS_H

#include "ada/trace/dial9/encoder.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ada::dial9 {

/// The definitions of one segment's pool, with their history.
template <class Content> class Pool {
public:
  /// From here (the offset of the defining frame) on, `id` means `content`.
  /// Offsets must not go back.
  void define(uint32_t id, Content content, uint64_t offset) {
    definitions_[id].push_back({offset, std::move(content)});
  }
  /// The latest definition, or null.
  const Content *find(uint32_t id) const {
    auto found = definitions_.find(id);
    return found == definitions_.end() ? nullptr : &found->second.back().content;
  }
  /// What `id` means to an event at `offset`: the latest definition before it;
  /// if there is none, the pool at the end of the segment decides.
  /// Null if the id is never defined, which is not an error of the stream.
  const Content *findAt(uint32_t id, uint64_t offset) const {
    auto found = definitions_.find(id);
    if (found == definitions_.end())
      return nullptr;
    const std::vector<Definition> &history = found->second;
    auto after =
        std::partition_point(history.begin(), history.end(), [&](const Definition &d) { return d.offset < offset; });
    return after == history.begin() ? &history.back().content : &std::prev(after)->content;
  }
  void clear() { definitions_.clear(); }
  size_t size() const { return definitions_.size(); }
  bool empty() const { return definitions_.empty(); }
  /// Calls `visit(id, content)` with each id's latest definition, in no
  /// particular order.
  template <class Visit> void forEach(Visit visit) const {
    for (const auto &[id, history] : definitions_)
      visit(id, history.back().content);
  }

private:
  struct Definition {
    uint64_t offset;
    Content content;
  };
  std::unordered_map<uint32_t, std::vector<Definition>> definitions_;
};

class StringPool : public Pool<std::string> {
public:
  void add(StringPoolView entries, uint64_t offset) {
    for (StringPoolEntry entry : entries)
      define(entry.id, std::string(entry.text), offset);
  }
};

class StackPool : public Pool<std::vector<uint64_t>> {
public:
  void add(StackPoolView entries, uint64_t offset) {
    for (StackPoolEntry entry : entries)
      define(entry.id, {entry.addresses.begin(), entry.addresses.end()}, offset);
  }
};

/// Gives strings their pool ids and writes a pool frame before the first use of
/// each, ids from `firstId` upwards. Starts afresh when the encoder begins a
/// new segment. Ids that you define by hand must stay below `firstId`.
class StringInterner {
public:
  explicit StringInterner(Encoder &target, uint32_t firstId = 0);
  /// The id of `text`, by way of `id`.
  EncodeError intern(std::string_view text, uint32_t &id);

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  Encoder &encoder_;
  uint32_t first_;
  uint32_t segment_;
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> ids_;
};

/// The same for stacks. Extended.
class StackInterner {
public:
  explicit StackInterner(Encoder &target, uint32_t firstId = 0);
  EncodeError intern(std::span<const uint64_t> addresses, uint32_t &id);

private:
  Encoder &encoder_;
  uint32_t first_;
  uint32_t segment_;
  std::map<std::vector<uint64_t>, uint32_t> ids_;
};

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_POOLS_H
