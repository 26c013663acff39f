// manifest.json, described once: its keys, and the fields of each object.
//
// The code that writes it (the runtime, recovery, conversion) or reads it uses these. docs/formats/manifest.md says
// what each field means. A new field needs a key here and a line where its object's fields are, a member in
// include/ada/trace/manifest.h, and a line where it is written.
#pragma once

#include "shared/text/json_fields.h"

namespace ada::manifest {

using Key = const char[];

// A manifest that fits has that many bytes, with blanks before its last newline: then the process's last one is written
// over it with a single write, which a kill can't divide, though a reader may see a part of it.
inline constexpr unsigned kSmallBytes = 4096;

// The whole
inline constexpr Key kFormatVersion = "format_version", kTimeStartNs = "time_start_ns", kTimeEndNs = "time_end_ns",
                     kClockType = "clock_type", kProcess = "process", kHost = "host", kClock = "clock",
                     kOptions = "options", kRecorder = "recorder", kThreads = "threads", kWindows = "windows",
                     kModules = "modules", kSymbols = "symbols", kRecovered = "recovered",
                     kTimingAnchors = "timing_anchors";

// process; its times and those of threads are named as above
inline constexpr Key kPid = "pid", kPpid = "ppid", kExecutable = "executable", kArgv = "argv", kCwd = "cwd",
                     kExit = "exit", kHow = "how", kCode = "code", kSignal = "signal", kValue = "value",
                     kEndedNs = "ended_ns", kCause = "cause", kSenderPid = "sender_pid", kSenderUser = "sender_uid",
                     kRegisters = "registers", kForbiddenCounter = "forbidden_counter";
// The pipes of the descriptors 0, 1 and 2
inline constexpr const char *kPipes[] = {"stdin_pipe", "stdout_pipe", "stderr_pipe"};
// The values of `how`
inline constexpr Key kRunning = "running", kExec = "exec", kUnknown = "unknown", kDump = "dump", kRotated = "rotated",
                     kStopped = "stopped", kUntraced = "untraced";

// host
inline constexpr Key kName = "name", kOs = "os", kKernel = "kernel", kCores = "cores";

// clock
inline constexpr Key kSource = "source", kFrequencyHz = "frequency_hz", kAnchors = "anchors", kCounter = "counter",
                     kTimeNs = "time_ns", kTimes = "times", kResolutionNs = "resolution_ns",
                     kLongestTickNs = "longest_tick_ns", kCounterFaults = "counter_faults",
                     kEpochOffsetNs = "epoch_offset_ns", kBootOffsetNs = "boottime_offset_ns";
// The values of `times`, by ADA_TIMES_*
inline constexpr const char *kTimesFrom[] = {"exact", "tick", "none"};

// recorder
inline constexpr Key kVersion = "version", kAbiVersion = "abi_version", kRing = "ring", kFailure = "failure";

// An element of threads
inline constexpr Key kId = "id", kHasDetail = "has_detail", kTid = "tid", kEventCount = "event_count",
                     kDetailCount = "detail_count", kRemovedCount = "removed_count", kLeftOutCount = "left_out_count",
                     kDropped = "dropped", kGaps = "gaps";
// Keys of a thread, and of the whole
inline constexpr Key kRecorderWaitNs = "recorder_wait_ns", kRecorderSpansMissingNs = "recorder_spans_missing_ns",
                     kInferredCount = "inferred_count";
inline constexpr Key kStrayCount = "stray_count";
// The bytes of a scheduling file in base64; the thread's file counts instead, if there is one
inline constexpr Key kSchedAds = "sched_ads";
// An element of gaps
inline constexpr Key kFromNs = "from_ns", kToNs = "to_ns", kEvents = "events";
// The keys of `dropped`, by ADA_LOST_*
inline constexpr const char *kLossReasons[] = {"ring_full", "no_memory", "write_error", "interrupted", "no_module"};

// part, of a process with option rotate. `before` of an element of threads is what the parts before this one hold,
// with the keys of a thread. `before` of the part itself covers all threads that had ended.
inline constexpr Key kPart = "part", kNumber = "number", kPrevious = "previous", kNext = "next", kBefore = "before",
                     kFoundCount = "found_count";

// Lies beside manifest.json while a process records: what was added after it was written. It has a line for each
// addition, an object with `modules`, `symbols`, `timing_anchors` and, if they have changed, those `windows`, and
// `budget`.
inline constexpr const char *kLateModulesFile = "modules.jsonl";

// The keys of the manifest's own `dropped`: of threads that there was no memory for, of handlers in threads that had
// ended, counts of a killed process for threads that are no longer known, and of any thread after the end of the trace
inline constexpr const char *kUnattachedReason = "no_memory", *kLateReason = "thread_ended",
                            *kForgottenReason = "ended_threads", *kAfterEndReason = "after_end";

// A window shows the first triggers only, that many; their number counts all.
inline constexpr uint32_t kMaxTriggers = 16;
// An element of windows, and of its triggers
inline constexpr Key kStartNs = "start_ns", kEndNs = "end_ns", kTriggerCount = "trigger_count", kTriggers = "triggers",
                     kPreRollMs = "pre_roll_ms", kPreRollAvailableMs = "pre_roll_available_ms", kKind = "kind",
                     kThread = "thread";

// budget, and an element of its `functions`, whose id and that are named as below
inline constexpr Key kBudget = "budget", kShare = "share", kCallNs = "call_ns", kOffNs = "off_ns", kOnNs = "on_ns",
                     kCalls = "calls", kEstimatedCalls = "estimated_calls", kMaxCalls = "most_calls";

// sched, whose failure and from_ns are named as above
inline constexpr Key kSched = "sched", kIsRecorded = "recorded", kLostRecords = "lost_records",
                     kMissedThreads = "missed_threads";
inline constexpr Key kNotAskedFor = "option sched is 0";      ///< a `failure` that is not one
inline constexpr Key kNotInBounded = "not in bounded traces"; ///< the same

// An element of modules
inline constexpr Key kModuleId = "module_id", kPath = "path", kBaseAddress = "base_address", kSize = "size",
                     kUuid = "uuid", kBuildId = "build_id", kLoadedNs = "loaded_ns", kUnloadedNs = "unloaded_ns",
                     kFunctions = "functions", kBinary = "binary";

// Lies beside the processes' directories: a file NAME.json for each binary, where `binary` is NAME.
// docs/formats/binaries.md describes it.
inline constexpr const char *kBinariesFolder = "binaries";

// An element of symbols
inline constexpr Key kFunctionId = "function_id", kSymbolIndex = "symbol_index", kFile = "file",
                     kSignature = "signature", kTypes = "types", kLine = "line", kAddress = "address",
                     kNoreturn = "noreturn", kExternal = "external", kInlined = "inlined", kCoroutine = "coroutine",
                     kDisplayName = "display_name";

// The values of its `kind`, by ADA_ANNOTATION_*; a function has none
inline constexpr const char *kSymbolKinds[] = {"function",   "span",      "instant", "counter",
                                               "flow_begin", "flow_step", "flow_end"};

// recovered
inline constexpr Key kWhen = "when", kEventsFromRing = "events_from_ring", kRingFound = "ring_found";

// An element of timing_anchors
inline constexpr Key kHostTimeNs = "host_time_ns", kLabel = "label", kMediaTime = "media_time",
                     kTimescale = "timescale";

//===--- the fields of each object ----------------------------------------===//
// Their members may be those of any struct. shared/text/json_fields.h says what `f` is.

template <class F, class Gap> constexpr void gapFields(F &f, Gap &gap) {
  f.require(kFromNs, gap.fromNs), f.require(kToNs, gap.toNs);
  f(kEvents, gap.events);
}

/// `before` of a thread, and of a part.
template <class F, class Totals> constexpr void beforeFields(F &f, Totals &totals) {
  f.some(kEventCount, totals.eventCount);
  f.some(kLeftOutCount, totals.leftOutCount);
  f.some(kDropped, totals.dropped);
}

/// What a conversion knows of a thread from its events. It carries all other fields over as they are.
template <class F, class Thread> constexpr void convertedThreadFields(F &f, Thread &thread) {
  f(kId, thread.id), f(kHasDetail, thread.hasDetail);
  f(kTid, thread.tid), f(kName, thread.name);
  f(kEventCount, thread.eventCount), f(kDetailCount, thread.detailCount);
  f(kTimeStartNs, thread.timeStartNs), f(kTimeEndNs, thread.timeEndNs);
}

template <class F, class Thread> constexpr void threadFields(F &f, Thread &thread) {
  convertedThreadFields(f, thread);
  f.object(kBefore, thread.before, [](auto &g, auto &before) { beforeFields(g, before); });
  f.some(kRemovedCount, thread.removedCount), f.some(kFoundCount, thread.foundCount);
  f.some(kLeftOutCount, thread.leftOutCount), f(kDropped, thread.dropped);
  f.list(kGaps, thread.gaps, [](auto &g, auto &gap) { gapFields(g, gap); });
  f.some(kInferredCount, thread.inferredCount), f.some(kStrayCount, thread.strayCount);
  f.some(kRecorderWaitNs, thread.recorderWaitNs);
  f.some(kRecorderSpansMissingNs, thread.recorderSpansMissingNs);
  f.some(kSchedAds, thread.schedAds);
}

template <class F, class Window> constexpr void windowFields(F &f, Window &window) {
  f(kStartNs, window.startNs), f(kEndNs, window.endNs), f(kTriggerCount, window.triggerCount);
  f.list(kTriggers, window.triggers, [](auto &g, auto &trigger) {
    g(kKind, trigger.kind), g(kFunctionId, hex(trigger.functionId, 16));
    g(kTimeNs, trigger.timeNs), g(kThread, trigger.thread);
  });
  f(kPreRollMs, window.preRollMs), f(kPreRollAvailableMs, window.preRollAvailableMs);
}

template <class F, class Module> constexpr void moduleFields(F &f, Module &module) {
  f.require(kModuleId, module.id), f(kPath, module.path);
  f(kBaseAddress, hex(module.baseAddress, 1)), f(kSize, module.size);
  f(kUuid, module.uuid), f.some(kBuildId, module.buildId);
  f.some(kFunctions, module.functions), f.some(kBinary, module.binary);
  f(kLoadedNs, module.loadedNs), f(kUnloadedNs, module.unloadedNs);
}

template <class F, class Ids> constexpr void symbolIds(F &f, Ids &ids) {
  f(kFunctionId, hex(ids.functionId, 16)), f(kModuleId, ids.moduleId), f(kSymbolIndex, ids.symbolIndex);
}

template <class F, class Symbol> constexpr void symbolFields(F &f, Symbol &symbol) {
  f(kName, symbol.name), f.some(kDisplayName, symbol.displayName);
  f.some(kFile, symbol.file), f.some(kLine, symbol.line), f.some(kAddress, hex(symbol.address, 1));
  f.some(kSignature, symbol.signature), f.some(kTypes, symbol.types);
  f.some(kNoreturn, symbol.isNoreturn), f.some(kExternal, symbol.isExternal);
  f.some(kInlined, symbol.isInlined), f.some(kCoroutine, symbol.isCoroutine);
  f.some(kKind, symbol.kindName);
}

template <class F, class Anchor> constexpr void anchorFields(F &f, Anchor &anchor) {
  f(kHostTimeNs, anchor.hostTimeNs);
  f.object(kMediaTime, anchor,
           [](auto &g, auto &media) { g(kValue, media.mediaValue), g(kTimescale, media.mediaTimescale); });
  f(kLabel, anchor.label);
}

template <class F, class Part> constexpr void partFields(F &f, Part &part) {
  f(kNumber, part.number), f(kStartNs, part.startNs);
  f.some(kPrevious, part.previous), f.some(kNext, part.next), f.some(kFailure, part.failure);
  f.object(kBefore, part.before, [](auto &g, auto &before) { beforeFields(g, before); });
}

template <class F, class Sched> constexpr void schedFields(F &f, Sched &sched) {
  f(kIsRecorded, sched.isRecorded), f.some(kFromNs, sched.fromNs);
  f.some(kLostRecords, sched.lostRecords), f.some(kMissedThreads, sched.missedThreads);
  f.some(kFailure, sched.failure);
}

template <class F, class Manifest> constexpr void budgetFields(F &f, Manifest &manifest) {
  f(kShare, manifest.budget), f(kCallNs, manifest.budgetCallNs);
  f.list(kFunctions, manifest.switchedOff, [](auto &g, auto &off) {
    g.require(kFunctionId, hex(off.functionId, 16));
    g(kOffNs, off.offNs), g(kOnNs, off.onNs), g(kCalls, off.calls);
    g(kEstimatedCalls, off.estimatedCalls), g(kMaxCalls, off.mostCalls);
  });
}

template <class F, class Manifest> constexpr void processFields(F &f, Manifest &manifest) {
  f(kPid, manifest.pid), f(kPpid, manifest.ppid), f(kExecutable, manifest.executable);
  f(kArgv, manifest.argv), f(kCwd, manifest.cwd), f(kExit, manifest.exit);
}

template <class F, class Manifest> constexpr void clockFields(F &f, Manifest &manifest) {
  f(kSource, manifest.clockSource), f(kTimes, manifest.times);
  f.some(kResolutionNs, manifest.resolutionNs), f.some(kLongestTickNs, manifest.longestTickNs);
  f.some(kCounterFaults, manifest.counterFaults);
  f.list(kAnchors, manifest.clockAnchors,
         [](auto &g, auto &anchor) { g(kCounter, anchor.counter), g(kTimeNs, anchor.timeNs); });
}

/// What is the manifest's own, or adds up what its threads have.
template <class F, class Manifest> constexpr void wholeFields(F &f, Manifest &manifest) {
  f(kFormatVersion, manifest.formatVersion);
  f(kTimeStartNs, manifest.timeStartNs), f(kTimeEndNs, manifest.timeEndNs);
  f(kClockType, manifest.clockType);
  f.some(kDropped, manifest.dropped), f.some(kLeftOutCount, manifest.leftOutCount);
  f.some(kInferredCount, manifest.inferredCount);
  f.some(kRecorderWaitNs, manifest.recorderWaitNs);
  f.some(kRecorderSpansMissingNs, manifest.recorderSpansMissingNs);
}

/// All but threads, modules, symbols and timing anchors.
template <class F, class Manifest> constexpr void manifestFields(F &f, Manifest &manifest) {
  wholeFields(f, manifest);
  f.object(kProcess, manifest, [](auto &g, auto &m) { processFields(g, m); });
  f.object(kPart, manifest.part, [](auto &g, auto &part) { partFields(g, part); });
  f(kHost, manifest.host), f(kOptions, manifest.options), f(kRecorder, manifest.recorder);
  f.object(kClock, manifest, [](auto &g, auto &m) { clockFields(g, m); });
  f.list(kWindows, manifest.windows, [](auto &g, auto &window) { windowFields(g, window); });
  f.object(kSched, manifest.sched, [](auto &g, auto &sched) { schedFields(g, sched); });
  f.object(kBudget, manifest, [](auto &g, auto &m) { budgetFields(g, m); });
  f(kRecovered, manifest.recovered);
}

} // namespace ada::manifest
