//===- runtime_options.cpp - ADA_OPTIONS: the list, reading and writing ---===//
#include "runtime_options.h"
#include "quantities.h"
#include "suggestion.h"

#include <algorithm>
#include <fmt/format.h>

namespace ada::cli {

static constexpr RuntimeOption kOptions[] = {
#define ADA_STRING RuntimeOption::String
#define ADA_BOOL RuntimeOption::Bool
#define ADA_SIZE RuntimeOption::Size
#define ADA_CHOICE RuntimeOption::Choice
#define ADA_OPTION(TYPE, NAME, DEFAULT, METAVAR, SENTENCE)                      \
  {TYPE, #NAME, DEFAULT, METAVAR, SENTENCE},
#include "ada/options.inc"
#undef ADA_OPTION
#undef ADA_CHOICE
#undef ADA_SIZE
#undef ADA_BOOL
#undef ADA_STRING
};

static constexpr std::string_view kSeparators = ": \t\n";

std::span<const RuntimeOption> runtimeOptions() { return kOptions; }

std::string problemOf(const RuntimeOption &option, std::string_view value) {
  if (!canQuote(value))
    return "a value with a ':' or blank may have one kind of quote only";
  switch (option.type) {
  case RuntimeOption::String:
    return {};
  case RuntimeOption::Size:
    if (parseSize(value))
      return {};
    return fmt::format("'{}' is not a size like 4096, 64K, 16M or 1G", value);
  case RuntimeOption::Bool:
  case RuntimeOption::Choice:
    break;
  }
  std::string words;
  std::string_view rest = option.metavar;
  while (!rest.empty()) {
    const std::string_view choice = rest.substr(0, rest.find('|'));
    if (choice == value)
      return {};
    rest.remove_prefix(std::min(choice.size() + 1, rest.size()));
    words += words.empty() ? "" : rest.empty() ? " or " : ", ";
    words += choice;
  }
  return fmt::format("'{}' is not {}", value, words);
}

std::string problemOf(std::string_view name, std::string_view value) {
  std::vector<std::string> names;
  for (const RuntimeOption &option : kOptions) {
    if (name != option.name) {
      names.push_back(option.name);
      continue;
    }
    const std::string problem = problemOf(option, value);
    return problem.empty() ? problem : fmt::format("{}: {}", name, problem);
  }
  const std::string hint = nearest(name, names);
  return fmt::format("there is no option '{}'{}", name,
                     hint.empty() ? "" : " (did you mean " + hint + "?)");
}

std::optional<OptionList> parseOptions(std::string_view text,
                                       std::string &problem) {
  OptionList options;
  size_t at = 0;
  while ((at = text.find_first_not_of(kSeparators, at)) !=
         std::string_view::npos) {
    const size_t equals = text.find_first_of(std::string(kSeparators) + "=", at);
    if (equals == std::string_view::npos || text[equals] != '=') {
      problem = fmt::format("'{}' has no '='", text.substr(at, equals - at));
      return std::nullopt;
    }
    const std::string_view name = text.substr(at, equals - at);
    at = equals + 1;
    std::string_view value;
    if (at < text.size() && (text[at] == '\'' || text[at] == '"')) {
      const size_t close = text.find(text[at], at + 1);
      if (close == std::string_view::npos) {
        problem = fmt::format("the quote after '{}=' is not closed", name);
        return std::nullopt;
      }
      value = text.substr(at + 1, close - at - 1);
      at = close + 1;
    } else {
      const size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
      value = text.substr(at, end - at);
      at = end;
    }
    options.emplace_back(name, value);
  }
  return options;
}

const std::string *findOption(const OptionList &options, std::string_view name) {
  const std::string *found = nullptr;
  for (const auto &[key, value] : options)
    if (key == name)
      found = &value;
  return found;
}

void setOption(OptionList &options, std::string_view name,
               std::string_view value) {
  std::erase_if(options, [&](const auto &entry) { return entry.first == name; });
  options.emplace_back(name, value);
}

bool canQuote(std::string_view value) {
  const bool plain = value.find_first_of(kSeparators) == std::string_view::npos &&
                     (value.empty() || (value[0] != '\'' && value[0] != '"'));
  return plain || value.find('\'') == std::string_view::npos ||
         value.find('"') == std::string_view::npos;
}

std::string joinOptions(const OptionList &options) {
  std::string text;
  for (const auto &[name, value] : options) {
    if (!text.empty())
      text += ':';
    text += name;
    text += '=';
    const bool plain =
        value.find_first_of(kSeparators) == std::string::npos &&
        (value.empty() || (value[0] != '\'' && value[0] != '"'));
    const char *quote =
        plain ? "" : value.find('\'') == std::string::npos ? "'" : "\"";
    text += quote;
    text += value;
    text += quote;
  }
  return text;
}

} // namespace ada::cli
