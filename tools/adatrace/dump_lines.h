//===- dump_lines.h - events as lines of text or JSON ---------------------===//
#ifndef ADATRACE_DUMP_LINES_H
#define ADATRACE_DUMP_LINES_H

#include "call_values.h"
#include "terminal.h"
#include "trace_input.h"

#include "ada/trace/calls.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

/// What the lines of one thread need: how deep its calls are, and texts made
/// once.
class DumpThread {
public:
  DumpThread(const InputThread &thread, const SessionTypes &types,
             bool withProcess);

  /// Depth of the call that the event opens or closes. Events must come in
  /// order.
  uint32_t depthOf(uint64_t seq, const atf::IndexEvent &event) {
    return calls.feed(seq, event.timestampNs, event.functionId, event.kind)
        .depth;
  }

private:
  friend class DumpLines;
  struct Function {
    bool known = false;
    std::string json; ///< "function_id":"0x…","name":"…","depth":
    std::string text;
  };
  const Function &function(uint64_t functionId);

  const InputThread *thread;
  CallValues values;
  std::string jsonHead; ///< {"thread":0,"tid":4711,"seq":
  std::string textHead;
  CallStackWalker calls;
  FunctionIndex index;
  std::vector<Function> functions;
};

class DumpLines {
public:
  DumpLines(Output &out, bool json) : out(out), json(json) {}
  void write(DumpThread &thread, uint64_t seq, const atf::IndexEvent &event,
             uint32_t depth);

private:
  void writeJson(DumpThread &thread, uint64_t seq, const atf::IndexEvent &event,
                 uint32_t depth);
  void writeText(DumpThread &thread, uint64_t seq, const atf::IndexEvent &event,
                 uint32_t depth);
  Output &out;
  bool json;
};

} // namespace ada::cli
#endif // ADATRACE_DUMP_LINES_H
