//===- report_table.cpp - the rows of adatrace report ---------------------===//
#include "report_table.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <unordered_map>

namespace ada::cli {

namespace {

// What a row is about: a function, or all functions of a module or a file. Threads that
// are read at the same time must agree on the numbers of files, hence the lock.
class Groups {
public:
  Groups(const atf::ProcessTrace &process, ReportBy by) : process(process), by(by) {}

  uint64_t keyOf(uint64_t functionId) {
    if (by == ReportBy::Module)
      return moduleOf(functionId);
    if (by != ReportBy::File)
      return functionId;
    const Symbol *symbol =
        process.manifest() ? process.manifest()->find(functionId) : nullptr;
    const std::string file(symbol ? symbol->file : std::string_view());
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, isNew] = numbers.emplace(file, files.size());
    if (isNew)
      files.push_back(file);
    return at->second;
  }

  // A number for calls of a function with these arguments. There may be one for each
  // call (an argument that counts up), so not all have their own.
  uint64_t keyOf(uint64_t functionId, const std::string &arguments) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string function = std::to_string(functionId);
    const auto known = numbers.find(function + arguments);
    if (known != numbers.end())
      return known->second;
    const std::string &text = calls.size() < kMostCalls ? arguments : kRest;
    const auto [at, isNew] = numbers.emplace(function + text, calls.size());
    if (isNew)
      calls.push_back({functionId, text, {}, false, false});
    return at->second;
  }
  void addResult(uint64_t key, const std::string &result) {
    const std::lock_guard<std::mutex> lock(mutex);
    Call &call = calls[key];
    if (!call.hasResult) {
      call.result = result;
      call.hasResult = true;
    }
    call.varies |= call.result != result;
  }
  // Function, arguments and result of a row.
  void describe(uint64_t key, FunctionNames &names, ReportRow &row) const {
    const Call &call = calls[key];
    row.name = names.name(names.number(call.functionId));
    row.source = names.source(names.number(call.functionId));
    row.arguments = call.arguments;
    row.result = call.varies ? call.result + ", …" : call.result;
  }

  std::string nameOf(uint64_t key, FunctionNames &names) const {
    if (by == ReportBy::File)
      return files[key].empty() ? "(no file known)" : files[key];
    if (by == ReportBy::Module) {
      const Manifest *manifest = process.manifest();
      const ManifestModule *module =
          manifest ? manifest->moduleOfFunction(key << 32) : nullptr;
      return module && !module->path.empty() ? module->path
                                             : "module " + std::to_string(key);
    }
    return names.name(names.number(key));
  }

private:
  struct Call {
    uint64_t functionId;
    std::string arguments, result;
    bool hasResult, varies;
  };
  static constexpr size_t kMostCalls = 100'000;
  inline static const std::string kRest = "(…)";

  const atf::ProcessTrace &process;
  const ReportBy by;
  std::mutex mutex;
  std::vector<Call> calls;
  std::vector<std::string> files;
  std::unordered_map<std::string, uint64_t> numbers;
};

// Feeds one thread's calls into `statistics`, under the key of their group. The total of
// a group is the time in which at least one call of it was open.
class ThreadReport {
public:
  ThreadReport(const InputThread &thread, CallFilter filter, Groups &groups,
               const SessionTypes *types, Statistics &statistics)
      : thread(thread), filter(std::move(filter)), groups(groups),
        statistics(statistics) {
    if (types)
      values.emplace(thread, *types);
  }

  CallStackWalker run() {
    CallStackWalker walker;
    thread.events().forEach([&](uint64_t seq, const atf::IndexEvent &event) {
      const CallStackWalker::Step step =
          walker.feed(seq, event.timestampNs, event.functionId, event.kind);
      if (event.kind == EventKind::Call)
        begin(seq, event);
      for (const Span &span : step.finished)
        end(span);
    });
    for (const Span &span : walker.finish())
      end(span);
    return walker;
  }

private:
  struct Frame {
    bool shown;
    uint32_t group;
  };

