// A whole wtf-trace in memory: its zones as trees of scopes.
//
//   auto tree = readTree(fileBytes);
//   for (const ada::wtf::ZoneTree &zone : tree.zones)
//     for (auto node = zone.first; node != ada::wtf::kNoNode; node = zone.nodes[node].next)
//       std::cout << zone.nodes[node].name << '\n';
//   if (tree.error)
//     warn(*tree.error);
//
// Records that are out of order within a zone are sorted by time; records with equal times keep the file's order.
#pragma once

#include "ada/trace/wtf/timeline.h"

namespace ada::wtf {

/// An argument that owns its text or elements.
class Value {
public:
  Value() = default;
  explicit Value(const Arg &arg);
  /// A view, valid as long as this value.
  Arg arg() const;

private:
  std::string bytes_; // text; elements, least significant byte first
  uint32_t bits_ = 0, count_ = 0;
  ArgType type_ = ArgType::Bool;
  bool isNull_ = true, validJson_ = false;
};

inline constexpr uint32_t kNoNode = 0xFFFFFFFF;

struct Node {
  enum class Kind : uint8_t { Scope, Instance, Mark, TimeStamp };
  Kind kind = Kind::Instance;
  bool closed = true; ///< scopes: there was a leave
  uint32_t depth = 0;
  std::string_view name;
  const EventType *type = nullptr;
  uint64_t timeUs = 0;
  uint64_t leaveUs = 0; ///< scopes; the last time of the trace if not closed
  uint32_t parent = kNoNode, firstChild = kNoNode,
           next = kNoNode; ///< indices into ZoneTree::nodes
  uint32_t firstValue = 0; ///< index into ZoneTree::values
  /// Arguments, one for each of type->argDefs; a Mark or TimeStamp has only its value. Scopes of wtf.scope#enter have
  /// none: their argument is the name.
  uint32_t valueCount = 0;
  uint32_t firstAdded = kNoNode; ///< index into ZoneTree::added
};

/// A value added to a scope after it began.
struct Added {
  std::string_view name;
  uint32_t value = 0;      ///< index into ZoneTree::values
  uint32_t next = kNoNode; ///< the scope's next one, index into ZoneTree::added
};

struct ZoneTree {
  Zone zone;
  std::vector<Node> nodes;  ///< in order of time
  uint32_t first = kNoNode; ///< the first node that is not in a scope
  std::vector<Value> values;
  std::vector<Added> added;
  std::vector<uint32_t> unclosed; ///< scopes without a leave, outermost first
};

/// The content of a file, up to its first error.
struct Tree {
  std::optional<FileHeader> header;
  std::vector<ZoneTree> zones;
  std::vector<const EventType *> types; ///< in order of their definition
  std::vector<Warning> warnings;
  std::optional<Error> error; ///< E_TRUNCATED if only the end is missing

  std::shared_ptr<const void> storage; ///< types and names live here
};

Tree readTree(std::span<const std::byte> file);

} // namespace ada::wtf
