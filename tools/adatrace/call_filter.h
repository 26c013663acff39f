//===- call_filter.h - which calls of a thread tree and report show -------===//
#ifndef ADATRACE_CALL_FILTER_H
#define ADATRACE_CALL_FILTER_H

#include "ada/trace/calls.h"
#include "ada/trace/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ada::cli {

class TraceInput;

struct FilterOptions {
  std::vector<std::string> functions, excluded, hidden;
  bool only = false;
  uint32_t depth = ~uint32_t(0);
  uint64_t minDurationNs = 0;

  /// True if every call is shown.
  bool showsAll() const {
    return functions.empty() && excluded.empty() && hidden.empty() &&
           depth == ~uint32_t(0) && minDurationNs == 0;
  }
};

/// Adds --function, --only, --exclude, --hide, --depth and, unless calls are chosen before
/// their ends are known, --min-duration.
void declareFilter(CLI::App &app, FilterOptions &options, bool durations = true);

/// Follows one thread's calls and says which to show. The caller reports every call
/// and every end of one, as CallStackWalker finds them.
class CallFilter {
public:
  CallFilter(const FilterOptions &options, const TraceInput &input,
             const atf::ProcessTrace &process);

  /// A call begins. True if it is shown, as far as can be known at its start.
  bool enter(uint64_t functionId, uint64_t beginNs);
  /// The innermost call has ended. False if it must not be shown after all: it was
  /// too short, or over before the range of time.
  bool leave(const Span &span);
  /// What leave() will say of a call that ends like this.
  bool accepts(const Span &span) const;
  /// Shows nothing below the open call number `depth` (0 is the outermost) any more.
  void closeFrom(size_t depth);

  /// Shown calls around the innermost call.
  uint32_t shownDepth() const { return frames.empty() ? 0 : frames.back().shownInside; }

private:
  enum Flag : uint8_t { kKnown = 1, kWanted = 2, kExcluded = 4, kHidden = 8 };
  struct Frame {
    bool inside;   ///< in a call that --function asks for
    bool closed;   ///< in an excluded call
    uint32_t shownInside; ///< shown calls, this one included
  };
  uint8_t flagsOf(uint64_t functionId);

  const FilterOptions *options;
  const atf::ProcessTrace *process;
  uint64_t fromNs, toNs;
  FunctionIndex index;
  std::vector<uint8_t> flags; // by function
  std::vector<Frame> frames;
};

} // namespace ada::cli
#endif // ADATRACE_CALL_FILTER_H
