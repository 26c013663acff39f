// Joins the directories of a session into processes, and finds their parents.
#include "process_list.h"

#include "shared/manifest_keys.h"
#include "trace/base/json_document.h"
#include "trace/labels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace ada::analysis {

namespace {

// A recorder takes the last time of its process a little before that ends. Numbers of processes come round only after
// some ten thousand others, which takes longer than this.
constexpr uint64_t kEndSlackNs = 100'000'000;

uint64_t sumOf(const dom::element &object, const char *key) {
  uint64_t sum = 0, count = 0;
  dom::object reasons;
  if (!object[key].get(reasons))
    for (const auto field : reasons)
      sum += field.value.get(count) ? 0 : count;
  return sum;
}

// A process directory.
struct Part {
  ProcessRun run;
  std::optional<uint64_t> cores;
  std::string next; // the directory after it
};

void takeTime(ProcessRun &run, uint64_t fromNs, uint64_t toNs) {
  run.beginNs = run.beginNs ? std::min(run.beginNs, fromNs) : fromNs;
  run.endNs = std::max(run.endNs, toNs);
}

// The recorder reads the clock when it starts and when it ends, so that a process without any event has a time, too.
void takeAnchors(ProcessRun &run, const dom::element &manifest) {
  dom::array anchors;
  if (manifest[manifest::kClock][manifest::kAnchors].get(anchors))
    return;
  for (const dom::element anchor : anchors) {
    uint64_t ns = 0;
    if (!anchor[manifest::kTimeNs].get(ns) && ns)
      takeTime(run, ns, ns);
  }
}

void takeExit(ProcessRun &run, const dom::element &process) {
  std::string_view how;
  if (process[manifest::kExit][manifest::kHow].get(how))
    return;
  run.how = how;
  uint64_t endedNs = 0;
  if (!process[manifest::kExit][manifest::kEndedNs].get(endedNs))
    run.endedNs = endedNs;
  for (const char *key : {manifest::kCode, manifest::kSignal, manifest::kValue})
    if (!process[manifest::kExit][key].get(run.value))
      break;
}

Part readPart(const model::Process &process, dom::parser &parser) {
  Part part;
  ProcessRun &run = part.run;
  Execution &execution = run.executions.emplace_back();
  execution.process = process.index;
  run.pid = process.pid;
  dom::element manifest, about;
  if (!parser.parse(process.description.get()).get(manifest)) {
    uint64_t number = 0;
    if (!manifest[manifest::kHost][manifest::kCores].get(number) && number)
      part.cores = number;
    run.lost = sumOf(manifest, manifest::kDropped);
    takeAnchors(run, manifest);
    std::string_view next;
    if (!manifest[manifest::kPart][manifest::kNext].get(next))
      part.next = next;
    if (!manifest[manifest::kProcess].get(about)) {
      dom::array arguments;
      std::string_view text;
      if (!about[manifest::kPpid].get(number))
        run.parentPid = number;
      if (!about[manifest::kArgv].get(arguments))
        for (const dom::element argument : arguments)
          execution.arguments.emplace_back(argument.get(text) ? "" : text);
      for (size_t fd = 0; fd < execution.pipes.size(); ++fd)
        if (!about[manifest::kPipes[fd]].get(text))
          execution.pipes[fd] = text;
      takeExit(run, about);
      if (run.how == manifest::kRunning && !process.isRecording)
        run.how = "unfinished";
    }
  }
  execution.program = model::programOf(process.executable, execution.arguments.empty() ? "" : execution.arguments[0]);
  if (execution.program.empty())
    execution.program = process.name;
  return part;
}

void takeThread(Part &part, const model::Thread &thread, dom::parser &parser) {
  ProcessRun &run = part.run;
  if (Execution &execution = run.executions.back(); execution.mainThreads.empty())
    execution.mainThreads.push_back(thread.index);
  if (thread.extent && thread.extent->events) {
    run.events += thread.extent->events;
    takeTime(run, thread.extent->firstNs, thread.extent->lastNs);
  }
  dom::element description;
  const std::string text = thread.description.get();
  if (!text.empty() && !parser.parse(text).get(description))
    run.lost += sumOf(description, manifest::kDropped);
  if (!thread.knowsSched())
    run.onCpuNs.reset();
  else if (run.onCpuNs)
    for (const OnCpu &on : thread.offCpu->runs())
      *run.onCpuNs += on.toNs - on.fromNs;
}

// Whether `next`, a later directory of the same number, is the same process.
bool goesOn(const ProcessRun &run, const std::string &nextName, const ProcessRun &next, const std::string &name) {
  if (!nextName.empty())
    return nextName == name;
  if (!next.beginNs) // it was killed before it recorded anything, which is all that is known of it
    return !run.hasEnded();
  return (run.how == manifest::kExec || run.how == manifest::kStopped || run.how == manifest::kDump) &&
         run.parentPid == next.parentPid;
}

void append(ProcessRun &run, ProcessRun &&next) {
  const bool isRotated = run.how == manifest::kRotated;
  next.executions[0].beginNs = next.beginNs ? next.beginNs : run.endNs;
  if (next.beginNs)
    takeTime(run, next.beginNs, next.endNs);
  run.how = next.how, run.value = next.value;
  run.events += next.events, run.lost += next.lost;
  if (run.onCpuNs && next.onCpuNs)
    *run.onCpuNs += *next.onCpuNs;
  else
    run.onCpuNs.reset();
  if (!isRotated)
    return run.executions.push_back(std::move(next.executions[0]));
  std::ranges::copy(next.executions[0].mainThreads, std::back_inserter(run.executions.back().mainThreads));
}

// For sorting: what never recorded anything comes last.
uint64_t beginOf(const ProcessRun &run) { return run.beginNs ? run.beginNs : ~uint64_t{0}; }

bool mayBeAlive(const ProcessRun &parent, const ProcessRun &child) {
  return parent.beginNs <= child.beginNs && (!parent.hasEnded() || child.beginNs <= parent.endNs + kEndSlackNs);
}

void findParents(std::vector<ProcessRun> &all) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> byPid; // each by begin
  for (uint32_t i = 0; i < all.size(); ++i) {
    ProcessRun &run = all[i];
    // Only processes that began before this one are in the lists, so that nobody is its own ancestor.
    if (const auto known = run.parentPid ? byPid.find(*run.parentPid) : byPid.end(); known != byPid.end())
      if (const uint32_t last = known->second.back(); mayBeAlive(all[last], run))
        run.parent = last;
    if (run.pid)
      byPid[*run.pid].push_back(i);
  }
}

} // namespace

