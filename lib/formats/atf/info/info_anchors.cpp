// Describes timing anchors.
#include "info_anchors.h"

#include "base/format.h"
#include "base/quantities.h"
#include "base/text.h"

namespace ada::atf {

// "12.5 s", or "value/timescale" if the timescale is not positive.
static std::string mediaText(const TimingAnchor &anchor) {
  if (anchor.mediaTimescale <= 0)
    return fmt::format("{}/{}", anchor.mediaValue, anchor.mediaTimescale);
  return fmt::format("{:.6f} s", static_cast<double>(anchor.mediaValue) / static_cast<double>(anchor.mediaTimescale));
}

model::InfoTable anchorTable(const Manifest &manifest, std::optional<uint64_t> originNs) {
  model::InfoTable table{.key = "timing_anchors",
                         .what = "timing anchors",
                         .heading = fmt::format("{:>13} {:>18}  timing anchor", "at", "media time"),
                         .shown = 25};
  for (const TimingAnchor &anchor : manifest.timingAnchors) {
    JsonMembers members;
    members.text("label", anchor.label).number("host_time_ns", anchor.hostTimeNs);
    members.number("media_value", anchor.mediaValue).number("media_timescale", anchor.mediaTimescale);
    std::string at = std::to_string(anchor.hostTimeNs);
    if (originNs)
      at = anchor.hostTimeNs < *originNs ? "-" + formatDuration(*originNs - anchor.hostTimeNs)
                                         : formatDuration(anchor.hostTimeNs - *originNs);
    table.rows.push_back({.text = fmt::format("{:>13} {:>18}  {}", at, mediaText(anchor), oneLine(anchor.label)),
                          .members = std::move(members)});
  }
  return table;
}

} // namespace ada::atf
