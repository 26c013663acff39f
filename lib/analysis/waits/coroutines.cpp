// Follows coroutines from thread to thread.
#include "coroutines.h"

#include "ada/trace/calls.h"
#include "analysis/calls/call_reader.h"
#include "analysis/calls/value_texts.h"
#include "analysis/events/merged_events.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

const char *coroutineLinkName(CoroutineLink link) {
  constexpr const char *kNames[] = {"none", "created", "resumed", "awaited"};
  return kNames[static_cast<size_t>(link)];
}

bool isFuturePart(const model::Function &function) {
  return function.isCoroutine && function.types.find(";future:") != std::string::npos;
}

namespace {

// What a call does. GCC makes one function, f.actor, of all that the coroutine does; its second argument tells what it
// is called for. Start: the first part, which f calls. (LLVM makes it a part of f.)
enum class Role : uint8_t { None, Create, Start, Resume, Destroy, Actor, Poll, Drop };

// The numbers that rustc gives to the states of a future. From the next one on it is suspended.
enum FutureState : uint64_t { kUnresumed, kReturned, kPanicked };

// Compilers put the promise after two pointers, and further away only if it needs more than their alignment.
constexpr uint64_t kPromiseOffset = 16;

Role roleOf(const model::Function &function) {
  if (!function.isCoroutine)
    return Role::None;
  if (isFuturePart(function))
    return function.types.starts_with("-:v") ? Role::Drop : Role::Poll;
  const std::string_view name = std::string_view(function.name).substr(0, function.name.find(".llvm."));
  return name.ends_with(".resume")                                  ? Role::Resume
         : name.ends_with(".actor")                                 ? Role::Actor
         : name.ends_with(".destroy") || name.ends_with(".cleanup") ? Role::Destroy
                                                                    : Role::Create;
}

// What an actor does that goes on at that index.
Role roleAt(uint64_t index) { return index % 2 ? Role::Destroy : index ? Role::Resume : Role::Start; }

// Which of the functions of a future stands for it: the one whose name tells which future that is.
int rankOf(const model::Function &function) {
  return roleOf(function) == Role::Drop ? 0 : function.displayName.ends_with('}') ? 2 : 1;
}

// Returns "_Z1fv" for "_Z1fv.resume".
std::string_view creatorName(const model::Function &part) {
  const std::string_view name = std::string_view(part.name).substr(0, part.name.find(".llvm."));
  return name.substr(0, name.rfind('.'));
}

class Follower {
public:
  explicit Follower(const TraceTable &table) : table_(table), values_(table), rules_(everything_, table) {}

  void take(uint64_t seq, const model::Event &event, const model::Batch &batch);
  Coroutines finish();

  // Called by CallReader.
  void begin(uint64_t, const model::Event &call, bool, std::string &&) { begin(*state_, call, *batch_); }
  void end(const Span &span, bool, std::string &&) { end(*state_, span, *event_, *batch_); }

private:
  struct Frame {
    uint32_t function = 0;
    Role role = Role::None;
    uint32_t coroutine = kNoCoroutine;
    uint64_t beginNs = 0;
  };
  struct ThreadState {
    std::unique_ptr<CallReader<Follower>> calls;
    std::vector<Frame> frames;
    std::vector<size_t> running; // frames that run coroutines, the innermost last
    uint64_t sinceNs = 0;        // when the innermost one started
  };
  using Address = std::pair<uint32_t, uint64_t>;                  // process, frame
  using Place = std::tuple<uint32_t, uint64_t, std::string_view>; // of a future: process, address, type
  // Only needed while it lives.
  struct Life {
    std::vector<uint64_t> words; // the creating call's result: one of the words may be the frame
    uint64_t onStackNs = 0, inCalls = 0, onStackSinceNs = 0;
    // If it is a future:
    uint64_t bytes = 0;
    std::string_view type;                  // values_ has it
    std::map<Place, uint32_t>::iterator at; // while it is alive
    uint32_t same = kNoCoroutine; // the entry that stands for it: it was created and resumed by two threads at once
    bool hasRun = false, isCreated = false;
  };

