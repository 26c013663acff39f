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

std::string flagOf(const RuntimeOption &option) {
  std::string flag = std::string("--") + option.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// One of the parts of option `trigger`, as runtime/core/windows.cpp reads them.
static std::string problemOfTrigger(std::string_view text) {
  const auto wrong = [&](std::string_view why) { return fmt::format("'{}' {}", text, why); };
  if (text == "signal")
    return {};
  std::string_view glob;
  if (text.starts_with("call:")) {
    glob = text.substr(5);
  } else if (text.starts_with("exception:")) {
    glob = text.substr(10);
  } else if (text.starts_with("slow:")) {
    const size_t limit = text.rfind('>'); // names may hold others
    const std::string_view time =
        limit == std::string_view::npos ? std::string_view() : text.substr(limit + 1);
    const size_t digits = std::min(time.find_first_not_of("0123456789"), time.size());
    const std::string_view unit = time.substr(digits);
    if (digits == 0 ||
        (unit != "ns" && unit != "us" && unit != "ms" && unit != "s"))
      return wrong("has no limit: write slow:GLOB>5ms (ns, us, ms or s)");
    glob = text.substr(5, limit - 5);
  } else {
    return wrong("is none of call:GLOB, slow:GLOB>5ms, exception:GLOB, signal");
  }
  return glob.empty() ? wrong("has no glob") : std::string();
}

static std::string problemOfTriggers(std::string_view text) {
  unsigned rules = 0;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(';'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one.empty())
      continue;
    if (std::string problem = problemOfTrigger(one); !problem.empty())
      return problem;
    if (one != "signal" && ++rules > 8)
      return fmt::format("'{}' is one trigger too many: 8 is the limit", one);
  }
  return {};
}

std::string problemOf(const RuntimeOption &option, std::string_view value) {
  if (!canQuote(value))
    return "a value with a ':' or blank may have one kind of quote only";
  const std::string_view name = option.name;
  if (name == "trigger")
    return problemOfTriggers(value);
  if (name.ends_with("_ms") &&
      (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos))
    return fmt::format("'{}' is not a number of milliseconds", value);
  if (name == "stack_size")
    if (const std::optional<uint64_t> bytes = parseSize(value); bytes && *bytes > 256)
      return fmt::format("{} is more than 256", value);
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

// How many of the characters at text[at], a ':' in the value that begins at `begin` and is
// not quoted, belong to the value: those of C++'s '::' and of a trigger, as in the runtime.
static size_t colonsOfValue(std::string_view name, std::string_view text, size_t begin,
                            size_t at) {
  const auto isText = [&](const RuntimeOption &option) {
    return option.name == name && option.type == RuntimeOption::String;
  };
  if (text[at] != ':' || std::none_of(std::begin(kOptions), std::end(kOptions), isText))
    return 0;
  const std::string_view behind = text.substr(at + 1);
  if (behind.starts_with(':')) {
    const std::string_view next = behind.substr(1);
    const auto begins = [&](const RuntimeOption &option) {
      return next.starts_with(option.name) &&
             next.substr(std::string_view(option.name).size()).starts_with('=');
    };
    return next.empty() || kSeparators.find(next[0]) != std::string_view::npos ||
                   std::any_of(std::begin(kOptions), std::end(kOptions), begins)
               ? 0
               : 2;
  }
  if (name != "trigger")
    return 0;
  std::string_view kind = text.substr(begin, at - begin);
  kind.remove_prefix(kind.rfind(';') + 1); // npos + 1 is 0
  return kind == "call" || kind == "slow" || kind == "exception";
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
      size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
      while (end < text.size()) {
        const size_t colons = colonsOfValue(name, text, at, end);
        if (colons == 0)
          break;
        end = std::min(text.find_first_of(kSeparators, end + colons), text.size());
      }
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
