// A call as commands name it.
#include "call_name.h"

#include "trace/base/format.h"

#include <charconv>

namespace ada::analysis {

namespace {

bool readNumber(std::string_view text, uint64_t &number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

} // namespace

std::optional<CallName> CallName::parse(std::string_view text) {
  CallName name;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (!readNumber(text.substr(0, slash), name.pid.emplace()))
      return std::nullopt;
    text.remove_prefix(slash + 1);
  }
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || !readNumber(text.substr(0, colon), name.thread) ||
      !readNumber(text.substr(colon + 1), name.seq))
    return std::nullopt;
  return name;
}

std::vector<uint32_t> CallName::threadsIn(const TraceTable &table, const std::vector<uint32_t> &threads) const {
  std::vector<uint32_t> found;
  for (const uint32_t index : threads)
    if (const model::Thread &about = table.threads[index];
        about.number == thread && (!pid || table.processOf(about).pid == pid))
      found.push_back(index);
  return found;
}

std::string callName(const TraceTable &table, bool severalProcesses, uint32_t thread, uint64_t seq) {
  const model::Thread &about = table.threads[thread];
  const model::Process &process = table.processOf(about);
  const std::string pid = severalProcesses && process.pid ? std::to_string(*process.pid) + "/" : std::string();
  return fmt::format("{}{}:{}", pid, about.number, seq);
}

} // namespace ada::analysis
