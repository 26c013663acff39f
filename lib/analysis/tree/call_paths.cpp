// The call paths of a trace.
#include "call_paths.h"

#include "analysis/calls/call_sink.h"
#include "analysis/events/module_loads.h"
#include "analysis/events/session_match.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace ada::analysis {

namespace {

constexpr uint32_t kNoProcess = ~uint32_t(0);

// Decides whether functions of different workers are the same.
struct Identity {
  std::string name, file;
  uint64_t line = 0;
  uint32_t process = kNoProcess; // where each process has its own tree
  uint64_t id = 0;               // for functions without a name
  auto operator<=>(const Identity &) const = default;
};

Identity identityOf(const model::Function &function, PathsBy by, const std::vector<ModuleLoads> &loads) {
  Identity identity;
  identity.name = function.name.empty() ? function.displayName : function.name;
  identity.file = function.file;
  identity.line = function.line;
  if (by != PathsBy::Trace)
    identity.process = function.process;
  if ((by != PathsBy::Trace && !function.goesByName()) || identity.name.empty())
    identity.id = loads[function.process].firstFunction(function.commonId());
  return identity;
}

class Worker : public CallSink<Worker> {
public:
  Worker(TraceTable &table, const CallPathsOptions &options, size_t mostNodes)
      : CallSink(table, options.filter), options_(options), mostNodes_(mostNodes) {}

  // Called by CallSink.
  void threadBegins() { tree_ = &trees.try_emplace(groupOf(thread_), mostNodes_).first->second; }
  void threadEnds() {
    strayExits += calls_->walker().strayExits();
    missingExits += calls_->walker().missingExits();
  }

  // Called by CallReader. Calls made by a hidden call count as made by the shown call around it.
  void begin(uint64_t, const model::Event &call, bool shown, std::string &&) {
    if (shown)
      walk_.enter(*tree_, call.function);
    else
      walk_.enterHidden();
    beganShown_.push_back(shown);
  }
  void end(const Span &call, bool shown, std::string &&) {
    walk_.leave(*tree_, call, shown && beganShown_.back());
    beganShown_.pop_back();
  }

  std::map<uint32_t, PathTree> trees; // by process, by thread, or 0
  uint64_t strayExits = 0, missingExits = 0;

private:
  uint32_t groupOf(uint32_t thread) const {
    return options_.by == PathsBy::Trace     ? 0
           : options_.by == PathsBy::Process ? table().threads[thread].process
                                             : thread;
  }

  const CallPathsOptions &options_;
  size_t mostNodes_;
  PathTree *tree_ = nullptr;
  PathWalk walk_;
  std::vector<bool> beganShown_;
};

// The results of a worker.
struct Part {
  std::map<uint32_t, PathTree> trees;
  std::vector<model::Function> functions; // under the worker's numbers
};

} // namespace

Expected<CallPaths> readCallPaths(const Trace &trace, const CallPathsOptions &options) {
  CallPaths paths;
  size_t mostNodes = options.mostNodes;
  if (options.by == PathsBy::Thread && !trace.threads.empty())
    mostNodes = std::max<size_t>(mostNodes / trace.threads.size(), 1000);
  std::vector<Part> parts;
  ADA_TRY(readParts<Worker>(
      trace, partsOf(trace), [&](TraceTable &own) { return std::make_unique<Worker>(own, options, mostNodes); },
      [&](Worker &worker) {
        parts.push_back({std::move(worker.trees), worker.table().functions});
        paths.strayExits += worker.strayExits;
        paths.missingExits += worker.missingExits;
      },
      paths.damage));

  std::vector<const std::vector<model::Function> *> lists;
  for (const Part &part : parts)
    lists.push_back(&part.functions);
  const std::vector<ModuleLoads> loads(trace.table.processes.begin(), trace.table.processes.end());
  JoinedFunctions joined =
      joinFunctions(lists, [&](const model::Function &function) { return identityOf(function, options.by, loads); });
  paths.functions = std::move(joined.functions);
  std::map<uint32_t, PathTree> trees;
  for (size_t i = 0; i < parts.size(); ++i) {
    for (const auto &[group, tree] : parts[i].trees)
      trees.try_emplace(group, mostNodes).first->second.merge(tree, joined.numbers[i]);
    parts[i].trees.clear();
  }
  for (auto &[group, tree] : trees) {
    tree.sort();
    if (tree.size() == 1)
      continue;
    CallPathGroup &added = paths.groups.emplace_back(CallPathGroup{{}, {}, std::move(tree)});
    if (options.by == PathsBy::Thread)
      added.thread = group;
    if (options.by != PathsBy::Trace)
      added.process = options.by == PathsBy::Thread ? trace.table.threads[group].process : group;
  }
  return paths;
}

} // namespace ada::analysis
