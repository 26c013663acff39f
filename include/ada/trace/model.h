// What all trace formats have in common: processes, threads, functions, calls and their ends, marks and values.
// A format is one TraceSource and one TraceSink against this; convert.h makes them and connects them.
//
//   struct Count : ada::model::TraceSink {
//     uint64_t calls = 0;
//     ada::Expected<void> events(const ada::model::Batch &batch) override {
//       for (const ada::model::Event &event : batch.events)
//         calls += event.kind == ada::model::Kind::Call;
//       return {};
//     }
//   } count;
//   auto source = ada::model::openTrace("trace.trc");
//   if (source)
//     (*source)->read(count);
//
// Threads, functions and processes are numbered from 0 in the order in which
// the source announces them; each is announced before it is first referred to.
// Events come in batches of some thousand. Within a thread they are in the order of the trace;
// threads may come in any order.
//
// Memory: what was announced, one batch, and what a format needs for its open
// calls. It does not grow with the number of events.
#ifndef ADA_TRACE_MODEL_H
#define ADA_TRACE_MODEL_H

#include "ada/trace/error.h"
#include "ada/trace/event.h"
#include "ada/trace/off_cpu.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::model {

using Kind = EventKind;

struct Event {
  uint64_t timeNs = 0;
  uint32_t thread = 0;
  uint32_t function = 0; ///< of all but marks and values
  Kind kind = Kind::Call;
  uint8_t details = 0;    ///< how many of Batch::details belong to the event
  bool isEarlier = false; ///< Call: not an event of the thread, but open before its first one; see Batch::keptFromNs
  uint32_t extra = 0;     ///< index of its first detail, or of its text
};

/// The text of a Mark or Value.
struct Text {
  std::string_view name;
  /// JSON: for a Mark an object or nothing, for a Value anything.
  std::string_view json;
};

/// Registers, stack bytes and the like, as ATF detail files hold them.
struct Detail {
  uint16_t type = 0, flags = 0;
  uint64_t timeNs = 0;
  std::span<const std::byte> payload = {};
  /// Its number in the detail file; counted by the reader where there is none.
  uint64_t seq = 0;
};

/// Events and what they refer to; everything is valid during the call only.
struct Batch {
  std::span<const Event> events;
  std::span<const Text> texts;
  std::span<const Detail> details;
  /// Sources that are threadwise: the number, in its thread, of the first event. The others follow without a gap.
  uint64_t firstSeq = 0;
  /// A trace that has lost its oldest events may know which calls were open at `keptFromNs`, when the first event that
  /// it still has happened. These calls are then the thread's first batch, outermost first, with the times when they
  /// began and without numbers; `unknownCalls` more were open around them.
  /// A read that begins elsewhere has no such batch.
  uint64_t keptFromNs = 0, unknownCalls = 0;
  /// For sinks that want them: the number of each event in its thread, also if others are left out. Calls that began
  /// before the thread's events have no number, whatever this says.
  std::span<const uint64_t> numbers = {};
};

/// A text that is made each time it is asked for, because a trace of ten thousand processes would hold ten thousand.
/// Copies are cheap. Any thread may ask.
class TextOnDemand {
public:
  /// Where texts come from, by number.
  class Source {
  public:
    virtual ~Source();
    virtual std::string text(uint64_t number) const = 0;
  };

  TextOnDemand() = default;
  TextOnDemand(std::string text);
  TextOnDemand(std::shared_ptr<const Source> source, uint64_t number) : source_(std::move(source)), number_(number) {}
  std::string get() const { return source_ ? source_->text(number_) : std::string(); }

private:
  std::shared_ptr<const Source> source_; // null: the text is empty
  uint64_t number_ = 0;
};

struct Process {
  uint32_t index = 0;
  /// Identifies it in its trace: "pid_4711"; for an ATF session, the directory's name.
  std::string name = {};
  /// What people call it: its program, "git". If several processes of the trace have the same program, what tells them
  /// apart follows: "git 4711". Sources may leave it empty, if they don't know all processes.
  std::string label = {};
  std::optional<uint64_t> pid = {};
  std::string executable = {};
  uint8_t clockType = 3; ///< as in ATF's index header
  /// If events got their times from a word that was advanced now and then (clock=tick): by how much a call may be off.
  /// 0: each event has its own time.
  uint64_t resolutionNs = 0;
  bool timesAreOrder = false; ///< clock=none: times only show the order
  bool isRecording = false;   ///< it ran when the trace was opened, and goes on recording into it
  /// An ATF session's manifest.json (docs/formats/manifest.md) without threads
  /// and symbols; empty if there is none. ATF sources read it when it is asked for.
  TextOnDemand description = {};
  /// In the order in which the program gave them.
  std::vector<TimingAnchor> timingAnchors = {};
  /// Some of its functions are annotations with arguments, which are worth showing without being asked for.
  bool hasAnnotatedValues = false;
  /// ATF sources only, for ATF sinks: the manifest's `symbols`.
  TextOnDemand symbols = {};
  /// The same: the folder with the symbols of the modules in `description` that have `binary`.
  std::string binariesFolder = {};
};

