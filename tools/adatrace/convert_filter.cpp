//===- convert_filter.cpp - a part of a trace, for adatrace convert -------===//
//
// A call that begins before the range of time belongs to it if it goes on
// inside. So open calls are kept back until an event of their thread is in the
// range; what has ended by then is forgotten. What is handed on is whole calls.
//
//===----------------------------------------------------------------------===//
#include "convert_filter.h"
#include "quantities.h"

#include "select/function_glob.h"

#include <algorithm>
#include <charconv>

namespace ada::cli {

using model::Event;
using model::Kind;

std::optional<TimeBound> TimeBound::parse(const std::string &text) {
  TimeBound bound;
  if (text.starts_with('@')) {
    const char *end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data() + 1, end, bound.ns);
    if (error != std::errc() || next != end)
      return std::nullopt;
    bound.isAbsolute = true;
    return bound;
  }
  const std::optional<uint64_t> offset = parseDuration(text);
  if (!offset)
    return std::nullopt;
  bound.ns = *offset;
  return bound;
}

struct ConvertFilter::ThreadState {
  struct Frame {
    uint32_t function;
    uint32_t shownInside; ///< shown calls, this one included
    bool inside;          ///< in a call that --function asks for
    bool closed;          ///< in an excluded call, or past the range of time
    bool shown;
    size_t kept; ///< events kept back before this call
  };
  // What a kept event needs to outlive its batch.
  struct Kept {
    Event event;
    std::string name, json;
    std::vector<model::Detail> details;
    std::vector<std::string> payloads;
  };

  model::Thread thread;
  bool decided = false, wanted = false, started = false;
  uint32_t index = 0; ///< in the sink
  std::vector<Frame> frames;
  std::vector<uint32_t> openCalls; ///< by function
  std::vector<Kept> kept;
};

namespace {
enum Flag : uint8_t { kWanted = 1, kExcluded = 2, kHidden = 4 };
}

ConvertFilter::ConvertFilter(const ConvertFilterOptions &options,
                             model::TraceSink &sink)
    : options(options), sink(sink) {}
ConvertFilter::~ConvertFilter() = default;

bool ConvertFilter::needsRange() const {
  const auto isRelative = [](const std::optional<TimeBound> &bound) {
    return bound && !bound->isAbsolute;
  };
  return sink.needsRange() || isRelative(options.from) ||
         isRelative(options.to);
}

Expected<void> ConvertFilter::begin(const model::TraceInfo &info) {
  const uint64_t start = info.range ? info.range->first : 0;
  const auto absolute = [&](const TimeBound &bound) {
    uint64_t time = bound.ns;
    if (!bound.isAbsolute && __builtin_add_overflow(start, bound.ns, &time))
      time = ~uint64_t(0);
    return time;
  };
  if (options.from)
    from = absolute(*options.from);
  if (options.to)
    to = absolute(*options.to);
  return sink.begin(info);
}

Expected<void> ConvertFilter::addProcess(const model::Process &process) {
  return sink.addProcess(process);
}

Expected<void> ConvertFilter::addThread(const model::Thread &thread) {
  threads.push_back(std::make_unique<ThreadState>());
  threads.back()->thread = thread;
  threads.back()->started = from == 0;
  return decided ? decide(*threads.back()) : Expected<void>();
}

// As the other commands understand --thread: a number; where no thread has it,
// the system's thread id; or a glob for the name.
Expected<void> ConvertFilter::decide(ThreadState &state) {
  const model::Thread &thread = state.thread;
  const auto names = [&](const std::string &text) {
    const bool isNumber = std::ranges::any_of(threads, [&](const auto &other) {
      return std::to_string(other->thread.number) == text;
    });
    if (isNumber)
      return std::to_string(thread.number) == text;
    return std::to_string(thread.tid) == text ||
           select::matchOne({text.data(), text.size()},
                            {thread.name.data(), thread.name.size()});
  };
  state.decided = true;
  state.wanted =
      options.threads.empty() || std::ranges::any_of(options.threads, names);
  if (!state.wanted)
    return {};
  model::Thread renumbered = thread;
  renumbered.index = state.index = chosenThreads++;
  return sink.addThread(renumbered);
}

