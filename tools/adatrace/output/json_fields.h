// Fields that JSON lines of several commands share; docs/json.md describes them.
#ifndef ADATRACE_JSON_FIELDS_H
#define ADATRACE_JSON_FIELDS_H

#include "base/json.h"
#include "terminal/terminal.h"
#include "trace/trace_input.h"

namespace ada::cli {

/// "pid":4711,"process":"pid_4711"; the pid is null if the trace does not have it.
inline JsonMembers processFields(const model::Process &process) {
  JsonMembers json;
  json.number("pid", process.pid).text("process", process.name);
  return json;
}

/// The fields of the process, and "thread":0,"tid":4711.
inline JsonMembers threadFields(const TraceInput &input, uint32_t number) {
  const model::Thread &thread = input.table().threads[number];
  JsonMembers json = processFields(input.table().processOf(thread));
  json.number("thread", thread.number).number("tid", thread.tid);
  return json;
}

/// Objects, one per line, either separate or as the elements of one array.
class JsonList {
public:
  JsonList(Output &out, bool isArray) : out_(out), isArray_(isArray) {}
  /// Call before each object.
  void next() {
    out_.write(isFirst_ ? (isArray_ ? "[\n" : "") : (isArray_ ? ",\n" : "\n"));
    isFirst_ = false;
  }
  /// Call after the last object.
  void finish() { out_.write(isFirst_ ? (isArray_ ? "[]\n" : "") : (isArray_ ? "\n]\n" : "\n")); }

private:
  Output &out_;
  bool isArray_, isFirst_ = true;
};

} // namespace ada::cli
#endif // ADATRACE_JSON_FIELDS_H
