// manifest.json of a traced process: its threads, modules and functions.
//
// Nothing in a manifest is trusted: ids only name things, sizes and counts are
// for show, and a manifest that is damaged or missing leaves the thread files
// readable. docs/formats/manifest.md lists the fields.
#ifndef ADA_TRACE_MANIFEST_H
#define ADA_TRACE_MANIFEST_H

#include "ada/trace/error.h"
#include "ada/trace/event.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada {

/// What the parts of a trace before this one hold (option rotate).
struct ManifestEarlier {
  uint64_t eventCount = 0, leftOutCount = 0;
  std::map<std::string, uint64_t> dropped;
};

struct ManifestThread {
  uint64_t id = 0;               ///< the N of thread_N; at most 2^32-1
  std::optional<bool> hasDetail; ///< a claim: whether the file exists decides
  std::optional<uint64_t> tid;   ///< the system's thread id
  std::string name;              ///< empty if none
  std::optional<uint64_t> eventCount, detailCount, timeStartNs, timeEndNs;
  std::optional<ManifestEarlier> before;
  uint64_t removedCount = 0;               ///< older events that were taken away (max_size, max_time, flight)
  uint64_t foundCount = 0;                 ///< exits that earlier parts count as lost, but that are events of this one
  uint64_t leftOutCount = 0;               ///< events of calls that min_duration or max_depth left out
  uint64_t inferredCount = 0;              ///< exits that no hook saw: EventKind::Inferred
  uint64_t strayCount = 0;                 ///< exits that came when their calls were not open; they made no event
  uint64_t recorderWaitNs = 0;             ///< how long the recorder held it up
  uint64_t recorderSpansMissingNs = 0;     ///< its part without a place in time
  std::map<std::string, uint64_t> dropped; ///< events that were not recorded, by reason
  std::vector<LossGap> gaps;               ///< where, by time
  std::string schedAds; ///< the bytes of a scheduling file in base64; empty if there is a file, or nothing is known
};

struct ManifestModule {
  uint64_t id = 0;
  std::string path;
  uint64_t baseAddress = 0, size = 0;
  std::string uuid;       ///< the build id's first 16 bytes, 8-4-4-4-12
  std::string buildId;    ///< the whole build id, hex
  uint64_t functions = 0; ///< how many it has
  std::string binary;     ///< the file in the session's folder `binaries` that has them; empty: the manifest has them
  std::optional<uint64_t> loadedNs, unloadedNs;
};

/// A traced function. Symbol and texts live as long as the manifest they come from.
struct Symbol {
  uint64_t functionId = 0;
  std::string_view name;        ///< as in the object file, mangled
  std::string_view displayName; ///< the name that the source gave it (ADA_NAMED); empty if none
  std::string_view file;        ///< empty if unknown
  std::string_view signature;
  /// Its parameters and result, in the notation of docs/reference/types.md; empty if unknown. See
  /// ada::types::FunctionTypes::parse.
  std::string_view types;
  uint64_t line = 0; ///< 0 if unknown
  uint64_t address = 0;
  bool isExternal = false;  ///< a library function; file and line are those of a declaration
  bool isCoroutine = false; ///< creates a coroutine, or is a part of one: f.resume, f.destroy
  bool isInlined = false;   ///< copies of a function that were inlined into others (--ada-before-inlining)
  uint64_t original = 0;    ///< of inlined copies: the function's own id, or if there is none, an id they all share
  SymbolKind kind = SymbolKind::Function;
};

/// Why a detail window was opened.
struct WindowTrigger {
  std::string kind; ///< call, slow, exception, signal, api, outside
  std::optional<uint64_t> functionId;
  uint64_t timeNs = 0;
  std::optional<uint64_t> thread; ///< the N of thread_N
};

/// A part of the trace whose detail events were kept (detail_mode=window).
struct DetailWindow {
  uint64_t startNs = 0, endNs = 0;
  uint64_t triggerCount = 0;
  std::vector<WindowTrigger> triggers; ///< the first ones
  uint64_t preRollMs = 0;
  /// How much of the pre-roll was still in memory.
  uint64_t preRollAvailableMs = 0;
};

