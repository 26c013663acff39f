//===- info_session.cpp - adatrace info for sessions ----------------------===//
#include "info_session.h"
#include "info_detail.h"
#include "quantities.h"
#include "recover_process.h"
#include "session_place.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ada::cli {

namespace {

// Threads and modules that are listed without --all.
constexpr size_t kListed = 25;

class SessionPrinter {
public:
  SessionPrinter(Output &out, const Palette &palette, const atf::Session &session,
                 bool all)
      : out(out), palette(palette), all(all) {
    // The first event of all, from which tree counts.
    bool any = false;
    for (const atf::ProcessTrace &process : session.processes())
      for (const atf::ThreadTrace &thread : process.threads())
        if (thread.index && !thread.index->empty()) {
          const uint64_t first = (*thread.index)[0].timestampNs;
          startNs = any ? std::min(startNs, first) : first;
          any = true;
        }
  }

  void printProcess(const atf::ProcessTrace &process);
  void printFiles(const atf::Session &session);
  void printFlaws(const std::vector<Warning> &flaws);
  void printError(const Error &error) {
    whole = false;
    out.print("  {}unreadable{}    {}\n", palette.error, palette.reset, error.text());
  }
  bool isWhole() const { return whole; }

private:
  void field(std::string_view name, std::string_view value) {
    out.print("  {}{:<13}{} {}\n", palette.dim, name, palette.reset, value);
  }
  void printManifest(const atf::ProcessTrace &process);
  void printRecorded(const atf::ProcessTrace &process);
  void printThreads(const atf::ProcessTrace &process);
  void printModules(const Manifest &manifest);