// When the first event comes: by then the traces that we write have named all
// threads.
Expected<void> ConvertFilter::decideAll() {
  if (std::exchange(decided, true))
    return {};
  for (const auto &thread : threads)
    if (auto done = decide(*thread); !done)
      return done;
  return {};
}

Expected<void> ConvertFilter::addFunction(const model::Function &function) {
  const select::Names names = {function.name.c_str(),
                               function.displayName.c_str(),
                               function.file.c_str()};
  const auto any = [&](const std::vector<std::string> &globs) {
    return std::ranges::any_of(globs, [&](const std::string &glob) {
      return select::means(glob.c_str(), names);
    });
  };
  const FilterOptions &o = options.calls;
  flags.push_back(static_cast<uint8_t>(
      (o.functions.empty() || any(o.functions) ? kWanted : 0) |
      (any(o.excluded) ? kExcluded : 0) | (any(o.hidden) ? kHidden : 0)));
  functions.push_back(function);
  renumbered.push_back(~uint32_t(0));
  return {};
}

// Puts the sink's number of the function into the event.
Expected<void> ConvertFilter::renumber(Event &event) {
  if (event.kind > Kind::Other)
    return {};
  uint32_t &number = renumbered[event.function];
  if (number == ~uint32_t(0)) {
    model::Function function = functions[event.function];
    function.index = number = chosenFunctions++;
    if (auto added = sink.addFunction(function); !added)
      return added;
  }
  event.function = number;
  return {};
}

bool ConvertFilter::enter(ThreadState &thread, const Event &event) {
  ThreadState::Frame frame = {event.function, 0,     false,
                              false,          false, thread.kept.size()};
  if (!thread.frames.empty()) {
    const ThreadState::Frame &outer = thread.frames.back();
    frame.inside = outer.inside;
    frame.closed = outer.closed;
    frame.shownInside = outer.shownInside;
  }
  const uint8_t function = flags[event.function];
  frame.inside |= (function & kWanted) != 0;
  frame.closed |=
      (function & kExcluded) != 0 || (event.timeNs >= to && to != ~uint64_t(0));
  const bool isChosen =
      options.calls.only ? (function & kWanted) != 0 : frame.inside;
  frame.shown = isChosen && !frame.closed && !(function & kHidden) &&
                frame.shownInside < options.calls.depth;
  frame.shownInside += frame.shown;
  thread.frames.push_back(frame);
  if (event.function >= thread.openCalls.size())
    thread.openCalls.resize(event.function + 1);
  ++thread.openCalls[event.function];
  return frame.shown;
}

// True if the end is to be shown: its call was.
bool ConvertFilter::leave(ThreadState &thread, const Event &event) {
  const bool isOpen = event.function < thread.openCalls.size() &&
                      thread.openCalls[event.function] > 0;
  if (!isOpen) { // began before the trace
    const uint8_t function = flags[event.function];
    const bool inside = !thread.frames.empty() && thread.frames.back().inside;
    const bool closed = !thread.frames.empty() && thread.frames.back().closed;
    return thread.started && !closed && !(function & (kExcluded | kHidden)) &&
           ((function & kWanted) || (inside && !options.calls.only)) &&
           (event.timeNs < to || to == ~uint64_t(0));
  }
  for (;;) {
    const ThreadState::Frame frame = thread.frames.back();
    thread.frames.pop_back();
    --thread.openCalls[frame.function];
    if (frame.function != event.function)
      continue; // its end is missing
    if (!thread.started)
      thread.kept.resize(frame.kept); // over before the range
    return frame.shown && thread.started;
  }
}

Expected<void> ConvertFilter::emit(const model::Batch &batch) {
  if (chosen.empty())
    return {};
  auto done = sink.events({chosen, batch.texts, batch.details});
  chosen.clear();
  return done;
}