  const TraceTable &table_;
  ValueTexts values_;
  FilterOptions everything_;
  FunctionRules rules_;
  std::vector<Role> roles_; // by function
  std::unordered_map<uint32_t, ThreadState> threads_;
  std::vector<Coroutine> all_;
  std::vector<Life> lives_;
  std::map<Address, uint32_t> alive_;
  std::map<Place, uint32_t> futures_; // those that are alive
  std::map<std::pair<uint32_t, std::string_view>, uint32_t>
      pollers_;                        // by process and type: what polls or drops such futures
  std::map<Address, uint32_t> byWord_; // by word of the result: the youngest whose frame is not known yet
  std::map<std::pair<uint32_t, std::string>, std::set<uint32_t>> silent_; // those that returned nothing
  uint64_t lastNs_ = 0;
  ThreadState *state_ = nullptr; // of the current event
  const model::Event *event_ = nullptr;
  const model::Batch *batch_ = nullptr;
  bool hasFunctions_ = false, hasFrames_ = false;

  Role role(uint32_t function) {
    for (size_t i = roles_.size(); i <= function; ++i)
      roles_.push_back(roleOf(table_.functions[i]));
    return roles_[function];
  }
  // The entry that stands for this one.
  uint32_t whole(uint32_t coroutine) const {
    while (coroutine != kNoCoroutine && lives_[coroutine].same != kNoCoroutine)
      coroutine = lives_[coroutine].same;
    return coroutine;
  }
  uint32_t running(const ThreadState &state) const {
    return state.running.empty() ? kNoCoroutine : whole(state.frames[state.running.back()].coroutine);
  }
  void settle(ThreadState &state, uint64_t ns) {
    const uint32_t now = running(state);
    if (now != kNoCoroutine && ns > state.sinceNs && !(all_[now].isFuture && all_[now].isEnded))
      all_[now].runningNs += ns - state.sinceNs;
    state.sinceNs = ns;
  }
  uint32_t add(uint32_t process, uint32_t function, uint64_t ns, uint32_t thread) {
    Coroutine coroutine;
    coroutine.process = process, coroutine.function = function;
    coroutine.beginNs = ns, coroutine.firstThread = thread;
    all_.push_back(coroutine);
    lives_.emplace_back();
    return static_cast<uint32_t>(all_.size() - 1);
  }
  void push(ThreadState &state, Frame frame, uint64_t ns) {
    if (frame.coroutine != kNoCoroutine) {
      settle(state, ns);
      state.running.push_back(state.frames.size());
      Life &life = lives_[frame.coroutine];
      if (life.inCalls++ == 0)
        life.onStackSinceNs = ns;
    }
    state.frames.push_back(frame);
  }
  void leave(ThreadState &state, const Frame &frame, uint64_t ns);
  void begin(ThreadState &state, const model::Event &event, const model::Batch &batch);
  void end(ThreadState &state, const Span &span, const model::Event &event, const model::Batch &batch);
  void afterCreation(uint32_t coroutine, const atf::EventDetail &detail);
  void join(uint32_t coroutine, uint32_t other);
  void bind(uint32_t coroutine, uint64_t frame);
  void forgetWords(uint32_t coroutine);
  uint32_t created(uint32_t process, uint64_t frame, std::string_view name) const;
  void close(uint32_t coroutine, uint64_t ns);
  uint32_t find(uint32_t process, uint64_t frame, const model::Function &part);
  uint32_t findOrAdd(const model::Event &event, const model::Function &part, uint64_t frame);
  void link(uint32_t child, uint32_t parent, CoroutineLink why);
  uint32_t make(ThreadState &state, const model::Event &event);
  uint32_t started(ThreadState &state, const model::Event &event, uint64_t address);
  void closeFuture(uint32_t coroutine, uint64_t ns, bool isCancelled);
  uint32_t findFuture(const model::Event &event, const model::Function &function, Role role,
                      const atf::EventDetail &detail);
  CoroutineLink linkOf(uint32_t future, uint32_t around) const;
  void afterPoll(uint32_t coroutine, const Span &span, const atf::EventDetail *detail, uint64_t ns);
};

void Follower::close(uint32_t coroutine, uint64_t ns) {
  all_[coroutine].isEnded = true;
  all_[coroutine].endNs = ns;
  const auto at = alive_.find({all_[coroutine].process, all_[coroutine].frame});
  if (at != alive_.end() && at->second == coroutine)
    alive_.erase(at);
  forgetWords(coroutine);
}

void Follower::forgetWords(uint32_t coroutine) {
  for (const uint64_t word : lives_[coroutine].words)
    if (const auto at = byWord_.find({all_[coroutine].process, word}); at != byWord_.end() && at->second == coroutine)
      byWord_.erase(at);
  lives_[coroutine].words = {};
}

void Follower::bind(uint32_t coroutine, uint64_t frame) {
  forgetWords(coroutine);
  Coroutine &bound = all_[coroutine];
  bound.frame = frame;
  const auto [at, isNew] = alive_.try_emplace({bound.process, frame}, coroutine);
  if (!isNew && at->second != coroutine) { // it ended without a call that destroys it
    const uint32_t old = at->second;
    close(old, std::max(all_[old].beginNs, bound.beginNs));
    alive_[{bound.process, frame}] = coroutine;
  }
}

// The coroutine created by a function of that name whose result was that frame, or its promise.
uint32_t Follower::created(uint32_t process, uint64_t frame, std::string_view name) const {
  for (const uint64_t word : {frame, frame + kPromiseOffset})
    if (const auto at = byWord_.find({process, word}); at != byWord_.end())
      if (name.empty() || table_.functions[all_[at->second].function].name == name)
        return at->second;
  return kNoCoroutine;
}

// The coroutine that has this frame; kNoCoroutine if there is none yet.
uint32_t Follower::find(uint32_t process, uint64_t frame, const model::Function &part) {
  const std::string_view name = creatorName(part);
  const auto at = alive_.find({process, frame});
  uint32_t found = created(process, frame, name);
  if (const auto silent = silent_.find({process, std::string(name)});
      found == kNoCoroutine && at == alive_.end() && silent != silent_.end() && silent->second.size() == 1) {
    found = *silent->second.begin(); // it must be this one
    silent_.erase(silent);
  }
  if (found != kNoCoroutine) {
    bind(found, frame);
    return found;
  }
  if (at == alive_.end())
    return kNoCoroutine;
  const model::Function &creator = table_.functions[all_[at->second].function];
  if (creator.name == name || creatorName(creator) == name)
    return at->second;
  close(at->second, lastNs_); // another coroutine uses its memory now
  return kNoCoroutine;
}

uint32_t Follower::findOrAdd(const model::Event &event, const model::Function &part, uint64_t frame) {
  uint32_t which = find(part.process, frame, part);
  if (which == kNoCoroutine) {
    which = add(part.process, event.function, event.timeNs, event.thread);
    bind(which, frame);
  }
  return which;
}

// The strongest reason counts. No coroutine becomes its own ancestor.
void Follower::link(uint32_t child, uint32_t parent, CoroutineLink why) {
  if (child == parent || parent == kNoCoroutine || why <= all_[child].link)
    return;
  for (uint32_t up = parent; up != kNoCoroutine; up = whole(all_[up].parent))
    if (up == child)
      return;
  all_[child].parent = parent;
  all_[child].link = why;
}

// The coroutine that EVENT, the call that creates it, begins.
uint32_t Follower::make(ThreadState &state, const model::Event &event) {
  const uint32_t around = running(state);
  const uint32_t coroutine = add(table_.threads[event.thread].process, event.function, event.timeNs, event.thread);
  Coroutine &made = all_[coroutine];
  made.isBeginKnown = !event.isEarlier;
  made.creator = around;
  for (size_t i = state.frames.size(); i-- > 0 && made.createdIn == kNoCoroutine;)
    if (state.frames[i].role != Role::None)
      break;
    else
      made.createdIn = state.frames[i].function;
  link(coroutine, around, CoroutineLink::Created);
  return coroutine;
}

// The coroutine whose first part begins: that of the function around it, which has just made the frame. If that one is
// part of its own caller, this is the call that creates it.
uint32_t Follower::started(ThreadState &state, const model::Event &event, uint64_t address) {
  uint32_t coroutine = running(state);
  const bool isInCreator =
      coroutine != kNoCoroutine && state.frames.back().role == Role::Create &&
      table_.functions[all_[coroutine].function].name == creatorName(table_.functions[event.function]) &&
      !all_[coroutine].frame;
  if (!isInCreator)
    coroutine = make(state, event);
  bind(coroutine, address);
  lives_[coroutine].isCreated = true;
  return coroutine;
}

//===--- Rust's futures ---------------------------------------------------===//

void Follower::closeFuture(uint32_t coroutine, uint64_t ns, bool isCancelled) {
  Coroutine &one = all_[coroutine];
  one.isEnded = true, one.isCancelled = isCancelled, one.endNs = ns;
  futures_.erase(lives_[coroutine].at);
}

// The future that a call polls or drops; kNoCoroutine if it has finished, or if that is not recorded.
uint32_t Follower::findFuture(const model::Event &event, const model::Function &function, Role role,
                              const atf::EventDetail &detail) {
  if (!detail.types || detail.types->parameters.size() != 2)
    return kNoCoroutine;
  const types::Registers registers = detail.registers();
  const types::Parameter &future = detail.types->parameters[0];
  const bool hasAddress = future.where.size() == 1 && future.where[0].place == types::Piece::Place::General &&
                          future.where[0].number < registers.general.size();
  if (!hasAddress)
    return kNoCoroutine;
  const uint32_t process = table_.threads[event.thread].process;
  const types::Value before = detail.types->parameters[1].value(registers);
  const std::optional<uint64_t> state = before.asUnsigned();
  const auto [known, isNew] = pollers_.try_emplace({process, future.type.name}, event.function);
  if (rankOf(table_.functions[known->second]) < rankOf(function))
    known->second = event.function;
  const Place place{process, registers.general[future.where[0].number], future.type.name};
  if (const auto at = futures_.find(place); at != futures_.end()) {
    // What polls a GenFuture of Rust 1.63 calls what polls the future inside it.
    if (state != kUnresumed || !lives_[at->second].hasRun || at->second == running(*state_))
      return at->second;
    closeFuture(at->second, event.timeNs, /*isCancelled=*/true); // another one is there now
  }
  if (state == kReturned || state == kPanicked || (role == Role::Drop && !state))
    return kNoCoroutine;
  const uint32_t which = add(process, event.function, event.timeNs, event.thread);
  all_[which].frame = std::get<1>(place);
  all_[which].isFuture = true;
  all_[which].state = state ? before.text() : std::string();
  lives_[which].bytes = future.type.members.empty() ? 0 : future.type.members[0].type.bytes();
  lives_[which].type = future.type.name;
  lives_[which].at = futures_.emplace(place, which).first;
  return which;
}

// How a future that was polled first inside the poll of another belongs to that one.
CoroutineLink Follower::linkOf(uint32_t future, uint32_t around) const {
  const uint64_t start = around == kNoCoroutine ? 0 : all_[around].frame;
  const bool isInside = start && all_[around].isFuture && all_[future].frame - start < lives_[around].bytes;
  return isInside ? CoroutineLink::Awaited : CoroutineLink::Resumed;
}

void Follower::afterPoll(uint32_t coroutine, const Span &span, const atf::EventDetail *detail, uint64_t ns) {
  if (span.how == SpanEnd::Exception) {
    all_[coroutine].isLeftByException = true;
    all_[coroutine].state = "Panicked";
    return closeFuture(coroutine, ns, /*isCancelled=*/false);
  }
  if (!detail || !detail->types)
    return;
  const types::Value after = detail->types->result.value(detail->registers());
  if (!after.isKnown())
    return;
  all_[coroutine].state = after.text();
  if (after.asUnsigned() == kReturned)
    closeFuture(coroutine, ns, /*isCancelled=*/false);
}

void Follower::begin(ThreadState &state, const model::Event &event, const model::Batch &batch) {
  const model::Function &function = table_.functions[event.function];
  Frame frame{event.function, role(event.function), kNoCoroutine, event.timeNs};
  const uint32_t around = running(state);
  hasFunctions_ |= frame.role != Role::None;
  if (frame.role == Role::Create) {
    frame.coroutine = make(state, event);
  } else if (frame.role != Role::None) {
    if (const auto detail = event.isEarlier ? std::nullopt : values_.detailOf(event, batch)) {
      hasFrames_ = true;
      const uint64_t address = detail->function.registers[0];
      if (frame.role == Role::Actor)
        frame.role = roleAt(detail->function.registers[1]);
      if (frame.role == Role::Poll || frame.role == Role::Drop)
        frame.coroutine = findFuture(event, function, frame.role, *detail);
      else
        frame.coroutine =
            frame.role == Role::Start ? started(state, event, address) : findOrAdd(event, function, address);
    }
  }
  if (frame.coroutine != kNoCoroutine && frame.role != Role::Create) {
    Coroutine &coroutine = all_[frame.coroutine];
    coroutine.isOnSeveralThreads |= coroutine.firstThread != event.thread;
    if (frame.role == Role::Resume || (frame.role == Role::Poll && frame.coroutine != around)) {
      ++coroutine.resumptions;
      if (!lives_[frame.coroutine].hasRun)
        link(frame.coroutine, around, linkOf(frame.coroutine, around));
      lives_[frame.coroutine].hasRun = true;
    }
  }
  push(state, frame, event.timeNs);
}

void Follower::leave(ThreadState &state, const Frame &frame, uint64_t ns) {
  if (frame.coroutine == kNoCoroutine)
    return;
  settle(state, ns);
  state.running.pop_back();
  Life &life = lives_[whole(frame.coroutine)];
  if (--life.inCalls == 0 && ns > life.onStackSinceNs)
    life.onStackNs += ns - life.onStackSinceNs;
}

// Takes the result of the call that created it.
void Follower::afterCreation(uint32_t coroutine, const atf::EventDetail &detail) {
  Coroutine &made = all_[coroutine];
  lives_[coroutine].isCreated = true;
  if (made.frame)
    return;
  const std::string &name = table_.functions[made.function].name;
  if (detail.types && detail.types->hasResult && detail.types->isWhole && detail.types->result.where.empty() &&
      !detail.vectors) {
    silent_[{made.process, name}].insert(coroutine);
    return;
  }
  std::vector<uint64_t> words(detail.function.registers.begin(), detail.function.registers.begin() + 2);
  if (detail.vectors) // a result in memory
    for (size_t i = 0; i + 8 <= detail.vectors->registers.size(); i += 8)
      std::memcpy(&words.emplace_back(), detail.vectors->registers.data() + i, 8);
  for (const uint64_t word : words)
    for (const uint64_t frame : {word, word - kPromiseOffset})
      if (const auto at = alive_.find({made.process, frame}); at != alive_.end())
        if (const uint32_t other = at->second; other != coroutine && !lives_[other].isCreated &&
                                               all_[other].beginNs >= made.beginNs &&
                                               creatorName(table_.functions[all_[other].function]) == name)
          return join(coroutine, other);
  for (const uint64_t word : words) {
    const auto [at, isNew] = byWord_.try_emplace({made.process, word}, coroutine);
    if (isNew)
      continue;
    if (word && detail.vectors &&
        all_[at->second].function == made.function) // never resumed, and its memory used again
      close(at->second, std::max(all_[at->second].beginNs, made.beginNs));
    byWord_[{made.process, word}] = coroutine;
  }
  lives_[coroutine].words = std::move(words);
}

// Another thread resumed it before the call that creates it had returned. Both entries are the same coroutine.
void Follower::join(uint32_t coroutine, uint32_t other) {
  Coroutine &made = all_[coroutine];
  const Coroutine &seen = all_[other];
  Life &life = lives_[coroutine];
  const Life &theirs = lives_[other];
  made.resumptions += seen.resumptions, made.runningNs += seen.runningNs;
  made.isOnSeveralThreads |= seen.firstThread != made.firstThread || seen.isOnSeveralThreads;
  made.isLeftByException |= seen.isLeftByException;
  life.onStackNs += theirs.onStackNs, life.hasRun = theirs.hasRun;
  life.inCalls += theirs.inCalls, life.onStackSinceNs = theirs.onStackSinceNs;
  link(coroutine, whole(seen.parent), seen.link);
  const uint64_t frame = seen.frame;
  lives_[other].same = coroutine;
  alive_.erase({made.process, frame});
  bind(coroutine, frame);
}

void Follower::end(ThreadState &state, const Span &span, const model::Event &event, const model::Batch &batch) {
  Frame frame = state.frames.back();
  frame.coroutine = whole(frame.coroutine);
  leave(state, frame, event.timeNs);
  state.frames.pop_back();
  if (frame.coroutine == kNoCoroutine)
    return;
  Coroutine &coroutine = all_[frame.coroutine];
  const auto detail =
      span.how == SpanEnd::Return && event.function == frame.function ? values_.detailOf(event, batch) : std::nullopt;
  if (coroutine.isFuture) {
    if (coroutine.isEnded) // by a call inside this one
      return;
    if (frame.role == Role::Drop)
      return closeFuture(frame.coroutine, event.timeNs, /*isCancelled=*/true);
    return afterPoll(frame.coroutine, span, detail ? &*detail : nullptr, event.timeNs);
  }
  if (span.how == SpanEnd::Exception && frame.role != Role::Destroy)
    coroutine.isLeftByException = true;
  if (frame.role == Role::Destroy)
    return close(frame.coroutine, event.timeNs);
  if (!detail)
    return;
  if (frame.role == Role::Create)
    return afterCreation(frame.coroutine, *detail);
  if (frame.role == Role::Start && !state.frames.empty() && whole(state.frames.back().coroutine) == frame.coroutine)
    return; // the call that creates it is still there, and resumes the other one
  // A symmetric transfer: to a coroutine that it awaits, or to the one that awaits it.
  const uint64_t address = detail->function.registers[0];
  const auto next = alive_.find({coroutine.process, address});
  const uint32_t to = !address               ? kNoCoroutine
                      : next != alive_.end() ? next->second
                                             : created(coroutine.process, address, {});
  if (to == kNoCoroutine || to == frame.coroutine)
    return;
  const bool isAwaiting = !lives_[to].hasRun || all_[to].parent == frame.coroutine;
  if (isAwaiting)
    link(to, frame.coroutine, CoroutineLink::Awaited);
  else
    link(frame.coroutine, to, CoroutineLink::Awaited);
}

void Follower::take(uint64_t seq, const model::Event &event, const model::Batch &batch) {
  ThreadState &state = threads_[event.thread];
  if (!state.calls)
    state.calls = std::make_unique<CallReader<Follower>>(*this, rules_, nullptr);
  lastNs_ = std::max(lastNs_, event.timeNs);
  state_ = &state, event_ = &event, batch_ = &batch;
  state.calls->take(seq, event, batch);
}

Coroutines Follower::finish() {
  for (auto &[thread, state] : threads_) {
    while (!state.frames.empty()) {
      leave(state, state.frames.back(), lastNs_);
      state.frames.pop_back();
    }
  }
  Coroutines result{.all = {}, .hasFunctions = hasFunctions_, .hasFrames = hasFrames_};
  std::vector<uint32_t> moved(all_.size(), kNoCoroutine);
  for (size_t i = 0; i < all_.size(); ++i)
    if (lives_[i].same == kNoCoroutine) {
      moved[i] = static_cast<uint32_t>(result.all.size());
      Coroutine &one = all_[i];
      if (!one.isEnded)
        one.endNs = lastNs_;
      if (one.isFuture) // several functions may poll such futures
        one.function = pollers_.at({one.process, lives_[i].type});
      const uint64_t life = one.endNs - std::min(one.endNs, one.beginNs);
      one.suspendedNs = life - std::min(life, lives_[i].onStackNs);
      result.all.push_back(one);
    }
  const auto at = [&](uint32_t old) { return old == kNoCoroutine ? old : moved[whole(old)]; };
  for (Coroutine &one : result.all)
    one.parent = at(one.parent), one.creator = at(one.creator);
  return result;
}

} // namespace

Expected<Coroutines> readCoroutines(model::TraceSource &source, TraceTable &table) {
  std::vector<uint32_t> threads;
  for (const model::Thread &thread : table.threads)
    threads.push_back(thread.index);
  Follower follower(table);
  auto done =
      mergeEvents({source, table, threads}, [&](uint64_t seq, const model::Event &event, const model::Batch &batch) {
        follower.take(seq, event, batch);
        return Expected<void>();
      });
  if (!done)
    return done.error();
  return follower.finish();
}

} // namespace ada::analysis
