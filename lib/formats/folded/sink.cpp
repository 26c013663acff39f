// Writes the model as folded stacks, which flame graph tools read.
//
// One line per path, with the self time of its calls in nanoseconds:
//
//   app (pid 42);main (tid 4711);main();parse() 1200
//
// The process is left out if there is only one.
#include "formats/path_sink.h"
#include "operations.h"

#include <algorithm>

namespace ada::formats {

namespace {

class FoldedSink : public PathSink {
public:
  using PathSink::PathSink;

private:
  // A line is a stack whose parts are separated by semicolons.
  std::string frame(std::string_view name) {
    std::string text = oneLine(name);
    if (text.find(';') != text.npos)
      lose("names with semicolons, which separate names here: they have colons");
    std::ranges::replace(text, ';', ':');
    return text;
  }
  void newFunction(const model::Function &function) override { frames_.push_back(frame(function.displayName)); }

  void writePaths(uint32_t number, const PathTree &tree) override {
    std::string stack = frame(labelOf(thread(number)));
    if (hasSeveralProcesses())
      stack = frame(labelOf(processOf(thread(number)))) + ";" + stack;
    std::vector<size_t> lengths = {stack.size()}; // of the stack, by depth
    for (uint32_t node = 1; node < tree.size(); ++node) {
      const PathTree::Node &entry = tree[node];
      lengths.resize(entry.depth);
      stack.resize(lengths.back());
      stack += ';';
      stack += PathTree::isFunction(entry.function) ? frames_[entry.function] : nameOfNone(entry.function);
      lengths.push_back(stack.size());
      if (entry.selfNs > 0 || tree.endOf(node) == node + 1)
        out_.put(stack + " " + std::to_string(entry.selfNs) + "\n");
    }
  }
  void endTrace() override { out_.flush(); }

  std::vector<std::string> frames_; // by function
};

} // namespace

std::unique_ptr<model::TraceSink> makeFoldedSink(model::ByteSink bytes) {
  return std::make_unique<FoldedSink>(std::move(bytes));
}

} // namespace ada::formats