// The range begins: the calls that are open belong to it.
Expected<void> ConvertFilter::release(ThreadState &thread,
                                      const model::Batch &batch) {
  thread.started = true;
  if (auto done = emit(batch); !done)
    return done;
  std::vector<Event> events;
  std::vector<model::Text> texts;
  std::vector<model::Detail> details;
  for (ThreadState::Kept &kept : thread.kept) {
    Event event = kept.event;
    if (auto done = renumber(event); !done)
      return done;
    if (event.kind == Kind::Value) {
      event.extra = static_cast<uint32_t>(texts.size());
      texts.push_back({kept.name, kept.json});
    } else {
      event.extra = static_cast<uint32_t>(details.size());
      for (size_t i = 0; i < kept.details.size(); ++i) {
        details.push_back(kept.details[i]);
        details.back().payload = std::as_bytes(std::span(kept.payloads[i]));
      }
    }
    events.push_back(event);
  }
  auto done =
      events.empty() ? Expected<void>() : sink.events({events, texts, details});
  thread.kept = {};
  return done;
}

Expected<void> ConvertFilter::take(ThreadState &thread, const Event &in,
                                   const model::Batch &batch) {
  Event event = in;
  event.thread = thread.index;
  if (!thread.started && in.timeNs >= from)
    if (auto done = release(thread, batch); !done)
      return done;
  const bool isBefore = !thread.started;
  const bool isPast = in.timeNs >= to && to != ~uint64_t(0);
  bool isShown = false;
  switch (in.kind) {
  case Kind::Call:
    isShown = enter(thread, in);
    break;
  case Kind::Return:
  case Kind::Exception:
    isShown = leave(thread, in);
    break;
  case Kind::Value:
    isShown = thread.frames.empty() ? !isBefore && !isPast
                                    : thread.frames.back().shown;
    break;
  case Kind::Other:
  case Kind::Mark:
    isShown = !isBefore && !isPast;
    break;
  }
  if (!isShown)
    return {};
  if (!isBefore) {
    auto done = renumber(event);
    chosen.push_back(event);
    return done;
  }
  ThreadState::Kept kept{
      .event = event, .name = {}, .json = {}, .details = {}, .payloads = {}};
  if (in.kind == Kind::Value) {
    kept.name = batch.texts[in.extra].name;
    kept.json = batch.texts[in.extra].json;
  }
  if (in.kind == Kind::Call)
    for (const model::Detail &detail :
         batch.details.subspan(in.extra, in.details)) {
      kept.details.push_back(detail);
      kept.payloads.emplace_back(
          reinterpret_cast<const char *>(detail.payload.data()),
          detail.payload.size());
    }
  thread.kept.push_back(std::move(kept));
  return {};
}

Expected<void> ConvertFilter::events(const model::Batch &batch) {
  if (auto done = decideAll(); !done)
    return done;
  for (const Event &event : batch.events) {
    ThreadState &thread = *threads[event.thread];
    if (thread.wanted)
      if (auto done = take(thread, event, batch); !done)
        return done;
  }
  return emit(batch);
}

Expected<void> ConvertFilter::endThread(uint32_t index) {
  if (auto done = decideAll(); !done)
    return done;
  ThreadState &thread = *threads[index];
  if (!thread.wanted)
    return {};
  if (!thread.started) // calls that never ended
    if (auto done = release(thread, {}); !done)
      return done;
  thread.openCalls = {};
  return sink.endThread(thread.index);
}

Expected<void> ConvertFilter::finish() {
  if (auto done = decideAll(); !done)
    return done;
  for (const auto &thread : threads)
    if (thread->wanted && !thread->started)
      if (auto done = release(*thread, {}); !done)
        return done;
  return sink.finish();
}

bool ConvertFilter::anyThread() const {
  return threads.empty() || options.threads.empty() || chosenThreads > 0;
}

} // namespace ada::cli
