// The common part of sinks for formats that are only written: turns events into calls with arguments, results and ends.
#pragma once

#include "analysis/calls/call_reader.h"
#include "analysis/values/counters.h"
#include "formats/byte_output.h"
#include "formats/table.h"
#include "trace/loss_list.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ada::formats {

/// Numbers for formats that identify a process by its pid and a thread by its pid and tid. They are the system's if
/// those are known and not taken yet (fibers share one, and the system reuses them). Otherwise they are made up, above
/// all numbers that Linux assigns.
class SystemIds {
public:
  static constexpr uint32_t kMadeUp = 0x40000000;
  void add(const model::Process &process);
  void add(const model::Thread &thread);
  uint32_t pid(uint32_t process) const { return pids_[process]; }
  uint32_t tid(uint32_t thread) const { return tids_[thread]; }
  bool isReal(uint32_t thread) const { return tids_[thread] < kMadeUp; }

private:
  std::vector<uint32_t> pids_, tids_;
  std::unordered_set<uint64_t> known_;
};

/// Derived sinks receive calls, whose ends are repaired as in calls.h. Threads, functions and processes are identified
/// by their numbers.
class ExportSink : public model::TraceSink {
public:
  enum class Wants {
    Calls,
    Values,     ///< and arguments and results, as text
    ValueLists, ///< arguments also as JSON
  };
  explicit ExportSink(Wants wants);
  ~ExportSink() override;

  Expected<void> begin(const model::TraceInfo &info) final;
  Expected<void> addProcess(const model::Process &process) final;
  Expected<void> addThread(const model::Thread &thread) final;
  Expected<void> addFunction(const model::Function &function) final;
  Expected<void> events(const model::Batch &batch) final;
  Expected<void> endThread(uint32_t thread) final;
  Expected<void> finish() final;
  bool wantsDetails() const override { return hasValues_; }
  bool sharesFunctions() const override { return true; }
  std::vector<model::Loss> losses() const override { return lost_.list(); }

protected:
  /// The name for times when the recorder held up a call, in formats that have frames for functions only.
  static constexpr std::string_view kRecorderName = "[recorder]";

  struct Call {
    uint32_t thread = 0, function = 0, depth = 0;
    uint64_t timeNs = 0;
    uint64_t seq = 0;                ///< the number of its event in the thread; Span::kNoSeq if it began before those
    std::string_view arguments = {}; ///< "(n=10)", or empty
    std::string_view json = {};      ///< {"n":10}, or empty; with `lists` only
  };
  struct End {
    uint32_t thread = 0;
    const Span &span; ///< functionIndex is the function's number
    std::string_view result = {};
    std::string_view values = {}; ///< "(x=1)": named during the call, but too late to be among its arguments
    std::string_view json = {};   ///< the same: {"x":1}; with `lists` only
    bool isOpen() const { return span.how == SpanEnd::Open; }
  };

  /// An instant, a value of a counter or a step of a flow (ada/annotations.h).
  struct Point {
    uint32_t thread = 0, function = 0, depth = 0;
    SymbolKind kind = SymbolKind::Instant;
    uint64_t timeNs = 0, seq = 0;                     ///< as in Call
    std::optional<analysis::CounterValue> value = {}; ///< the counter's value or the flow's id, if known
    std::string_view arguments = {};                  ///< "(n=10)", or empty
    std::string_view json = {};                       ///< {"n":10}, or empty
  };

  virtual void beginTrace(const model::TraceInfo &) {}
  virtual void newProcess(const model::Process &) {}
  virtual void newThread(const model::Thread &) {}
  virtual void newFunction(const model::Function &) {}
  /// The off-CPU times of the thread that was just announced, if any are known. By default they are counted as lost.
  virtual void offCpuTimes(const model::Thread &thread) { lost_.addOffCpu(thread); }
  /// The thread's next event, and its calls that are open until then, outermost first. For threads that followEvents()
  /// named.
  virtual void nextEvent(const model::Event &, std::span<const Span> /*open*/) {}
  virtual void beginCall(const Call &) {}
  /// A value of the open call at that depth that came too late to be among its arguments. End::values has it, too.
  virtual void lateValue(uint32_t /*thread*/, uint32_t /*depth*/, const model::Text &) {}
  virtual void endCall(const End &) = 0;
  /// The recorder held up the innermost open call, which ends later. This time is not part of its Span::selfNs().
  virtual void heldUp(uint32_t /*thread*/, uint64_t /*fromNs*/, uint64_t /*toNs*/) {}
  /// Returns false if the point is to be shown as a call.
  virtual bool point(const Point &) { return false; }
  virtual void mark(uint32_t thread, uint64_t timeNs, const model::Text &text) = 0;
  /// No more calls of the thread will come. Called once for each thread that had any event.
  virtual void leaveThread(uint32_t) {}
  virtual void endTrace() = 0;
  virtual const Expected<void> &status() const = 0;

  const analysis::TraceTable &table() const { return table_; }
  const model::Function &function(uint32_t number) const { return table_.functions[number]; }
  const model::Thread &thread(uint32_t number) const { return table_.threads[number]; }
  const model::Process &processOf(const model::Thread &thread) const { return table_.processes[thread.process]; }
  /// The time of a thread's first event. The thread must have had an event and must not have ended.
  uint64_t firstEventNs(uint32_t thread) const;
  /// Before the thread's first event: asks for nextEvent().
  void followEvents(uint32_t thread) { followed_.insert(thread); }
  bool hasSeveralProcesses() const { return table_.processes.size() > 1; }
  void lose(std::string_view what, uint64_t count = 1) { lost_.add(what, count); }

private:
  struct ThreadState;
  ThreadState &stateOf(uint32_t thread);
  void leave(ThreadState &thread);

  bool hasValues_, hasLists_;
  analysis::TraceTable table_;
  analysis::FilterOptions everything_;
  analysis::FunctionRules rules_{everything_, table_};
  analysis::ValueTexts values_{table_};
  std::vector<std::unique_ptr<ThreadState>> threads_;
  std::unordered_set<uint32_t> followed_;
  model::LossList lost_;
};

/// TraceFormat::makeSink for a format that is one stream of bytes, and for one that needs a path.
template <class Sink> std::unique_ptr<model::TraceSink> makeStreamSink(SinkTarget target, const SinkOptions &) {
  return std::make_unique<Sink>(std::move(target.bytes));
}
// NOLINTNEXTLINE(performance-unnecessary-value-param)
template <class Sink> std::unique_ptr<model::TraceSink> makeFileSink(SinkTarget target, const SinkOptions &) {
  return std::make_unique<Sink>(target.path);
}

/// Its label, or "thread 3" if it has none.
std::string nameOf(const model::Thread &thread);
/// "worker (tid 4712)"
std::string labelOf(const model::Thread &thread);
/// "app": its program without a number, because these formats have the pid beside it; if that is not known, its label.
std::string nameOf(const model::Process &process);
/// "app (pid 4711)"
std::string labelOf(const model::Process &process);

} // namespace ada::formats
