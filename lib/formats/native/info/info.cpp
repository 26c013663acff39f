// Describes a session, a process, a thread or an index file.
#include "formats/native/directories.h"
#include "formats/native/info/held_reasons.h"
#include "formats/native/info/info_tables.h"
#include "formats/native/info/labels.h"
#include "formats/native/operations.h"
#include "formats/native/sched/sched_file.h"
#include "shared/arch.h"
#include "shared/manifest_keys.h"
#include "trace/base/estimates.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "ada/trace/convert.h"
#include "ada/trace/recover.h"
#include "shared/ring/ring_file.h"
#include "trace/names.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace ada::formats {

namespace {

// The number of threads, modules and windows listed without --all.
constexpr size_t kListed = 25;

const std::vector<LossGap> kNoGaps;

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string joined(const ManifestFields &pairs, std::string_view without = {}) {
  std::string text;
  for (const auto &[name, value] : pairs)
    if (!value.empty() && name != without)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

std::string object(const ManifestFields &pairs) {
  JsonMembers members;
  for (const auto &[name, value] : pairs)
    members.text(name, value);
  return members.object();
}

// `isGone`: the process did not finish its trace, whose manifest says that it runs.
std::string howItEnded(const atf::ProcessTrace &process, bool isGone) {
  const ManifestExit &exit = process.manifest()->exit;
  if (exit.how == "code")
    return fmt::format("with status {}", exit.value.value_or(0));
  if (exit.how == "signal")
    return fmt::format("killed by signal {} ({})", exit.value.value_or(0),
                       strsignal(static_cast<int>(exit.value.value_or(0))));
  if (exit.how == "exec")
    return "by exec of another program";
  if (exit.how == "dump")
    return "not yet: this is a flight recorder's dump, and the program ran on";
  if (exit.how == "stopped")
    return std::string("not yet: recording was stopped by `adatrace stop PID`, ") +
           (isRecording(process.path()) ? "and the program goes on" : "and how the program ended is not known");
  if (exit.how == "untraced")
    return "not known: it ran untraced";
  if (exit.how == "rotated")
    return "not yet: the trace continues in " + process.manifest()->part.next;
  if (exit.how == "running")
    return isGone ? fmt::format("without finishing its trace: {} does that", atf::recoveryOf(process.path()))
                  : "not yet: it is still running";
  return "unknown";
}

struct Times {
  uint64_t first = ~uint64_t{0}, last = 0, events = 0;
  void add(const atf::IndexReader &index) {
    if (index.empty())
      return;
    first = std::min(first, index.firstNs());
    last = std::max(last, index.lastNs());
    events += index.size();
  }
  void addTo(JsonMembers &members) const {
    members.number("events", events)
        .number("time_start_ns", events ? std::optional(first) : std::nullopt)
        .number("time_end_ns", events ? std::optional(last) : std::nullopt);
  }
};

uint64_t lostOf(const atf::ThreadTrace &thread) {
  uint64_t lost = 0;
  if (thread.info)
    for (const auto &[reason, count] : thread.info->dropped)
      lost += count;
  return lost;
}

// Leaves out errors of threads and processes, which are shown with the thread or process.
std::vector<std::string> textsOf(const std::vector<Warning> &flaws) {
  std::vector<std::string> texts;
  for (const Warning &flaw : flaws)
    if (!flaw.code.starts_with("W_THREAD_UNREADABLE") && !flaw.code.starts_with("W_PROCESS_UNREADABLE"))
      texts.push_back(flaw.message);
  return texts;
}

void describeManifest(InfoSection &section, const atf::ProcessTrace &process) {
  const Manifest &manifest = *process.manifest();
  const auto field = [&](const char *label, std::string text, JsonMembers members) {
    section.fields.push_back({label, std::move(text), std::move(members)});
  };
  if (!manifest.argv.empty())
    field("program", joined(manifest.argv), JsonMembers().texts("argv", manifest.argv));
  if (!manifest.executable.empty())
    field("executable", manifest.executable, JsonMembers().text("executable", manifest.executable));
  if (!manifest.cwd.empty())
    field("directory", manifest.cwd, JsonMembers().text("cwd", manifest.cwd));
  const bool isGone = manifest.exit.how == "running" && isUnfinished(process.path(), manifest);
  field(
      "ended", howItEnded(process, isGone),
      JsonMembers().text("exit", isGone ? "unfinished" : manifest.exit.how).number("exit_value", manifest.exit.value));
  if (const ManifestPart &part = manifest.part; part.number > 0) {
    const std::string previous = part.previous.empty() ? "" : ", after " + part.previous;
    const std::string failure = part.failure.empty() ? "" : "; the next part can't begin: " + part.failure;
    field("part", std::to_string(part.number) + previous + failure,
          JsonMembers()
              .number("part", part.number)
              .textOrNull("previous_part", part.previous)
              .textOrNull("next_part", part.next)
              .textOrNull("part_failure", part.failure));
  }
  if (!manifest.recovered.empty() || manifest.wasRecovered)
    field("recovered", joined(manifest.recovered), JsonMembers().json("recovered", object(manifest.recovered)));
}

// How long the recorder held up threads, and why. The text appears only if it did; the JSON member is always there.
void addRecorder(InfoSection &section, const atf::ProcessTrace &process) {
  const Manifest &manifest = *process.manifest();
  section.members.number("recorder_wait_ns", manifest.recorderWaitNs);
  if (manifest.recorderSpansMissingNs > 0)
    section.members.number("recorder_spans_missing_ns", manifest.recorderSpansMissingNs);
  if (manifest.recorderWaitNs == 0)
    return;
  atf::HeldReasons reasons;
  for (const atf::ThreadTrace &thread : process.threads())
    for (const auto &[reason, ns] : atf::heldNs(thread.path, thread.info.get()))
      reasons.add(reason, ns);
  section.members.json("recorder_wait_reasons", reasons.members().object());
  std::string text = formatDuration(manifest.recorderWaitNs) + " in total over all threads, by the recorder";
  if (const std::string why = reasons.text(manifest.recorderWaitNs); !why.empty())
    text += ": " + why;
  if (manifest.recorderSpansMissingNs > 0)
    text += fmt::format("; it is not known when {} of it happened", formatDuration(manifest.recorderSpansMissingNs));
  section.fields.push_back({"held up", text, {}});
}

// Exits that no hook saw, as far as the manifest counts them.
void addInferred(InfoSection &section, const Manifest &manifest) {
  uint64_t inferred = 0;
  for (const ManifestThread &thread : manifest.threads)
    inferred += thread.inferredCount;
  if (inferred > 0)
    section.fields.push_back(
        {"inferred", formatCount(inferred, "exit") + " that no hook saw", JsonMembers().number("inferred", inferred)});
}

InfoField budgetField(const Manifest &manifest) {
  InfoField field{"budget", manifest.budget + ": nothing was switched off",
                  JsonMembers().text("budget", manifest.budget).number("call_cost_ns", manifest.budgetCallNs)};
  if (!manifest.switchedOff.empty()) {
    field.text = atf::switchedOffSummary(manifest);
    MissingCalls(manifest.allEstimated(), manifest.allAtMost()).putMembers(field.members);
  }
  return field;
}

// Whether it is known when the threads were on-CPU.
InfoField schedField(const ManifestSched &sched) {
  std::string text = sched.isRecorded ? "when each thread was on-CPU" : "not recorded";
  if (!sched.failure.empty())
    text += (sched.isRecorded ? ", until writing failed: " : ": ") + sched.failure;
  if (sched.lostRecords > 0)
    text += fmt::format("; {} lost by the kernel", formatCount(sched.lostRecords, "record"));
  if (sched.missedThreads > 0)
    text += fmt::format("; not for {} that had already started", formatCount(sched.missedThreads, "thread"));
  return {"scheduling", text,
          JsonMembers()
              .boolean("scheduling", sched.isRecorded)
              .textOrNull("scheduling_failure", sched.failure)
              .number("lost_switch_records", sched.lostRecords)};
}

void describeRecorded(InfoSection &section, const atf::ProcessTrace &process, std::optional<uint64_t> originNs) {
  Times times;
  const auto lost = process.manifest() ? process.manifest()->allDropped() : std::map<std::string, uint64_t>();
  for (const atf::ThreadTrace &thread : process.threads())
    if (thread.index)
      times.add(*thread.index);
  std::string text = formatCount(times.events, "event");
  if (times.events && times.last >= times.first)
    text += fmt::format(" in {} ({})", formatRange(times.first, times.last, originNs),
                        formatRate(times.events, times.last - times.first));
  InfoField recorded{"recorded", text};
  times.addTo(recorded.members);
  section.fields.push_back(std::move(recorded));
  const uint64_t bytes = bytesBelow(process.path());
  section.fields.push_back({"size", formatBytes(bytes), JsonMembers().number("bytes", bytes)});
  if (const std::string detail = atf::detailSummary(process); !detail.empty())
    section.fields.push_back({"detail", detail});
  uint64_t removed = 0;
  const Manifest *const manifest = process.manifest();
  const bool isPart = manifest && manifest->part.number > 0;
  for (const atf::ThreadTrace &thread : process.threads())
    if (isPart)
      break; // events that are not here are in the other parts
    else if (thread.index && !thread.index->empty() && thread.index->numberOf(0) > 0)
      removed += thread.index->numberOf(0); // right even after a kill, when the manifest is out of date
    else
      removed += thread.info ? thread.info->removedCount : 0;
  if (removed)
    section.fields.push_back(
        {"removed", formatCount(removed, "older event") + " (max_size, max_time or flight: the newest are kept)",
         JsonMembers().number("removed", removed)});
  if (const uint64_t leftOut = manifest ? manifest->allLeftOut() : 0)
    section.fields.push_back(
        {"left out", formatCount(leftOut, "event") + " of calls that were too short, or too deep inside of others",
         JsonMembers().number("left_out", leftOut)});
  if (manifest && !manifest->budget.empty())
    section.fields.push_back(budgetField(*manifest));
  if (manifest && manifest->sched)
    section.fields.push_back(schedField(*manifest->sched));
  if (manifest)
    addRecorder(section, process), addInferred(section, *manifest);
  std::string losses;
  JsonMembers reasons;
  for (const auto &[reason, count] : lost)
    if (count) {
      losses += fmt::format("{}{} {}", losses.empty() ? "" : ", ", formatCount(count), reason);
      reasons.number(reason, count);
    }
  const std::string nothing = manifest ? manifest->whyNothingIsRecorded() : "";
  const std::string unknown = manifest ? manifest->whyLossesAreUnknown() : "there is no manifest";
  if (!nothing.empty())
    losses = "everything: " + nothing;
  else if (!unknown.empty())
    losses += fmt::format("{}unknown: {}", losses.empty() ? "" : "; besides that ", unknown);
  section.fields.push_back({"lost", losses.empty() ? "nothing" : losses,
                            JsonMembers().json("lost", reasons.object()).textOrNull("lost_unknown", unknown)});
  if (const std::string failure = manifest ? manifest->failure() : ""; !failure.empty())
    section.fields.push_back({"failed", failure, JsonMembers().text("failure", failure)});
}

std::string asJson(const std::vector<LossGap> &gaps) {
  JsonMembers list;
  for (const LossGap &gap : gaps)
    list.json(
        {},
        JsonMembers().number("from_ns", gap.fromNs).number("to_ns", gap.toNs).number("events", gap.events).object());
  return "[" + list.list() + "]";
}

// "  in 2 gaps, the longest 1.5 ms, from 20.1 ms to 21.6 ms"; empty if there are none.
std::string textOf(const std::vector<LossGap> &gaps, std::optional<uint64_t> originNs) {
  if (gaps.empty())
    return {};
  const LossGap &longest =
      *std::ranges::max_element(gaps, {}, [](const LossGap &gap) { return gap.toNs - gap.fromNs; });
  const uint64_t fromNs = std::max(longest.fromNs, originNs.value_or(0)); // a gap may begin before the first event
  return fmt::format("  in {}, the longest {}", formatCount(gaps.size(), "gap"),
                     formatRange(fromNs, std::max(fromNs, longest.toNs), originNs));
}

InfoTable threadTable(const atf::ProcessTrace &process, std::optional<uint64_t> originNs, bool &isWhole) {
  InfoTable table{.key = "threads", .what = "threads", .heading = {}, .shown = kListed};
  bool anyDetail = false;
  for (const atf::ThreadTrace &thread : process.threads())
    anyDetail |= atf::detailCountOf(thread) > 0;
  table.heading = fmt::format("{:>6} {:>8}  {:<15} {:>13}{} {:>11} {:>10}", "thread", "tid", "name", "events",
                              anyDetail ? "        detail" : "", "span", "lost");
  const std::vector<std::string> labels = atf::threadLabels(process);
  for (size_t i = 0; i < process.threads().size(); ++i) {
    const atf::ThreadTrace &thread = process.threads()[i];
    JsonMembers members;
    members.number("thread", thread.id).number("tid", thread.tid()).textOrNull("name", labels[i]);
    if (!thread.index) {
      isWhole = false;
      members.text("error", thread.index.error().text());
      table.rows.push_back({.text = thread.index.error().text(), .members = std::move(members), .isProblem = true});
      continue;
    }
    const atf::IndexReader &index = *thread.index;
    Times times;
    times.add(index);
    times.addTo(members);
    const uint64_t details = atf::detailCountOf(thread), lost = lostOf(thread);
    const std::vector<LossGap> &gaps = thread.info ? thread.info->gaps : kNoGaps;
    members.number("detail_events", details).number("lost", lost).boolean("finished", index.isComplete());
    members.number("recorder_wait_ns", thread.info ? thread.info->recorderWaitNs : 0);
    if (!gaps.empty())
      members.json("gaps", asJson(gaps));
    table.rows.push_back(
        {.text = fmt::format("{:>6} {:>8}  {:<15} {:>13}{} {:>11} {:>10}{}{}", thread.id, thread.tid(),
                             labels[i].empty() ? "-" : oneLine(labels[i]), formatCount(index.size()),
                             anyDetail ? fmt::format(" {:>13}", formatCount(details)) : std::string(),
                             index.empty()               ? formatDuration(0)
                             : times.last >= times.first ? formatDuration(times.last - times.first)
                                                         : "-",
                             formatCount(lost), textOf(gaps, originNs), index.isComplete() ? "" : "  not finished"),
         .members = std::move(members)});
  }
  return table;
}

InfoTable moduleTable(const Manifest &manifest) {
  InfoTable table{.key = "modules",
                  .what = "modules",
                  .heading = fmt::format("{:>6} {:>9}  {:<40}  module", "module", "functions", "build id"),
                  .shown = kListed};
  for (const ManifestModule &module : manifest.modules) {
    const std::string &id = !module.buildId.empty() ? module.buildId : module.uuid;
    JsonMembers members;
    members.number("module", module.id).number("functions", manifest.functionCount(module)).textOrNull("build_id", id);
    table.rows.push_back(
        {.text = fmt::format("{:>6} {:>9}  {:<40}  {}", module.id, formatCount(manifest.functionCount(module)),
                             id.empty() ? "-" : id, module.path),
         .members = std::move(members.text("path", module.path))});
  }
  return table;
}

// Where times come from, and how far they can be trusted.
InfoField describeClock(const Manifest &manifest) {
  JsonMembers members = JsonMembers().text("clock", manifest.clockSource);
  std::string text = manifest.clockSource;
  if (!manifest.times.empty())
    members.text("times", manifest.times);
  if (manifest.times == manifest::kTimesFrom[ADA_TIMES_NONE])
    text += ", for the order only";
  if (manifest.resolutionNs) {
    text += fmt::format(", read every {}", formatDuration(manifest.resolutionNs));
    members.number("resolution_ns", manifest.resolutionNs);
  }
  if (manifest.longestTickNs) {
    text += fmt::format(" (at worst {})", formatDuration(manifest.longestTickNs));
    members.number("longest_tick_ns", manifest.longestTickNs);
  }
  if (manifest.counterFaults) {
    text += fmt::format("; the counter went back, or differed between CPUs, {} {}", formatCount(manifest.counterFaults),
                        manifest.counterFaults == 1 ? "time" : "times");
    members.number("counter_faults", manifest.counterFaults);
  }
  return {"clock", fmt::format("{}, {} anchors", text, manifest.clockAnchors.size()), members};
}

// "server (pid_4711)": what it is called, and its directory.
std::string titleOf(const atf::ProcessTrace &process, const std::string &label) {
  return process.name() == label ? oneLine(label) : fmt::format("{} ({})", oneLine(label), oneLine(process.name()));
}

void addIdentity(JsonMembers &members, const atf::ProcessTrace &process, const std::string &label) {
  members.text("name", label).number("pid", process.pid()).text("directory", process.name());
}

InfoSection describeProcess(const atf::ProcessTrace &process, const std::string &label,
                            std::optional<uint64_t> originNs, bool &isWhole) {
  InfoSection section{.title = titleOf(process, label), .isNamed = true};
  addIdentity(section.members, process, label);
  const Manifest *manifest = process.manifest();
  if (manifest)
    describeManifest(section, process);
  describeRecorded(section, process, originNs);
  if (manifest) {
    section.fields.push_back({"functions",
                              fmt::format("{} in {}", formatCount(manifest->functionCount()),
                                          formatCount(manifest->modules.size(), "module")),
                              JsonMembers().number("functions", manifest->functionCount())});
    if (!manifest->clockSource.empty())
      section.fields.push_back(describeClock(*manifest));
    if (!manifest->options.empty())
      section.fields.push_back(
          {"options", joined(manifest->options), JsonMembers().json("options", object(manifest->options))});
    if (!manifest->recorder.empty())
      section.fields.push_back(
          {"recorder", joined(manifest->recorder, manifest->exit.how == manifest::kRunning ? "" : manifest::kRing),
           JsonMembers().json("recorder", object(manifest->recorder))});
    if (!manifest->host.empty())
      section.fields.push_back({"host", joined(manifest->host), JsonMembers().json("host", object(manifest->host))});
  }
  section.warnings = textsOf(process.warnings());
  for (const atf::ThreadTrace &thread : process.threads())
    for (const Warning &flaw : thread.warnings)
      if (flaw.code == "W_DETAIL_MISSING")
        section.warnings.push_back(thread.path + ": " + flaw.message);
  if (!process.threads().empty())
    section.tables.push_back(threadTable(process, originNs, isWhole));
  if (manifest && !manifest->windows.empty())
    section.tables.push_back(atf::windowTable(process, originNs));
  if (manifest && !manifest->switchedOff.empty())
    section.tables.push_back(atf::switchedOffTable(process, originNs));
  if (manifest && !manifest->timingAnchors.empty())
    section.tables.push_back(atf::anchorTable(*manifest, originNs));
  if (manifest && !manifest->modules.empty())
    section.tables.push_back(moduleTable(*manifest));
  return section;
}

// The header and footer of a file or of the index file in a thread directory.
InfoSection describeFile(const atf::ProcessTrace &process, const std::string &label, const atf::ThreadTrace &thread,
                         const std::string &name, std::optional<uint64_t> originNs) {
  const atf::IndexReader &index = *thread.index;
  const atf::IndexHeader &header = index.header();
  InfoSection section{.title = name, .isNamed = true};
  addIdentity(section.members, process, label);
  const auto field = [&](const char *label, std::string text, JsonMembers members) {
    section.fields.push_back({label, std::move(text), std::move(members)});
  };
  if (index.isPacked())
    field("format", "packed index, version 1", JsonMembers().boolean("packed", true));
  else
    field("format", fmt::format("ATF index, version {}", header.version),
          JsonMembers().number("version", uint64_t{header.version}));
  field("thread", fmt::format("{}", header.threadId), {});
  const ArchInfo &arch = archInfo(header.arch);
  const std::string machine = &arch == &kOtherArchitecture ? std::to_string(header.arch) : arch.name;
  field("machine", machine, JsonMembers().text("machine", machine));
  Times times;
  times.add(index);
  InfoField events{"events",
                   fmt::format("{} (by the {})", formatCount(index.size()), atf::countSourceName(index.countSource()))};
  section.fields.push_back(std::move(events));
  if (times.events)
    field("time", formatRange(times.first, times.last, originNs), {});
  field("size",
        index.isPacked() && times.events
            ? fmt::format("{}, {:.2f} bytes per event", formatBytes(index.fileBytes()),
                          static_cast<double>(index.fileBytes()) / static_cast<double>(times.events))
            : formatBytes(index.fileBytes()),
        JsonMembers().number("bytes", index.fileBytes()));
  const uint64_t details = atf::detailCountOf(thread);
  if (details)
    field("detail", formatCount(details, "event"), {});
  field("finished", index.isComplete() ? "yes" : "no", {});
  section.warnings = textsOf(index.warnings());
  std::ranges::copy(textsOf(thread.warnings), std::back_inserter(section.warnings));
  JsonMembers members;
  members.number("thread", thread.id).number("tid", thread.tid());
  members.textOrNull("name", atf::threadLabels(process)[static_cast<size_t>(&thread - process.threads().data())]);
  times.addTo(members);
  members.number("detail_events", details).boolean("finished", index.isComplete());
  section.tables.push_back(
      {.key = "threads", .what = "threads", .heading = {}, .rows = {{.text = {}, .members = members}}});
  return section;
}

} // namespace

Expected<Description> describeAtf(TraceLocation &place, bool absolute) {
  // Reads neither checksums nor detail events, to be quick on any session.
  auto opened = openAtf(place, {.checksum = atf::ChecksumPolicy::Defer, .detail = false, .lowMemory = true});
  if (!opened)
    return opened.error();
  const auto kept = std::make_shared<atf::Session>(*std::move(opened));
  const atf::Session &session = *kept;
  Description description;
  description.whole.members.text("path", place.bytes ? place.name() : session.path()).text("format", "atf");
  Times times;
  for (const atf::ProcessTrace &process : session.processes())
    for (const atf::ThreadTrace &thread : process.threads())
      if (thread.index)
        times.add(*thread.index);
  times.addTo(description.whole.members);
  const std::optional<uint64_t> originNs = absolute ? std::nullopt : std::optional(times.first);
  const std::vector<std::string> labels = atf::processLabels(session);
  if (session.kind() == atf::Session::Kind::File || session.kind() == atf::Session::Kind::Thread) {
    for (const atf::ProcessTrace &process : session.processes())
      for (const atf::ThreadTrace &thread : process.threads())
        description.processes.push_back(
            describeFile(process, labels[0], thread, place.bytes ? place.name() : thread.index->path(), originNs));
    return description;
  }
  if (session.kind() == atf::Session::Kind::Root)
    description.whole.title =
        fmt::format("{}: {}, {}, {}", session.path(), formatCount(session.processes().size(), "process"),
                    formatCount(session.eventCount(), "event"), formatBytes(bytesBelow(session.path())));
  description.whole.warnings = textsOf(session.warnings());
  for (const Error &failure : session.failures()) {
    description.isWhole = false;
    description.whole.problems.push_back(failure.text());
  }
  for (const atf::ProcessTrace &process : session.processes())
    if (const Manifest *manifest = process.manifest())
      for (const ManifestModule &module : manifest->modules)
        description.whole.binaries.emplace(module.path, module.buildId);
  description.sessionProcesses = session.processes().size();
  description.eachOfSession = [kept, labels, originNs](const std::function<void(const InfoSection &)> &use) {
    bool isWhole = true;
    for (size_t i = 0; i < kept->processes().size(); ++i)
      use(describeProcess(kept->processes()[i], labels[i], originNs, isWhole));
    return isWhole;
  };
  description.sessionSource = [kept] { return model::makeAtfSource(std::shared_ptr<const atf::Session>(kept)); };
  return description;
}

} // namespace ada::formats
