// Checks the parameters of a request to `adatrace view`.
#include "api_request.h"
#include "trace/base/format.h"
#include "trace/base/text.h"

#include <algorithm>
#include <unordered_set>

namespace ada::cli {

namespace {

std::optional<uint64_t> wholeNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
  if (rest.starts_with('.'))
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
  if (error != std::errc() || !rest.empty() || text.empty())
    return std::nullopt;
  return value;
}

} // namespace

std::optional<uint64_t> ApiRequest::number(const char *name) const {
  const std::string *given = text(name);
  if (!given || given->empty())
    return std::nullopt;
  const auto value = wholeNumber(*given);
  if (!value)
    throw ApiError{400, fmt::format("{}: '{}' is not a non-negative number", name, *given)};
  return value;
}

std::vector<uint32_t> ApiRequest::numbers(const char *name) const {
  std::vector<uint32_t> numbers;
  if (const std::string *given = text(name))
    for (const std::string_view part : partsOf(*given, ',')) {
      const auto value = wholeNumber(part);
      if (!value || *value > ~uint32_t(0))
        throw ApiError{400, fmt::format("{}: '{}' is not a list of numbers", name, *given)};
      numbers.push_back(static_cast<uint32_t>(*value));
    }
  return numbers;
}

ViewSession &ApiRequest::session() const {
  const uint64_t id = number("session", 0);
  if (id >= sessions_.size())
    throw ApiError{404, fmt::format("there is no session {}; /api/sessions lists them", id)};
  return *sessions_[id];
}

const ViewSession::Opened &ApiRequest::opened() {
  if (!opened_) {
    if (session().isGone())
      throw ApiError{410, fmt::format("{} no longer exists", session().path())};
    opened_ = session().opened();
  }
  return *opened_;
}

uint32_t ApiRequest::threadNumber(const std::string &text) {
  const auto id = wholeNumber(text);
  if (!id)
    throw ApiError{400, fmt::format("'{}' is not the number of a thread", text)};
  const std::vector<uint32_t> &threads = opened().threads;
  if (*id >= threads.size() || threads[*id] == ~uint32_t(0))
    throw ApiError{404, fmt::format("there is no thread {}; /api/sessions lists them", *id)};
  return threads[*id];
}

uint32_t ApiRequest::thread() {
  const std::string *given = text("thread");
  if (!given)
    throw ApiError{400, "thread is missing: the id of a thread in /api/sessions"};
  return threadNumber(*given);
}

std::vector<uint32_t> ApiRequest::threads() {
  std::vector<uint32_t> numbers;
  const std::string *given = text("threads");
  if (!given) {
    for (uint32_t i = 0; i < view().table().threads.size(); ++i)
      numbers.push_back(i);
    return numbers;
  }
  for (size_t at = 0; at < given->size();) {
    const size_t end = std::min(given->find(',', at), given->size());
    const std::string part = given->substr(at, end - at);
    at = end + 1;
    const size_t dash = part.find('-');
    if (dash == part.npos) {
      numbers.push_back(threadNumber(part));
      continue;
    }
    // Both ends of a range must be threads. Numbers in between that are not threads are skipped.
    threadNumber(part.substr(0, dash));
    threadNumber(part.substr(dash + 1));
    const std::vector<uint32_t> &threads = opened().threads;
    for (uint64_t id = *wholeNumber(part.substr(0, dash)); id <= *wholeNumber(part.substr(dash + 1)); ++id)
      if (threads[id] != ~uint32_t(0))
        numbers.push_back(threads[id]);
  }
  std::unordered_set<uint32_t> seen;
  std::erase_if(numbers, [&](uint32_t number) { return !seen.insert(number).second; });
  return numbers;
}

uint64_t ApiRequest::onClock(const char *name, uint64_t otherwise) {
  uint64_t time = 0;
  if (__builtin_add_overflow(number(name, otherwise), session().startNs(), &time))
    time = ~uint64_t(0);
  return time;
}

uint64_t ApiRequest::toNs() {
  // The range includes the last event.
  const uint64_t end = view().endNs() + (view().endNs() < ~uint64_t(0));
  if (!number("to"))
    return std::max(end, fromNs());
  const uint64_t to = onClock("to", 0);
  if (to < fromNs())
    throw ApiError{400, "to is before from"};
  return to;
}

} // namespace ada::cli
