// Arguments and results of calls, as text.
#include "value_texts.h"

#include "shared/select/function_glob.h"
#include "shared/text/utf8.h"
#include "trace/base/json.h"

#include <algorithm>

namespace ada::analysis {

static constexpr size_t kMaxBytes = 400;

const types::FunctionTypes &ValueTexts::typesOf(uint32_t function, uint8_t arch) {
  if (function >= known_.size())
    known_.resize(function + 1);
  std::unique_ptr<const types::FunctionTypes> &known = known_[function];
  if (!known) {
    const model::Function &about = table_.functions[function];
    types::FunctionTypes types;
    if (!about.types.empty()) {
      types = types::FunctionTypes::parse(about.types);
      types.nameFlags(about.displayName, arch);
    }
    types.isExternal = about.isExternal;
    known = std::make_unique<const types::FunctionTypes>(std::move(types));
  }
  return *known;
}

static atf::DetailEvent eventOf(const model::Detail &detail) {
  atf::DetailEvent event;
  event.type = detail.type;
  event.flags = detail.flags;
  event.timestampNs = detail.timeNs;
  event.payload = detail.payload;
  return event;
}

std::optional<atf::EventDetail> ValueTexts::detailOf(const model::Event &event, const model::Batch &batch) {
  if (event.details == 0 || isText(event.kind))
    return std::nullopt;
  if (of_ == Of::Annotations && table_.functions[event.function].kind == SymbolKind::Function)
    return std::nullopt;
  const auto details = batch.details.subspan(event.extra, event.details);
  const atf::DetailEvent first = eventOf(details[0]);
  const std::optional<atf::FunctionPayload> function = first.function();
  // The detail belongs to another event.
  if (!function || atf::isAddition(first.type) || first.timestampNs != event.timeNs ||
      function->functionId != table_.functions[event.function].id)
    return std::nullopt;
  atf::EventDetail detail{.event = first,
                          .function = *function,
                          .vectors = std::nullopt,
                          .isReturn = event.kind == model::Kind::Return,
                          .types = &typesOf(event.function, archOf(event))};
  for (const auto &next : details.subspan(1, std::min<size_t>(details.size() - 1, 2))) {
    if (auto vectors = eventOf(next).vectors(); vectors && !detail.vectors)
      detail.vectors = vectors;
    else if (auto contents = eventOf(next).contents(); contents && detail.contents.empty())
      detail.contents = std::move(contents->contents);
  }
  return detail;
}

std::string ValueTexts::arguments(const model::Event &event, const model::Batch &batch) {
  const auto detail = detailOf(event, batch);
  if (!detail || detail->isReturn)
    return {};
  return "(" + shortened(types::argumentsText(*detail->types, detail->registers(), archOf(event))) + ")";
}

std::string ValueTexts::argumentsJson(const model::Event &event, const model::Batch &batch) {
  const auto detail = detailOf(event, batch);
  return detail ? types::argumentsJson(*detail->types, detail->registers()) : "{}";
}

std::string ValueTexts::result(const model::Event &event, const model::Batch &batch) {
  const auto detail = detailOf(event, batch);
  if (!detail || !detail->isReturn)
    return {};
  return shortened(types::resultText(*detail->types, detail->registers(), archOf(event)));
}

std::string shortened(std::string text) {
  if (text.size() <= kMaxBytes)
    return text;
  return text.substr(0, wholeCharacters(text.data(), kMaxBytes)) + "…";
}

void addValue(std::string &arguments, const model::Text &value) {
  if (arguments.size() > kMaxBytes)
    return;
  if (arguments.empty())
    arguments = "()";
  arguments.pop_back();
  arguments += arguments.size() > 1 ? ", " : "";
  arguments += std::string(value.name) + "=" + shortened(std::string(value.json)) + ")";
}

void addValueJson(std::string &object, const model::Text &value) {
  if (object.empty())
    object = "{}";
  object.pop_back();
  object += object.size() > 1 ? "," : "";
  object += jsonString(value.name) + ":" + std::string(value.json) + "}";
}

std::string withArguments(const std::string &name, const std::string &arguments) {
  if (arguments.empty())
    return name;
  const size_t length = select::lengthWithoutParameters(name);
  // In "f(int) [.resume]", the part that the compiler made of the function stays.
  const size_t suffix = name.find(" [", length);
  return name.substr(0, length) + arguments + (suffix == std::string::npos ? std::string() : name.substr(suffix));
}

std::string withArguments(const std::string &name, const std::string &arguments, SymbolKind kind) {
  if (kind == SymbolKind::Function)
    return withArguments(name, arguments);
  constexpr std::string_view kValue = "(value=";
  if (kind == SymbolKind::Counter && arguments.starts_with(kValue))
    return name + " = " + arguments.substr(kValue.size(), arguments.size() - kValue.size() - 1);
  return name + arguments;
}

bool hasAnnotatedValues(const TraceTable &table) {
  return std::ranges::any_of(table.processes, &model::Process::hasAnnotatedValues);
}

} // namespace ada::analysis
