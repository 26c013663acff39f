// The context info, read and written.
#include "ada/trace/wtf/context.h"

#include "bytes.h"
#include "context_check.h"
#include "json_text.h"
#include "trace/base/json.h"
#include "trace/base/try.h"

namespace ada::wtf {
namespace {

std::optional<std::string> textMember(std::string_view object, std::string_view name) {
  const auto value = json::member(object, name);
  return value ? json::unquote(*value) : std::nullopt;
}

} // namespace

Expected<void> checkContext(std::string_view json, std::optional<uint64_t> offset) {
  std::string why;
  if (json.empty())
    why = "the header has no context info";
  else if (!json::valid(json))
    why = "the context info is not JSON";
  else if (const auto type = json::member(json, "contextType"); !type)
    why = "the context info has no contextType";
  else if (json::unquote(*type) != "script")
    why = "the context info is of a type that does not exist";
  else
    return {};
  Error error = errorOf("E_BAD_CONTEXT", why);
  error.offset = offset;
  error.field = "context info";
  error.expected = R"({"contextType":"script",...})";
  error.found = json.substr(0, 60);
  return error;
}

std::string ContextInfo::toJson() const {
  std::string out;
  JsonText json(out, /*asciiOnly=*/true);
  json.beginObject().text("contextType", "script").text("uri", uri);
  if (title)
    json.text("title", *title);
  if (iconUri)
    json.beginObject("icon").text("uri", *iconUri).endObject();
  if (taskId)
    json.text("taskId", *taskId);
  json.beginArray("args");
  for (const std::string &arg : args)
    json.text({}, arg);
  json.endArray();
  if (userAgent)
    json.beginObject("userAgent")
        .text("value", userAgent->value)
        .text("type", userAgent->type)
        .text("platform", userAgent->platform)
        .text("platformVersion", userAgent->platformVersion)
        .text("device", userAgent->device)
        .endObject();
  json.endObject();
  return out;
}

Expected<ContextInfo> ContextInfo::parse(std::string_view json) {
  ADA_TRY(checkContext(json, std::nullopt));
  ContextInfo info;
  info.uri = textMember(json, "uri").value_or("");
  info.title = textMember(json, "title");
  if (const auto icon = json::member(json, "icon"))
    info.iconUri = textMember(*icon, "uri");
  info.taskId = textMember(json, "taskId");
  json::forEachElement(json::member(json, "args").value_or(""), [&](std::string_view value) {
    if (auto arg = json::unquote(value))
      info.args.push_back(std::move(*arg));
  });
  if (const auto agent = json::member(json, "userAgent"); agent && agent->starts_with('{')) {
    UserAgent &to = info.userAgent.emplace();
    const auto read = [&](std::string &field, std::string_view name) {
      if (auto text = textMember(*agent, name))
        field = std::move(*text);
    };
    read(to.value, "value");
    read(to.type, "type");
    read(to.platform, "platform");
    read(to.platformVersion, "platformVersion");
    read(to.device, "device");
  }
  return info;
}

} // namespace ada::wtf
