// Reads and writes the contents of ada.info records in wtf-trace files.
#include "ada_info.h"
#include "trace/base/json_document.h"
#include "trace/base/json_object.h"
#include "trace/base/nested_json.h"

namespace ada::formats {

std::string withRest(std::string_view args, WtfRest rest, std::string_view us, std::string_view ns) {
  std::string all(args);
  const auto add = [&](std::string_view type, std::string_view name) {
    if (!all.empty())
      all += ", ";
    all += type;
    all += ' ';
    all += name;
  };
  if (rest == WtfRest::UsAndNs)
    add("uint32", us);
  if (rest != WtfRest::None)
    add("uint16", ns);
  return all;
}

//===--- fields -----------------------------------------------------------===//

// The fields of each kind of record: shared/text/json_fields.h says what `f` is.

template <class F> static void visitDescription(F &&f, model::TextOnDemand &description) {
  std::string text = description.get();
  f.some("description", text);
  description = std::move(text);
}

template <class F> static void visit(F &&f, WtfTraceInfo &info) {
  uint64_t version = 1, rest = static_cast<uint64_t>(info.rest);
  f("version", version);
  f("is_root", info.isRoot);
  f("rest", rest);
  info.rest = static_cast<WtfRest>(rest % 3);
}

template <class F> static void visit(F &&f, model::Process &process) {
  f("process", process.index);
  f.some("name", process.name);
  f.some("label", process.label);
  f.some("executable", process.executable);
  f("clock_type", process.clockType);
  visitDescription(f, process.description);
  f("pid", process.pid);
}

template <class F> static void visit(F &&f, WtfThreadInfo &info) {
  model::Thread &thread = info.thread;
  f("thread", thread.index);
  f("zone", info.zone);
  f("process", thread.process);
  f("number", thread.number);
  f("tid", thread.tid);
  f.some("name", thread.name);
  f.some("label", thread.label);
  f("arch", thread.arch);
  f("os", thread.os);
  visitDescription(f, thread.description);
  f("file_thread_id", thread.fileThreadId);
}

template <class F> static void visit(F &&f, WtfFunctionInfo &info) {
  model::Function &function = info.function;
  f("function", function.index);
  f.some("scope", info.scope);
  f("process", function.process);
  f("id", function.id);
  f.some("name", function.name);
  f.some("display_name", function.displayName);
  f.some("file", function.file);
  f.some("signature", function.signature);
  f.some("types", function.types);
  f("line", function.line);
  f("address", function.address);
}

namespace {

// Before an object is read: a field that is missing, or of another type, is zero or empty.
struct Clear {
  template <class T> void operator()(const char *, T &field) { field = T(); }
  template <class T> void some(const char *, T &field) { field = T(); }
};

} // namespace

template <class Info> static std::string textOf(const char *what, const Info &info) {
  std::string text;
  JsonText json(text, /*asciiOnly=*/true);
  json.beginObject();
  FieldWriter(json).object(what, info, [](auto &f, const Info &of) {
    Info copy = of;
    visit(f, copy);
  });
  json.endObject();
  return text;
}

template <class Info> static Info parse(const dom::object &fields) {
  Info info;
  visit(Clear(), info);
  (void)FieldReader::read(fields, info, [](auto &f, Info &to) { visit(f, to); });
  return info;
}

//===--- records ----------------------------------------------------------===//

std::string infoText(const WtfTraceInfo &info) { return textOf("trace", info); }
std::string infoText(const model::Process &process) { return textOf("process", process); }
std::string infoText(const WtfThreadInfo &info) { return textOf("thread", info); }
std::string infoText(WtfFunctionInfo info) {
  if (info.function.displayName == info.scope)
    info.function.displayName.clear();
  return textOf("function", info);
}

WtfInfo parseInfo(std::string_view text) {
  const JsonDocument document(cutNesting(text, JsonObject::kMaxNesting));
  dom::object fields;
  if (!document.object() || document.object()->size() != 1 || (*document.object()->begin()).value.get(fields))
    return {};
  const std::string_view what = document.object()->begin().key();
  if (what == "trace")
    return parse<WtfTraceInfo>(fields);
  if (what == "process")
    return parse<model::Process>(fields);
  if (what == "thread")
    return parse<WtfThreadInfo>(fields);
  if (what != "function")
    return {};
  auto info = parse<WtfFunctionInfo>(fields);
  if (info.function.displayName.empty())
    info.function.displayName = info.scope;
  return info;
}

} // namespace ada::formats
