// Code that the sources of other tools' traces share.
#include "import_source.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/labels.h"

#include <algorithm>

namespace ada::formats {

std::optional<double> ImportSource::progress() const {
  const auto size = place_.bytes ? place_.bytes->size() : std::nullopt;
  if (!size || !*size)
    return std::nullopt;
  return static_cast<double>(place_.bytes->position()) / static_cast<double>(*size);
}

Expected<void> ImportSource::restart() {
  errors_.clear();
  flaws_.clear();
  lost_.clear();
  return place_.bytes ? place_.bytes->rewind() : Expected<void>();
}

std::string oneModule(const std::string &path) {
  return JsonMembers()
      .beginArray("modules")
      .beginObject()
      .number("module_id", 0)
      .text("path", path)
      .endObject()
      .endArray()
      .object();
}

namespace {

// Counts what a trace holds, thread by thread.
class Contents : public model::TraceSink {
public:
  struct Held {
    uint64_t events = 0, calls = 0, first = ~uint64_t{0}, last = 0;
    void add(const Held &other) {
      events += other.events;
      calls += other.calls;
      first = std::min(first, other.first);
      last = std::max(last, other.last);
    }
  };
  Expected<void> addProcess(const model::Process &process) override {
    processes.push_back(process);
    functions.push_back(0);
    threadsOf.emplace_back();
    return {};
  }
  Expected<void> addThread(const model::Thread &thread) override {
    threadsOf[thread.process].push_back(static_cast<uint32_t>(threads.size()));
    threads.push_back(thread);
    held.emplace_back();
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    ++functions[function.process];
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events)
      held[event.thread].add({1, event.kind == model::Kind::Call, event.timeNs, event.timeNs});
    return {};
  }
  Held all() const {
    Held sum;
    for (const Held &thread : held)
      sum.add(thread);
    return sum;
  }

  std::vector<model::Process> processes;
  std::vector<uint64_t> functions;              // by process
  std::vector<std::vector<uint32_t>> threadsOf; // by process
  std::vector<model::Thread> threads;
  std::vector<Held> held; // by thread
};

void putTimes(JsonMembers &members, const Contents::Held &held) {
  members.number("events", held.events)
      .number("time_start_ns", held.events ? std::optional(held.first) : std::nullopt)
      .number("time_end_ns", held.events ? std::optional(held.last) : std::nullopt);
}

std::string sentence(const model::Loss &loss) {
  return fmt::format("not read: {} {}", formatCount(loss.count), loss.what);
}

InfoSection describe(const Contents &contents, const model::Process &process, std::optional<uint64_t> origin) {
  InfoSection section{.title = oneLine(nameForPeople(process)), .isNamed = true};
  section.members.text("name", nameForPeople(process)).number("pid", process.pid);
  if (!process.executable.empty()) {
    section.members.text("executable", process.executable);
    section.fields.push_back({.label = "executable", .text = oneLine(process.executable)});
  }
  InfoTable table{.key = "threads",
                  .what = "threads",
                  .heading = fmt::format("{:>8} {:>14} {:>14}  time", "thread", "tid", "events")};
  Contents::Held all;
  for (const uint32_t number : contents.threadsOf[process.index]) {
    const model::Thread &thread = contents.threads[number];
    const Contents::Held &held = contents.held[number];
    all.add(held);
    InfoRow row{.text = fmt::format("{:>8} {:>14} {:>14}  {} ", thread.number, thread.tid, formatCount(held.events),
                                    held.events ? formatRange(held.first, held.last, origin) : "-"),
                .name = oneLine(thread.name)};
    row.members.number("thread", uint64_t{thread.number}).number("tid", thread.tid);
    row.members.textOrNull("name", thread.name);
    putTimes(row.members, held);
    table.rows.push_back(std::move(row));
  }
  putTimes(section.members, all);
  section.members.number("functions", contents.functions[process.index]);
  section.tables.push_back(std::move(table));
  return section;
}

} // namespace

Expected<CheckSummary> verifyImport(std::unique_ptr<ImportSource> source, TraceLocation &place,
                                    const CheckReport &report) {
  Contents contents;
  const auto read = source->read(contents);
  for (const Error &problem : source->problems())
    report.problem(problem.text());
  for (const Warning &flaw : source->warnings())
    report.note(flaw.message);
  for (const model::Loss &loss : source->losses())
    report.note(sentence(loss));
  place = source->release();
  if (!read)
    return read.error();
  CheckSummary summary{.place = place.name(),
                       .counts = {{contents.all().events, "event"}, {contents.threads.size(), "thread"}}};
  uint64_t functions = 0;
  for (const uint64_t count : contents.functions)
    functions += count;
  summary.counts.push_back({functions, "function"});
  return summary;
}

Expected<Description> describeImport(std::unique_ptr<ImportSource> source, TraceLocation &place, bool absolute,
                                     std::string_view format, std::string_view title) {
  Contents contents;
  const auto read = source->read(contents);
  const std::vector<Error> problems = source->problems();
  Description description;
  description.warnings = source->warnings();
  for (const model::Loss &loss : source->losses())
    description.whole.warnings.push_back(sentence(loss));
  place = source->release();
  if (!read)
    return read.error();
  InfoSection &section = description.whole;
  section.title = fmt::format("{}: {}", place.name(), title);
  section.members.text("path", place.name()).text("format", format);
  if (place.bytes) {
    const uint64_t bytes = place.bytes->size().value_or(place.bytes->position());
    section.title += fmt::format("{}, {}", place.bytes->isPacked() ? " in gzip" : "", formatBytes(bytes));
    section.members.boolean("packed", place.bytes->isPacked()).number("bytes", bytes);
  }
  const Contents::Held all = contents.all();
  const std::optional<uint64_t> origin = absolute ? std::nullopt : std::optional(all.events ? all.first : 0);
  std::string events = formatCount(all.events);
  if (all.events)
    events += " in " + formatRange(all.first, all.last, origin);
  section.fields.push_back({.label = "events", .text = std::move(events)});
  section.fields.push_back({.label = "calls", .text = formatCount(all.calls)});
  if (!contents.processes.empty()) // otherwise `info` finds the times itself
    putTimes(section.members, all);
  for (const Error &problem : problems)
    section.problems.push_back(problem.text());
  description.isWhole = problems.empty();
  for (const model::Process &process : contents.processes)
    description.processes.push_back(describe(contents, process, origin));
  return description;
}

} // namespace ada::formats
