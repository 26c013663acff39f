// Turns numbers, names and sessions into processes.
#include "chosen_processes.h"

#include "exit_codes.h"
#include "options/option_values.h"
#include "terminal/terminal.h"

#include "live/control/traced_processes.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace ada::cli {

void addProcessChoice(CommandLine &line, ProcessChoice &choice, const char *help) {
  line.option("process", choice.targets, help).type("PID|NAME");
  line.flag("--all", choice.all, "All traced processes of this user");
  line.option("--of", choice.session, "All processes that record or have recorded into this session").type("SESSION");
}

void addEach(CommandLine &line, bool &each) { line.flag("--each", each, "One line per process, also of many"); }

FoldedMessages linesOfEach(bool each) {
  return {each ? "" : "--each", [](const std::string &text) { Output().print("{}\n", text); }};
}

std::optional<pid_t> processNumber(const std::string &text) {
  pid_t pid = 0;
  const char *end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, pid);
  return error == std::errc() && next == end && pid > 0 ? std::optional(pid) : std::nullopt;
}

std::vector<pid_t> chosenProcesses(const ProcessChoice &choice, const char *command, int &code) {
  std::vector<pid_t> chosen;
  const auto add = [&](const std::vector<pid_t> &more) { chosen.insert(chosen.end(), more.begin(), more.end()); };
  code = kOk;
  if (choice.targets.empty() && choice.session.empty() && !choice.all) {
    code = fail(kWrongUsage, "{}: name a process by its number or its name, or use --all or --of", command);
    return {};
  }
  for (const std::string &target : choice.targets) {
    if (const std::optional<pid_t> pid = processNumber(target)) {
      chosen.push_back(*pid);
      continue;
    }
    const std::vector<pid_t> named = control::tracedProcesses(target);
    if (named.empty()) {
      std::error_code error;
      const bool isSession = std::filesystem::is_directory(target, error);
      code = fail(kCantRead, "{}: no traced process of yours has the name {}{}", command, target,
                  isSession ? "; the processes of a session are chosen by --of=SESSION" : "");
    }
    add(named);
  }
  if (!choice.session.empty()) {
    std::error_code error;
    const std::vector<pid_t> found = control::tracedProcessesOf(choice.session);
    if (found.empty())
      code = !std::filesystem::is_directory(choice.session, error)
                 ? fail(kCantRead, "{}: {} is not a session", command, choice.session)
                 : fail(kProblemsFound, "{}: no process of {} is running", command, choice.session);
    add(found);
  }
  if (choice.all) {
    const std::vector<pid_t> found = control::tracedProcesses();
    if (found.empty())
      code = fail(kProblemsFound, "{}: you have no traced process", command);
    add(found);
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

int exitCodeOf(control::Answer::What what) {
  switch (what) {
  case control::Answer::What::Done:
    return kOk;
  case control::Answer::What::NoProcess:
  case control::Answer::What::NotReadable:
    return kCantRead;
  default:
    return kProblemsFound;
  }
}

int giveChosen(const ProcessChoice &choice, const char *command, const std::string &order,
               const std::function<void(pid_t, const control::Answer &)> &done) {
  int chosen = kOk, given = kOk;
  FoldedMessages complaints("`adatrace status --each`", complain);
  for (const pid_t pid : chosenProcesses(choice, command, chosen)) {
    const control::Answer answer = control::give(pid, order);
    if (answer)
      done(pid, answer);
    else
      given = exitCodeOf(answer.what), complaints.add(answer.why);
  }
  return given != kOk ? given : chosen;
}

void addGlobOrder(CommandLine &line, GlobOrder &order, const char *functions) {
  line.option("process", order.process, "A process id, or the name of processes").type("PID|NAME").required();
  line.option("globs", order.globs, functions).type("GLOBS").required();
  addQuiet(line, order.quiet);
}

int giveGlobs(const GlobOrder &order, const char *command, const char *verb, const char *done) {
  const std::string all = fmt::format("{}", fmt::join(order.globs, "|"));
  ProcessChoice choice;
  if (!order.process.empty())
    choice.targets = {order.process};
  bool matched = false, missed = false;
  const int code =
      giveChosen(choice, command, fmt::format("{} {}", verb, all), [&](pid_t pid, const control::Answer &answer) {
        (answer.matched > 0 ? matched : missed) = true;
        if (answer.matched == 0)
          complain(
              fmt::format("process {} has no function that matches {}; libraries that it loads later may", pid, all));
        else if (!order.quiet)
          Output().print("process {}: {} {}\n", pid, formatCount(static_cast<uint64_t>(answer.matched), "function"),
                         done);
      });
  return code == kOk && missed && !matched ? kProblemsFound : code;
}

} // namespace ada::cli