  void begin(uint64_t seq, const atf::IndexEvent &event) {
    const bool shown = filter.enter(event.functionId, event.timestampNs);
    const uint32_t group =
        values ? keys.add(groups.keyOf(event.functionId, values->arguments(seq)))
               : groupOfFunction(event.functionId);
    if (group >= openCalls.size())
      openCalls.resize(group + 1);
    openCalls[group] += shown;
    frames.push_back({shown, group});
  }

  uint32_t groupOfFunction(uint64_t functionId) {
    const uint32_t function = functions.add(functionId);
    if (function == groupOf.size())
      groupOf.push_back(keys.add(groups.keyOf(functionId)));
    return groupOf[function];
  }

  void end(Span span) {
    const Frame frame = frames.back();
    frames.pop_back();
    const bool accepted = filter.leave(span);
    if (!frame.shown)
      return;
    span.outermost = --openCalls[frame.group] == 0;
    span.functionId = keys.ids()[frame.group];
    if (!accepted)
      return;
    statistics.add(span);
    if (values && span.how == SpanEnd::Return)
      if (const std::string result = values->result(span.endSeq); !result.empty())
        groups.addResult(span.functionId, result);
  }

  const InputThread &thread;
  CallFilter filter;
  Groups &groups;
  Statistics &statistics;
  std::optional<CallValues> values;
  FunctionIndex functions, keys;
  std::vector<uint32_t> groupOf, openCalls;
  std::vector<Frame> frames;
};

} // namespace

std::vector<ReportRow> makeReport(const TraceInput &input, const FilterOptions &filter,
                                  ReportBy by, NameStyle style, const SessionTypes *types,
                                  ReportFlaws &flaws) {
  const auto &processes = input.session().processes();
  std::vector<std::unique_ptr<Groups>> groups;
  for (const atf::ProcessTrace &process : processes)
    groups.push_back(std::make_unique<Groups>(process, by));

  // Threads with the most events first, so that the last worker is not left with them.
  std::vector<const InputThread *> work;
  for (const InputThread &thread : input.threads())
    work.push_back(&thread);
  std::sort(work.begin(), work.end(), [](const auto *a, const auto *b) {
    return a->events().size() > b->events().size();
  });

  // One collection for each process, or for each thread of it.
  using Key = std::pair<size_t, const InputThread *>;
  std::map<Key, Statistics> collected;
  std::mutex mutex;
  std::atomic<size_t> next = 0;
  const auto worker = [&] {
    for (size_t i; (i = next.fetch_add(1)) < work.size();) {
      const InputThread &thread = *work[i];
      Statistics statistics;
      ThreadReport report(thread, CallFilter(filter, input, *thread.process),
                          *groups[thread.processNumber], types, statistics);
      const CallStackWalker walker = report.run();
      const std::lock_guard<std::mutex> lock(mutex);
      flaws.strayExits += walker.strayExits();
      flaws.missingExits += walker.missingExits();
      collected[{thread.processNumber, by == ReportBy::Thread ? &thread : nullptr}]
          .merge(statistics);
    }
  };
  std::vector<std::thread> workers;
  const size_t helpers =
      std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), work.size());
  for (size_t i = 1; i < helpers; ++i)
    workers.emplace_back(worker);
  worker();
  for (std::thread &running : workers)
    running.join();

  std::vector<FunctionNames> names;
  for (const atf::ProcessTrace &process : processes)
    names.emplace_back(process, style);
  std::vector<ReportRow> rows;
  for (const auto &[key, statistics] : collected) {
    const auto &[process, thread] = key;
    for (const FunctionStatistics &figures : statistics.functions()) {
      ReportRow row;
      if (input.severalProcesses())
        row.process = processes[process].name();
      if (thread) {
        row.thread = std::to_string(thread->thread->id);
        row.tid = thread->thread->tid();
        row.threadName = thread->thread->name();
      }
      if (types)
        groups[process]->describe(figures.functionId, names[process], row);
      else
        row.name = groups[process]->nameOf(figures.functionId, names[process]);
      if (!types && (by == ReportBy::Function || by == ReportBy::Thread))
        row.source = names[process].source(names[process].number(figures.functionId));
      row.figures.merge(figures);
      flaws.openCalls += figures.open;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

} // namespace ada::cli
