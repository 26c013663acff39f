// Arguments and other named values of a call as columns.
#include "named_values.h"

#include "formats/export_sink.h"
#include "trace/base/nested_json.h"
#include "trace/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace ada::model {

namespace {

using nlohmann::ordered_json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned kMostNesting = 8;
constexpr unsigned kMostTextNesting = 64; // deeper than anyone would read

double numberOf(const ordered_json &value) {
  if (value.is_boolean())
    return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : kNone;
}

std::string valueText(const ordered_json &value) {
  if (value.is_string())
    return value.get<std::string>();
  return value.is_null() ? std::string() : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

bool isTraceId(std::string_view name) {
  std::string letters; // '_' and '-' join words, '.' stays, others become blanks
  for (const char c : name)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      letters += static_cast<char>(c | 0x20);
    else if (c != '_' && c != '-')
      letters += c == '.' ? '.' : ' ';
  const auto endsWith = [&](std::string_view word) {
    const size_t before = letters.size() - std::min(letters.size(), word.size());
    return letters.ends_with(word) && (before == 0 || letters[before - 1] == ' ' || letters[before - 1] == '.');
  };
  return endsWith("traceid") || endsWith("trace.id");
}

template <class Value, class Take>
void walk(const std::string &prefix, const Value &object, unsigned depth, Take &&take) {
  for (const auto &member : object.items()) {
    const std::string name = prefix + member.key();
    if (member.value().is_object() && !member.value().empty() && depth < kMostNesting)
      walk(name + ".", member.value(), depth + 1, take);
    else
      take(name, member.value());
  }
}

} // namespace

void NamedValues::add(std::string_view object) {
  ordered_json json = parseNested<ordered_json>(object, kMostTextNesting);
  if (json.is_discarded()) // texts from other tools may contain any bytes
    json = parseNested<ordered_json>(validUtf8(object), kMostTextNesting);
  if (!json.is_object())
    return;
  walk("", json, 0, [&](const std::string &name, const ordered_json &value) {
    if (values_.size() < kMost)
      values_.push_back({name, valueText(value), numberOf(value)});
  });
}

void NamedValues::put(RowBinary &out) const {
  out.length(values_.size());
  for (const Value &value : values_)
    out.text(value.name);
  out.length(values_.size());
  for (const Value &value : values_)
    out.text(value.text);
  out.length(values_.size());
  for (const Value &value : values_)
    out.real(value.number);
}

std::string_view NamedValues::traceId() const {
  const auto found = std::ranges::find_if(values_, [](const Value &value) { return isTraceId(value.name); });
  return found == values_.end() ? std::string_view() : std::string_view(found->text);
}

double numberIn(std::string_view text) {
  if (text == "true" || text == "false")
    return text == "true" ? 1 : 0;
  double number = 0;
  const char *const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string_view rest(stop, static_cast<size_t>(end - stop));
  return error == std::errc() && (rest.empty() || rest.starts_with(" (")) ? number : kNone;
}

} // namespace ada::model
