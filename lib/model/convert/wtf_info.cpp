// What ada.info records of wtf-trace files hold.
#include "model/convert/wtf_info.h"

#include <nlohmann/json.hpp>

namespace ada::model {

using Json = nlohmann::ordered_json;

std::string withRest(std::string_view args, WtfRest rest, std::string_view us,
                     std::string_view ns) {
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

static std::string textOf(const char *what, Json json) {
  for (auto at = json.begin(); at != json.end();)
    at = at->is_string() && at->get_ref<const std::string &>().empty()
             ? json.erase(at)
             : std::next(at);
  return Json({{what, std::move(json)}})
      .dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string infoText(const WtfTraceInfo &info) {
  return textOf("trace", {{"version", 1},
                          {"is_root", info.isRoot},
                          {"rest", static_cast<int>(info.rest)}});
}

std::string infoText(const Process &process) {
  Json json = {{"process", process.index},
               {"name", process.name},
               {"executable", process.executable},
               {"clock_type", process.clockType},
               {"description", process.description}};
  if (process.pid)
    json["pid"] = *process.pid;
  return textOf("process", std::move(json));
}

std::string infoText(const WtfThreadInfo &info) {
  const Thread &thread = info.thread;
  Json json = {{"thread", thread.index},
               {"zone", info.zone},
               {"process", thread.process},
               {"number", thread.number},
               {"tid", thread.tid},
               {"name", thread.name},
               {"arch", thread.arch},
               {"os", thread.os},
               {"description", thread.description}};
  if (thread.fileThreadId)
    json["file_thread_id"] = *thread.fileThreadId;
  return textOf("thread", std::move(json));
}

std::string infoText(const WtfFunctionInfo &info) {
  const Function &f = info.function;
  return textOf("function",
                {{"function", f.index},
                 {"scope", info.scope},
                 {"process", f.process},
                 {"id", f.id},
                 {"name", f.name},
                 {"display_name",
                  f.displayName == info.scope ? std::string() : f.displayName},
                 {"file", f.file},
                 {"signature", f.signature},
                 {"types", f.types},
                 {"line", f.line},
                 {"address", f.address}});
}

namespace {

// Fields of an object; those that are missing or of another type are zero.
class Fields {
public:
  explicit Fields(const Json &json) : json(json) {}
  std::uint64_t number(const char *key) const {
    const auto at = json.find(key);
    return at != json.end() && at->is_number_unsigned()
               ? at->get<std::uint64_t>()
               : 0;
  }
  std::uint32_t number32(const char *key) const {
    return static_cast<std::uint32_t>(number(key));
  }
  std::uint8_t number8(const char *key) const {
    return static_cast<std::uint8_t>(number(key));
  }
  std::string text(const char *key) const {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>()
                                               : std::string();
  }
  bool flag(const char *key) const {
    const auto at = json.find(key);
    return at != json.end() && at->is_boolean() && at->get<bool>();
  }
  bool has(const char *key) const { return json.contains(key); }

private:
  const Json &json;
};

} // namespace

static Process parseProcess(const Fields &f) {
  Process process;
  process.index = f.number32("process");
  process.name = f.text("name");
  process.executable = f.text("executable");
  process.clockType = f.number8("clock_type");
  process.description = f.text("description");
  if (f.has("pid"))
    process.pid = f.number("pid");
  return process;
}

static WtfThreadInfo parseThread(const Fields &f) {
  WtfThreadInfo info;
  Thread &thread = info.thread;
  thread.index = f.number32("thread");
  thread.process = f.number32("process");
  thread.number = f.number32("number");
  thread.tid = f.number("tid");
  thread.name = f.text("name");
  thread.arch = f.number8("arch");
  thread.os = f.number8("os");
  thread.description = f.text("description");
  if (f.has("file_thread_id"))
    thread.fileThreadId = f.number32("file_thread_id");
  info.zone = static_cast<std::uint16_t>(f.number("zone"));
  return info;
}

static WtfFunctionInfo parseFunction(const Fields &f) {
  WtfFunctionInfo info;
  Function &function = info.function;
  info.scope = f.text("scope");
  function.index = f.number32("function");
  function.process = f.number32("process");
  function.id = f.number("id");
  function.name = f.text("name");
  function.displayName =
      f.has("display_name") ? f.text("display_name") : info.scope;
  function.file = f.text("file");
  function.signature = f.text("signature");
  function.types = f.text("types");
  function.line = f.number("line");
  function.address = f.number("address");
  return info;
}

WtfInfo parseInfo(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.size() != 1 || !json.begin()->is_object())
    return {};
  const Fields fields(json.begin().value());
  const std::string &what = json.begin().key();
  if (what == "trace")
    return WtfTraceInfo{.isRoot = fields.flag("is_root"),
                        .rest =
                            static_cast<WtfRest>(fields.number("rest") % 3)};
  if (what == "process")
    return parseProcess(fields);
  if (what == "thread")
    return parseThread(fields);
  if (what == "function")
    return parseFunction(fields);
  return {};
}

} // namespace ada::model
