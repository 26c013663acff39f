// Options whose values are durations and times.
#ifndef ADATRACE_OPTION_VALUES_H
#define ADATRACE_OPTION_VALUES_H

#include "base/quantities.h"
#include "output/terminal.h"

#include "analysis/part_sink.h"
#include "shared/options/options.h"

#include <CLI/CLI.hpp>

#include <charconv>

namespace ada::cli {

/// Adds an option like --keep 10G. 0 is no value of it.
inline CLI::Option *addSize(CLI::App &app, const std::string &name, uint64_t &target, const std::string &text) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &target](const std::string &value) {
            if (!options::parseSize(value, target) || target == 0)
              throw CLI::ValidationError(name, "'" + value + "' is not a size like 4096, 64K, 16M or 1G");
          },
          text)
      ->type_name("SIZE");
}

/// Adds an option like --min-duration 10us.
inline CLI::Option *addDuration(CLI::App &app, const std::string &name, uint64_t &target, const std::string &text) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &target](const std::string &value) {
            const std::optional<uint64_t> duration = parseDuration(value);
            if (!duration)
              throw CLI::ValidationError(name, "'" + value + "' is not a duration like 250ns, 10us, 1.5ms or 2s");
            target = *duration;
          },
          text)
      ->type_name("TIME");
}

/// Adds an option like --limit 20.
template <class Target>
CLI::Option *addCount(CLI::App &app, const std::string &name, Target &target, const std::string &text) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &target](const std::string &value) {
            uint64_t count = 0;
            const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
            target = count;
            if (error != std::errc() || end != value.data() + value.size())
              throw CLI::ValidationError(name, "'" + value + "' is not a whole number like 20");
          },
          text)
      ->type_name("N");
}

/// Adds an option like --function 'ns::*', which may be repeated.
inline CLI::Option *addGlobs(CLI::App &app, const std::string &name, std::vector<std::string> &target,
                             const std::string &text, const char *type = "GLOBS") {
  const auto check = [](const std::string &value) {
    TextPiece wrong;
    const char *fault = select::faultOf(value, &wrong);
    const TextPiece shown = options::shown(wrong);
    return fault ? fmt::format("'{}' {}", std::string_view(shown.data, shown.size), fault) : "";
  };
  return app.add_option(name, target, text)->type_name(type)->allow_extra_args(false)->check(check, "");
}

inline void addThreads(CLI::App &app, std::vector<std::string> &threads) {
  addGlobs(app, "--thread", threads,
           "Only this thread: its number, else its system thread id, or a glob for its name; may be repeated",
           "N|TID|NAME");
}

/// --format of commands that print rows.
inline void addRowFormat(CLI::App &app, std::string &format, const char *line = "one JSON object per line") {
  app.add_option("--format", format, fmt::format("text, jsonl ({}) or json (an array of them) [text]", line))
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json", "jsonl"}).description(""));
}

/// "10us" and "1.5ms" count from the start of the trace, or with `absolute` on its clock; "@123456789" is nanoseconds
/// on its clock.
inline std::optional<analysis::TimeBound> parseTime(std::string_view text, bool absolute = false) {
  const bool isClock = text.starts_with('@');
  if (isClock && text.find_first_not_of("0123456789", 1) != std::string_view::npos)
    return std::nullopt;
  const std::optional<uint64_t> time = parseDuration(isClock ? text.substr(1) : text);
  if (!time)
    return std::nullopt;
  return analysis::TimeBound{isClock || absolute, *time};
}
/// The same with a complaint about option `name` if the text is no time.
inline std::optional<analysis::TimeBound> parseTime(const char *name, std::string_view text, bool absolute) {
  const auto time = parseTime(text, absolute);
  if (!time)
    complain(fmt::format("{}: '{}' is not a time like 10us, 1.5ms, 2s or @123456789", name, text));
  return time;
}

} // namespace ada::cli
#endif // ADATRACE_OPTION_VALUES_H
