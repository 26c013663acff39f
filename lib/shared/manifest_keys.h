// The keys of manifest.json, for the code that writes it (the runtime, recovery, conversion) or reads it.
//
// docs/formats/manifest.md says what each of them means. A new field needs a line here,
// one where it is written and one where it is read.
#ifndef ADA_LIB_SHARED_MANIFEST_KEYS_H
#define ADA_LIB_SHARED_MANIFEST_KEYS_H

namespace ada::manifest {

using Key = const char[];

// The whole
inline constexpr Key kFormatVersion = "format_version", kTimeStartNs = "time_start_ns", kTimeEndNs = "time_end_ns",
                     kClockType = "clock_type", kProcess = "process", kHost = "host", kClock = "clock",
                     kOptions = "options", kRecorder = "recorder", kThreads = "threads", kWindows = "windows",
                     kModules = "modules", kSymbols = "symbols", kRecovered = "recovered",
                     kTimingAnchors = "timing_anchors";

// process; its times and those of threads are named as above
inline constexpr Key kPid = "pid", kPpid = "ppid", kExecutable = "executable", kArgv = "argv", kCwd = "cwd",
                     kExit = "exit", kHow = "how", kCode = "code", kSignal = "signal", kValue = "value";
// The values of `how`
inline constexpr Key kRunning = "running", kExec = "exec", kUnknown = "unknown", kDump = "dump", kRotated = "rotated";

// host
inline constexpr Key kName = "name", kOs = "os", kKernel = "kernel", kCpu = "cpu", kCores = "cores";

// clock
inline constexpr Key kSource = "source", kFrequencyHz = "frequency_hz", kAnchors = "anchors", kCounter = "counter",
                     kTimeNs = "time_ns", kTimes = "times", kResolutionNs = "resolution_ns",
                     kLongestTickNs = "longest_tick_ns", kCounterFaults = "counter_faults",
                     kEpochOffsetNs = "epoch_offset_ns";
// The values of `times`, by ADA_TIMES_*
inline constexpr const char *kTimesFrom[] = {"exact", "tick", "none"};

// recorder
inline constexpr Key kVersion = "version", kAbiVersion = "abi_version", kRing = "ring", kFailure = "failure";

// An element of threads
inline constexpr Key kId = "id", kHasDetail = "has_detail", kTid = "tid", kEventCount = "event_count",
                     kDetailCount = "detail_count", kRemovedCount = "removed_count", kLeftOutCount = "left_out_count",
                     kDropped = "dropped", kGaps = "gaps";
// Keys of a thread, and of the whole
inline constexpr Key kRecorderWaitNs = "recorder_wait_ns", kRecorderSpansMissingNs = "recorder_spans_missing_ns";
// An element of gaps
inline constexpr Key kFromNs = "from_ns", kToNs = "to_ns", kEvents = "events";
// The keys of `dropped`, by ADA_LOST_*
inline constexpr const char *kLossReasons[] = {"ring_full", "no_memory", "write_error", "interrupted", "no_module"};

// part, of a process with option rotate. `before` of an element of threads is what the parts before this one hold,
// with the keys of a thread. `before` of the part itself covers all threads that had ended.
inline constexpr Key kPart = "part", kNumber = "number", kPrevious = "previous", kNext = "next", kBefore = "before",
                     kFoundCount = "found_count";

// Lies beside manifest.json while a process records: modules that were added after it was written.
// It has a line for each addition, an object with the arrays `modules` and `symbols`.
inline constexpr const char *kLateModulesFile = "modules.jsonl";

// The keys of the manifest's own `dropped`: of threads that there was no memory for, of handlers in threads that had
// ended, and counts of a killed process for threads that are no longer known
inline constexpr const char *kUnattachedReason = "no_memory", *kLateReason = "thread_ended",
                            *kForgottenReason = "ended_threads";

// An element of windows, and of its triggers
inline constexpr Key kStartNs = "start_ns", kEndNs = "end_ns", kTriggerCount = "trigger_count", kTriggers = "triggers",
                     kPreRollMs = "pre_roll_ms", kPreRollAvailableMs = "pre_roll_available_ms", kKind = "kind",
                     kThread = "thread";

// budget, and an element of its `functions`, whose id and that are named as below
inline constexpr Key kBudget = "budget", kShare = "share", kCallNs = "call_ns", kOffNs = "off_ns", kOnNs = "on_ns",
                     kCalls = "calls", kEstimatedCalls = "estimated_calls";

// sched, whose failure and from_ns are named as above
inline constexpr Key kSched = "sched", kIsRecorded = "recorded", kLostRecords = "lost_records",
                     kMissedThreads = "missed_threads";
inline constexpr Key kNotAskedFor = "option sched is 0"; ///< a `failure` that is not one

// An element of modules
inline constexpr Key kModuleId = "module_id", kPath = "path", kBaseAddress = "base_address", kSize = "size",
                     kUuid = "uuid", kBuildId = "build_id", kLoadedNs = "loaded_ns", kUnloadedNs = "unloaded_ns",
                     kFunctions = "functions";

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

} // namespace ada::manifest
#endif
