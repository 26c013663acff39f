// An event's detail as members of a JSON object.
#include "ada/trace/thread_reader.h"

#include "trace/base/json.h"
#include "trace/base/number_text.h"

namespace ada::atf {

std::string detailJson(const EventDetail &detail, uint8_t arch) {
  const types::FunctionTypes &types = *detail.types;
  const auto &function = detail.function;
  JsonMembers json;
  if (!detail.isReturn && (types.isWhole || !types.parameters.empty()))
    json.json("args", types::argumentsJson(types, detail.registers()))
        .json("arg_types", types::argumentTypesJson(types));
  if (detail.isReturn && types.hasResult)
    json.json("return", types::resultJson(types, detail.registers())).text("return_type", types.result.type.text());
  if (const auto error = detail.isReturn ? types::errorOf(types, detail.registers()) : std::nullopt)
    json.text("errno", types::errorName(*error));

  json.beginObject("registers");
  const size_t count = function.registers.size() - (detail.isReturn && types.isExternal ? 1 : 0); // without errno
  for (unsigned i = 0; i < count; ++i)
    if (const std::string name = types::registerName(arch, i, detail.isReturn); !name.empty())
      json.hex(name, function.registers[i]);
  json.endObject();
  if (detail.vectors) {
    const size_t each = detail.vectors->bytesEach;
    json.beginObject("vectors");
    for (unsigned i = 0; i < detail.vectors->count; ++i)
      json.text(types::vectorName(arch, i), "0x" + hexDigits(detail.vectors->registers.subspan(i * each, each), true));
    json.endObject();
  }
  if (!detail.contents.empty()) {
    json.beginObject("contents");
    for (const types::Contents &contents : detail.contents) {
      const bool isResult = contents.where == types::Contents::kOfResult;
      const std::string name = isResult ? "result" : types::registerName(arch, contents.where, detail.isReturn);
      if (name.empty())
        continue;
      json.beginObject(name);
      if (contents.length)
        json.number("length", *contents.length);
      else
        json.json("length", "null");
      json.text("bytes", hexDigits(contents.bytes));
      if (contents.isUnreadable)
        json.boolean("unreadable", true);
      json.endObject();
    }
    json.endObject();
  }
  json.hex("lr", function.lr).hex("fp", function.fp).hex("sp", function.sp);
  return json.text("stack", hexDigits(function.stack)).list();
}

} // namespace ada::atf
