// Checks the parameters of a request to `adatrace view`.
#pragma once

#include "view_session.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

/// Why a request can't be answered.
struct ApiError {
  int status = 400;
  std::string message;
};

/// Members throw ApiError.
class ApiRequest {
public:
  using Query = std::map<std::string, std::string>;
  ApiRequest(const Query &query, const std::vector<std::unique_ptr<ViewSession>> &sessions)
      : query_(query), sessions_(sessions) {}

  /// The value of a parameter; nothing if it is not given.
  const std::string *text(const char *name) const {
    const auto at = query_.find(name);
    return at == query_.end() ? nullptr : &at->second;
  }
  /// A whole number. Fractions are truncated, because pages compute times with fractions.
  std::optional<uint64_t> number(const char *name) const;
  uint64_t number(const char *name, uint64_t otherwise) const { return number(name).value_or(otherwise); }

  /// Whole numbers with commas between them; empty if it is not given.
  std::vector<uint32_t> numbers(const char *name) const;
  /// `session`, or the first one.
  ViewSession &session() const;
  /// The state of the session for this request: the same on each call.
  const ViewSession::Opened &opened();
  std::shared_ptr<const ViewSession::Opened> openedShared() {
    opened();
    return opened_;
  }
  view::TraceView &view() { return *opened().view; }
  /// `thread`, which must be given, converted to a number of the view.
  uint32_t thread();
  /// `threads`, or all threads if it is not given, converted in the same way.
  std::vector<uint32_t> threads();
  /// `from` and `to` on the trace's clock. Default: the whole session.
  uint64_t fromNs() { return onClock("from", 0); }
  uint64_t toNs();
  /// A time that must be given, on the trace's clock.
  uint64_t timeNs(const char *name) { return onClock(name, 0); }
  /// A time relative to the start of the session. Negative for calls that were already open at the beginning of a trace
  /// that lost its oldest events.
  int64_t sinceStart(uint64_t ns) const { return static_cast<int64_t>(ns) - static_cast<int64_t>(session().startNs()); }

private:
  uint64_t onClock(const char *name, uint64_t otherwise);
  uint32_t threadNumber(const std::string &text);

  const Query &query_;
  const std::vector<std::unique_ptr<ViewSession>> &sessions_;
  std::shared_ptr<const ViewSession::Opened> opened_;
};

} // namespace ada::cli
