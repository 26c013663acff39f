// Reads, changes and writes ADA_OPTIONS.
#include "runtime_options.h"
#include "option_text.h"
#include "suggestion.h"
#include "trace/base/format.h"

#include <algorithm>

namespace ada::cli {

static std::string_view viewOf(TextPiece word) { return {word.data, word.size}; }

std::span<const RuntimeOption> runtimeOptions() { return options::kOptions; }

const char *headingOf(const RuntimeOption &option) {
  // Each group begins with an option of options.inc.
  constexpr std::pair<std::string_view, const char *> kGroups[] = {
      {"output", "Where to, and when"},
      {"include", heading::kFunctions},
      {"detail", "Arguments, results and the stack"},
      {"overflow", "Memory and threads of the recorder"},
      {"min_duration", "Recording less"},
      {"max_size", "Only the newest, or in parts"},
      {"sched", "Times and messages"},
  };
  const char *heading = heading::kOptions;
  for (const RuntimeOption &other : runtimeOptions()) {
    for (const auto &[first, text] : kGroups)
      if (other.name == first)
        heading = text;
    if (&other == &option)
      break;
  }
  return heading;
}

std::string flagOf(const RuntimeOption &option) {
  std::string flag = std::string("--") + option.name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string problemOf(const RuntimeOption &option, std::string_view value) {
  if (!canQuote(value))
    return "a value with a ':' or a space can contain only one kind of quote";
  const auto wrong = [](std::string_view what, std::string_view why) {
    return fmt::format("'{}' {}", viewOf(options::shown(what)), why);
  };
  TextPiece which;
  if (const char *fault = options::faultOf(option, value, which))
    return wrong(viewOf(which), fault);
  if (std::string_view(option.name) == "trigger") {
    const char *problem = options::parseTriggers(value, which, [](const options::Trigger &) {});
    return problem ? wrong(viewOf(which), problem) : std::string();
  }
  uint64_t number = 0;
  if (options::parseValue(option, value, number)) {
    const char *problem = options::limitOf(option, number);
    return problem ? fmt::format("{} {}", value, problem) : std::string();
  }
  if (option.type == options::Type::Size)
    return wrong(value, "is not a size like 4096, 64K, 16M or 1G");
  if (option.type == options::Type::Number)
    return wrong(value, option.metavar == std::string_view("MS")        ? "is not a number of milliseconds"
                        : option.metavar == std::string_view("SECONDS") ? "is not a number of seconds"
                                                                        : "is not a number");
  if (const char *form = options::wanted(option); form != option.metavar)
    return wrong(value, fmt::format("is not {}", form));
  std::string words;
  std::string_view rest = option.metavar;
  while (!rest.empty()) {
    const std::string_view choice = rest.substr(0, rest.find('|'));
    rest.remove_prefix(std::min(choice.size() + 1, rest.size()));
    words += words.empty() ? "" : rest.empty() ? " or " : ", ";
    words += choice;
  }
  return wrong(value, "is not " + words);
}

std::string problemOf(std::string_view name, std::string_view value) {
  if (const RuntimeOption *option = options::find(name)) {
    const std::string problem = problemOf(*option, value);
    return problem.empty() ? problem : fmt::format("{}: {}", name, problem);
  }
  std::vector<std::string> names;
  for (const RuntimeOption &option : runtimeOptions())
    names.push_back(option.name);
  const std::string hint = nearest(name, names);
  return fmt::format("there is no option '{}'{}", name, hint.empty() ? "" : " (did you mean " + hint + "?)");
}

std::optional<OptionList> parseOptions(std::string_view text, std::string &problem) {
  OptionList list;
  TextPiece rest = text;
  options::Assignment a;
  while (true) {
    switch (options::takeAssignment(rest, a)) {
    case options::Reading::End:
      return list;
    case options::Reading::Assignment:
      list.emplace_back(viewOf(a.name), viewOf(a.value));
      break;
    case options::Reading::NoValue:
      problem = fmt::format("'{}' has no '='", viewOf(a.name));
      return std::nullopt;
    case options::Reading::NotClosed:
      problem = fmt::format("the quote after '{}=' is not closed", viewOf(a.name));
      return std::nullopt;
    }
  }
}

const std::string *findOption(const OptionList &options, std::string_view name) {
  const std::string *found = nullptr;
  for (const auto &[key, value] : options)
    if (key == name)
      found = &value;
  return found;
}

void setOption(OptionList &options, std::string_view name, std::string_view value) {
  std::erase_if(options, [&](const auto &entry) { return entry.first == name; });
  options.emplace_back(name, value);
}

static bool needsQuotes(std::string_view value) {
  return options::hasSeparator(value) || value.starts_with('\'') || value.starts_with('"');
}

bool canQuote(std::string_view value) {
  return !needsQuotes(value) || value.find('\'') == std::string_view::npos || value.find('"') == std::string_view::npos;
}

std::string joinOptions(const OptionList &options) {
  std::string text;
  for (const auto &[name, value] : options) {
    if (!text.empty())
      text += ':';
    text += name;
    text += '=';
    const char *quote = !needsQuotes(value) ? "" : value.find('\'') == std::string::npos ? "'" : "\"";
    text += quote;
    text += value;
    text += quote;
  }
  return text;
}

} // namespace ada::cli