/// How much a thread holds.
struct ThreadExtent {
  uint64_t events = 0;
  uint64_t firstNs = 0, lastNs = 0; ///< of its first and last event; 0 if there are none
};

struct Thread {
  uint32_t index = 0;
  uint32_t process = 0;
  uint32_t number = 0;   ///< in its process: the N of ATF's thread_N
  uint64_t tid = 0;      ///< the system's id
  std::string name = {}; ///< as the trace has it; the system gives every thread the name of the one that began it
  /// What people call it: its own name, "main", or the outermost function of a thread that nobody has named, with a
  /// number: "worker #1". Empty if nothing is known.
  std::string label = {};
  uint8_t arch = 1, os = 4;                  ///< as in ATF's index header
  std::optional<uint32_t> fileThreadId = {}; ///< of ATF's index header
  /// What else the manifest says about it, as a JSON object: dropped events, for example. Empty if nothing.
  TextOnDemand description = {};
  /// Known for threadwise sources.
  std::optional<ThreadExtent> extent = {};
  /// Where events were lost, as far as it is known; by time.
  std::vector<LossGap> gaps = {};
  /// When it did not run its program; null if nothing is known about that.
  std::shared_ptr<const OffCpuLane> offCpu = {};
  /// For sinks that want numbers: its index in the trace, also if other threads are left out.
  uint32_t indexInTrace = 0;
  /// Whether it is known when the thread was on-CPU.
  bool knowsSched() const { return offCpu && offCpu->isSchedKnown(); }
  /// For lists: calls use(const OffCpu &) for its off-CPU times, and for what is unknown between its first and last
  /// event.
  template <class Use> void eachOffCpu(Use &&use) const {
    if (offCpu)
      offCpu->each(extent ? extent->firstNs : ~uint64_t{0}, extent ? extent->lastNs : 0, use);
  }
};

struct Function {
  uint32_t index = 0;
  uint32_t process = 0;
  uint64_t id = 0;              ///< module << 32 | symbol
  std::string name = {};        ///< as in the object file; empty if not known
  std::string displayName = {}; ///< for people
  std::string file = {}, signature = {};
  std::string types = {}; ///< parameters and result, see docs/reference/types.md
  uint64_t line = 0, address = 0;
  bool isExternal = false;  ///< a library function, recorded where it is called; file and line are of a declaration
  bool isCoroutine = false; ///< creates a coroutine or is a part of one: "f.resume"; or polls or drops a future of Rust
  bool isInlined = false;   ///< copies of a function that were inlined into others
  uint64_t original = 0;    ///< of inlined copies: the function's id, which may be 0, or that of the first copy
  SymbolKind kind = SymbolKind::Function;
  bool isRenamed = false; ///< `displayName` is what the source gave it (ADA_NAMED)
  /// For sinks that want numbers: which of query::SpanTable::functions() it is.
  uint32_t numberInTrace = 0;

  /// Whether it is identified by its name, because it may have several ids: a library function has one for each module
  /// that calls it and for each way to call it, an annotation has one for each place.
  bool goesByName() const { return isExternal || kind != SymbolKind::Function; }
  /// The id that calls of the function and of its inlined copies share.
  uint64_t commonId() const { return isInlined ? original : id; }
};

/// What a source knows before the first event.
struct TraceInfo {
  /// Earliest and latest time of an event, if there are events and it is known.
  std::optional<std::pair<uint64_t, uint64_t>> range = {};
  /// The trace is an ATF session with a directory for each process, not just one such directory.
  bool isRoot = true;
};

/// Something that did not survive a conversion, and how often.
struct Loss {
  uint64_t count = 0;
  std::string what = {}; ///< "detail events: wtf-trace has no place for them"
};

/// Receives a trace. An error stops the source, which returns it.
class TraceSink {
public:
  virtual ~TraceSink();
  virtual Expected<void> begin(const TraceInfo &) { return {}; }
  virtual Expected<void> addProcess(const Process &) { return {}; }
  virtual Expected<void> addThread(const Thread &) { return {}; }
  virtual Expected<void> addFunction(const Function &) { return {}; }
  virtual Expected<void> events(const Batch &) = 0;
  /// No event of this thread will come any more. Not all sources know.
  virtual Expected<void> endThread(uint32_t /*thread*/) { return {}; }
  /// The trace is complete; no output is complete before this.
  virtual Expected<void> finish() { return {}; }