/// A function that was called too often for the option `budget`.
struct SwitchedOffFunction {
  uint64_t functionId = 0;
  uint64_t offNs = 0;           ///< when; for a forked child, possibly in its parent
  std::optional<uint64_t> onNs; ///< when the program switched it on again
  uint64_t calls = 0;           ///< calls that were recorded
  uint64_t estimatedCalls = 0;  ///< how many were not, if it was called as often as before
  uint64_t mostCalls = 0;       ///< how many there can have been in the time of the processors; 0: not known
};

/// Whether the process's threads have scheduling records (docs/formats/sched.md).
struct ManifestSched {
  bool isRecorded = false;
  uint64_t fromNs = 0;
  uint64_t lostRecords = 0;   ///< records of the system that came too fast to be read
  uint64_t missedThreads = 0; ///< threads missed among those that had begun before recording did
  std::string failure;        ///< why scheduling is not recorded, or not to the end; empty if it is
};

/// Which part of a process's trace this is (option rotate).
struct ManifestPart {
  uint64_t number = 0;        ///< from 1; 0 if the trace is not in parts
  uint64_t startNs = 0;       ///< when it began
  std::string previous, next; ///< the process directories before and after it; empty for the first and the last part
  std::string failure;        ///< why there is no next one yet although this one is complete; empty if nothing is wrong
  std::optional<ManifestEarlier> before; ///< of threads that had ended, or that there was no memory for
};

/// What a signal handler saw of the signal that killed the process (option crash).
struct ManifestDeath {
  int64_t cause = 0;                      ///< si_code: above 0 a fault, otherwise somebody sent the signal
  uint64_t tid = 0;                       ///< the thread that it hit
  uint64_t address = 0;                   ///< of a fault
  uint64_t senderPid = 0, senderUser = 0; ///< of a signal that was sent
  /// It read the CPU's counter, which its thread had forbidden itself (PR_SET_TSC).
  bool readForbiddenCounter = false;
  std::vector<std::pair<std::string, uint64_t>> registers; ///< by name
};

/// How the process ended, as far as the manifest knows.
struct ManifestExit {
  /// "code", "signal", "exec", "running", "stopped", "dump", "rotated", "unknown"; empty if the manifest
  /// doesn't say.
  std::string how;
  /// Exit code or signal number.
  std::optional<int64_t> value;
  std::optional<ManifestDeath> death;
};

/// Names and values, as text. Manifests have most of them in common: equal lists are one in memory.
class ManifestFields {
public:
  using List = std::vector<std::pair<std::string, std::string>>;
  ManifestFields() = default;
  explicit ManifestFields(std::shared_ptr<const List> list) : list_(std::move(list)) {}
  const List &list() const;
  List::const_iterator begin() const { return list().begin(); }
  List::const_iterator end() const { return list().end(); }
  bool empty() const { return list().empty(); }

private:
  std::shared_ptr<const List> list_;
};

class Manifest {
public:
  /// Reads a file. Errors: E_IO; E_BAD_MANIFEST if it is not a JSON object, has
  /// no array `threads`, or one of those has no id or one that is not an
  /// integer in 0..2^32-1. Anything else that is odd (a symbol without id, a
  /// text where a number should be) is left out.
  static Expected<Manifest> read(const std::string &path);
  /// The same for a text in memory.
  static Expected<Manifest> parse(std::string_view json, const std::string &name = {});

  /// A manifest that knows nothing: names are ids.
  static Manifest empty();

  Manifest(Manifest &&) noexcept;
  Manifest &operator=(Manifest &&) noexcept;
  ~Manifest();

  std::string formatVersion;           ///< "2.2"
  std::vector<ManifestThread> threads; ///< in the manifest's order; an id that comes twice counts once
  uint64_t timeStartNs = 0, timeEndNs = 0;
  uint64_t clockType = 0;
  /// Events that were not recorded, by reason, of threads that are not among `threads` because there was no memory to
  /// record anything about them.
  std::map<std::string, uint64_t> dropped;
  std::vector<ManifestModule> modules;

  // process
  std::optional<uint64_t> pid, ppid;
  std::string executable, cwd;
  std::vector<std::string> argv;
  ManifestExit exit;
  ManifestPart part;

