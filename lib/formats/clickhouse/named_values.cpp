// Arguments and other named values of a call as columns.
#include "named_values.h"

#include "formats/export_sink.h"
#include "trace/base/json_document.h"
#include "trace/base/nested_json.h"

#include <algorithm>
#include <charconv>

namespace ada::formats {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned kMaxNesting = 8;
constexpr unsigned kMaxTextNesting = 64; // deeper than anyone would read

double numberOf(const dom::element &value) {
  if (bool is; !value.get(is))
    return is ? 1 : 0;
  double number;
  return value.get(number) ? kNone : number;
}

std::string valueText(const dom::element &value) {
  if (std::string_view text; !value.get(text))
    return std::string(text);
  return value.is_null() ? std::string() : simdjson::minify(value);
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

template <class Take> void walk(const std::string &prefix, const dom::object &object, unsigned depth, Take &&take) {
  for (const auto &[key, value] : object) {
    const std::string name = prefix + std::string(key);
    if (dom::object inner; depth < kMaxNesting && !value.get(inner) && inner.begin() != inner.end())
      walk(name + ".", inner, depth + 1, take);
    else
      take(name, value);
  }
}

} // namespace

void NamedValues::add(std::string_view object) {
  const JsonDocument document(cutNesting(object, kMaxTextNesting));
  if (!document.object())
    return;
  walk("", *document.object(), 0, [&](const std::string &name, const dom::element &value) {
    if (values_.size() < kMax)
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

} // namespace ada::formats