  /// TraceInfo::range must be given to begin().
  virtual bool needsRange() const { return false; }
  /// The sink uses details.
  virtual bool wantsDetails() const { return false; }
  /// The sink uses Process::symbols: functions that no event names are kept.
  virtual bool takesSymbols() const { return false; }
  /// The sink uses functions that no event names: sources that know them announce them after the last event.
  virtual bool wantsUnused() const { return false; }
  /// The sink uses Batch::numbers, Thread::indexInTrace and Function::numberInTrace, by which calls of a part of a
  /// trace are the same as in all of it. convert() provides them.
  virtual bool wantsNumbers() const { return false; }
  /// See ReadRequest::sharesFunctions: the sink does not use Function::process.
  virtual bool sharesFunctions() const { return false; }
  /// After finish(): what could not be carried over. Each reason once.
  virtual std::vector<Loss> losses() const { return {}; }
};

/// Which part of a trace is wanted.
struct ReadRequest {
  /// By index; nothing: all. An empty list: no events at all, only what is announced.
  std::optional<std::vector<uint32_t>> threads = {};
  /// Events with fromNs <= time < toNs.
  uint64_t fromNs = 0, toNs = ~uint64_t{0};
  /// Events with these numbers in their thread, counted from 0: fromSeq <= number < toSeq.
  uint64_t fromSeq = 0, toSeq = ~uint64_t{0};
  /// The sink (or one that shares its tables) has read from this source before: what was announced then is not
  /// announced again, begin() is not called, and damage that was found then is not listed twice.
  bool isFurther = false;
  /// The calls that are open at fromSeq, which is one of TraceSource::cuts(), come first, as Event::isEarlier.
  /// None of them is missing, and nothing is lost before fromSeq: Batch::keptFromNs is 0.
  bool withOpenCalls = false;
  /// In the read that begins: functions of a binary that many processes have may be announced once, with the first of
  /// these processes as Function::process. Further reads, and those of another() source, go on like this.
  bool sharesFunctions = false;

  bool wantsThread(uint32_t thread) const;
  bool wantsEvent(uint64_t seq, uint64_t timeNs) const {
    return seq >= fromSeq && seq < toSeq && timeNs >= fromNs && (timeNs < toNs || toNs == ~uint64_t{0});
  }
};

/// Prints of data that will not change, so that results from it can be computed once and kept:
/// of a process's threads that were written to their ends.
/// A print is a number that changes if what it stands for changes.
struct Prints {
  std::string directory;                              ///< of the process's files
  uint64_t functions = 0;                             ///< what is known about functions and modules
  std::vector<std::pair<uint32_t, uint64_t>> threads; ///< by index, and the print of each one's events
};

/// A trace that can be read.
///
/// Some sources are threadwise: they deliver one thread after the other in batches of one thread each, can be read any
/// number of times and from within a sink, and go to a requested part directly.
/// trace/spool.h makes a threadwise source from any other.
class TraceSource {
public:
  virtual ~TraceSource();
  /// Hands the whole trace to the sink, begin() to finish(). Damaged parts are left out and listed in problems().
  /// An error means that nothing of use was found, or it comes from the sink. May be called again, unless the trace
  /// comes from a pipe (see makeRepeatable()).
  virtual Expected<void> read(TraceSink &sink) = 0;
  virtual bool isThreadwise() const { return false; }
  /// Hands a part to the sink. Threadwise sources only; E_INTERNAL from others.
  virtual Expected<void> readPart(TraceSink &sink, const ReadRequest &request);
  /// Threadwise sources: another source of the same trace, for another thread of the program.
  /// It is for sinks that know what this source has announced so far (ReadRequest::isFurther),
  /// and it numbers later functions independently.
  virtual std::unique_ptr<TraceSource> another() const { return nullptr; }
  /// Threadwise sources: numbers of events from which on a thread can be read by itself (ReadRequest::withOpenCalls),
  /// the first of them 0. There are at most `pieces`, about equally far from each other.
  virtual std::vector<uint64_t> cuts(uint32_t /*thread*/, size_t /*pieces*/) const { return {0}; }
  /// Threadwise sources, after everything was announced: prints of a process. Nothing if none of its threads has one.
  virtual std::optional<Prints> prints(uint32_t /*process*/) const { return std::nullopt; }
  /// Sources that have prints: the function as it is announced to sinks, but without a number.
  virtual Function functionOf(uint32_t process, uint64_t id) const;
  /// Makes sure that read() can be called twice: bytes of a pipe are kept in a
  /// temporary file.
  virtual Expected<void> makeRepeatable() { return {}; }
  /// The range of times is given to begin() if the sink needs it.
  virtual bool knowsRange() const { return false; }
  /// How much of the trace was read, 0 to 1, if that is known. For progress bars; during read() only.
  virtual std::optional<double> progress() const { return std::nullopt; }
  /// What went wrong in the last read(); events before it were delivered.
  virtual const std::vector<Error> &problems() const = 0;
  virtual const std::vector<Warning> &warnings() const = 0;
  /// The parts of this trace that the model can't hold. After read().
  virtual std::vector<Loss> losses() const { return {}; }
};

} // namespace ada::model

#endif // ADA_TRACE_MODEL_H
