// Checks that the two lanes of a thread fit together.
// It follows every link, in both directions, and compares the two events that it connects.
//
//   ada::atf::LinkSummary summary =
//       ada::atf::checkLinks(thread, [](const ada::atf::LinkFlaw &flaw) {
//         print(flaw.inDetail ? "detail.atf" : "index.atf", flaw.offset,
//               flaw.text());
//       });
//
// Two passes, one over each file, and no memory that grows with them: files of
// any size can be checked.
#pragma once

#include "ada/trace/session.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ada::atf {

/// Something that does not fit, at one event.
struct LinkFlaw {
  enum class Kind : uint8_t {
    // About an index event: the detail event that its detail_seq names.
    DetailMissing,   ///< no event has that number
    DetailElsewhere, ///< its index_seq names another index event
    DetailKind,      ///< it belongs to a return and this is a call, or the like
    DetailFunction,  ///< its payload is about another function
    DetailTime,      ///< it was at another time
    // About a detail event: the index event that its index_seq names.
    IndexMissing,     ///< no event has that number
    IndexElsewhere,   ///< its detail_seq names another detail event, or none
    AdditionAstray,   ///< vector registers or contents that are not right after a function
                      ///< event of the same index_seq (contents: or after its vector registers)
    AdditionFunction, ///< such an event is about another function than its function event
    BadPayload,       ///< such an event is not as long as it says
    OtherThread,      ///< version 1: the thread's id is not the file's
  };
  static constexpr unsigned kKinds = 11;

  Kind kind{};
  bool inDetail = false;            ///< `seq` and `offset` refer to the detail file
  uint64_t seq = 0;                 ///< the event's number
  uint64_t offset = 0;              ///< where the wrong field is in the file
  uint64_t found = 0, expected = 0; ///< their meaning depends on `kind`

  /// "detail_seq is 7, but there are only 5 detail events"
  std::string text() const;
};

/// What the pass over the detail file saw.
struct LinkSummary {
  uint64_t events = 0;                    ///< detail events
  uint64_t lowestSeq = 0, highestSeq = 0; ///< of their index_seq
  uint64_t firstNs = 0, lastNs = 0;       ///< of the first and last one
};

/// True if a detail event belongs to index event `seq`: they name each other, and time and function agree.
bool belongTogether(uint64_t seq, const IndexEvent &event, const DetailEvent &detail) noexcept;

/// The detail that a thread has lost, if it was opened with its detail file: that file is missing, can't be read,
/// or belongs to another thread or run. Nothing if all is well.
/// Looks at the first events, and counts only if something is wrong with those.
std::optional<Warning> detailLoss(const ThreadTrace &thread);

/// Checks a thread with a readable index. Without a readable detail file every
/// forward link is DetailMissing. `hasLinks` is false if it is known that no event has
/// detail, which saves a pass over them.
LinkSummary checkLinks(const ThreadTrace &thread, const std::function<void(const LinkFlaw &)> &report,
                       bool hasLinks = true);

} // namespace ada::atf
