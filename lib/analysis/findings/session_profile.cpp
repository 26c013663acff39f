// Adds up what calls cost, and finds out which of them are requests.
#include "session_profile.h"

#include "analysis/calls/part_reader.h"
#include "analysis/waits/waits.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace ada::analysis {

PathCost &PathCost::operator+=(const PathCost &other) {
  calls += other.calls, exceptions += other.exceptions;
  totalNs += other.totalNs, selfNs += other.selfNs;
  waitingNs += other.waitingNs, preemptedNs += other.preemptedNs;
  exceptionNs += other.exceptionNs, catchNs += other.catchNs, firstNs = std::min(firstNs, other.firstNs);
  selfWaitingNs += other.selfWaitingNs, selfPreemptedNs += other.selfPreemptedNs, unknownNs += other.unknownNs;
  return *this;
}

namespace {

constexpr size_t kMaxNodes = 50'000; // paths of a recursive program beyond that are one for each caller

struct ProfileNote {
  uint32_t node = PathTree::kRoot, function = 0; // at its end
  uint32_t thread = 0;
  bool isOutermost = false, isInside = false;
};

// What one worker read.
struct PartProfile {
  std::vector<FunctionCost> functions;
  PathTree paths{kMaxNodes};
  std::vector<PathCost> costs;
  std::vector<SessionProfile::OpenCall> openAtEnd;
  std::vector<SessionProfile::Root> roots;
  uint64_t recorderNs = 0;
};

class ProfileReader : public PartReader<ProfileReader, ProfileNote>, public PartProfile {
public:
  ProfileReader(TraceTable &table, const FilterOptions &filter, uint64_t beginNs, uint64_t runNs)
      : PartReader(table), rules_(filter, table), beginNs_(beginNs), slotNs_(runNs / kSlots + 1) {}

  void beginPart(const ThreadPart &part) {
    startPart(part, rules_, nullptr, &table());
    open_.clear();
    unwinding_ = {};
  }

