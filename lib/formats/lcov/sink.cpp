// Writes which functions were called, and how often, as function coverage for lcov and genhtml.
//
// A function is a line of a source file and its name in the object file (genhtml --demangle-cpp shows it as it is
// written). Functions that were instrumented but never called are written too, with 0 calls. Calls in all processes and
// of all copies of a function (in several modules, inlined) are added up.
//
// Nothing is known about lines, except that the first one of a function ran when that was called. These have counts
// (DA), because genhtml and editors take no file without any.
#include "formats/byte_output.h"
#include "formats/table.h"
#include "trace/base/text.h"
#include "trace/loss_list.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ada::formats {

namespace {

class LcovSink : public model::TraceSink {
public:
  explicit LcovSink(model::ByteSink bytes) : out_(std::move(bytes)) {}

  Expected<void> addThread(const model::Thread &thread) override {
    if (!thread.gaps.empty())
      lost_.add("gaps between events: calls were lost there, so counts may be too low", thread.gaps.size());
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    const bool isOwn = !function.isExternal && function.kind == SymbolKind::Function;
    const bool hasPlace = !function.file.empty() && function.line != 0;
    counts_.push_back(isOwn && hasPlace ? &files_[oneLine(function.file)][{function.line, oneLine(nameIn(function))}]
                                        : &others_);
    if (isOwn && !hasPlace && unknown_.insert(nameIn(function)).second)
      lost_.add("functions whose file and line are not known: compile with -g");
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events)
      if (event.kind == model::Kind::Call)
        ++*counts_[event.function];
    return {};
  }
  bool wantsUnused() const override { return true; }
  std::vector<model::Loss> losses() const override { return lost_.list(); }

  Expected<void> finish() override {
    for (const auto &[file, functions] : files_)
      write(file, functions);
    out_.flush();
    return out_.status();
  }

private:
  // By line and name: how often it was called.
  using FunctionsOfFile = std::map<std::pair<uint64_t, std::string>, uint64_t>;

  static const std::string &nameIn(const model::Function &function) {
    return function.name.empty() ? function.displayName : function.name;
  }
  void write(const std::string &file, const FunctionsOfFile &functions) {
    std::string &text = out_.text();
    text += "TN:\nSF:" + file + "\n";
    for (const auto &[place, calls] : functions)
      text += "FN:" + std::to_string(place.first) + "," + place.second + "\n";
    size_t hit = 0, linesHit = 0;
    std::map<uint64_t, uint64_t> lines;
    for (const auto &[place, calls] : functions) {
      text += "FNDA:" + std::to_string(calls) + "," + place.second + "\n";
      hit += calls > 0, lines[place.first] += calls;
    }
    text += "FNF:" + std::to_string(functions.size()) + "\nFNH:" + std::to_string(hit) + "\n";
    for (const auto &[line, calls] : lines) {
      text += "DA:" + std::to_string(line) + "," + std::to_string(calls) + "\n";
      linesHit += calls > 0;
    }
    text += "LF:" + std::to_string(lines.size()) + "\nLH:" + std::to_string(linesHit) + "\nend_of_record\n";
    out_.settle();
  }

  ByteOutput out_;
  std::map<std::string, FunctionsOfFile> files_;
  std::vector<uint64_t *> counts_; // by function: in `files_`, or `others_`
  uint64_t others_ = 0;            // calls of functions that have no place in a file
  std::set<std::string> unknown_;
  model::LossList lost_;
};

constexpr FormatVariant kLcovVariants[] = {{.name = "lcov", .title = "lcov function coverage", .extension = ".info"}};

} // namespace

extern const TraceFormat kLcovFormat;
const TraceFormat kLcovFormat = {
    .title = "lcov function coverage",
    .variants = kLcovVariants,
    .makeSink = [](SinkTarget target, const SinkOptions &) -> std::unique_ptr<model::TraceSink> {
      return std::make_unique<LcovSink>(std::move(target.bytes));
    },
};

} // namespace ada::formats