  // host, clock, recorder, recovered
  ManifestFields host;
  std::string clockSource;
  std::string times; ///< "exact", "tick" or "none"; empty if it does not say
  uint64_t resolutionNs = 0, longestTickNs = 0;
  uint64_t leftOutCount = 0;  ///< as for threads, of those that are not listed separately
  uint64_t inferredCount = 0; ///< the sum over all threads
  uint64_t recorderWaitNs = 0,
           recorderSpansMissingNs = 0; ///< of all threads; its part without a place in time
  uint64_t counterFaults = 0;          ///< how often the counter went back, or differed between CPUs
  struct ClockAnchor {
    uint64_t counter = 0, timeNs = 0;
  };
  std::vector<ClockAnchor> clockAnchors;
  using TimingAnchor = ada::TimingAnchor;
  std::vector<TimingAnchor> timingAnchors;
  /// By time. Empty unless the program ran with detail_mode=window.
  std::vector<DetailWindow> windows;
  /// Option `budget`: its value, such as "5%", empty if there was none; the assumed cost of recording a call and its
  /// return; the functions that it switched off, by time.
  std::string budget;
  uint64_t budgetCallNs = 0;
  std::vector<SwitchedOffFunction> switchedOff;
  std::optional<ManifestSched> sched;
  ManifestFields options;
  ManifestFields recorder;  ///< name, version, ABI versions
  ManifestFields recovered; ///< empty if nothing was recovered
  bool wasRecovered = false;

  /// Why nothing at all was recorded; empty if something may have been.
  std::string whyNothingIsRecorded() const;
  /// The reason if recovery found no manifest, no thread and no ring.
  static constexpr const char *kNeverBegan =
      "the process ended while its recorder started, or its recorder could not start";
  /// Why it is not known what was lost besides the losses given here; empty if these are all.
  std::string whyLossesAreUnknown() const;
  /// What the recorder failed at; empty if it did not.
  std::string failure() const;

  /// Flaws that did not stop the reader (bytes that are not UTF-8, symbols
  /// without id).
  std::vector<Warning> warnings;

  /// All events that were not recorded, those of the threads included, by reason.
  std::map<std::string, uint64_t> allDropped() const;
  /// The number of these, and of those that were left out.
  uint64_t allLost() const;
  uint64_t allLeftOut() const;
  /// The sum of switchedOff's estimates.
  uint64_t allEstimated() const;
  /// How many calls there can have been of all of them, which share the processors; 0: not known.
  uint64_t allAtMost() const;

  // Symbols are in the manifest, or, those of a module with `binary`, in a file of the folder `binaries` beside the
  // process's directory. All manifests of a session share what these files say. A file is read when one of its
  // functions is first asked for. If it can't be read, but the program is still there, the program is read instead.

  /// The symbols that are in the manifest itself, in its order.
  std::span<const Symbol> ownSymbols() const noexcept;
  /// How many functions there are, as far as the manifest says. Reads no file.
  uint64_t functionCount() const noexcept;
  uint64_t functionCount(const ManifestModule &module) const noexcept;
  /// Visits all symbols; `symbol` is valid during the call, its texts as long as the manifest. `wants`: leaves out
  /// modules with `binary` if it is false; the processes of a session have many in common.
  void eachSymbol(const std::function<void(const Symbol &symbol)> &visit,
                  const std::function<bool(const ManifestModule &module)> &wants = {}) const;
  /// The symbol of a function id, if it is known. Its texts are valid as long as the manifest. O(1).
  std::optional<Symbol> find(uint64_t functionId) const;
  /// Some of its symbols are annotations with arguments.
  bool hasAnnotatedValues() const;
  /// Which of the files that its modules name are missing or damaged, and where names are taken from instead.
  std::vector<Error> binaryFlaws() const;
  /// The folder of these files; empty if no module names one.
  std::string binariesFolder() const;
  /// The module of a function id, or null.
  const ManifestModule *moduleOfFunction(uint64_t functionId) const noexcept;

  /// The function's name for people: demangled, or as it is in the object file
  /// if it is not mangled, or the id as "0x0000000100000002" if the manifest
  /// doesn't know it. Made on the first call and kept, so that asking for each
  /// event is cheap; any thread.
  std::string_view displayName(uint64_t functionId) const;
  /// The same in the short form of ada::shortName().
  std::string_view shortDisplayName(uint64_t functionId) const;

private:
  struct Table;
  Manifest();
  std::unique_ptr<Table> table_;
  friend class ManifestParser;
};

} // namespace ada

#endif // ADA_TRACE_MANIFEST_H