  // Called by PartReader.
  void begun(uint64_t, const model::Event &call, bool, std::string &&) {
    if (unwinding_.ns)
      caught(call.timeNs);
    const uint32_t function = numberOf(call.function);
    const uint32_t around = open_.empty() ? PathTree::kRoot : open_.back().node;
    const uint32_t node = paths.child(around, function);
    open_.push_back({node, function, part().thread, openOf_[function]++ == 0, node == around});
  }
  void ended(const Span &call, const OffCpuOfCall *off, bool, std::string &&) {
    if (unwinding_.ns && call.how != SpanEnd::Exception)
      caught(call.endNs);
    const ProfileNote note = leave();
    add(call, off, note);
    if (call.how == SpanEnd::Exception)
      unwinding_ = {note.node, call.endNs, unwinding_.ns + call.selfNs()};
  }
  void endedCrossing(const Span &, bool, std::string &&, ProfileNote &note) {
    note = leave();
    note.thread = part().thread;
  }
  void left(const Span &call, ProfileNote &) { --openOf_[numberOf(call.functionIndex)]; }
  void crossed(const Span &call, const OffCpuOfCall &off, const ProfileNote &, const ProfileNote &ended) override {
    add(call, &off, ended);
  }

private:
  uint32_t numberOf(uint32_t function) {
    if (function < numbers_.size() && numbers_[function] != ~uint32_t{0})
      return numbers_[function];
    return findNumber(function);
  }
  [[gnu::noinline]] uint32_t findNumber(uint32_t function) {
    if (function >= numbers_.size())
      numbers_.resize(function + size_t{1}, ~uint32_t{0});
    const model::Function &about = table().functions[function];
    const auto [at, isNew] = byName_.try_emplace(about.displayName, static_cast<uint32_t>(functions.size()));
    if (isNew) {
      FunctionCost &cost = functions.emplace_back();
      cost.name = about.displayName;
      cost.isLibrary = isOfLibrary(about) || about.isExternal;
      openOf_.push_back(0);
    }
    return numbers_[function] = at->second;
  }
  ProfileNote leave() {
    ProfileNote note = open_.back();
    open_.pop_back();
    note.isOutermost = --openOf_[note.function] == 0;
    return note;
  }
  [[gnu::always_inline]] void add(const Span &call, const OffCpuOfCall *off, const ProfileNote &note) {
    PathCost cost;
    cost.calls = 1, cost.exceptions = call.how == SpanEnd::Exception;
    cost.totalNs = call.durationNs(), cost.selfNs = call.selfNs();
    if (off) {
      cost.waitingNs = off->all.waitingNs, cost.preemptedNs = off->all.preemptedNs;
      cost.selfWaitingNs = off->self.waitingNs, cost.selfPreemptedNs = off->self.preemptedNs;
      cost.unknownNs = off->self.unknownNs;
      cost.totalNs -= std::min(cost.totalNs, off->all.recorderNs);
      cost.selfNs -= std::min(cost.selfNs, off->self.recorderNs);
      recorderNs += off->self.recorderNs;
    }
    cost.firstNs = call.beginNs;
    if (cost.exceptions)
      cost.exceptionNs = cost.selfWorkNs();
    if (note.node >= costs.size())
      costs.resize(paths.size());
    PathCost &path = costs[note.node];
    FunctionCost &function = functions[note.function];
    if (note.isInside) { // PathTree::kRest in itself
      PathCost inner = cost;
      inner.totalNs = inner.waitingNs = inner.preemptedNs = 0;
      path += inner;
    } else {
      path += cost;
    }
    if (!note.isOutermost) {
      cost.totalNs = cost.waitingNs = cost.preemptedNs = 0;
    } else if (call.how != SpanEnd::Open) {
      function.durations.add(cost.totalNs);
      FunctionCost::Slot &slot =
          function.slots[std::min<uint64_t>((call.beginNs - std::min(beginNs_, call.beginNs)) / slotNs_, kSlots - 1)];
      ++slot.calls, slot.onCpuNs += cost.onCpuNs();
    }
    function.sum += cost;
    if (call.depth == 0 && !function.isLibrary)
      addRoot({note.thread, note.function, call.durationNs()});
    if (call.how == SpanEnd::Open)
      openAtEnd.push_back({note.thread, call.depth, note.function, call.beginNs, call.endNs});
  }

  // What the catching function did until then is its own work as well: no more counts than unwinding took. If it was
  // preempted meanwhile, that much of the time counts, too.
  [[gnu::noinline]] void caught(uint64_t timeNs) {
    const Unwinding over = std::exchange(unwinding_, {});
    const OffCpuLane *const lane = table().threads[part().thread].offCpu.get();
    const uint64_t ns = timeNs - std::min(timeNs, over.toNs);
    const uint64_t preemptedNs = lane ? std::min(ns, lane->timesBetween(over.toNs, timeNs).preemptedNs) : 0;
    const uint64_t ownNs = std::max<uint64_t>(ns - preemptedNs, 1), countedNs = std::min(ownNs, over.ns);
    costs[over.node].catchNs +=
        static_cast<uint64_t>(static_cast<double>(countedNs) * static_cast<double>(ns) / static_cast<double>(ownNs));
  }
  [[gnu::noinline]] void addRoot(SessionProfile::Root root) {
    for (auto at = roots.rbegin(); at != roots.rend() && at->thread == root.thread; ++at)
      if (at->function == root.function) {
        at->ns += root.ns;
        return;
      }
    roots.push_back(root);
  }

  FunctionRules rules_;
  uint64_t beginNs_, slotNs_;
  std::unordered_map<std::string, uint32_t> byName_;
  std::vector<uint32_t> numbers_; // by function of the table
  std::vector<uint32_t> openOf_;  // by function
  std::vector<ProfileNote> open_;
  struct Unwinding {
    uint32_t node = PathTree::kRoot; // that it has left last
    uint64_t toNs = 0, ns = 0;       // ns: how long it has taken; 0 while no exception is under way
  };
  Unwinding unwinding_;
};

// Numbers functions by name. Which worker read what differs from run to run, and so would the first of two equal ones.
class ProfileJoin {
public:
  explicit ProfileJoin(SessionProfile &profile) : profile_(profile) {}
  void add(ProfileReader &reader) { parts_.push_back(std::move(static_cast<PartProfile &>(reader))); }

