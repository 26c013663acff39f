// Looks up the times of timing anchors.
#include "anchor_times.h"
#include "option_values.h"
#include "terminal/terminal.h"
#include "trace/base/text.h"

#include <algorithm>
#include <vector>

namespace ada::cli {

bool isAnchorTime(std::string_view text) {
  return text.size() > 1 && text[0] == '@' && text.find_first_not_of("0123456789", 1) != std::string_view::npos;
}

static const TimingAnchor *find(std::string_view label, std::span<const model::Process> processes) {
  const TimingAnchor *first = nullptr;
  for (const model::Process &process : processes)
    for (const TimingAnchor &anchor : process.timingAnchors)
      if (anchor.label == label && (!first || anchor.hostTimeNs < first->hostTimeNs))
        first = &anchor;
  return first;
}

analysis::TimeBound anchorTime(const char *name, std::string_view text, std::span<const model::Process> processes) {
  const std::string_view label = text.substr(1);
  if (const TimingAnchor *anchor = find(label, processes))
    return analysis::TimeBound{true, anchor->hostTimeNs};
  if (const size_t sign = label.find_last_of("+-"); sign != std::string_view::npos)
    if (const TimingAnchor *anchor = find(label.substr(0, sign), processes))
      if (const std::optional<uint64_t> offset = parseDuration(label.substr(sign + 1))) {
        uint64_t time = anchor->hostTimeNs;
        if (label[sign] == '-')
          time -= std::min(time, *offset);
        else if (__builtin_add_overflow(time, *offset, &time))
          time = ~uint64_t(0);
        return analysis::TimeBound{true, time};
      }
  std::vector<std::string_view> labels;
  for (const model::Process &process : processes)
    for (const TimingAnchor &anchor : process.timingAnchors)
      if (std::ranges::find(labels, anchor.label) == labels.end())
        labels.push_back(anchor.label);
  constexpr size_t kMax = 5;
  std::string list;
  for (size_t i = 0; i < labels.size() && i < kMax; ++i)
    list += (i ? ", @" : "@") + oneLine(std::string(labels[i]));
  stop(kWrongUsage,
       "{}: '{}' is neither a time like 10us, 1.5ms, 2s or @123456789 nor a timing anchor of the trace, which has {}{}",
       name, text, list.empty() ? "none" : list, labels.size() > kMax ? " and others" : "");
}

} // namespace ada::cli
