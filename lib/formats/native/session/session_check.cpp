// Checks a session for every problem that it can have.
#include "formats/native/session/session_check.h"
#include "analysis/calls/call_reader.h"
#include "formats/native/directories.h"
#include "formats/native/sched/sched_file.h"
#include "formats/native/session/session_times.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/names.h"

#include <algorithm>
#include <array>
#include <set>

namespace ada::atf {

namespace {

// One kind of problem in a file: its first occurrence and its count.
struct Sightings {
  uint64_t count = 0, firstSeq = 0;
  std::string first;

  template <typename Describe> void add(uint64_t seq, Describe describe) {
    if (count++ == 0) {
      firstSeq = seq;
      first = describe();
    }
  }
};

} // namespace

void SessionCheck::problem(const std::string &file, const std::string &text) {
  ++problemCount_;
  report_(file + ": " + text);
}

void SessionCheck::check(Session &session) {
  for (const Warning &flaw : session.warnings())
    if (!flaw.code.starts_with("W_PROCESS_UNREADABLE"))
      problem(session.path(), fmt::format("{} [{}]", flaw.message, flaw.code));
  for (const Error &failure : session.failures()) {
    ++problemCount_;
    report_(failure.text());
  }
  const bool whole = session.kind() == Session::Kind::Root || session.kind() == Session::Kind::Process;
  for (ProcessTrace &next : session.processes()) {
    const ProcessTrace process = std::move(next); // closed at the end: a session may have ten thousand
    checkProcess(process, whole);
  }
}

void SessionCheck::checkProcess(const ProcessTrace &process, bool isWhole) {
  for (const Warning &flaw : process.warnings())
    // An unreadable thread is reported below, with its file.
    if (!flaw.code.starts_with("W_THREAD_UNREADABLE") && (isWhole || flaw.code != "W_NO_MANIFEST"))
      problem(process.path(), fmt::format("{} [{}]", flaw.message, flaw.code));
  if (process.manifest() && isWhole)
    checkManifest(process);
  for (const ThreadTrace &thread : process.threads())
    checkThread(process, thread);
}

void SessionCheck::checkManifest(const ProcessTrace &process) {
  const Manifest &manifest = *process.manifest();
  const std::string file = process.path() + "/manifest.json";
  for (const Warning &flaw : manifest.warnings)
    problem(file, fmt::format("{} [{}]", flaw.message, flaw.code));
  for (const Error &flaw : manifest.binaryFlaws())
    if (binariesTold_.insert(flaw.file).second)
      problem(flaw.file, fmt::format("{} [{}]", flaw.message, flaw.code));
  if (manifest.exit.how == "running")
    problem(file,
            fmt::format("the process did not finish its trace (it was killed, ended without exit(), or still runs); "
                        "{} finishes it",
                        recoveryOf(process.path())));
  if (const std::string failure = manifest.failure(); !failure.empty())
    problem(file, "recorder.failure: the recorder failed: " + failure);

  std::unordered_set<uint64_t> modules;
  for (const ManifestModule &module : manifest.modules)
    if (!modules.insert(module.id).second)
      problem(file, fmt::format("modules: module_id {} appears twice", module.id));
  Sightings unknownModule;
  for (const Symbol &symbol : manifest.ownSymbols())
    if (!modules.contains(moduleOf(symbol.functionId)))
      unknownModule.add(0, [&] {
        return fmt::format("symbols: function {} is in module {}, which is not listed",
                           functionIdText(symbol.functionId), moduleOf(symbol.functionId));
      });
  if (unknownModule.count)
    problem(file, unknownModule.first + (unknownModule.count > 1 ? fmt::format(" (and {} more such symbols)",
                                                                               formatCount(unknownModule.count - 1))
                                                                 : ""));

  if (const uint64_t dropped = manifest.allLost())
    note_(fmt::format("{}: {} events were not recorded (`adatrace info {}` says why)", file, formatCount(dropped),
                      pathForShell(process.path())));
  if (const std::string why = manifest.whyLossesAreUnknown(); !why.empty() && manifest.wasRecovered)
    note_(fmt::format("{}: {}: {}", file,
                      manifest.whyNothingIsRecorded().empty() ? "an unknown number of events was lost"
                                                              : "nothing was recorded",
                      why));
}

void SessionCheck::checkThread(const ProcessTrace &process, const ThreadTrace &thread) {
  ++threadCount_;
  if (!thread.index) {
    ++problemCount_;
    report_(thread.index.error().text());
    return;
  }
  const IndexReader &index = *thread.index;
  eventCount_ += index.size();
  for (const Warning &flaw : index.warnings())
    problem(index.path(), fmt::format("{} [{}]", flaw.message, flaw.code));
  for (const Warning &flaw : thread.warnings)
    // An unreadable detail file is reported below, with its file name.
    if (flaw.code != "W_DETAIL_UNREADABLE")
      problem(thread.path, fmt::format("{} [{}]", flaw.message, flaw.code));
  if (thread.detail && !*thread.detail) {
    ++problemCount_;
    report_(thread.detail->error().text());
  }
  checkSchedRecord(process, thread);
  checkEnds(index, thread);
  const bool hasLinks = checkEvents(process, index);
  if (const auto damage = index.damage()) {
    ++problemCount_;
    report_(damage->text());
  }
  if (thread.detail && *thread.detail) {
    for (const Warning &flaw : (**thread.detail).warnings())
      problem((**thread.detail).path(), fmt::format("{} [{}]", flaw.message, flaw.code));
  }
  // A detail file that is missing or can't be read has already been reported. If there is none, there must be no links.
  if ((thread.detail && *thread.detail) || thread.warnings.empty())
    checkLinks(process, thread, hasLinks);
}

void SessionCheck::checkSchedRecord(const ProcessTrace &process, const ThreadTrace &thread) {
  const auto record = SchedRecord::of(thread.path, thread.info.get());
  const auto checked = !record ? Expected<void>(record.error()) : *record ? checkSched(**record) : Expected<void>();
  if (checked)
    return;
  Error error = checked.error();
  const Manifest *manifest = process.manifest();
  if (error.code == "E_TRUNCATED" && manifest && manifest->exit.how != "running")
    error.message = fmt::format(
        "has no end, because the program could not write it{}",
        manifest->sched && !manifest->sched->failure.empty() ? " (" + manifest->sched->failure + ")" : std::string());
  if (error.code == "E_TRUNCATED")
    error.message += fmt::format("; {} adds it", recoveryOf(process.path()));
  ++problemCount_;
  report_(error.text());
}

// Checks what header, footer and manifest say about the first and last event.
void SessionCheck::checkEnds(const IndexReader &index, const ThreadTrace &thread) {
  const uint64_t start = index.empty() ? 0 : index[0].timestampNs; // the event's time, not the header's
  const uint64_t end = index.empty() ? 0 : index[index.size() - 1].timestampNs;
  const auto expect = [&](const std::string &where, uint64_t found, uint64_t wanted) {
    if (found != wanted)
      problem(index.path(), fmt::format("{}: expected {}, found {}", where, wanted, found));
  };
  if (index.isComplete()) {
    expect("at byte 48: header.time_start_ns", index.header().timeStartNs, start);
    expect("at byte 56: header.time_end_ns", index.header().timeEndNs, end);
    if (index.isPacked())
      expect("at byte 40: header.event_count", index.header().eventCount, index.size());
    if (const auto &footer = index.footer()) {
      expect(fmt::format("at byte {}: footer.time_start_ns", footer->offset + 16), footer->timeStartNs, start);
      expect(fmt::format("at byte {}: footer.time_end_ns", footer->offset + 24), footer->timeEndNs, end);
    }
  }
  if (!thread.info)
    return;
  const ManifestThread &info = *thread.info;
  if (info.tid && index.header().threadId != *info.tid && index.header().threadId != thread.id)
    expect("at byte 12: header.thread_id and the manifest's tid", index.header().threadId, *info.tid);
  // The manifest of a killed process is older than its files. That it was killed has already been reported.
  if (!index.isComplete())
    return;
  if (info.eventCount)
    expect("the manifest's event_count", *info.eventCount, index.size());
  if (info.timeStartNs)
    expect("the manifest's time_start_ns", *info.timeStartNs, start);
  if (info.timeEndNs)
    expect("the manifest's time_end_ns", *info.timeEndNs, end);
}

// Checks time order, nesting, kinds and functions in one pass over the events. Returns whether any of them has detail.
bool SessionCheck::checkEvents(const ProcessTrace &process, const IndexReader &index) {
  Sightings backwards, strays, missing, kinds, functions;
  struct Nobody { // what each event does is all that is asked
  } nobody;
  analysis::CallReader<Nobody, analysis::kCallsOnly> calls(nobody);
  const model::Batch batch;
  FunctionIndex known;
  std::vector<bool> isChecked; // by number in `known`
  const Manifest *manifest = process.manifest();
  uint64_t last = 0;
  // Calls that began in older blocks of a packed file. Exits of calls that are unknown can't be told from strays.
  const IndexReader::OpenCalls before = index.openAtStart();
  uint64_t unknown = before.unknown;
  for (const auto &call : before.calls)
    calls.open(call.beginNs, known.add(call.functionId), Span::kNoSeq);
  bool hasLinks = false;
  forEachReleasing(index, [&](uint64_t seq, const IndexEvent &event) {
    hasLinks |= event.detailSeq != kNoDetail;
    if (event.timestampNs < last)
      backwards.add(seq, [&] { return fmt::format("timestamp_ns goes back from {} to {}", last, event.timestampNs); });
    last = event.timestampNs;
    const auto name = [&] { return std::string(process.displayName(event.functionId)); };
    if (!isOfCall(event.kind)) {
      kinds.add(seq, [&] {
        return fmt::format("event_kind {} is not call, return or exception", static_cast<uint32_t>(event.kind));
      });
      return;
    }
    const uint32_t function = known.add(event.functionId);
    if (function >= isChecked.size())
      isChecked.resize(function + size_t{1});
    if (!isChecked[function]) {
      isChecked[function] = true;
      if (manifest && !manifest->find(event.functionId))
        functions.add(seq, [&] {
          return fmt::format("function_id {} is not in the manifest", functionIdText(event.functionId));
        });
    }
    const auto step = calls.take(seq, {.timeNs = event.timestampNs, .function = function, .kind = event.kind}, batch);
    if (step.stray && unknown > 0)
      --unknown;
    else if (step.stray)
      strays.add(seq, [&] { return fmt::format("{} of {}, which is not open", kindName(event.kind), name()); });
    if (step.finished.size() > 1)
      missing.add(seq, [&] {
        return fmt::format("{} of {} while {} is still open", kindName(event.kind), name(),
                           process.displayName(known.ids()[step.finished[0].functionIndex]));
      });
  });
  const auto say = [&](const Sightings &seen, const char *more) {
    if (seen.count == 0)
      return;
    std::string text =
        fmt::format("at byte {}: event {}: {}", index.offsetOf(seen.firstSeq), seen.firstSeq, seen.first);
    if (seen.count > 1)
      text += fmt::format(" ({} {})", formatCount(seen.count), more);
    problem(index.path(), text);
  };
  say(backwards, "times in this file");
  say(kinds, "such events in this file");
  say(functions, "such functions in this file");
  say(strays, "exits without a call in this file");
  say(missing, "exits that left calls open in this file");
  return hasLinks;
}

void SessionCheck::checkLinks(const ProcessTrace &process, const ThreadTrace &thread, bool hasLinks) {
  struct Seen {
    uint64_t count = 0;
    LinkFlaw first;
  };
  std::array<Seen, LinkFlaw::kKinds> seen;
  const auto add = [&](const LinkFlaw &flaw) {
    Seen &kind = seen[static_cast<size_t>(flaw.kind)];
    if (kind.count++ == 0)
      kind.first = flaw;
  };
  const LinkSummary summary = atf::checkLinks(thread, add, hasLinks);
  const DetailReader *details = thread.detail && *thread.detail ? &**thread.detail : nullptr;
  for (const Seen &kind : seen) {
    if (kind.count == 0)
      continue;
    std::string text = fmt::format("at byte {}: {} {}: {}", kind.first.offset,
                                   kind.first.inDetail ? "detail event" : "event", kind.first.seq, kind.first.text());
    if (kind.count > 1)
      text += fmt::format(" ({} such events in this file)", formatCount(kind.count));
    problem(kind.first.inDetail ? details->path() : thread.index->path(), text);
  }
  if (!details)
    return;
  detailCount_ += details->size();
  checkDetailEnds(thread, summary);
  if (process.manifest() && !process.manifest()->windows.empty())
    checkWindows(*process.manifest(), *details);
}

// Checks what the detail file's header and footer and the manifest say about the file.
void SessionCheck::checkDetailEnds(const ThreadTrace &thread, const LinkSummary &seen) {
  const DetailReader &details = **thread.detail;
  const DetailHeader &header = details.header();
  const auto expect = [&](const std::string &where, uint64_t found, uint64_t wanted) {
    if (found != wanted)
      problem(details.path(), fmt::format("{}: expected {}, found {}", where, wanted, found));
  };
  if (const auto damage = details.damage())
    problem(details.path(), damage->text());
  expect("at byte 12: header.thread_id", header.threadId, thread.index->header().threadId);
  expect("at byte 6: header.arch", header.arch, thread.index->header().arch);
  if (!details.isComplete())
    return;
  // A packed file's header has been compared with its block headers, and those with their events.
  if (!details.isPacked()) {
    const DetailFooter &footer = *details.footer();
    expect("at byte 36: header.bytes_length", header.bytesLength, footer.bytesLength);
    expect("at byte 44: header.index_seq_start", header.indexSeqStart, seen.lowestSeq);
    expect("at byte 52: header.index_seq_end", header.indexSeqEnd, seen.highestSeq);
    expect(fmt::format("at byte {}: footer.time_start_ns", footer.offset + 24), footer.timeStartNs, seen.firstNs);
    expect(fmt::format("at byte {}: footer.time_end_ns", footer.offset + 32), footer.timeEndNs, seen.lastNs);
  }
  if (thread.info && thread.info->detailCount)
    expect("the manifest's detail_count", *thread.info->detailCount, details.size());
}

// With detail_mode=window every detail event lies in one of the manifest's windows, except for calls that a slow
// trigger caught, which are kept however long they took. If there are many triggers, the manifest lists only the first.
void SessionCheck::checkWindows(const Manifest &manifest, const DetailReader &details) {
  std::vector<std::pair<uint64_t, uint64_t>> windows;
  std::set<uint64_t> slow;
  bool allAreListed = true;
  for (const DetailWindow &window : manifest.windows) {
    windows.emplace_back(window.startNs, window.endNs);
    allAreListed &= window.triggerCount <= window.triggers.size();
    for (const WindowTrigger &trigger : window.triggers)
      if (trigger.kind == "slow" && trigger.functionId)
        slow.insert(*trigger.functionId);
  }
  std::sort(windows.begin(), windows.end());
  const auto isSlowCall = [&](const DetailEvent &event) {
    if (event.type == atf::kDetailFunctionReturn)
      return false;
    const auto function = event.function();
    const auto vectors = event.vectors();
    return !allAreListed || (function && slow.contains(function->functionId)) ||
           (vectors && slow.contains(vectors->functionId));
  };
  Sightings outside;
  uint64_t offset = 0;
  details.forEach([&](const DetailEvent &event) {
    auto next = std::upper_bound(windows.begin(), windows.end(), event.timestampNs,
                                 [](uint64_t time, const auto &window) { return time < window.first; });
    if ((next != windows.begin() && event.timestampNs <= std::prev(next)->second) || isSlowCall(event))
      return;
    if (outside.count == 0)
      offset = event.offset;
    outside.add(event.seq,
                [&] { return fmt::format("timestamp_ns {} lies in no window of the manifest", event.timestampNs); });
  });
  if (outside.count)
    problem(details.path(),
            fmt::format("at byte {}: detail event {}: {}{}", offset, outside.firstSeq, outside.first,
                        outside.count > 1 ? fmt::format(" ({} such events in this file)", formatCount(outside.count))
                                          : ""));
}

} // namespace ada::atf