  void finish() {
    for (const PartProfile &part : parts_)
      for (const FunctionCost &function : part.functions)
        numberOf_.emplace(function.name, 0);
    uint32_t next = 0;
    for (auto &[name, number] : numberOf_)
      number = next++;
    profile_.functions.resize(next);
    for (const PartProfile &part : parts_)
      addPart(part);
    for (const auto &[thread, root] : rootOf_)
      profile_.roots.push_back(root);
    std::ranges::sort(profile_.open, {},
                      [](const SessionProfile::OpenCall &call) { return std::pair(call.thread, call.depth); });
  }

private:
  void addPart(const PartProfile &part) {
    std::vector<uint32_t> numbers;
    for (const FunctionCost &from : part.functions) {
      numbers.push_back(numberOf_.at(from.name));
      FunctionCost &into = profile_.functions[numbers.back()];
      into.name = from.name, into.isLibrary = from.isLibrary;
      into.sum += from.sum, into.durations += from.durations;
      for (size_t i = 0; i < kSlots; ++i)
        into.slots[i].calls += from.slots[i].calls, into.slots[i].onCpuNs += from.slots[i].onCpuNs;
    }
    for (SessionProfile::OpenCall call : part.openAtEnd) {
      call.function = numbers[call.function];
      profile_.open.push_back(call);
    }
    for (SessionProfile::Root root : part.roots) {
      root.function = numbers[root.function];
      SessionProfile::Root &most = rootOf_.try_emplace(root.thread, root).first->second;
      if (root.ns > most.ns)
        most = root;
    }
    std::vector<uint32_t> mine(part.paths.size(), PathTree::kRoot);
    for (uint32_t node = 1; node < part.paths.size(); ++node) { // a parent comes before its children
      const uint32_t function = part.paths[node].function;
      mine[node] = profile_.paths.child(mine[part.paths[node].parent],
                                        PathTree::isFunction(function) ? numbers[function] : function);
      profile_.costs.resize(profile_.paths.size());
      if (node < part.costs.size())
        profile_.costs[mine[node]] += part.costs[node];
    }
    profile_.recorderNs += part.recorderNs;
  }

