//===- call_values.cpp - arguments and results of calls, for output -------===//
#include "call_values.h"

#include "model/json_string.h"
#include "select/function_glob.h"

#include <functional>

namespace ada::cli {

// More of a list of arguments says little, and hides the rest of the line.
static constexpr size_t kMostBytes = 400;

SessionTypes::SessionTypes(const TraceInput &input) {
  for (const atf::ProcessTrace &process : input.session().processes())
    catalogs.push_back(std::make_unique<types::Catalog>(process));
}

static std::string shortened(std::string text) {
  if (text.size() <= kMostBytes)
    return text;
  size_t end = kMostBytes;
  while (end > 0 && (text[end] & 0xc0) == 0x80) // not within a character
    --end;
  return text.substr(0, end) + "…";
}

std::string CallValues::arguments(uint64_t beginSeq) const {
  if (!reader.hasDetail() || beginSeq >= reader.index().size())
    return {};
  const auto detail = reader.detail(reader[beginSeq]);
  if (!detail || detail->isReturn)
    return {};
  return "(" + shortened(reader.argumentsText(*detail)) + ")";
}

std::string CallValues::result(uint64_t endSeq) const {
  if (!reader.hasDetail() || endSeq >= reader.index().size())
    return {};
  const auto detail = reader.detail(reader[endSeq]);
  if (!detail || !detail->isReturn)
    return {};
  const std::string text = reader.resultText(*detail);
  return text.empty() ? text : " → " + shortened(text);
}

uint64_t CallValues::fingerprint(uint64_t beginSeq, uint64_t endSeq) const {
  return std::hash<std::string>()(arguments(beginSeq) + result(endSeq));
}

std::string withArguments(const std::string &name, const std::string &arguments) {
  if (arguments.empty())
    return name;
  const size_t length = select::lengthWithoutParameters({name.data(), name.size()});
  // "f(int) [.resume]": what the compiler made of the function stays.
  const size_t suffix = name.find(" [", length);
  return name.substr(0, length) + arguments +
         (suffix == std::string::npos ? std::string() : name.substr(suffix));
}

} // namespace ada::cli
