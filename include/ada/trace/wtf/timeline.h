// Makes zones and scopes from records: what happened where, and when.
//
//   struct Calls : ada::wtf::TimelineVisitor {
//     void onItem(const ada::wtf::Item &item) override {
//       if (item.kind == ada::wtf::ItemKind::Enter)
//         std::cout << item.zone->name << ' ' << item.name << '\n';
//     }
//   } calls;
//   ada::wtf::Timeline timeline(calls);
//   ada::wtf::Decoder decoder(timeline);
//   ...push, decoder.finish()...
//   timeline.finish();
//
// A zone is a thread, or something similar. The last wtf.zone#set says in which
// zone a record is; records before the first wtf.zone#set are in the first zone
// that is created.
//
// Memory: the open scopes. So items come in file order. Within a zone that is the order of time, unless the zone says
// outOfOrder, as it can happen in files saved from ring buffers.
#ifndef ADA_TRACE_WTF_TIMELINE_H
#define ADA_TRACE_WTF_TIMELINE_H

#include "ada/trace/wtf/decoder.h"

#include <limits>

namespace ada::wtf {

struct Zone {
  uint32_t index = 0; ///< in order of creation, from 0
  /// The number that the file uses. None for the zone of a file that creates no
  /// zone.
  std::optional<uint16_t> id;
  std::string name, type, location;
  uint64_t strayLeaves = 0; ///< so far: `leave` records without an open scope
  uint64_t lostData = 0;    ///< so far: appended data without an open scope
  bool outOfOrder = false;  ///< a record was earlier than the one before it in the zone
};

enum class ItemKind : uint8_t {
  Enter,      ///< a scope begins
  Leave,      ///< the innermost open scope of the zone ends
  Unclosed,   ///< the same at the end of the trace, because there was no leave
  StrayLeave, ///< a scope ends that was open before the trace began
  Instance,   ///< any other event
  Mark,       ///< a phase begins that lasts to the next mark of the zone
  TimeStamp,  ///< an event that is named by its argument
  AppendData, ///< `name` and `value` are added to the innermost open scope
};

struct Item {
  ItemKind kind = ItemKind::Instance;
  const Zone *zone = nullptr;
  uint64_t timeUs = 0;
  /// Name of the scope, event, mark or added value.
  std::string_view name;
  /// Enter: open scopes around it. Leave, Unclosed: the same number as at its
  /// Enter. Otherwise: open scopes; AppendData with 0 belongs to nothing.
  size_t depth = 0;
  Arg value;                            ///< Mark, TimeStamp, AppendData
  const Record *record = nullptr;       ///< not with Unclosed
  uint64_t enterUs = 0;                 ///< Leave, Unclosed: when the scope began
  const EventType *scopeType = nullptr; ///< Enter, Leave, Unclosed: the type it was entered with
};

/// W_UNKNOWN_ZONE (wtf.zone#set of a number that no zone has; it becomes a
/// nameless zone), W_SAME_ZONE (two numbers with the same name, type and
/// location; viewers mix them up), W_TIME_ORDER (see Zone::outOfOrder), and
/// those of the decoder. Each once.
class TimelineVisitor {
public:
  virtual ~TimelineVisitor();
  virtual void onHeader(const FileHeader &) {}
  /// A zone is new, or got its name. Zones live as long as the Timeline.
  virtual void onZone(const Zone &) {}
  virtual void onItem(const Item &) = 0;
  virtual void onWarning(const Warning &) {}
};

class Timeline : public Visitor {
public:
  explicit Timeline(TimelineVisitor &visitor);
  Timeline(Timeline &&) noexcept;
  Timeline &operator=(Timeline &&) noexcept;
  ~Timeline() override;

  /// Call it after the decoder's finish() and before the decoder is destroyed, because the decoder owns the names.
  /// Closes the scopes that are still open, innermost first, at the last time of the trace.
  void finish();

  /// All zones so far. A file without zones has one without id and name.
  size_t zoneCount() const noexcept;
  const Zone &zone(size_t index) const noexcept;
  /// The zone that the next record is in.
  const Zone &currentZone() const noexcept;
  /// The number given by the last wtf.zone#set; none before the first.
  std::optional<uint16_t> currentId() const noexcept;

  void onHeader(const FileHeader &header) override;
  void onRecord(const Record &record) override;
  void onWarning(const Warning &warning) override;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_TIMELINE_H