  SessionProfile &profile_;
  std::vector<PartProfile> parts_;
  std::map<std::string, uint32_t> numberOf_;
  std::map<uint32_t, SessionProfile::Root> rootOf_;
};

//===--- requests ---------------------------------------------------------===//

class RequestFinder {
public:
  explicit RequestFinder(SessionProfile &profile) : profile_(profile), children_(profile.paths.size()) {
    for (uint32_t node = 1; node < profile_.paths.size(); ++node)
      children_[profile_.paths[node].parent].push_back(node);
  }
  void run() {
    visit(PathTree::kRoot);
    dropIdle(); // first: idle threads have the most time of all
    dropSmall();
    std::map<uint32_t, uint64_t> times;
    uint64_t first = ~uint64_t{0};
    profile_.isInRequest.assign(profile_.paths.size(), false);
    for (const uint32_t node : profile_.requestNodes) {
      times[profile_.paths[node].function] += costOf(node).totalNs;
      profile_.requestCalls += costOf(node).calls, profile_.requestsNs += costOf(node).totalNs;
      profile_.isInRequest[node] = true;
      first = std::min(first, costOf(node).firstNs);
    }
    profile_.firstRequestNs = profile_.requestNodes.empty() ? 0 : first;
    for (uint32_t node = 1; node < profile_.paths.size(); ++node)
      if (profile_.isInRequest[profile_.paths[node].parent])
        profile_.isInRequest[node] = true;
    for (const auto &[function, ns] : times)
      profile_.requests.push_back(function);
    std::ranges::stable_sort(profile_.requests, std::greater(), [&](uint32_t function) { return times[function]; });
  }

private:
  const PathCost &costOf(uint32_t node) const { return profile_.costs[node]; }
  bool isRequest(uint32_t node) const {
    const uint32_t function = profile_.paths[node].function;
    if (!PathTree::isFunction(function) || profile_.functions[function].isLibrary)
      return false;
    constexpr uint64_t kOfRun = 4; // a loop of a thread takes nearly all of it
    const PathCost &cost = costOf(node);
    return cost.calls >= kLeastRequests && cost.totalNs / cost.calls < profile_.runNs() / kOfRun;
  }
  void visit(uint32_t node) {
    for (const uint32_t child : children_[node])
      if (isRequest(child))
        profile_.requestNodes.push_back(child);
      else
        visit(child);
  }
  // Functions that are called beside the requests, but have hardly any time.
  void dropSmall() {
    uint64_t most = 0;
    for (const uint32_t node : profile_.requestNodes)
      most = std::max(most, costOf(node).totalNs);
    std::erase_if(profile_.requestNodes, [&](uint32_t node) { return costOf(node).totalNs < most / 50; });
  }
  // A thread waits for work in one function, and does it in another.
  void dropIdle() {
    const auto isIdle = [&](uint32_t node) {
      const PathCost &cost = costOf(node);
      return cost.waitingNs > (cost.totalNs - std::min(cost.totalNs, cost.preemptedNs)) / 10 * 7 && isQueue(node);
    };
    std::vector<uint32_t> kept;
    for (const uint32_t node : profile_.requestNodes) {
      const bool hasWorker = std::ranges::any_of(profile_.requestNodes, [&](uint32_t other) {
        return profile_.paths[other].parent == profile_.paths[node].parent && other != node && !isIdle(other) &&
               costOf(other).calls >= costOf(node).calls / 4;
      });
      if (!isIdle(node) || !hasWorker)
        kept.push_back(node);
    }
    profile_.requestNodes = std::move(kept);
  }
  // What waits inside is not a lock.
  bool isQueue(uint32_t node) const {
    uint64_t locks = 0;
    addLocks(node, locks);
    return locks < costOf(node).waitingNs / 2;
  }
  void addLocks(uint32_t node, uint64_t &ns) const {
    const uint32_t function = profile_.paths[node].function;
    if (PathTree::isFunction(function) && isLockFunction(profile_.functions[function].name))
      ns += costOf(node).waitingNs;
    else
      for (const uint32_t child : children_[node])
        addLocks(child, ns);
  }
  static bool isLockFunction(const std::string &name) {
    model::Function function;
    function.name = function.displayName = name, function.isExternal = true;
    const WaitFunction does = waitFunctionOf(function);
    return does.action == WaitAction::Lock || does.action == WaitAction::ReadLock;
  }

  SessionProfile &profile_;
  std::vector<std::vector<uint32_t>> children_;
};

} // namespace

uint64_t SessionProfile::sumOf(uint64_t PathCost::*cost) const {
  uint64_t sum = 0;
  for (const FunctionCost &function : functions)
    sum += function.sum.*cost;
  return sum;
}

Expected<SessionProfile> readProfile(const Trace &trace, Damage &damage) {
  SessionProfile profile;
  profile.beginNs = ~uint64_t{0};
  for (const model::Thread &thread : trace.table.threads)
    if (thread.extent && thread.extent->events > 0) {
      profile.beginNs = std::min(profile.beginNs, thread.extent->firstNs);
      profile.endNs = std::max(profile.endNs, thread.extent->lastNs);
    }
  for (const uint64_t endNs : endsOfProcesses(trace.table))
    profile.endNs = std::max(profile.endNs, endNs);
  profile.beginNs = std::min(profile.beginNs, profile.endNs);
  const FilterOptions all;
  ProfileJoin join(profile);
  ADA_TRY(readCalls<ProfileReader>(
      trace, kPartEvents,
      [&](TraceTable &own) { return std::make_unique<ProfileReader>(own, all, profile.beginNs, profile.runNs()); },
      [&](ProfileReader &reader) { join.add(reader); }, damage));
  join.finish();
  profile.costs.resize(profile.paths.size());
  RequestFinder(profile).run();
  return profile;
}

} // namespace ada::analysis
