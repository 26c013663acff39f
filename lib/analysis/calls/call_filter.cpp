// Which calls of a trace are shown.
#include "call_filter.h"

#include "analysis/events/globbed_function.h"

#include <algorithm>

namespace ada::analysis {

// Functions that compilers generate to initialise the variables of a source file: from clang, GCC, both for C++20
// modules, and as older demanglers print them.
static bool isStaticInitialiser(std::string_view name) {
  static constexpr std::string_view kStarts[] = {"_GLOBAL__sub_I_",
                                                 "_GLOBAL__I_",
                                                 "__cxx_global_var_init",
                                                 "_Z41__static_initialization_and_destruction_0",
                                                 "__static_initialization_and_destruction_0",
                                                 "_ZGIW",
                                                 "global constructors keyed to "};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return name.starts_with(start); });
}

uint8_t FunctionRules::find(uint32_t function) {
  const model::Function &about = table_.functions[function];
  const GlobbedFunction names(about);
  const auto any = [&](const std::vector<std::string> &globs) {
    return std::ranges::any_of(globs, [&](const std::string &glob) { return names.matches(glob); });
  };
  if (function >= rules_.size())
    rules_.resize(function + 1);
  return rules_[function] = static_cast<uint8_t>(
             kKnown | (options_.functions.empty() || any(options_.functions) ? kRoot : 0) |
             (any(options_.pruned) ? kPruned : 0) |
             (options_.included.empty() || any(options_.included) ? kIncluded : 0) |
             (any(options_.excluded) || (options_.noExternal && about.isExternal) ? kExcluded : 0) |
             (isStaticInitialiser(about.name.empty() ? about.displayName : about.name) ? kInitialiser : 0));
}

static bool isShownItself(uint8_t rules) {
  return (rules & (FunctionRules::kIncluded | FunctionRules::kExcluded)) == FunctionRules::kIncluded;
}

bool CallFilter::choose(uint32_t function, uint64_t beginNs) {
  const FilterOptions &options = rules_->options();
  Frame frame = frames_.empty() ? Frame() : frames_.back();
  const uint8_t rules = rules_->of(function);
  frame.inside |= (rules & FunctionRules::kRoot) != 0;
  frame.closed |= (rules & FunctionRules::kPruned) != 0 || (beginNs >= options.toNs && options.toNs != ~uint64_t(0));
  frame.shown = frame.inside && !frame.closed && isShownItself(rules) && frame.shownInside < options.depth;
  frame.shownInside += frame.shown;
  frames_.push_back(frame);
  return frame.shown;
}

bool CallFilter::showsStray(uint32_t function, uint64_t timeNs) const {
  const FilterOptions &options = rules_->options();
  const uint8_t rules = rules_->of(function);
  Frame around = frames_.empty() ? Frame() : frames_.back();
  if (showsAll_)
    around.closed = depth_ > closedFrom_;
  return (around.inside || (rules & FunctionRules::kRoot)) && !around.closed && !(rules & FunctionRules::kPruned) &&
         isShownItself(rules) && timeNs >= options.fromNs && (timeNs < options.toNs || options.toNs == ~uint64_t(0));
}

void CallFilter::closeFrom(size_t depth) {
  if (showsAll_ && depth < depth_)
    closedFrom_ = std::min(closedFrom_, depth);
  for (; depth < frames_.size(); ++depth) {
    frames_[depth].closed = true;
    frames_[depth].shown = false;
  }
}

} // namespace ada::analysis
