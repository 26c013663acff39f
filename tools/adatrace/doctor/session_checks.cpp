// Sessions and running processes: whether they are whole, what they lack, and how fast they grow.
#include "checks.h"

#include "process/recover_process.h"
#include "process/session_place.h"

#include "ada/trace/manifest.h"

#include "analysis/events/trace_table.h"
#include "formats/table.h"
#include "live/control/status.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <filesystem>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

uint64_t sizeOf(const std::string &path) {
  std::error_code error;
  return fs::is_directory(path, error) ? bytesBelow(path) : fileBytes(path).value_or(0);
}

// Nothing is said about programs of less than a second: they do not go on like this.
uint64_t perHour(uint64_t bytes, uint64_t ns) {
  constexpr double kHour = 3.6e12;
  return ns < 1'000'000'000 ? 0 : static_cast<uint64_t>(static_cast<double>(bytes) / static_cast<double>(ns) * kHour);
}

void checkProcesses(const std::string &path, Findings &findings) {
  std::vector<std::string> directories = processDirectories(path);
  if (directories.empty())
    directories = {path};
  for (const std::string &directory : directories) {
    std::error_code error;
    if (!fs::exists(fs::path(directory) / "manifest.json", error))
      continue;
    if (const ProcessState state = stateOf(directory); state == ProcessState::Running)
      findings.note("process", directory + ": still records", "what it holds grows; files that are open look damaged");
    else if (state == ProcessState::Unfinished)
      findings.problem("process", directory + ": was not finished; the newest events may be in its ring only",
                       "adatrace recover " + pathForShell(path));
    else
      findings.ok("process", directory + ": finished");
    if (const auto manifest = Manifest::read(fs::path(directory) / "manifest.json");
        manifest && manifest->exit.death && manifest->exit.death->readForbiddenCounter)
      findings.problem("clock",
                       directory + ": the program died because it had forbidden itself to read the CPU's counter "
                                   "(PR_SET_TSC), which recording does",
                       "record it with --clock=system, or with --clock=none if times are not needed");
  }
}

} // namespace

bool checkSession(const std::string &path, Findings &findings) {
  const auto source = formats::openThreadwise(path);
  if (!source) {
    findings.problem("trace", source.error().text());
    return false;
  }
  analysis::TraceTable table;
  analysis::TableSink sink(table);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  if (const auto read = (*source)->readPart(sink, nothing); !read) {
    findings.problem("trace", read.error().text());
    return false;
  }
  uint64_t events = 0, firstNs = ~uint64_t(0), lastNs = 0;
  for (const model::Thread &thread : table.threads)
    if (thread.extent && thread.extent->events > 0) {
      events += thread.extent->events;
      firstNs = std::min(firstNs, thread.extent->firstNs), lastNs = std::max(lastNs, thread.extent->lastNs);
    }
  if (events == 0)
    findings.problem("trace", "it has no events",
                     "was the program instrumented? `adatrace doctor PROGRAM` checks that");
  else
    findings.ok(
        "trace",
        fmt::format("{} in {} of {}", formatCount(events, "event"), formatCount(table.threads.size(), "thread"),
                    table.processes.size() == 1 ? "one process" : formatCount(table.processes.size()) + " processes"));
  checkProcesses(path, findings);
  for (const Error &problem : (*source)->problems())
    findings.problem("damage", problem.text(),
                     fmt::format("`adatrace verify {}` reads everything and lists all damage", pathForShell(path)));
  for (const Warning &flaw : (*source)->warnings())
    findings.note(flaw.code == "W_EXITS_INFERRED" ? "exits" : "missing", flaw.message);
  if ((*source)->problems().empty() && (*source)->warnings().empty())
    findings.ok("missing",
                fmt::format("nothing was lost, and the recorder held no thread up for long (contents are checked by "
                            "`adatrace verify {}`)",
                            pathForShell(path)));
  const bool hasSched = std::ranges::any_of(table.threads, &model::Thread::knowsSched);
  if (hasSched)
    findings.ok("scheduling", "it is known when threads were off-CPU");
  else
    findings.note(
        "scheduling", "it is not known when threads were off-CPU",
        fmt::format("`adatrace info {}` says why; `adatrace doctor` checks whether this system allows to record it",
                    pathForShell(path)));
  const uint64_t bytes = sizeOf(path), ns = events > 0 ? lastNs - firstNs : 0, hourly = perHour(bytes, ns);
  std::string size = formatBytes(bytes);
  if (events > 0)
    size += fmt::format(", {:.1f} bytes an event", static_cast<double>(bytes) / static_cast<double>(events));
  if (hourly > 0)
    size += fmt::format("; {} an hour, if the program goes on like this", formatBytes(hourly));
  constexpr uint64_t kMuch = 20; // bytes; packed files have one or two
  if (events > 100'000 && bytes / events > kMuch)
    findings.note("size", size, "record with --packed: a tenth or less");
  else
    findings.ok("size", size);
  return true;
}

bool checkProcess(pid_t pid, Findings &findings) {
  control::Answer answer;
  const control::Status status = control::statusOf(pid, answer);
  using What = control::Answer::What;
  if (answer.what == What::NoProcess) {
    findings.problem("process", answer.why);
    return false;
  }
  using State = control::Status::State;
  const std::string command = std::to_string(pid);
  if (!answer)
    findings.problem("process", answer.why);
  else if (status.state == State::Recording)
    findings.ok("process", "it records into " + status.session);
  else if (status.state == State::Stopped)
    findings.ok("process", "it has recorded, and goes on without; `adatrace start " + command + "` continues");
  else if (status.state == State::Waiting)
    findings.ok("process", "it records nothing and can be asked to: adatrace record --pid=" + command);
  else
    findings.problem("process", fmt::format("it is {}", stateName(status.state)), "its standard error says why");
  if (answer && !status.problem.empty())
    findings.problem("control", status.problem);
  if (status.lost.value_or(0) > 0)
    findings.note("missing", formatCount(*status.lost, "event") + " were lost",
                  "a larger --buffer, --packed, or fewer functions (`adatrace disable " + command + " GLOB`)");
  std::error_code error;
  const std::string link = fmt::format("/proc/{}/exe", pid);
  const fs::path program = fs::read_symlink(link, error);
  if (!error)
    (void)checkProgram(fs::exists(program, error) ? program.string() : link, findings);
  if (status.state == State::Recording && !status.session.empty())
    checkDisk(status.session, perHour(status.bytes.value_or(0), status.recordingNs.value_or(0)), findings);
  return true;
}

} // namespace ada::cli
