// The processes and threads of a trace of any format, as `adatrace info` lists them for programs.
#include "formats/convert/summary.h"

#include "trace/labels.h"

#include <algorithm>

namespace ada::formats {

namespace {

struct Times {
  uint64_t events = 0, first = ~uint64_t{0}, last = 0;
  void add(const Times &other) {
    events += other.events;
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

class Summary : public model::TraceSink {
public:
  Expected<void> addProcess(const model::Process &process) override {
    processes.push_back({process});
    return {};
  }
  Expected<void> addThread(const model::Thread &thread) override {
    processes[thread.process].threads.push_back(static_cast<uint32_t>(threads.size()));
    threads.push_back({thread});
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    ++processes[function.process].functions;
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events)
      threads[event.thread].times.add({1, event.timeNs, event.timeNs});
    return {};
  }

  struct ProcessCount {
    model::Process process;
    uint64_t functions = 0;
    std::vector<uint32_t> threads = {};
  };
  struct ThreadCount {
    model::Thread thread;
    Times times = {};
  };
  std::vector<ProcessCount> processes;
  std::vector<ThreadCount> threads;
};

} // namespace

void describeProcesses(const TraceFormat &format, TraceLocation place, Description &description) {
  Summary summary;
  auto source = format.open(std::move(place));
  const Expected<void> read = source ? (*source)->read(summary) : Expected<void>(source.error());
  if (!read && !description.problem)
    description.problem = read.error();
  const auto times = [](JsonMembers &members, const Times &of) {
    members.number("events", of.events)
        .number("time_start_ns", of.events ? std::optional(of.first) : std::nullopt)
        .number("time_end_ns", of.events ? std::optional(of.last) : std::nullopt);
  };
  Times whole;
  for (const auto &[process, functions, threads] : summary.processes) {
    InfoSection section{.title = nameForPeople(process), .isNamed = true};
    section.members.text("name", nameForPeople(process)).number("pid", process.pid);
    if (!process.executable.empty())
      section.members.text("executable", process.executable);
    InfoTable table{.key = "threads", .what = "threads", .heading = {}};
    Times all;
    for (const uint32_t number : threads) {
      const Summary::ThreadCount &thread = summary.threads[number];
      all.add(thread.times);
      InfoRow row{.text = {}};
      row.members.number("thread", uint64_t{thread.thread.number}).number("tid", thread.thread.tid);
      row.members.textOrNull("name", nameForPeople(thread.thread));
      times(row.members, thread.times);
      table.rows.push_back(std::move(row));
    }
    times(section.members, all);
    whole.add(all);
    section.members.number("functions", functions);
    section.tables.push_back(std::move(table));
    description.processes.push_back(std::move(section));
  }
  times(description.whole.members, whole);
}

} // namespace ada::formats
