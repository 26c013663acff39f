// Checks sessions and parts of sessions.
#include "formats/native/operations.h"
#include "formats/native/session/session_check.h"

namespace ada::formats {

Expected<CheckSummary> verifyAtf(TraceLocation &place, const CheckReport &report) {
  CheckSummary summary{.place = place.name()};
  auto session = openAtf(place, {.lowMemory = true}); // all threads are opened before the first one is checked
  if (!session) {
    // A file that exists but can't be opened is a finding, not a failure.
    const Error &error = session.error();
    if (error.code == "E_IO" || error.code == "E_NO_SESSION")
      return error;
    report.problem(error.text());
    return summary;
  }
  atf::SessionCheck check(report.problem, report.note);
  check.check(*session);
  if (place.bytes && place.bytes->damage())
    report.problem(place.bytes->damage()->text());
  if (!place.bytes)
    summary.place = session->path();
  summary.counts = {{check.events(), "event"}};
  if (check.details())
    summary.counts.push_back({check.details(), "detail event"});
  summary.counts.push_back({check.threads(), "thread"});
  summary.counts.push_back({session->processes().size(), "process"});
  return summary;
}

} // namespace ada::formats
