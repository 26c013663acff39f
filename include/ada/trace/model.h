// What all trace formats have in common: processes, threads, functions, calls
// and their ends, marks and values. A format is one TraceSource and one
// TraceSink against this; convert.h makes them and connects them.
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
// Events come in batches of some thousand. Within a thread they are in the
// order of the trace; from thread to thread a source may go as it likes.
//
// Memory: what was announced, one batch, and what a format needs for its open
// calls. It does not grow with the number of events.
#ifndef ADA_TRACE_MODEL_H
#define ADA_TRACE_MODEL_H

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::model {

/// What happened.
enum class Kind : std::uint8_t {
  Call = 1,
  Return = 2,
  Exception = 3, ///< left by unwinding, longjmp or the end of the thread
  Other =
      4,    ///< an ATF event of a kind without a name; Event::other is the kind
  Mark = 5, ///< a point in time with a name: Batch::texts
  Value = 6, ///< a named value of the innermost open call: Batch::texts
};

struct Event {
  std::uint64_t timeNs = 0;
  std::uint32_t thread = 0;
  std::uint32_t function = 0; ///< Call, Return, Exception, Other
  Kind kind = Kind::Call;
  std::uint8_t details = 0; ///< how many of Batch::details are the event's
  std::uint32_t other = 0;  ///< Other: the number of the kind
  std::uint32_t extra = 0;  ///< index of its first detail, or of its text
};

/// Of a Mark or Value.
struct Text {
  std::string_view name;
  /// JSON: of a Mark an object or nothing, of a Value anything.
  std::string_view json;
};

/// Registers, stack bytes and the like, as ATF detail files hold them.
struct Detail {
  std::uint16_t type = 0, flags = 0;
  std::uint64_t timeNs = 0;
  std::span<const std::byte> payload = {};
};

/// Events and what they refer to; everything is valid during the call only.
struct Batch {
  std::span<const Event> events;
  std::span<const Text> texts;
  std::span<const Detail> details;
};

struct Process {
  std::uint32_t index = 0;
  std::string name = {}; ///< "pid_4711"; of an ATF session the directory's
  std::optional<std::uint64_t> pid = {};
  std::string executable = {};
  std::uint8_t clockType = 3; ///< as in ATF's index header
  /// An ATF session's manifest.json (docs/formats/manifest.md) without threads
  /// and symbols; empty if there is none.
  std::string description = {};
  /// ATF sources only, for ATF sinks: the manifest's `symbols`, all of them.
  /// Valid during addProcess().
  std::string_view symbols = {};
};

struct Thread {
  std::uint32_t index = 0;
  std::uint32_t process = 0;
  std::uint32_t number = 0; ///< in its process: the N of ATF's thread_N
  std::uint64_t tid = 0;    ///< the system's id
  std::string name = {};
  std::uint8_t arch = 1, os = 4;                  ///< as in ATF's index header
  std::optional<std::uint32_t> fileThreadId = {}; ///< of ATF's index header
  /// What else the manifest says of it, as a JSON object: events that were
  /// dropped, say. Empty if nothing.
  std::string description = {};
};

struct Function {
  std::uint32_t index = 0;
  std::uint32_t process = 0;
  std::uint64_t id = 0;         ///< module << 32 | symbol
  std::string name = {};        ///< as in the object file; empty if not known
  std::string displayName = {}; ///< for people
  std::string file = {}, signature = {};
  std::string types = {}; ///< parameters and result, see docs/types.md
  std::uint64_t line = 0, address = 0;
};

/// What a source knows before the first event.
struct TraceInfo {
  /// Earliest and latest time of an event, if there are events and it is known.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range = {};
  /// An ATF session with a directory for each process, not just one of these.
  bool isRoot = true;
};

/// Something that did not survive a conversion, with how often.
struct Loss {
  std::uint64_t count = 0;
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
  virtual Expected<void> endThread(std::uint32_t /*thread*/) { return {}; }
  /// The trace is complete; nothing is written as a whole before this.
  virtual Expected<void> finish() { return {}; }

  /// TraceInfo::range must be given to begin().
  virtual bool needsRange() const { return false; }
  /// Details are of use.
  virtual bool wantsDetails() const { return false; }
  /// After finish(): what could not be carried. Each reason once.
  virtual std::vector<Loss> losses() const { return {}; }
};

/// A trace that can be read.
class TraceSource {
public:
  virtual ~TraceSource();
  /// Hands the whole trace to the sink, begin() to finish(). What is damaged is
  /// left out and listed in problems(); an error means that nothing of use was
  /// there, or is the sink's. May be called again, unless the trace comes from
  /// a pipe (see makeRepeatable()).
  virtual Expected<void> read(TraceSink &sink) = 0;
  /// Makes sure that read() can be called twice: bytes of a pipe are kept in a
  /// temporary file.
  virtual Expected<void> makeRepeatable() { return {}; }
  /// The range of times is given to begin() if the sink needs it.
  virtual bool knowsRange() const { return false; }
  /// How much of the trace was read, 0 to 1, if that can be told. For progress
  /// bars; during read() only.
  virtual std::optional<double> progress() const { return std::nullopt; }
  /// What went wrong in the last read(); events before it were delivered.
  virtual const std::vector<Error> &problems() const = 0;
  virtual const std::vector<Warning> &warnings() const = 0;
  /// What the model can't hold of this trace. After read().
  virtual std::vector<Loss> losses() const { return {}; }
};

} // namespace ada::model

#endif // ADA_TRACE_MODEL_H
