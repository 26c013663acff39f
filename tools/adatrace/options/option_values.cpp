// Options whose values are durations and times.
#include "option_values.h"

#include "shared/options/options.h"

#include <charconv>
#include <filesystem>

namespace ada::cli {

Option addSize(CommandLine &line, const std::string &name, uint64_t &target, const std::string &text) {
  const auto set = [&target](const std::string &value) {
    const bool isSize = options::parseSize(value, target) && target != 0;
    return isSize ? "" : "'" + value + "' is not a size like 4096, 64K, 16M or 1G";
  };
  return line.parsed(name, set, text).type("SIZE");
}

Option addDuration(CommandLine &line, const std::string &name, uint64_t &target, const std::string &text) {
  const auto set = [&target](const std::string &value) {
    const std::optional<uint64_t> duration = parseDuration(value);
    target = duration.value_or(target);
    return duration ? "" : "'" + value + "' is not a duration like 250ns, 10us, 1.5ms or 2s";
  };
  return line.parsed(name, set, text).type("TIME");
}

std::string wrongTimeWithUnit(const std::string &value, const char *examples) {
  const std::optional<uint64_t> ns = parseDuration(value);
  const bool hasUnit = value.find_first_not_of("0123456789.") != std::string::npos;
  return ns && *ns > 0 && hasUnit ? std::string()
                                  : fmt::format("'{}' is not a time with its unit ({})", value, examples);
}

Option addCount(CommandLine &line, const std::string &name, std::function<void(uint64_t)> set,
                const std::string &text) {
  const auto parse = [set = std::move(set)](const std::string &value) {
    uint64_t count = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    set(count);
    const bool isCount = error == std::errc() && end == value.data() + value.size();
    return isCount ? "" : "'" + value + "' is not a whole number like 20";
  };
  return line.parsed(name, parse, text).type("N");
}

Option addLimit(CommandLine &line, std::function<void(uint64_t)> set, const std::string &text) {
  return addCount(line, "--limit", std::move(set), text).under(heading::kOutput);
}

Option addQuiet(CommandLine &line, bool &target, const std::string &text) {
  return line.flag("-q,--quiet", target, text).under(heading::kGeneral);
}

Option addGlobs(CommandLine &line, const std::string &name, std::vector<std::string> &target, const std::string &text,
                const char *type) {
  const auto faultOf = [](const std::string &value) {
    TextPiece wrong;
    const char *fault = select::faultOf(value, &wrong);
    const TextPiece shown = options::shown(wrong);
    return fault ? fmt::format("'{}' {}", std::string_view(shown.data, shown.size), fault) : "";
  };
  return line.option(name, target, text).type(type).repeatable().check(faultOf);
}

void addSourceRoots(CommandLine &line, std::vector<std::string> &roots) {
  const auto faultOf = [](const std::string &value) {
    std::error_code error;
    return std::filesystem::is_directory(value, error) ? "" : fmt::format("'{}' is not a directory", value);
  };
  line.option("--source-root", roots,
              "Also read source files below this directory; other places are listed in the manual [the working "
              "directory]; may be repeated")
      .type("DIR")
      .repeatable()
      .check(faultOf);
}

void addThreads(CommandLine &line, std::vector<std::string> &threads) {
  addGlobs(line, "--thread", threads,
           "Only this thread: its number, otherwise its system thread id, or a glob for its name, as it is "
           "shown or as the system had it; may be repeated",
           "N|TID|NAME")
      .under(heading::kPart);
}

Option addWhen(CommandLine &line, const std::string &name, When &when, const std::string &text) {
  return line.choice(name, when, {{"auto", When::Auto}, {"always", When::Always}, {"never", When::Never}}, text)
      .type("WHEN")
      .under(heading::kGeneral);
}

std::optional<analysis::TimeBound> parseTime(std::string_view text, bool absolute) {
  const bool isClock = text.starts_with('@');
  if (isClock && text.find_first_not_of("0123456789", 1) != std::string_view::npos)
    return std::nullopt;
  const std::optional<uint64_t> time = parseDuration(isClock ? text.substr(1) : text);
  if (!time)
    return std::nullopt;
  return analysis::TimeBound{isClock || absolute, *time};
}

analysis::TimeBound needTime(const char *name, std::string_view text, bool absolute) {
  if (const auto time = parseTime(text, absolute))
    return *time;
  stop(kWrongUsage, "{}: '{}' is not a time like 10us, 1.5ms, 2s or @123456789", name, text);
}

} // namespace ada::cli
