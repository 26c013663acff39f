// Numbers processes, threads and functions for the model, in the order in which a trace happens to name them.
#pragma once

#include "formats/byte_source.h"
#include "import_source.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ada::formats {

/// For traces in which names may come after the events that need them: all are announced together once all are known.
class MetNames {
public:
  explicit MetNames(model::LossList &lost) : limit(lost) {}

  static model::Process described(model::Process process) {
    process.description = oneModule(process.executable.empty() ? process.name : process.executable);
    return process;
  }
  uint32_t add(model::Process process) {
    process.index = static_cast<uint32_t>(processes.size());
    processes.push_back(std::move(process));
    byName_.emplace_back();
    threadsOf_.push_back(0);
    return processes.back().index;
  }
  uint32_t add(model::Thread thread) {
    thread.index = static_cast<uint32_t>(threads.size());
    thread.number = threadsOf_[thread.process]++;
    threads.push_back(std::move(thread));
    return threads.back().index;
  }
  /// The number of the function with that name; the same name always gives the same number.
  uint32_t function(uint32_t process, std::string_view name) {
    auto &known = byName_[process];
    if (const auto found = known.find(limit.kept(name)); found != known.end())
      return found->second;
    name = limit.take(name);
    model::Function function;
    function.index = static_cast<uint32_t>(functions.size());
    function.process = process;
    function.id = known.size();
    function.name = name;
    function.displayName = name.empty() ? "(no name)" : function.name;
    known.emplace(name, function.index);
    functions.push_back(std::move(function));
    return functions.back().index;
  }
  void announce(TraceBuilder &out) const {
    for (const model::Process &process : processes)
      out.add(described(process));
    for (const model::Thread &thread : threads)
      out.add(thread);
    for (const model::Function &function : functions)
      out.add(function);
  }

  NameLimit limit;
  std::vector<model::Process> processes;
  std::vector<model::Thread> threads;
  std::vector<model::Function> functions;

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::vector<std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>>> byName_; // by process
  std::vector<uint32_t> threadsOf_;                                                      // how many, by process
};

} // namespace ada::formats
