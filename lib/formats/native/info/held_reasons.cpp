// The reasons in words, the worst first.
#include "formats/native/info/held_reasons.h"

#include "shared/ring/ring_file.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace ada::atf {

namespace {

struct Reason {
  uint32_t value;
  std::string_view key, text;
};

constexpr Reason kReasons[] = {
    {ADA_HELD_WAITED, "buffer_full", "the buffer was full"},
    {ADA_HELD_MEMORY, "buffer_memory", "memory for the buffer was made"},
    {ADA_HELD_TOUCH, "first_touch", "memory of the buffer was used for the first time"},
    {ADA_HELD_OTHER, "other", "recording began or ended, or a lock was taken"},
    {ADA_HELD_LOST, "events_lost", "events were lost"},
    {0, "unknown", "the trace does not say why"},
};

const Reason &reasonOf(uint32_t value) {
  const Reason *const found = std::ranges::find(kReasons, value, &Reason::value);
  return found == std::end(kReasons) ? std::end(kReasons)[-1] : *found;
}

} // namespace

void HeldReasons::add(uint32_t reason, uint64_t ns) { sumsNs_[reasonOf(reason).value] += ns; }

std::vector<std::pair<uint64_t, uint32_t>> HeldReasons::worstFirst() const {
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  for (const auto &[reason, ns] : sumsNs_)
    sorted.emplace_back(ns, reason);
  std::ranges::sort(sorted, std::ranges::greater());
  return sorted;
}

std::string HeldReasons::text(uint64_t allNs) const {
  auto reasons = worstFirst();
  std::erase_if(reasons, [&](const auto &reason) { return reason.first <= allNs / 20; });
  std::string text;
  for (const auto &[ns, reason] : reasons)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", reasonOf(reason).text,
                        reasons.size() > 1 ? " (" + formatDuration(ns) + ")" : std::string());
  return text;
}

uint32_t HeldReasons::worst() const { return sumsNs_.empty() ? 0 : worstFirst().front().second; }

JsonMembers HeldReasons::members() const {
  JsonMembers members;
  for (const auto &[ns, reason] : worstFirst())
    members.number(reasonOf(reason).key, ns);
  return members;
}

} // namespace ada::atf
