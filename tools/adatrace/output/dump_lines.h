// Prints events as lines of text or JSON.
#pragma once

#include "input/trace_input.h"
#include "terminal/terminal.h"

#include "analysis/calls/call_reader.h"

#include "ada/trace/calls.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

/// State for the lines of one thread: its open calls, which of them are shown, and text that is made once.
class DumpThread {
public:
  DumpThread(const TraceInput &input, uint32_t thread, analysis::FunctionRules &rules);

  /// Events must come in order. Returns false if the filter leaves the event out.
  bool take(uint64_t seq, const model::Event &event);
  /// Depth of the call that the last event opens or closes.
  uint32_t depth() const { return depth_; }
  void end(const Span &, bool shown, std::string &&) { isEndShown_ = shown; } ///< called by CallReader

private:
  friend class DumpLines;

  std::string jsonHead_; ///< {"pid":4711,"process":"pid_4711","thread":0,"tid":4711,"seq":
  std::string textHead_;
  analysis::CallReader<DumpThread, analysis::kFiltered> calls_;
  bool isEndShown_ = false; // of the last call that ended
  uint32_t depth_ = 0;
};

class DumpLines {
public:
  DumpLines(Output &out, const TraceInput &input, bool json)
      : out_(out), json_(json), originNs_(input.originNs()), functionList_(input.table().functions),
        values_(input.table()) {}
  void write(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch);

private:
  struct Function {
    bool known = false;
    std::string json; ///< "function_id":"0x…","name":"…","depth":
    std::string text;
    std::string more; ///< the end of the object of an event without detail
    SymbolKind kind = SymbolKind::Function;
  };
  const Function &function(uint32_t number) {
    return number < functions_.size() && functions_[number].known ? functions_[number] : makeFunction(number);
  }
  const Function &makeFunction(uint32_t number);
  void writeJson(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch);
  void putJson(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch,
               std::string_view what, std::string_view end);
  void writeText(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch);

  Output &out_;
  bool json_;
  uint64_t originNs_;
  const std::vector<model::Function> &functionList_;
  std::vector<Function> functions_;
  analysis::ValueTexts values_;
};

} // namespace ada::cli
