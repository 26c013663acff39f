// Reads and writes the contents of ada.info records in wtf-trace files.
#include "ada_info.h"
#include "base/nested_json.h"

#include <nlohmann/json.hpp>

namespace ada::model {

using Json = nlohmann::ordered_json;

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

// The fields of each kind of record. `f` writes or reads a field.

template <class F> static void visit(F &&f, WtfTraceInfo &info) {
  uint32_t version = 1;
  f("version", version);
  f("is_root", info.isRoot);
  f("rest", info.rest);
}

template <class F> static void visit(F &&f, Process &process) {
  f("process", process.index);
  f("name", process.name);
  f("executable", process.executable);
  f("clock_type", process.clockType);
  f("description", process.description);
  f("pid", process.pid);
}

template <class F> static void visit(F &&f, WtfThreadInfo &info) {
  Thread &thread = info.thread;
  f("thread", thread.index);
  f("zone", info.zone);
  f("process", thread.process);
  f("number", thread.number);
  f("tid", thread.tid);
  f("name", thread.name);
  f("arch", thread.arch);
  f("os", thread.os);
  f("description", thread.description);
  f("file_thread_id", thread.fileThreadId);
}

template <class F> static void visit(F &&f, WtfFunctionInfo &info) {
  Function &function = info.function;
  f("function", function.index);
  f("scope", info.scope);
  f("process", function.process);
  f("id", function.id);
  f("name", function.name);
  f("display_name", function.displayName);
  f("file", function.file);
  f("signature", function.signature);
  f("types", function.types);
  f("line", function.line);
  f("address", function.address);
}

namespace {

// Leaves out empty fields.
struct Writer {
  Json json = Json::object();

  void operator()(const char *key, const std::string &text) {
    if (!text.empty())
      json[key] = text;
  }
  void operator()(const char *key, WtfRest rest) { json[key] = static_cast<int>(rest); }
  template <class Integer> void operator()(const char *key, Integer number) { json[key] = number; }
  template <class Integer> void operator()(const char *key, const std::optional<Integer> &number) {
    if (number)
      json[key] = *number;
  }
};

// A field that is missing, or of another type, is zero or empty.
struct InfoReader {
  const Json &json;

  const Json &at(const char *key) const {
    static const Json kNothing;
    const auto found = json.find(key);
    return found == json.end() ? kNothing : *found;
  }
  void operator()(const char *key, std::string &text) const {
    text = at(key).is_string() ? at(key).get<std::string>() : std::string();
  }
  void operator()(const char *key, bool &flag) const { flag = at(key).is_boolean() && at(key).get<bool>(); }
  void operator()(const char *key, WtfRest &rest) const {
    uint32_t number = 0;
    (*this)(key, number);
    rest = static_cast<WtfRest>(number % 3);
  }
  template <class Integer> void operator()(const char *key, Integer &number) const {
    number = static_cast<Integer>(at(key).is_number_unsigned() ? at(key).get<uint64_t>() : 0);
  }
  template <class Integer> void operator()(const char *key, std::optional<Integer> &number) const {
    if (json.contains(key))
      (*this)(key, number.emplace());
  }
};

} // namespace

template <class Info> static std::string textOf(const char *what, Info info) {
  Writer writer;
  visit(writer, info);
  return Json({{what, std::move(writer.json)}}).dump(-1, ' ', true, Json::error_handler_t::replace);
}

template <class Info> static Info parse(const Json &json) {
  Info info;
  visit(InfoReader{json}, info);
  return info;
}

//===--- records ----------------------------------------------------------===//

std::string infoText(const WtfTraceInfo &info) { return textOf("trace", info); }
std::string infoText(const Process &process) { return textOf("process", process); }
std::string infoText(const WtfThreadInfo &info) { return textOf("thread", info); }
std::string infoText(WtfFunctionInfo info) {
  if (info.function.displayName == info.scope)
    info.function.displayName.clear();
  return textOf("function", std::move(info));
}

WtfInfo parseInfo(std::string_view text) {
  const Json json = parseNested<Json>(text);
  if (!json.is_object() || json.size() != 1 || !json.begin()->is_object())
    return {};
  const Json &fields = json.begin().value();
  const std::string &what = json.begin().key();
  if (what == "trace")
    return parse<WtfTraceInfo>(fields);
  if (what == "process")
    return parse<Process>(fields);
  if (what == "thread")
    return parse<WtfThreadInfo>(fields);
  if (what != "function")
    return {};
  auto info = parse<WtfFunctionInfo>(fields);
  if (info.function.displayName.empty())
    info.function.displayName = info.scope;
  return info;
}

} // namespace ada::model
