// Describes what option `budget` switched off.
#include "info_budget.h"

#include "base/estimates.h"
#include "base/format.h"
#include "base/quantities.h"

#include <algorithm>
#include <functional>

namespace ada::atf {

std::string switchedOffSummary(const Manifest &manifest) {
  const size_t count = manifest.switchedOff.size();
  return fmt::format("{} {} switched off by the budget of {}; about {} of {} were not recorded",
                     formatCount(count, "function"), count == 1 ? "was" : "were", manifest.budget,
                     formatCount(roughly(manifest.allEstimated()), "call"), count == 1 ? "it" : "them");
}

model::InfoTable switchedOffTable(const ProcessTrace &process, std::optional<uint64_t> originNs) {
  const Manifest &manifest = *process.manifest();
  model::InfoTable table{
      .key = "switched_off",
      .what = "functions that are off",
      .heading = fmt::format("{:>11} {:>13} {:>15}  switched off by the budget", "off at", "calls", "not recorded"),
      .shown = 25};
  const auto after = [&](uint64_t ns) {
    return originNs ? formatDuration(ns > *originNs ? ns - *originNs : 0) : std::to_string(ns);
  };
  std::vector<const SwitchedOffFunction *> functions;
  for (const SwitchedOffFunction &function : manifest.switchedOff)
    functions.push_back(&function);
  std::ranges::stable_sort(functions, std::ranges::greater(), [](const auto *f) { return f->estimatedCalls; });
  for (const SwitchedOffFunction *function : functions) {
    const std::string name(process.shortDisplayName(function->functionId));
    JsonMembers members;
    members.text("function", name)
        .number("off_ns", function->offNs)
        .number("on_ns", function->onNs)
        .number("calls", function->calls)
        .number("estimated_calls", function->estimatedCalls);
    table.rows.push_back(
        {.text = fmt::format("{:>11} {:>13} {:>15}  {}{}", after(function->offNs), formatCount(function->calls),
                             "~" + formatCount(roughly(function->estimatedCalls)), name,
                             function->onNs ? " (on again at " + after(*function->onNs) + ")" : std::string()),
         .members = std::move(members)});
  }
  return table;
}

} // namespace ada::atf
