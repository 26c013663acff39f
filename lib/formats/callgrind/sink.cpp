// Writes the model as a callgrind profile: self time per function, and calls per caller and callee.
//
// Readers compute a function's inclusive time as the sum over its callers. So only the outermost of recursive calls has
// a time, as in `adatrace report`, and threads are functions that call the outermost functions.
#include "formats/path_sink.h"
#include "formats/table.h"

#include <map>
#include <unordered_map>

namespace ada::formats {

namespace {

class CallgrindSink : public PathSink {
public:
  using PathSink::PathSink;

private:
  /// A function's number, or a thread's.
  using Caller = uint64_t;
  static constexpr Caller kThread = Caller{1} << 32;
  struct Edge {
    uint64_t calls = 0, ns = 0;
  };

  void writePaths(uint32_t number, const PathTree &tree) override {
    std::vector<uint64_t> totals(tree.size()); // of a node and all below it
    for (auto node = static_cast<uint32_t>(tree.size()); node-- > 1;) {
      totals[node] += tree[node].selfNs;
      totals[tree[node].parent] += totals[node];
    }
    summaryNs_ += totals[PathTree::kRoot];
    selfNs_[kThread | number] = 0;
    std::vector<uint32_t> path;                  // functions
    std::unordered_map<uint32_t, uint32_t> open; // how often each is in it
    for (uint32_t node = 1; node < tree.size(); ++node) {
      const PathTree::Node &entry = tree[node];
      for (; path.size() >= entry.depth; path.pop_back())
        --open[path.back()];
      selfNs_[entry.function] += entry.selfNs;
      Edge &edge = edges_[{path.empty() ? kThread | number : path.back(), entry.function}];
      edge.calls += entry.calls;
      edge.ns += open[entry.function]++ == 0 ? totals[node] : 0;
      path.push_back(entry.function);
    }
  }

  void endTrace() override {
    std::string command;
    for (const model::Process &process : table().processes)
      command +=
          (command.empty() ? "" : ", ") + oneLine(process.executable.empty() ? process.name : process.executable);
    out_.put("# callgrind format\nversion: 1\ncreator: AdaTrace\ncmd: " + command +
             "\npositions: line\nevent: ns : Nanoseconds\nevents: ns\nsummary: " + std::to_string(summaryNs_) + "\n");
    auto edge = edges_.begin();
    for (const auto &[number, selfNs] : selfNs_) {
      putFunction("", number);
      out_.put(lineOf(number) + " " + std::to_string(selfNs) + "\n");
      for (; edge != edges_.end() && edge->first.first == number; ++edge) {
        putFunction("c", edge->first.second);
        out_.put("calls=" + std::to_string(edge->second.calls) + " " + lineOf(edge->first.second) + "\n" +
                 lineOf(number) + " " + std::to_string(edge->second.ns) + "\n");
      }
    }
    out_.flush();
  }

  const model::Function *functionOf(Caller caller) const {
    return caller < PathTree::kRecorder ? &function(static_cast<uint32_t>(caller)) : nullptr;
  }
  std::string lineOf(Caller caller) const {
    const model::Function *about = functionOf(caller);
    return std::to_string(about ? about->line : 0);
  }
  // Object, file and name; `prefix` is "c" for a callee. A name is written out the first time.
  void putFunction(std::string_view prefix, Caller caller) {
    const model::Function *about = functionOf(caller);
    const model::Thread *root = caller >= kThread ? &thread(static_cast<uint32_t>(caller)) : nullptr;
    std::string object = "???", file = object, name;
    if (about || root) {
      const model::Process &process = about ? table().processes[about->process] : processOf(*root);
      object = process.executable.empty() ? process.name : process.executable;
    }
    if (about) {
      name = about->displayName;
      file = about->file.empty() ? file : about->file;
    } else if (root) {
      name = "[" + (hasSeveralProcesses() ? labelOf(processOf(*root)) + ", " : "") + labelOf(*root) + "]";
    } else {
      name = nameOfNone(static_cast<uint32_t>(caller));
    }
    std::string &text = out_.text();
    text.append(prefix.empty() ? "\n" : "").append(prefix).append("ob=").append(numbered(objects_, object)) += '\n';
    text.append(prefix.empty() ? "fl=" : "cfi=").append(numbered(files_, file)) += '\n';
    text.append(prefix).append("fn=").append(numbered(names_, name)) += '\n';
    out_.settle();
  }
  using Numbers = std::unordered_map<std::string, size_t>;
  static std::string numbered(Numbers &known, const std::string &text) {
    const auto [entry, isNew] = known.try_emplace(text, known.size() + 1);
    const std::string number = "(" + std::to_string(entry->second) + ")";
    return isNew ? number + " " + oneLine(text) : number;
  }

  std::map<Caller, uint64_t> selfNs_;
  std::map<std::pair<Caller, uint32_t>, Edge> edges_;
  uint64_t summaryNs_ = 0;
  Numbers objects_, files_, names_;
};

constexpr FormatVariant kCallgrindVariants[] = {
    {.name = "callgrind", .title = "callgrind profile", .extension = ".callgrind"}};

} // namespace

extern const TraceFormat kCallgrindFormat;
const TraceFormat kCallgrindFormat = {
    .title = "callgrind profile",
    .variants = kCallgrindVariants,
    .makeSink = makeStreamSink<CallgrindSink>,
};

} // namespace ada::formats
