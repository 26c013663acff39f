// adatrace doctor: checks what may be wrong, and says what to do.
#include "command.h"
#include "doctor/checks.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/table_writer.h"
#include "process/chosen_processes.h"
#include "terminal/folded_messages.h"

#include "formats/table.h"

#include <filesystem>
#include <map>
#include <utility>

namespace ada::cli {

namespace doctor_command {
namespace {

struct Options {
  std::string target;
  TableOptions table;
  bool each = false;
};

// A directory or something that another command reads is a trace; everything else is a program.
bool isTrace(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return true;
  auto place = formats::locate(path);
  return place && formats::recognise(*place);
}

// A session may have ten thousand processes, each with a finding of the same kind.
void printText(Output &out, const Palette &palette, const Findings &findings, bool each) {
  std::map<std::pair<Finding::Level, std::string>, FoldedMessages> kinds;
  for (const Finding &finding : findings.list()) {
    const Escape color = finding.level == Finding::Level::Ok     ? palette.good
                         : finding.level == Finding::Level::Note ? palette.warn
                                                                 : palette.error;
    const auto print = [&out, &palette, color, level = finding.level, about = finding.about,
                        remedy = finding.remedy](const std::string &text) {
      out.print("{}{:<7}{}  {:<12}  {}\n", color, std::string_view(levelName(level)), palette.reset, about, text);
      if (!remedy.empty())
        out.print("{:23}{}→ {}{}\n", "", palette.dim, remedy, palette.reset);
    };
    const auto kind = std::pair(finding.level, finding.about + finding.remedy);
    kinds.try_emplace(kind, each ? "" : "--each", print).first->second.add(finding.text);
  }
}

int run(const Options &options, const Invocation &invocation) {
  Findings findings;
  std::error_code error;
  const bool exists = std::filesystem::exists(options.target, error);
  const std::optional<pid_t> pid = exists ? std::nullopt : processNumber(options.target);
  bool isThere = true;
  if (options.target.empty())
    checkSystem(findings);
  else if (pid)
    isThere = checkProcess(*pid, findings);
  else if (!exists)
    return fail(kCantRead, "doctor: there is no program, session or process {}", options.target);
  else if (isTrace(options.target))
    isThere = checkSession(options.target, findings);
  else
    isThere = checkProgram(options.target, findings);
  const Palette palette = invocation.palette();
  Output out;
  if (options.table.isText())
    printText(out, palette, findings, options.each);
  else
    printTable(out, palette, findingColumns(), findings.list(), options.table, 0);
  out.flush();
  return !isThere ? kCantRead : findings.hasProblem() ? kProblemsFound : kOk;
}

void declare(CommandLine &line, Options &options) {
  line.option("target", options.target,
              "A program or library, a session, or a process [what is installed, and the system]")
      .type("PROGRAM|SESSION|PID");
  line.flag("--each", options.each, "Print each finding, however many are alike");
  addFormat(line, options.table.format, {Format::Text, Format::Json, Format::JsonLines},
            "text, json, or jsonl: one object per check [text]");
}

} // namespace
} // namespace doctor_command

const Command kDoctor = {
    "doctor",
    "Check what may be wrong, and say what to do",
    "adatrace doctor\n"
    "adatrace doctor ./server\n"
    "adatrace doctor 4711 --format=json",
    withOptions<doctor_command::declare, doctor_command::run>,
};

} // namespace ada::cli
