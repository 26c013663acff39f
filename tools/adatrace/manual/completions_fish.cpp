// The completion script for fish.
#include "completions.h"

#include "trace/base/format.h"

namespace ada::cli {

namespace {

constexpr const char *kFishBegin = R"sh(# Completion of adatrace for fish. Made by adatrace.

function __adatrace_processes
    adatrace status --format=csv --columns=pid,name 2>/dev/null | tail -n +2 | string replace , \t
end

function __adatrace_sessions
    for session in ada-traces/session_*
        echo $session
    end
    __fish_complete_path (commandline -ct)
end

)sh";

std::string quoted(const std::string &text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      safe += '\\';
    safe += c;
  }
  return safe + "'";
}

std::string choicesOf(const OptionText &option) {
  const Completed by = completedBy(option);
  std::string choices = fmt::format("{}", fmt::join(by.words, " "));
  const auto add = [&choices](bool is, const char *more) {
    if (is)
      choices += (choices.empty() ? "" : " ") + std::string(more);
  };
  add(by.isProcess, "(__adatrace_processes)");
  add(by.isSession, "(__adatrace_sessions)");
  add(by.isDirectory, "(__fish_complete_directories (commandline -ct))");
  add(by.isProgram, "(__fish_complete_command)");
  return choices;
}

} // namespace

std::string fishCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics) {
  std::string script = kFishBegin;
  const std::string none = "complete -c adatrace -n __fish_use_subcommand -f";
  script += none + " -a help -d 'Show a page of the manual'\n";
  for (const CommandText &about : commands)
    script += fmt::format("{} -a {} -d {}\n", none, about.command->name, quoted(about.command->summary));
  script +=
      fmt::format("complete -c adatrace -n '__fish_seen_subcommand_from help' -f -a '{}'\n", fmt::join(topics, " "));
  for (const CommandText &about : commands) {
    const std::string in = fmt::format("complete -c adatrace -n '__fish_seen_subcommand_from {}'", about.command->name);
    for (const OptionText &option : about.options) {
      const std::string choices = choicesOf(option);
      const bool isFile = completedBy(option).isFile;
      if (option.isArgument) {
        script += fmt::format("{}{}{}\n", in, isFile ? "" : " -f", choices.empty() ? "" : " -a " + quoted(choices));
        continue;
      }
      script += in;
      for (const std::string &name : option.names)
        script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty())
        script += isFile ? " -r -F" : " -x" + (choices.empty() ? "" : " -a " + quoted(choices));
      script += " -d " + quoted(shortText(option.text)) + "\n";
    }
  }
  return script;
}

} // namespace ada::cli
