// Which calls of a trace are shown. All commands use these rules.
//
//   functions  these functions and what they call
//   pruned     not these functions, nor what they call
//   included   these functions only; what they call shows if it is included, too
//   excluded   not these functions; what they call moves up to the caller
//   noExternal not the functions of libraries, likewise
#pragma once

#include "ada/trace/calls.h"
#include "analysis/events/trace_table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::analysis {

struct FilterOptions {
  /// Globs, see shared/select/function_glob.h.
  std::vector<std::string> functions, pruned, included, excluded;
  bool noExternal = false;
  uint32_t depth = ~uint32_t(0);
  uint64_t minDurationNs = 0;
  /// Calls that overlap [fromNs, toNs).
  uint64_t fromNs = 0, toNs = ~uint64_t(0);

  /// True if the choice depends on which function is called.
  bool choosesFunctions() const {
    return !functions.empty() || !pruned.empty() || !included.empty() || !excluded.empty() || noExternal;
  }
  /// True if every call is shown.
  bool showsAll() const {
    return !choosesFunctions() && depth == ~uint32_t(0) && minDurationNs == 0 && fromNs == 0 && toNs == ~uint64_t(0);
  }
};

/// What the globs say about each function, and whether it is a static initialiser; computed once per function. For use
/// by one thread.
class FunctionRules {
public:
  enum Rule : uint8_t { kKnown = 1, kRoot = 2, kPruned = 4, kIncluded = 8, kExcluded = 16, kInitialiser = 32 };

  /// Both must outlive this. Functions may be added to the table later.
  FunctionRules(const FilterOptions &options, const TraceTable &table) : options_(options), table_(table) {}

  uint8_t of(uint32_t function) {
    if (function < rules_.size() && rules_[function])
      return rules_[function];
    return find(function);
  }
  const FilterOptions &options() const { return options_; }

private:
  uint8_t find(uint32_t function);

  const FilterOptions &options_;
  const TraceTable &table_;
  std::vector<uint8_t> rules_; // by function
};

/// Follows one thread's calls and decides which to show. Its owner reports each call and each end of a call, as
/// CallStackWalker finds them.
class CallFilter {
public:
  explicit CallFilter(FunctionRules &rules) : rules_(&rules), showsAll_(rules.options().showsAll()) {}

  /// A call begins. True if it is shown, as far as is known at its start.
  bool enter(uint32_t function, uint64_t beginNs) {
    return showsAll_ ? depth_++ < closedFrom_ : choose(function, beginNs);
  }
  /// The innermost call has ended. False if it is not shown. This includes calls that now turn out to be too short, or
  /// to have ended before the time range.
  bool leave(const Span &span) {
    if (showsAll_) {
      const bool shown = --depth_ < closedFrom_;
      closedFrom_ = depth_ == closedFrom_ ? kNowhere : closedFrom_;
      return shown;
    }
    const bool shown = frames_.back().shown;
    frames_.pop_back();
    return shown && accepts(span);
  }
  /// Whether a call with this end is long enough and ended late enough to be shown.
  bool accepts(const Span &span) const {
    return span.durationNs() >= rules_->options().minDurationNs && span.endNs >= rules_->options().fromNs;
  }
  /// True if the innermost open call is shown.
  bool isShown() const {
    return showsAll_ ? depth_ > 0 && depth_ <= closedFrom_ : !frames_.empty() && frames_.back().shown;
  }
  /// True if the options hide no call.
  bool showsAll() const { return showsAll_; }
  /// Whether to show the end of a call that began before the trace did.
  bool showsStray(uint32_t function, uint64_t timeNs) const;
  /// Stops showing the open call number `depth` (0 is the outermost) and everything below it.
  void closeFrom(size_t depth);

private:
  struct Frame {
    bool inside = false;      ///< in a call of options.functions
    bool closed = false;      ///< in a pruned call, or one that began after the range of time
    bool shown = false;       ///< this call
    uint32_t shownInside = 0; ///< shown calls, this one included
  };
  bool choose(uint32_t function, uint64_t beginNs);

  static constexpr size_t kNowhere = ~size_t(0);

  FunctionRules *rules_;
  bool showsAll_;
  std::vector<Frame> frames_;                // of the open calls, unless all are shown;
  size_t depth_ = 0, closedFrom_ = kNowhere; // then only their number, and where hiding by closeFrom() starts
};

} // namespace ada::analysis
