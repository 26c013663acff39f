// A complete file as trees: collects the items of each zone, sorts them if necessary, nests them.
#include "tree.h"

#include "formats/wtf/bytes.h"
#include "formats/wtf/zone_tracker.h"

#include <algorithm>
#include <unordered_set>

namespace ada::wtf {
namespace {

/// An item that outlives its record.
struct Raw {
  ItemKind kind;
  uint32_t order; // among those of its zone, in the file
  std::string_view name;
  const EventType *type;
  uint64_t timeUs;
  uint32_t firstValue, valueCount;
};

class Builder : public Visitor {
public:
  explicit Builder(Tree &tree)
      : tree_(tree), tracker_([](const Zone &) {}, [&tree](const Warning &w) { tree.warnings.push_back(w); }) {}

  void onHeader(const FileHeader &header) override { tree_.header = header; }
  void onWarning(const Warning &warning) override { tree_.warnings.push_back(warning); }
  void onDefinition(const EventType &type, bool isNew) override {
    if (isNew)
      tree_.types.push_back(&type);
  }
  void onRecord(const Record &record) override;
  void finish();

private:
  struct Collected {
    std::vector<Raw> items;
    std::vector<Value> values;
    uint64_t lastUs = 0;
  };
  std::string_view intern(std::string_view name) { return *names_.emplace(name).first; }
  void nest(ZoneTree &zone, const std::vector<Raw> &items);

  Tree &tree_;
  ZoneTracker tracker_;
  std::vector<Collected> collected_; // by Zone::index
  std::unordered_set<std::string> names_;
  uint64_t lastUs_ = 0;
};

void Builder::onRecord(const Record &record) {
  if (tracker_.take(record))
    return;
  Zone &zone = tracker_.current();
  if (collected_.size() <= zone.index)
    collected_.resize(zone.index + 1);
  Collected &into = collected_[zone.index];
  forEachItem(record, [&](Item &item) {
    Raw raw{item.kind,
            static_cast<uint32_t>(into.items.size()),
            record.type->name,
            record.type,
            item.timeUs,
            static_cast<uint32_t>(into.values.size()),
            0};
    const bool named = item.kind == ItemKind::Mark || item.kind == ItemKind::TimeStamp;
    if (named || item.kind == ItemKind::AppendData || record.type->role == Role::ScopeEnter)
      raw.name = intern(item.name);
    if (named || item.kind == ItemKind::AppendData)
      into.values.emplace_back(item.value);
    else if (record.type->role != Role::ScopeEnter && item.kind != ItemKind::Leave)
      for (const Arg &arg : record.args)
        into.values.emplace_back(arg);
    raw.valueCount = static_cast<uint32_t>(into.values.size()) - raw.firstValue;
    into.items.push_back(raw);
    zone.outOfOrder |= item.timeUs < into.lastUs;
    into.lastUs = item.timeUs;
    lastUs_ = std::max(lastUs_, item.timeUs);
  });
}

void Builder::finish() {
  collected_.resize(tracker_.zones.size());
  for (const Zone &zone : tracker_.zones) {
    Collected &from = collected_[zone.index];
    if (!zone.id && tracker_.zones.size() > 1 && from.items.empty())
      continue; // all events are in numbered zones
    if (zone.outOfOrder)
      std::sort(from.items.begin(), from.items.end(), [](const Raw &a, const Raw &b) {
        return a.timeUs != b.timeUs ? a.timeUs < b.timeUs : a.order < b.order;
      });
    ZoneTree &into = tree_.zones.emplace_back();
    into.zone = zone;
    into.values = std::move(from.values);
    nest(into, from.items);
    from = Collected();
  }
}

void Builder::nest(ZoneTree &zone, const std::vector<Raw> &items) {
  struct Open {
    uint32_t node, lastChild = kNoNode, lastAdded = kNoNode;
  };
  std::vector<Open> stack = {{kNoNode}}; // the lowest one stands for the zone
  for (const Raw &raw : items) {
    Open &top = stack.back();
    if (raw.kind == ItemKind::Leave) {
      if (stack.size() == 1) {
        ++zone.zone.strayLeaves;
        continue;
      }
      zone.nodes[top.node].leaveUs = raw.timeUs;
      zone.nodes[top.node].closed = true;
      stack.pop_back();
      continue;
    }
    if (raw.kind == ItemKind::AppendData) {
      if (stack.size() == 1) {
        ++zone.zone.lostData;
        continue;
      }
      const auto index = static_cast<uint32_t>(zone.added.size());
      (top.lastAdded == kNoNode ? zone.nodes[top.node].firstAdded : zone.added[top.lastAdded].next) = index;
      top.lastAdded = index;
      zone.added.push_back({raw.name, raw.firstValue});
      continue;
    }
    const auto index = static_cast<uint32_t>(zone.nodes.size());
    Node node;
    node.kind = raw.kind == ItemKind::Enter       ? Node::Kind::Scope
                : raw.kind == ItemKind::Mark      ? Node::Kind::Mark
                : raw.kind == ItemKind::TimeStamp ? Node::Kind::TimeStamp
                                                  : Node::Kind::Instance;
    node.depth = static_cast<uint32_t>(stack.size() - 1);
    node.name = raw.name;
    node.type = raw.type;
    node.timeUs = raw.timeUs;
    node.parent = top.node;
    node.firstValue = raw.firstValue;
    node.valueCount = raw.valueCount;
    (top.lastChild != kNoNode ? zone.nodes[top.lastChild].next
     : top.node == kNoNode    ? zone.first
                              : zone.nodes[top.node].firstChild) = index;
    top.lastChild = index;
    if (raw.kind == ItemKind::Enter) {
      node.closed = false;
      node.leaveUs = lastUs_;
      stack.push_back({index});
    }
    zone.nodes.push_back(node);
  }
  for (size_t i = 1; i < stack.size(); ++i)
    zone.unclosed.push_back(stack[i].node);
}

} // namespace

Value::Value(const Arg &arg)
    : bits_(arg.bits), count_(arg.array.size()), type_(arg.type), isNull_(arg.isNull), validJson_(arg.validJson) {
  if (isText(type_))
    bytes_ = arg.text;
  else if (isArray(type_) && count_) {
    const unsigned width = widthOf(type_);
    bytes_ = asText(arg.array.data(), size_t{count_} * width);
    if (arg.array.bigEndian())
      for (size_t at = 0; at < bytes_.size(); at += width)
        std::reverse(bytes_.begin() + static_cast<ptrdiff_t>(at), bytes_.begin() + static_cast<ptrdiff_t>(at + width));
  }
}

Arg Value::arg() const {
  Arg arg = Arg::scalar(type_, bits_);
  arg.isNull = isNull_;
  arg.validJson = validJson_;
  if (isText(type_))
    arg.text = bytes_;
  else if (isArray(type_))
    arg.array = ArrayView(elementType(type_), false, reinterpret_cast<const std::byte *>(bytes_.data()), count_);
  return arg;
}

Tree readTree(std::span<const std::byte> file) {
  struct Storage {
    explicit Storage(Tree &tree) : builder(tree), decoder(builder) {}
    Builder builder;
    Decoder decoder;
  };
  Tree tree;
  auto storage = std::make_shared<Storage>(tree);
  if (auto pushed = storage->decoder.push(file); !pushed)
    tree.error = pushed.error();
  else if (auto finished = storage->decoder.finish(); !finished)
    tree.error = finished.error();
  storage->builder.finish();
  tree.storage = std::move(storage);
  return tree;
}

} // namespace ada::wtf
