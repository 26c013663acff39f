// Joins the two lanes of a thread: its events, and the detail of those that have some.
// Detail is registers, stack, and the values of arguments and result.
//
//   auto process = ada::atf::ProcessTrace::open("session/pid_4711");
//   ada::types::Catalog types(*process);
//   for (const auto &thread : process->threads()) {
//     if (!thread.index)
//       continue;
//     ada::atf::ThreadReader reader(thread, types);
//     reader.forEach([&](const ada::atf::ThreadEvent &event) {
//       if (auto detail = reader.detail(event))
//         print(reader.argumentsText(*detail));
//     });
//   }
//
// Detail is looked up by number, in constant time, and only when it is asked
// for. Links are not trusted: a detail event counts only if it names the index
// event back.
#ifndef ADA_TRACE_THREAD_READER_H
#define ADA_TRACE_THREAD_READER_H

#include "ada/trace/session.h"
#include "ada/trace/types.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace ada::types {

/// The types of a process's functions, parsed when they are first asked for.
/// Any thread. The process's manifest must outlive it.
class Catalog {
public:
  explicit Catalog(const atf::ProcessTrace &process);

  /// What is known about a function. If nothing is, the types are empty and not whole.
  /// The reference lives as long as the catalog.
  const FunctionTypes &of(uint64_t functionId) const;
  /// ATF's code of the machine the process ran on; 0 if it has no readable
  /// thread.
  uint8_t arch() const noexcept { return machine_; }

private:
  const atf::ProcessTrace *process_;
  uint8_t machine_ = 0;
  mutable std::mutex mutex_;
  mutable std::unordered_map<uint64_t, std::unique_ptr<const FunctionTypes>> known_;
};

} // namespace ada::types

namespace ada::atf {

/// An index event with its number.
struct ThreadEvent : IndexEvent {
  uint64_t seq = 0;
};

/// What was recorded with a call or return. Its spans lie in the detail file
/// and live as long as a copy of the thread's DetailReader does; for a packed file, as long as `event`,
/// `vectorsEvent` and `contentsEvent`.
struct EventDetail {
  DetailEvent event;        ///< the function event
  FunctionPayload function; ///< its registers and stack
  std::optional<VectorPayload> vectors;
  DetailEvent vectorsEvent = {}; ///< the event that `vectors` are of
  std::vector<types::Contents> contents = {};
  DetailEvent contentsEvent = {}; ///< likewise
  bool isReturn = false;
  /// Types of the function; they don't fit an event whose payload is about another function.
  const types::FunctionTypes *types = nullptr;

  /// For ada::types; lives as long as this.
  types::Registers registers() const;
};

/// An event's detail as members of a JSON object, without braces: those of the following that the event has.
///   "args":{"n":10},"arg_types":{"n":"int32"}  of a call, if the types are known
///   "return":55,"return_type":"int32"          of a return, likewise
///   "errno":"ENOENT"                           if a library function returned -1 or a null pointer
///   "registers":{"rdi":"0xa",…}, "vectors":{"xmm0":"0x…",…}
///   "contents":{"rdi":{"length":5,"bytes":"68656c6c6f"},…}
///                                              of text that a register points to (the result itself: "result");
///                                              length null: no end was seen; "unreadable":true
///   "lr":"0x…","fp":"0x…","sp":"0x…"
///   "stack":"0011…"                            its bytes from sp upwards
std::string detailJson(const EventDetail &detail, uint8_t arch);

/// Reads one thread. Cheap to make; use a reader in one thread of the program at a time.
class ThreadReader {
public:
  /// `thread` must have a readable index; both must outlive the reader.
  ThreadReader(const ThreadTrace &thread, const types::Catalog &types);

  const IndexReader &index() const noexcept { return *thread_->index; }
  /// True if there is a readable detail file.
  bool hasDetail() const noexcept { return details_ != nullptr; }

  ThreadEvent operator[](uint64_t seq) const { return {{index()[seq]}, seq}; }

  /// Calls f(const ThreadEvent &) for each event of the range. If `f` returns
  /// bool, false stops.
  template <class F> void forEach(SeqRange range, F &&f) const {
    index().forEach(range, [&](uint64_t seq, const IndexEvent &event) { return f(ThreadEvent{{event}, seq}); });
  }
  template <class F> void forEach(F &&f) const { forEach(index().all(), static_cast<F &&>(f)); }

  /// The event's detail, if it has some and the two name each other. O(1).
  std::optional<EventDetail> detail(const ThreadEvent &event) const;
  std::optional<EventDetail> detail(uint64_t seq, const IndexEvent &event) const {
    return detail(ThreadEvent{{event}, seq});
  }

  /// ada::types::argumentsText and the like, for this thread's machine. The
  /// arguments are those of a call, the result that of a return.
  std::string argumentsText(const EventDetail &call) const;
  std::string resultText(const EventDetail &ret) const;

  uint8_t arch() const noexcept { return index().header().arch; }

private:
  const types::FunctionTypes &typesOf(uint64_t functionId) const;

  const ThreadTrace *thread_;
  const types::Catalog *catalog_;
  const DetailReader *details_ = nullptr;
  // The catalog's answers, without its lock.
  mutable std::unordered_map<uint64_t, const types::FunctionTypes *> known_;
};

} // namespace ada::atf

#endif // ADA_TRACE_THREAD_READER_H
