// Reads arguments and results of sampled calls as values that can be compared.
#include "call_properties.h"

#include "analysis/calls/value_reader.h"

#include <charconv>
#include <simdjson.h>

namespace ada::analysis {

namespace {

constexpr size_t kMaxNames = 64; // per call

void put(std::map<std::string, CallValue> &to, const std::string &name, simdjson::dom::element value, int depth) {
  if (to.size() >= kMaxNames)
    return;
  switch (value.type()) {
  case simdjson::dom::element_type::INT64:
    to[name] = static_cast<double>(value.get_int64().value_unsafe());
    break;
  case simdjson::dom::element_type::UINT64:
    to[name] = static_cast<double>(value.get_uint64().value_unsafe());
    break;
  case simdjson::dom::element_type::DOUBLE:
    to[name] = value.get_double().value_unsafe();
    break;
  case simdjson::dom::element_type::STRING: {
    const std::string_view text = value.get_string().value_unsafe();
    to[name] = std::string(text);
    if (!text.starts_with("0x")) // not an address
      to["length of " + name] = static_cast<double>(text.size());
    break;
  }
  case simdjson::dom::element_type::BOOL:
    to[name] = std::string(value.get_bool().value_unsafe() ? "true" : "false");
    break;
  case simdjson::dom::element_type::NULL_VALUE:
    break; // not known
  case simdjson::dom::element_type::ARRAY:
    to["length of " + name] = static_cast<double>(value.get_array().value_unsafe().size());
    break;
  case simdjson::dom::element_type::OBJECT: {
    const simdjson::dom::object object = value.get_object().value_unsafe();
    if (depth < 3)
      for (const auto [key, member] : object)
        put(to, name.empty() ? std::string(key) : name + "." + std::string(key), member, depth + 1);
    break;
  }
  }
}

} // namespace

Expected<CallValues> valuesOf(model::TraceSource &source, TraceTable &table, const CallSample &sample, size_t most) {
  CallValues values(sample.calls.size());
  ValueReader reader(source, table);
  simdjson::dom::parser parser;
  uint64_t seen[2] = {}, read = 0, found = 0;
  constexpr uint64_t kEnoughWithout = 50; // calls without any value: nothing was recorded
  for (size_t i = 0; i < sample.calls.size(); ++i) {
    const SampledCall &call = sample.calls[i];
    const uint64_t step = (call.isSlow ? sample.slow : sample.ordinary) / most + 1;
    if (seen[call.isSlow]++ % step != 0 || (found == 0 && read >= kEnoughWithout))
      continue;
    Span span;
    span.beginSeq = call.beginSeq, span.endSeq = call.endSeq;
    span.how = call.isException ? SpanEnd::Exception : SpanEnd::Return;
    const auto one = reader.of(call.thread, span);
    if (!one)
      return one.error();
    ++read;
    if (!one->json.empty()) {
      simdjson::dom::element root;
      if (parser.parse(one->json).get(root) == simdjson::SUCCESS)
        put(values[i], "", root, 0);
    }
    if (!one->result.empty()) {
      const std::string &text = one->result;
      double number = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (error == std::errc() && end == text.data() + text.size())
        values[i]["result"] = number;
      else
        values[i]["result"] = text;
    }
    found += !values[i].empty();
  }
  return values;
}

} // namespace ada::analysis
