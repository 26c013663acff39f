// Reads the counters of a ring file, and asks its process for what only that knows.
#include "live/control/status.h"

#include "formats/native/directories.h"
#include "live/control/mapped_ring.h"
#include "live/control/waiting_process.h"
#include "trace/base/boot_time.h"
#include "trace/base/json.h"

#include <charconv>
#include <map>
#include <tuple>

namespace ada::control {

namespace {

std::optional<uint64_t> numberOf(const std::string &text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Lines of name=value.
void takeAnswer(Status &status, const std::string &text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size()), equals = text.find('=', at);
    if (equals < end) {
      const std::string key = text.substr(at, equals - at), value = text.substr(equals + 1, end - equals - 1);
      if (key == "version")
        status.version = value;
      else if (key == "functions")
        status.functions = numberOf(value);
      else if (key == "functions_on")
        status.functionsOn = numberOf(value);
      else if (key.starts_with("option."))
        status.options.emplace_back(key.substr(7), value);
    }
    at = end + 1;
  }
}

Value orNone(const std::string &text) { return text.empty() ? Value() : Value(text); }

Value optionsOf(const Status &status) {
  JsonMembers members;
  for (const auto &[name, value] : status.options)
    members.text(name, value);
  return Json{members.object()};
}

constexpr Column<Status> kColumns[] = {
    {ColumnInfo{"pid", Holds::Number, "the process"} | inText("PID", 7),
     [](const Status &s) -> Value { return static_cast<uint64_t>(s.pid); },
     [](const Status &s) { return s.count > 1 ? std::string() : std::to_string(s.pid); }},
    {ColumnInfo{"count", Holds::Count, "number of processes"} | inText("count", 6) | kForPeople |
         textNeeds(kStatusIsFolded),
     [](const Status &s) -> Value { return s.count; }},
    {ColumnInfo{"process", Holds::Text, "its name"} | inText("process", 8),
     [](const Status &s) -> Value { return s.name; }},
    {ColumnInfo{"state", Holds::Text,
                "`recording`, `stopped` (it has recorded, and goes on without), `waiting` (it has recorded nothing "
                "yet), `finished` (it is about to end), `untraced` (it could not begin, or must not), `unknown`"} |
         inText("state", 9),
     [](const Status &s) -> Value { return stateName(s.state); }},
    {ColumnInfo{"recording_ns", Holds::Duration, "for how long it has been recording, since the last start"} |
         inText("recording", 9) | kOrNull,
     [](const Status &s) -> Value { return s.recordingNs; }},
    {ColumnInfo{"stopped_ns", Holds::Duration, "for how long it has been stopped"} | kOrNull,
     [](const Status &s) -> Value { return s.stoppedNs; }},
    {ColumnInfo{"events", Holds::Count, "events in its files"} | inText("events", 10) | kOrNull,
     [](const Status &s) -> Value { return s.events; }},
    {ColumnInfo{"lost", Holds::Count, "events that were lost"} | inText("lost", 6) | kOrNull,
     [](const Status &s) -> Value { return s.lost; }},
    {ColumnInfo{"bytes", Holds::Count, "size of its index and detail files"} | inText("bytes", 10) | kOrNull,
     [](const Status &s) -> Value { return s.bytes; }},
    {ColumnInfo{"threads", Holds::Count, "threads that have recorded"} | kOrNull,
     [](const Status &s) -> Value { return s.threads; }},
    {ColumnInfo{"functions_on", Holds::Count, "functions that are switched on"} | inText("on", 6) | kOrNull,
     [](const Status &s) -> Value { return s.functionsOn; }},
    {ColumnInfo{"functions", Holds::Count, "instrumented functions of its program and libraries"} |
         inText("functions", 6) | kOrNull,
     [](const Status &s) -> Value { return s.functions; }},
    {ColumnInfo{"session", Holds::Text, "where its trace is"} | inText("session") | kOrNull,
     [](const Status &s) -> Value { return orNone(s.session); }},
    {ColumnInfo{"directory", Holds::Text, "the process's directory in it"} | kOrNull,
     [](const Status &s) -> Value { return orNone(s.directory); }},
    {ColumnInfo{"version", Holds::Text, "of its runtime"} | kOrNull,
     [](const Status &s) -> Value { return orNone(s.version); }},
    {ColumnInfo{"options", Holds::Object, "its run-time options, as text"},
     [](const Status &s) { return optionsOf(s); }},
    {ColumnInfo{"problem", Holds::Text, "why something is not known"} | kOrNull,
     [](const Status &s) -> Value { return orNone(s.problem); }},
};

} // namespace

