// The completion script for zsh, which shows the texts of --help beside the options.
#include "completions.h"

#include "trace/base/format.h"

#include <string_view>

namespace ada::cli {

namespace {

constexpr const char *kZshBegin = R"sh(#compdef adatrace
# Completion of adatrace for zsh. Made by adatrace.

_adatrace_processes() {
  local -a processes
  processes=(${(f)"$(adatrace status --format=csv --columns=pid,name 2>/dev/null | tail -n +2 | tr , :)"})
  _describe process processes
}

_adatrace_sessions() {
  local -a sessions
  sessions=(ada-traces/session_*(N))
  compadd -f -- $sessions
  _files
}

_adatrace() {
  local curcontext=$curcontext ret=1
  local -a commands
)sh";

constexpr const char *kZshEnd = R"sh(  esac
  return ret
}

_adatrace "$@"
)sh";

// In single quotes, with what _arguments and _describe would take for syntax.
std::string escaped(std::string_view text, std::string_view special) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos)
      safe += '\\';
    safe += c;
  }
  return safe;
}

std::string actionOf(const OptionText &option) {
  const Completed by = completedBy(option);
  if (!by.words.empty())
    return fmt::format("({})", fmt::join(by.words, " "));
  if (by.isProcess && by.isSession)
    return "_alternative \"p::_adatrace_processes\" \"s::_adatrace_sessions\"";
  return by.isProcess     ? "_adatrace_processes"
         : by.isSession   ? "_adatrace_sessions"
         : by.isDirectory ? "_files -/"
         : by.isFile      ? "_files"
                          : " ";
}

std::string specsOf(const OptionText &option) {
  const std::string label = escaped(option.label(), ":[]\\");
  const std::string action = actionOf(option);
  if (option.isArgument) {
    if (completedBy(option).isProgram)
      return " \\\n        '(-)1:program:_command_names -e' '*::argument:_normal'";
    return fmt::format(" \\\n        '{}:{}:{}'", option.isRepeated ? "*" : "", label, action);
  }
  const std::string text = escaped(shortText(option.text), ":[]\\");
  std::string all;
  for (const std::string &name : option.names) {
    const bool isLong = name.starts_with("--");
    all += fmt::format(" \\\n        '{}{}{}[{}]{}'", option.isRepeated ? "*" : "", name,
                       option.value.empty() ? ""
                       : isLong             ? "="
                                            : "+",
                       text, option.value.empty() ? "" : ":" + label + ":" + action);
  }
  return all;
}

} // namespace

std::string zshCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics) {
  std::string script = kZshBegin;
  script += "  commands=(\n    'help:show a page of the manual'\n";
  for (const CommandText &about : commands)
    script += fmt::format("    '{}:{}'\n", about.command->name, escaped(about.command->summary, ":\\"));
  script += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
            "  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  script += fmt::format("  help) _arguments '1:topic:({})' && ret=0 ;;\n", fmt::join(topics, " "));
  for (const CommandText &about : commands) {
    script += fmt::format("  {})\n    _arguments -s", about.command->name);
    for (const OptionText &option : about.options)
      script += specsOf(option);
    script += " && ret=0\n    ;;\n";
  }
  return script + kZshEnd;
}

} // namespace ada::cli