  Output &out;
  const Palette &palette;
  const bool all;
  uint64_t startNs = 0;
  bool whole = true;
};

std::string howItEnded(const atf::ProcessTrace &process) {
  const ManifestExit &exit = process.manifest()->exit;
  if (exit.how == "code")
    return fmt::format("with status {}", exit.value.value_or(0));
  if (exit.how == "signal")
    return fmt::format("killed by signal {} ({})", exit.value.value_or(0),
                       strsignal(static_cast<int>(exit.value.value_or(0))));
  if (exit.how == "exec")
    return "by exec of another program";
  if (exit.how == "running")
    return stateOf(process.path()) == ProcessState::Running
               ? "not yet: it is still running"
               : "without finishing its trace: `adatrace recover` does that";
  return "unknown";
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string joined(const std::vector<std::pair<std::string, std::string>> &pairs) {
  std::string text;
  for (const auto &[name, value] : pairs)
    if (!value.empty())
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

void SessionPrinter::printManifest(const atf::ProcessTrace &process) {
  const Manifest &manifest = *process.manifest();
  if (!manifest.argv.empty())
    field("program", joined(manifest.argv));
  if (!manifest.executable.empty())
    field("executable", manifest.executable);
  if (!manifest.cwd.empty())
    field("directory", manifest.cwd);
  field("ended", howItEnded(process));
  if (!manifest.recovered.empty() || manifest.wasRecovered)
    field("recovered", joined(manifest.recovered));
}

void SessionPrinter::printRecorded(const atf::ProcessTrace &process) {
  uint64_t start = ~uint64_t(0), end = 0;
  std::map<std::string, uint64_t> lost;
  for (const atf::ThreadTrace &thread : process.threads()) {
    if (thread.index && !thread.index->empty()) {
      start = std::min(start, (*thread.index)[0].timestampNs);
      end = std::max(end, (*thread.index)[thread.index->size() - 1].timestampNs);
    }
    if (thread.info)
      for (const auto &[reason, count] : thread.info->dropped)
        lost[reason] += count;
  }
  const uint64_t events = process.eventCount();
  std::string text = fmt::format("{} events", formatCount(events));
  if (events && end >= start)
    text += fmt::format(" in {} ({}), from {} to {} ns", formatDuration(end - start),
                        formatRate(events, end - start), start, end);
  field("recorded", text);
  field("size", formatBytes(bytesBelow(process.path())));
  if (const std::string detail = detailSummary(process); !detail.empty())
    field("detail", detail);
  std::string losses;
  for (const auto &[reason, count] : lost)
    if (count)
      losses += fmt::format("{}{} {}", losses.empty() ? "" : ", ", formatCount(count),
                            reason);
  field("lost", losses.empty() ? "nothing" : losses);
}

void SessionPrinter::printThreads(const atf::ProcessTrace &process) {
  const auto &threads = process.threads();
  bool anyDetail = false;
  for (const atf::ThreadTrace &thread : threads)
    anyDetail |= detailCountOf(thread) > 0;
  out.print("  {}{:>6} {:>8}  {:<15} {:>13}{} {:>11} {:>10}{}\n", palette.dim, "thread",
            "tid", "name", "events", anyDetail ? "        detail" : "", "span", "lost",
            palette.reset);
  size_t listed = 0;
  for (const atf::ThreadTrace &thread : threads) {
    if (!thread.index) {
      printError(thread.index.error());
      continue;
    }
    if (listed++ >= kListed && !all)
      continue;
    const atf::IndexReader &index = *thread.index;
    uint64_t lost = 0;
    if (thread.info)
      for (const auto &[reason, count] : thread.info->dropped)
        lost += count;
    const uint64_t first = index.empty() ? 0 : index[0].timestampNs;
    const uint64_t last = index.empty() ? 0 : index[index.size() - 1].timestampNs;
    out.print("  {:>6} {:>8}  {:<15} {:>13}{} {:>11} {:>10}{}\n", thread.id, thread.tid(),
              thread.name().empty() ? "-" : thread.name(), formatCount(index.size()),
              anyDetail ? fmt::format(" {:>13}", formatCount(detailCountOf(thread)))
                        : std::string(),
              last >= first ? formatDuration(last - first) : "-", formatCount(lost),
              index.isComplete() ? "" : "  not finished");
  }
  if (listed > kListed && !all)
    out.print("  ... and {} more; --all lists them\n", formatCount(listed - kListed));
}

void SessionPrinter::printModules(const Manifest &manifest) {
  std::map<uint64_t, uint64_t> functions;
  for (const Symbol &symbol : manifest.symbols())
    ++functions[moduleOf(symbol.functionId)];
  out.print("  {}{:>6} {:>9}  {:<40}  module{}\n", palette.dim, "module", "functions",
            "build id", palette.reset);
  size_t listed = 0;
  for (const ManifestModule &module : manifest.modules) {
    if (listed++ >= kListed && !all)
      continue;
    out.print("  {:>6} {:>9}  {:<40}  {}\n", module.id, formatCount(functions[module.id]),
              !module.buildId.empty() ? module.buildId
              : !module.uuid.empty()  ? module.uuid
                                      : "-",
              module.path);
  }
  if (listed > kListed && !all)
    out.print("  ... and {} more; --all lists them\n", formatCount(listed - kListed));
}

void SessionPrinter::printFlaws(const std::vector<Warning> &flaws) {
  for (const Warning &flaw : flaws)
    if (!flaw.code.starts_with("W_THREAD_UNREADABLE") &&
        !flaw.code.starts_with("W_PROCESS_UNREADABLE"))
      out.print("  {}warning{}       {}\n", palette.warn, palette.reset, flaw.message);
}

void SessionPrinter::printProcess(const atf::ProcessTrace &process) {
  out.print("{}{}{}\n", palette.name, process.name(), palette.reset);
  const Manifest *manifest = process.manifest();
  if (manifest)
    printManifest(process);
  printRecorded(process);
  if (manifest) {
    field("functions", fmt::format("{} in {} module{}",
                                   formatCount(manifest->symbols().size()),
                                   manifest->modules.size(),
                                   manifest->modules.size() == 1 ? "" : "s"));
    if (!manifest->clockSource.empty())
      field("clock", fmt::format("{}, {} anchors", manifest->clockSource,
                                 manifest->clockAnchors.size()));
    if (!manifest->options.empty())
      field("options", joined(manifest->options));
    if (!manifest->recorder.empty())
      field("recorder", joined(manifest->recorder));
    if (!manifest->host.empty())
      field("host", joined(manifest->host));
  }
  printFlaws(process.warnings());
  if (!process.threads().empty())
    printThreads(process);
  if (manifest)
    printWindows(out, palette, process, startNs, all ? ~size_t(0) : kListed);
  if (manifest && !manifest->modules.empty())
    printModules(*manifest);
}

// One thread directory or file: what its header and footer say.
void SessionPrinter::printFiles(const atf::Session &session) {
  for (const atf::ProcessTrace &process : session.processes())
    for (const atf::ThreadTrace &thread : process.threads()) {
      if (!thread.index) {
        printError(thread.index.error());
        continue;
      }
      const atf::IndexReader &index = *thread.index;
      const atf::IndexHeader &header = index.header();
      out.print("{}{}{}\n", palette.name, index.path(), palette.reset);
      field("format", fmt::format("ATF index, version {}", header.version));
      field("thread", fmt::format("{}", header.threadId));
      field("machine", header.arch == atf::kArchX86_64  ? "x86-64"
                       : header.arch == atf::kArchArm64 ? "AArch64"
                                                        : fmt::format("{}", header.arch));
      field("events", fmt::format("{} (by the {})", formatCount(index.size()),
                                  atf::countSourceName(index.countSource())));
      if (!index.empty())
        field("time", fmt::format("from {} to {} ns", index[0].timestampNs,
                                  index[index.size() - 1].timestampNs));
      field("size", formatBytes(index.fileBytes()));
      if (const uint64_t detail = detailCountOf(thread))
        field("detail", fmt::format("{} events", formatCount(detail)));
      field("finished", index.isComplete() ? "yes" : "no");
      printFlaws(index.warnings());
      printFlaws(thread.warnings);
    }
}

} // namespace

bool printSession(Output &out, const Palette &palette, const atf::Session &session,
                  bool all) {
  SessionPrinter printer(out, palette, session, all);
  const bool isFile = session.kind() == atf::Session::Kind::File ||
                      session.kind() == atf::Session::Kind::Thread;
  if (isFile) {
    printer.printFiles(session);
    return printer.isWhole();
  }
  if (session.kind() == atf::Session::Kind::Root)
    out.print("{}: {} process{}, {} events, {}\n", session.path(),
              session.processes().size(), session.processes().size() == 1 ? "" : "es",
              formatCount(session.eventCount()), formatBytes(bytesBelow(session.path())));
  printer.printFlaws(session.warnings());
  for (const Error &failure : session.failures())
    printer.printError(failure);
  for (const atf::ProcessTrace &process : session.processes())
    printer.printProcess(process);
  return printer.isWhole();
}

} // namespace ada::cli
