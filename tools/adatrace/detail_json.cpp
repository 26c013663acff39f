//===- detail_json.cpp - an event's detail as fields of a JSON object -----===//
#include "detail_json.h"
#include "json_text.h"

#include <fmt/format.h>

namespace ada::cli {

static std::string hexOfBytes(std::span<const std::byte> bytes,
                              bool lastFirst) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format(
        "{:02x}",
        std::to_integer<unsigned>(bytes[lastFirst ? bytes.size() - 1 - i : i]));
  return text;
}

std::string detailJson(const atf::EventDetail &detail, std::uint8_t arch) {
  const types::FunctionTypes &types = *detail.types;
  std::string json;
  if (!detail.isReturn && (types.isWhole || !types.parameters.empty()))
    json += ",\"args\":" + types::argumentsJson(types, detail.registers()) +
            ",\"arg_types\":" + types::argumentTypesJson(types);
  if (detail.isReturn && types.hasResult)
    json += ",\"return\":" + types::resultJson(types, detail.registers()) +
            ",\"return_type\":" + jsonText(types.result.type.text());

  std::string list;
  for (unsigned i = 0; i < detail.function.registers.size(); ++i)
    if (const std::string name = types::registerName(arch, i, detail.isReturn);
        !name.empty())
      list += fmt::format("{}\"{}\":\"{:#x}\"", list.empty() ? "" : ",", name,
                          detail.function.registers[i]);
  json += ",\"registers\":{" + list + "}";
  if (detail.vectors) {
    list.clear();
    for (unsigned i = 0; i < detail.vectors->count; ++i)
      list += fmt::format("{}\"{}\":\"0x{}\"", list.empty() ? "" : ",",
                          types::vectorName(arch, i),
                          hexOfBytes(detail.vectors->registers.subspan(
                                         size_t(i) * detail.vectors->bytesEach,
                                         detail.vectors->bytesEach),
                                     true));
    json += ",\"vectors\":{" + list + "}";
  }
  json += fmt::format(
      ",\"lr\":\"{:#x}\",\"fp\":\"{:#x}\",\"sp\":\"{:#x}\",\"stack\":\"{}\"",
      detail.function.lr, detail.function.fp, detail.function.sp,
      hexOfBytes(detail.function.stack, false));
  return json;
}

} // namespace ada::cli
