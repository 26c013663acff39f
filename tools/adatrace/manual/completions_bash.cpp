// The completion script for bash. It needs nothing but bash.
#include "completions.h"

#include "trace/base/format.h"

namespace ada::cli {

namespace {

constexpr const char *kBashBegin = R"sh(# Completion of adatrace for bash. Made by adatrace.

# Ids of traced processes; with the argument `names`, names as well.
_adatrace_processes() {
  adatrace status --format=csv --columns="pid${1:+,name}" 2>/dev/null | tail -n +2 | tr , '\n'
}

_adatrace() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local option= prefix= options= words= kinds= takes_value= kind
  local IFS=$' \t\n'
  COMPREPLY=()
  # Normally bash divides --format=json into three words.
  if [[ $cur == '=' ]]; then
    option=$prev cur=
  elif [[ $prev == '=' ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ $cur == --*=* ]]; then
    option=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=}
  elif [[ $prev == -* ]]; then
    option=$prev
  fi
)sh";

constexpr const char *kBashEnd = R"sh(
  # An option that takes no value ends before this word.
  if [[ -n $option && -z $takes_value ]]; then
    [[ -z $prefix && $prev != '=' ]] || return
    option=
  fi
  if [[ -z $option && $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  IFS=$'\n'
  for kind in ${kinds// /$'\n'}; do
    case $kind in
    processes) COMPREPLY+=($(compgen -W "$(_adatrace_processes names)" -- "$cur")) ;;
    ids) COMPREPLY+=($(compgen -W "$(_adatrace_processes)" -- "$cur")) ;;
    programs) COMPREPLY+=($(compgen -c -- "$cur")) ;;
    directories)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -d -- "$cur"))
      ;;
    files)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$cur"))
      ;;
    sessions)
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -G "ada-traces/session_*" -X "!${cur:-?}*") $(compgen -f -- "$cur"))
      ;;
    esac
  done
  [[ -z $prefix ]] || COMPREPLY=("${COMPREPLY[@]/#/$prefix}")
}

complete -F _adatrace adatrace
)sh";

std::string kindsOf(const Completed &by, const OptionText &option) {
  std::string kinds;
  const auto add = [&kinds](bool is, const char *kind) {
    if (is)
      kinds += (kinds.empty() ? "" : " ") + std::string(kind);
  };
  add(by.isProcess, option.label().find("NAME") != std::string::npos ? "processes" : "ids");
  add(by.isSession, "sessions");
  add(by.isFile, "files");
  add(by.isDirectory, "directories");
  add(by.isProgram, "programs");
  add(by.isProgram, "files");
  return kinds;
}

std::string assignments(const std::vector<std::string> &words, const std::string &kinds) {
  std::string text;
  if (!words.empty())
    text += fmt::format(" words='{}'", fmt::join(words, " "));
  if (!kinds.empty())
    text += fmt::format(" kinds='{}'", kinds);
  return text;
}

std::string caseOf(const CommandText &about) {
  std::string options, values, kinds;
  std::vector<std::string> words;
  for (const OptionText &option : about.options) {
    const Completed by = completedBy(option);
    if (option.isArgument) {
      const std::string more = kindsOf(by, option);
      kinds += (kinds.empty() || more.empty() ? "" : " ") + more;
      words.insert(words.end(), by.words.begin(), by.words.end());
      continue;
    }
    for (const std::string &name : option.names)
      options += (options.empty() ? "" : " ") + name + (option.value.empty() || !name.starts_with("--") ? "" : "=");
    if (!option.value.empty())
      values += fmt::format("    {}) takes_value=1{} ;;\n", fmt::join(option.names, " | "),
                            assignments(by.words, kindsOf(by, option)));
  }
  std::string text =
      fmt::format("  {})\n    options='{}'\n    case $option in\n{}", about.command->name, options, values);
  const std::string arguments = assignments(words, kinds);
  if (!arguments.empty())
    text += fmt::format("    *){} ;;\n", arguments);
  return text + "    esac\n    ;;\n";
}

} // namespace

std::string bashCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics) {
  std::string names, script = kBashBegin;
  for (const CommandText &about : commands)
    names += std::string(about.command->name) + " ";
  script += fmt::format(
      "  if ((COMP_CWORD == 1)); then\n    command=\n    words='{}help'\n    options='--help --version'\n  fi\n",
      names);
  script += fmt::format("  case $command in\n  help) words='{}' ;;\n", fmt::join(topics, " "));
  for (const CommandText &about : commands)
    script += caseOf(about);
  return script + "  esac" + kBashEnd;
}

} // namespace ada::cli
