// What a viewer draws of a thread: calls that are wide enough to see, and boxes for those that are not.
#pragma once

#include "ada/trace/calls.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ada::view {

inline constexpr uint64_t kNoSeq = ~uint64_t{0};

enum class ItemKind : uint8_t {
  Call = 0,
  Box = 1,       ///< several calls of one depth
  Open = 2,      ///< a call whose end is not known
  Exception = 3, ///< a call that was left by an exception
  Gap = 4,       ///< no call: events were lost, `count` of them (0: number not known)
  Waiting = 5,   ///< no call: the thread was off-CPU because it waited; `count` times, which take `fillNs` of it
  Preempted = 6, ///< the same, but because another thread was on its CPU
  Recorder = 7,  ///< the same, but the recorder held the thread up
  Unknown = 8,   ///< the same, but it is not known whether the thread ran
  Inferred = 9,  ///< a call whose end was only inferred
  Missing = 10,  ///< a call whose exit was not recorded
};

/// How a call that has ended in this way is drawn.
constexpr ItemKind itemKindOf(SpanEnd how) {
  return how == SpanEnd::Exception  ? ItemKind::Exception
         : how == SpanEnd::Inferred ? ItemKind::Inferred
         : how == SpanEnd::Missing  ? ItemKind::Missing
                                    : ItemKind::Call;
}
/// And back, of an item that is a single call.
constexpr SpanEnd endOf(ItemKind kind) {
  return kind == ItemKind::Open        ? SpanEnd::Open
         : kind == ItemKind::Exception ? SpanEnd::Exception
         : kind == ItemKind::Inferred  ? SpanEnd::Inferred
         : kind == ItemKind::Missing   ? SpanEnd::Missing
                                       : SpanEnd::Return;
}

/// A call, or several short ones of one depth.
struct Item {
  uint64_t beginNs = 0, endNs = 0;
  uint64_t seq = kNoSeq; ///< number of the event that began the call, if known
  uint64_t count = 1;    ///< calls
  uint64_t fillNs = 0;   ///< time in them
  uint32_t depth = 0;
  uint32_t function = 0; ///< of a box, the function with the most time
  ItemKind kind = ItemKind::Call;

  bool operator==(const Item &) const = default;
};

/// Finds which of several functions takes the most time. Exact for up to eight of them. With more, the one with the
/// least time makes room, as in "space-saving" counting, and the answer is a function with much time.
class TopFunction {
public:
  void add(uint32_t function, uint64_t ns);
  void add(const TopFunction &other);
  uint32_t best() const;
  void clear() { size_ = 0; }

private:
  struct Share {
    uint32_t function = 0;
    uint64_t ns = 0;
  };
  std::array<Share, 8> shares_;
  uint32_t size_ = 0;
};

/// Sums up short calls of one depth.
struct Box {
  uint64_t cell = 0; ///< number of the cell in which its first call begins
  Item item = {.count = 0, .kind = ItemKind::Box};
  TopFunction functions;

  bool isEmpty() const { return item.count == 0; }
  /// The item must begin after all that were added before.
  void add(const Item &from);
  void add(const Box &from);
  /// Returns the sum and empties the box. A box with one call gives that call.
  Item take();
};

/// Adds up what is shorter than a pixel. Items of one depth must come in the order of their begins.
class PictureBuilder {
public:
  /// Draws at most `depths` depths, from 0 on.
  PictureBuilder(uint64_t fromNs, uint64_t toNs, uint64_t pixels, uint32_t depths);

  /// Ignored if outside the range.
  void add(const Item &item);
  std::vector<Item> finish();
  uint64_t pixelNs() const { return pixelNs_; }
  uint64_t fromNs() const { return fromNs_; }
  uint64_t toNs() const { return toNs_; }

private:
  uint64_t fromNs_, toNs_, pixelNs_;
  uint32_t depths_;
  std::vector<Box> boxes_; // by depth
  std::vector<Item> items_;
};

} // namespace ada::view