std::string ProcessRun::program() const {
  std::string text;
  for (const Execution &execution : executions)
    text += (text.empty() ? "" : " → ") + execution.program;
  return text;
}

const Execution &ProcessRun::executionAt(uint64_t ns) const {
  size_t at = executions.size() - 1;
  while (at > 0 && executions[at].beginNs > ns)
    --at;
  return executions[at];
}

std::string ProcessRun::exit() const {
  return how == manifest::kCode     ? std::to_string(value)
         : how == manifest::kSignal ? "signal " + std::to_string(value)
                                    : how;
}

std::vector<std::vector<uint32_t>> ProcessList::children() const {
  std::vector<std::vector<uint32_t>> children(all.size() + 1);
  for (uint32_t i = 0; i < all.size(); ++i)
    children[std::min(all[i].parent, static_cast<uint32_t>(all.size()))].push_back(i);
  return children;
}

std::vector<uint64_t> endsOfProcesses(const TraceTable &table) {
  std::vector<uint64_t> ends(table.processes.size());
  for (const model::Thread &thread : table.threads) {
    uint64_t &endNs = ends[thread.process];
    if (thread.extent)
      endNs = std::max(endNs, thread.extent->lastNs);
    if (thread.offCpu)
      endNs = std::max(endNs, thread.offCpu->knownToNs());
  }
  const uint64_t all = ends.empty() ? 0 : *std::ranges::max_element(ends);
  dom::parser parser;
  for (const model::Process &process : table.processes) {
    const ProcessRun run = readPart(process, parser).run;
    uint64_t &endNs = ends[process.index];
    endNs = run.hasEnded() || run.how == manifest::kExec ? std::max(endNs, run.endedNs.value_or(0)) : all;
  }
  return ends;
}

ProcessList listProcesses(const TraceTable &table) {
  ProcessList list;
  dom::parser parser;
  std::vector<std::vector<uint32_t>> threadsOf(table.processes.size());
  for (const model::Thread &thread : table.threads)
    threadsOf[thread.process].push_back(thread.index);
  std::vector<Part> parts;
  for (const model::Process &process : table.processes) {
    Part &part = parts.emplace_back(readPart(process, parser));
    part.run.onCpuNs = 0;
    for (const uint32_t thread : threadsOf[process.index]) // whose descriptions are in the same file
      takeThread(part, table.threads[thread], parser);
    if (threadsOf[process.index].empty())
      part.run.onCpuNs.reset();
    if (!part.run.beginNs && part.run.executions[0].arguments.empty()) // so that they are one line
      part.run.executions[0].program = "(recorded nothing)";
    if (part.run.beginNs && part.run.endedNs)
      part.run.endNs = std::max(part.run.endNs, *part.run.endedNs);
    if (!list.cores)
      list.cores = part.cores;
  }
  // By pid and time, so that each is followed by what it may go on as.
  std::vector<uint32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, {}, [&](uint32_t i) { return std::pair(parts[i].run.pid.value_or(~uint64_t{0}), beginOf(parts[i].run)); });
  std::vector<ProcessRun> runs;
  std::vector<uint32_t> runOfPart(parts.size());
  uint32_t previous = kNoProcess;
  for (const uint32_t i : order) {
    Part &part = parts[i];
    part.run.executions[0].beginNs = part.run.beginNs;
    const bool isSame = previous != kNoProcess && part.run.pid && runs.back().pid == part.run.pid &&
                        goesOn(runs.back(), parts[previous].next, part.run, table.processes[i].name);
    if (isSame)
      append(runs.back(), std::move(part.run));
    else
      runs.push_back(std::move(part.run));
    runOfPart[i] = static_cast<uint32_t>(runs.size() - 1);
    previous = i;
  }
  std::vector<uint32_t> byBegin(runs.size()), place(runs.size());
  std::iota(byBegin.begin(), byBegin.end(), 0);
  std::ranges::stable_sort(byBegin, {},
                           [&](uint32_t i) { return std::pair(beginOf(runs[i]), runs[i].executions[0].process); });
  for (uint32_t i = 0; i < byBegin.size(); ++i) {
    place[byBegin[i]] = i;
    list.all.push_back(std::move(runs[byBegin[i]]));
  }
  for (const uint32_t run : runOfPart)
    list.runOf.push_back(place[run]);
  findParents(list.all);
  for (const ProcessRun &run : list.all)
    if (run.beginNs) {
      list.beginNs = list.beginNs ? std::min(list.beginNs, run.beginNs) : run.beginNs;
      list.endNs = std::max(list.endNs, run.endNs);
    }
  return list;
}

} // namespace ada::analysis