const char *stateName(Status::State state) {
  switch (state) {
  case Status::State::Recording:
    return "recording";
  case Status::State::Stopped:
    return "stopped";
  case Status::State::Waiting:
    return "waiting";
  case Status::State::Finished:
    return "finished";
  case Status::State::Untraced:
    return "untraced";
  case Status::State::Unknown:
    break;
  }
  return "unknown";
}

std::string sessionOf(pid_t pid, const std::string &directory) {
  const std::string place = reachable(pid, directory);
  return atf::processNumber(atf::baseName(place)) ? atf::parentPath(place) : place;
}

std::vector<Status> foldedStatus(const std::vector<Status> &all) {
  std::vector<Status> rows;
  std::map<std::tuple<std::string, Status::State, std::string>, size_t> known;
  const auto add = [](std::optional<uint64_t> &to, const std::optional<uint64_t> &more) {
    if (more)
      to = to.value_or(0) + *more;
  };
  for (const Status &status : all) {
    const auto [at, isNew] = known.try_emplace({status.name, status.state, status.session}, rows.size());
    if (isNew) {
      rows.push_back(status);
      continue;
    }
    Status &row = rows[at->second];
    row.count += status.count;
    add(row.events, status.events), add(row.lost, status.lost), add(row.bytes, status.bytes);
    add(row.threads, status.threads);
  }
  return rows;
}

Columns<Status> statusColumns() { return kColumns; }

Status statusOf(pid_t pid, Answer &answer) {
  Status status;
  status.pid = pid;
  const std::optional<ProcessFacts> process = factsOf(pid);
  if (!process) {
    answer = {Answer::What::NoProcess, "there is no " + named(pid)};
    return status;
  }
  status.name = process->name;
  const std::optional<MappedRing> ring = MappedRing::ofProcess(*process, answer);
  if (!ring) {
    const std::optional<WaitingProcess> waiting =
        answer.what == Answer::What::NotTraced ? WaitingProcess::find(*process, answer) : std::nullopt;
    if (!waiting)
      return status;
    answer = {};
    status.state = waiting->state() == WaitingBlock::Waits ? Status::State::Waiting : Status::State::Untraced;
    status.functions = waiting->functions();
    return status;
  }
  const ada_ring_header &h = ring->header();
  const auto load = [](const auto &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); };
  const uint64_t now = bootTimeNs(), started = load(h.started_ns), stopped = load(h.stopped_ns);
  const uint32_t state = load(h.state);
  status.state = state == ADA_RING_RECORDING  ? Status::State::Recording
                 : state == ADA_RING_STOPPED  ? Status::State::Stopped
                 : state == ADA_RING_FINISHED ? Status::State::Finished
                                              : Status::State::Unknown;
  if (status.state == Status::State::Stopped && load(h.threads_seen) == 0) // option control
    status.state = Status::State::Waiting;
  status.directory = reachable(pid, ring->directory());
  status.session = atf::parentPath(status.directory);
  status.events = load(h.events_written) - load(h.events_before),
  status.lost = load(h.events_lost) - load(h.lost_before);
  status.bytes = load(h.bytes_written) - load(h.bytes_before), status.threads = load(h.threads_seen);
  if (status.state == Status::State::Recording && now > started)
    status.recordingNs = now - started;
  if (status.state == Status::State::Stopped && now > stopped)
    status.stoppedNs = now - stopped;
  if (const Answer told = ring->give("status", pid))
    takeAnswer(status, told.text);
  else
    status.problem = told.why;
  answer = {};
  return status;
}

} // namespace ada::control
