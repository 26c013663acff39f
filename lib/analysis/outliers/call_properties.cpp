// Looks for properties that slow calls have and ordinary ones do not.
#include "call_properties.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ada::analysis {

namespace {

std::string numberText(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

// The argument's values, by call, as far as they are of type T.
template <class T> struct Values {
  std::vector<size_t> calls;
  std::vector<T> values;
};

// Limits where the values of slow calls, in ascending order, begin or end.
template <class T> std::set<T> limitsIn(const std::vector<T> &slow, size_t count) {
  std::set<T> limits;
  for (size_t i = 0; i <= count && !slow.empty(); ++i)
    limits.insert(slow[i * (slow.size() - 1) / count]);
  return limits;
}

void numberProperties(const CallSample &sample, const std::string &name, const Values<double> &numbers,
                      const std::vector<bool> &isOpen, double tested, const PropertyUse &use) {
  Property property;
  property.kind = FactorKind::Argument;
  property.known.assign(sample.calls.size(), false);
  for (const size_t call : numbers.calls)
    property.known[call] = true;
  const auto offer = [&](std::string what, const auto &holds) {
    property.what = std::move(what), property.tested = tested;
    property.holds.assign(sample.calls.size(), false);
    for (size_t i = 0; i < numbers.calls.size(); ++i)
      property.holds[numbers.calls[i]] = holds(numbers.values[i]);
    use(property);
  };
  std::vector<double> sorted = numbers.values, slow;
  for (size_t i = 0; i < numbers.calls.size(); ++i)
    if (sample.calls[numbers.calls[i]].isSlow && isOpen[numbers.calls[i]])
      slow.push_back(numbers.values[i]);
  if (slow.empty())
    return;
  std::ranges::sort(sorted), std::ranges::sort(slow);
  if (sorted.front() == sorted.back())
    return;
  for (const double limit : limitsIn(slow, 16)) {
    offer(fmt::format("{} >= {}", name, numberText(limit)), [limit](double value) { return value >= limit; });
    offer(fmt::format("{} <= {}", name, numberText(limit)), [limit](double value) { return value <= limit; });
    offer(fmt::format("{} = {}", name, numberText(limit)), [limit](double value) { return value == limit; });
  }
  for (const double part : {0.0, 0.05, 0.1, 0.25}) { // a range that holds most of the slow ones
    const auto at = [&](double where) {
      return slow[static_cast<size_t>(where * static_cast<double>(slow.size() - 1))];
    };
    const double from = at(part), to = at(1 - part);
    if (from < to)
      offer(fmt::format("{} from {} to {}", name, numberText(from), numberText(to)),
            [from, to](double value) { return value >= from && value <= to; });
  }
}

void textProperties(const CallSample &sample, const std::string &name, const Values<std::string> &texts,
                    const std::vector<bool> &isOpen, double tested, const PropertyUse &use) {
  std::map<std::string, size_t> ofSlow;
  for (size_t i = 0; i < texts.calls.size(); ++i)
    if (sample.calls[texts.calls[i]].isSlow && isOpen[texts.calls[i]])
      ++ofSlow[texts.values[i]];
  std::vector<std::pair<size_t, std::string>> frequent;
  for (const auto &[text, count] : ofSlow)
    frequent.emplace_back(count, text);
  std::ranges::sort(frequent, std::greater());
  constexpr size_t kMaxTexts = 8;
  frequent.resize(std::min(frequent.size(), kMaxTexts));
  Property property;
  property.kind = FactorKind::Argument, property.tested = tested;
  property.known.assign(sample.calls.size(), false);
  for (const size_t call : texts.calls)
    property.known[call] = true;
  for (const auto &[count, text] : frequent) {
    property.what = fmt::format("{} = {}", name, text);
    property.holds.assign(sample.calls.size(), false);
    for (size_t i = 0; i < texts.calls.size(); ++i)
      property.holds[texts.calls[i]] = texts.values[i] == text;
    use(property);
  }
}

// Whether the values are addresses that only tell on which thread a call ran, of its stack for example: each thread has
// its own. That is the thread's property, and no reason by itself.
bool areThreads(const CallSample &sample, const Values<std::string> &texts) {
  std::map<uint32_t, std::string> ofThread;
  std::set<std::string> distinct;
  for (size_t i = 0; i < texts.calls.size(); ++i) {
    const auto [at, isNew] = ofThread.try_emplace(sample.calls[texts.calls[i]].thread, texts.values[i]);
    if (at->second != texts.values[i] || !texts.values[i].starts_with("0x"))
      return false;
    distinct.insert(texts.values[i]);
  }
  return distinct.size() > 1 && distinct.size() == ofThread.size();
}

// True for each value of a list that slow calls have.
template <class Value, class What>
void equalityProperties(const CallSample &sample, FactorKind kind, const std::vector<Value> &values, Value none,
                        const What &what, const PropertyUse &use) {
  std::set<Value> distinct, ofSlow;
  for (size_t i = 0; i < values.size(); ++i) {
    distinct.insert(values[i]);
    if (sample.calls[i].isSlow)
      ofSlow.insert(values[i]);
  }
  if (distinct.size() < 2)
    return;
  Property property;
  property.kind = kind, property.tested = static_cast<double>(distinct.size());
  for (const Value &value : ofSlow) {
    if (value == none)
      continue;
    property.what = what(value);
    property.holds.assign(values.size(), false);
    for (size_t i = 0; i < values.size(); ++i)
      property.holds[i] = values[i] == value;
    use(property);
  }
}

// Looks for a period in which times have about the same phase: over all frequencies, as a periodogram does.
template <class Offer> void periodProperty(const std::vector<double> &times, const Offer &offer) {
  constexpr size_t kMaxTimes = 500;
  std::vector<double> some;
  for (size_t i = 0; i < times.size(); i += times.size() / kMaxTimes + 1)
    some.push_back(times[i]);
  const double span = times.back() - times.front();
  if (span <= 0)
    return;
  struct Wave {
    double cycles = 0, concentration = 0, phase = 0; // cycles in the span; 1 if all times have the same phase
  };
  const auto waveOf = [&](double cycles) {
    double x = 0, y = 0;
    for (const double time : some) {
      const double angle = 2 * M_PI * std::fmod(time * cycles / span, 1);
      x += std::cos(angle), y += std::sin(angle);
    }
    return Wave{cycles, std::sqrt(x * x + y * y) / static_cast<double>(some.size()), std::atan2(y, x)};
  };
  const auto bestOf = [&](double from, double to, double step) {
    Wave best;
    for (double cycles = from; cycles <= to; cycles += step)
      if (const Wave wave = waveOf(cycles); wave.concentration > best.concentration)
        best = wave;
    return best;
  };
  constexpr double kFewest = 3, kMax = 2000, kStep = 0.25, kLeast = 0.7, kAlmost = 0.05;
  Wave best = bestOf(kFewest, kMax, kStep);
  if (best.concentration < kLeast)
    return;
  // Several calls in each period at equal distances fit that distance as well: the longest period counts.
  constexpr int kMaxInPeriod = 40;
  const Wave found = best;
  for (int times = 2; times <= kMaxInPeriod && found.cycles / times >= kFewest; ++times)
    if (const Wave longer = bestOf(found.cycles / times - kStep, found.cycles / times + kStep, kStep / 4);
        longer.concentration > found.concentration - kAlmost)
      best = longer;
  best = bestOf(best.cycles - kStep, best.cycles + kStep, kStep / 16);
  const auto distanceOf = [&](double time) {
    return std::abs(std::remainder(2 * M_PI * std::fmod(time * best.cycles / span, 1) - best.phase, 2 * M_PI));
  };
  std::vector<double> distances;
  for (const double time : times)
    distances.push_back(distanceOf(time));
  std::ranges::sort(distances);
  // The part of the period that nearly all of them lie in, at most a fifth.
  const double most = std::min(0.2 * M_PI, distances[distances.size() * 95 / 100] * 1.02 + 1e-9);
  constexpr double kPhases = 20; // that many different ones, about
  offer(fmt::format("every {}", formatDuration(static_cast<uint64_t>(span / best.cycles))), kMax * kPhases,
        [&](double time) { return distanceOf(time) <= most; });
}

} // namespace

void argumentProperties(const CallSample &sample, const CallValues &values, const std::vector<bool> &isOpen,
                        const PropertyUse &use) {
  std::map<std::string, Values<double>> numbers;
  std::map<std::string, Values<std::string>> texts;
  for (size_t i = 0; i < values.size(); ++i)
    for (const auto &[name, value] : values[i])
      if (const double *number = std::get_if<double>(&value)) {
        numbers[name].calls.push_back(i), numbers[name].values.push_back(*number);
      } else {
        texts[name].calls.push_back(i), texts[name].values.push_back(std::get<std::string>(value));
      }
  const double tested = 55 * static_cast<double>(numbers.size()) + 8 * static_cast<double>(texts.size());
  for (const auto &[name, list] : numbers)
    numberProperties(sample, name, list, isOpen, tested, use);
  for (const auto &[name, list] : texts)
    if (!areThreads(sample, list))
      textProperties(sample, name, list, isOpen, tested, use);
}

void exceptionProperties(const CallSample &sample, const PropertyUse &use) {
  Property property;
  property.kind = FactorKind::Exception, property.what = "left by an exception";
  for (const SampledCall &call : sample.calls)
    property.holds.push_back(call.isException);
  use(property);
  property.what = "an exception was thrown in it, and caught", property.holds.clear();
  for (const SampledCall &call : sample.calls)
    property.holds.push_back(call.hasException && !call.isException);
  use(property);
}

void firstCallProperties(const CallSample &sample, const TraceTable &table, const PropertyUse &use) {
  constexpr uint64_t kFirsts[] = {1, 2, 3, 5, 10};
  Property property;
  // The very first calls are the likeliest to be slow, so half of what chance may do is theirs.
  constexpr double kVeryFirst = 4, kOthers = 2 * (std::size(kFirsts) - 1);
  property.kind = FactorKind::Time, property.tested = kVeryFirst;
  std::vector<uint64_t> firstOfProcess(table.processes.size(), ~uint64_t(0));
  uint64_t processes = 0;
  const uint64_t threads = sample.threads.size();
  for (const FunctionTimes::OfThread &thread : sample.threads) {
    uint64_t &first = firstOfProcess[table.threads[thread.thread].process];
    first = std::min(first, thread.firstNs);
  }
  for (const uint64_t first : firstOfProcess)
    processes += first != ~uint64_t(0);
  if (threads > processes) { // else it is the same as the first of the thread
    property.what = "the first call of the process", property.marked = processes;
    for (const SampledCall &call : sample.calls)
      property.holds.push_back(call.beginNs == firstOfProcess[table.threads[call.thread].process]);
    use(property);
  }
  for (const uint64_t most : kFirsts) {
    property.marked = 0, property.tested = most == 1 ? kVeryFirst : kOthers;
    for (const FunctionTimes::OfThread &thread : sample.threads)
      property.marked += std::min(thread.calls, most);
    const char *of = threads > processes ? "thread" : "process";
    property.what = most == 1 ? fmt::format("the first call of the {}", of)
                              : fmt::format("one of the first {} calls of the {}", most, of);
    property.holds.clear();
    for (const SampledCall &call : sample.calls)
      property.holds.push_back(call.nth < most);
    use(property);
  }
}

void faultProperties(const CallSample &sample, const TraceTable &table, const std::vector<bool> &isOpen,
                     const PropertyUse &use) {
  std::vector<uint64_t> faults, ofSlow;
  Property property;
  property.kind = FactorKind::Faults;
  for (const SampledCall &call : sample.calls) {
    const OffCpuLane *const lane = table.threads[call.thread].offCpu.get();
    property.known.push_back(lane && lane->knowsFaults());
    faults.push_back(property.known.back() ? lane->faultsBetween(call.beginNs, call.endNs) : 0);
    // Calls that do more touch more memory, too. A fault takes 0.1 to 4 us, in virtual machines as well.
    constexpr double kMaxNsOfFault = 10'000;
    property.mostNs.push_back(static_cast<double>(faults.back()) * kMaxNsOfFault);
    if (call.isSlow && isOpen[faults.size() - 1] && faults.back() > 0)
      ofSlow.push_back(faults.back());
  }
  std::ranges::sort(ofSlow);
  constexpr size_t kLimits = 8;
  property.tested = kLimits + 1;
  for (const uint64_t limit : limitsIn(ofSlow, kLimits)) {
    property.what = fmt::format("{} or more: it touches memory for the first time", limit);
    property.holds.clear();
    for (const uint64_t count : faults)
      property.holds.push_back(count >= limit);
    use(property);
  }
}

void threadProperties(const CallSample &sample, const TraceTable &table, const PropertyUse &use) {
  std::vector<uint32_t> threads;
  for (const SampledCall &call : sample.calls)
    threads.push_back(call.thread);
  equalityProperties(
      sample, FactorKind::Thread, threads, ~uint32_t{0},
      [&](uint32_t thread) { return "on " + threadText(table, thread); }, use);
}

void beforeProperties(const CallSample &sample, const PropertyUse &use) {
  for (const bool isCaller : {true, false}) {
    std::vector<uint32_t> names;
    for (const SampledCall &call : sample.calls)
      names.push_back(isCaller ? call.caller : call.before);
    equalityProperties(
        sample, FactorKind::Before, names, kNoName,
        [&](uint32_t name) { return (isCaller ? "called by " : "right after ") + shortName(sample.names[name]); }, use);
  }
}

void concurrentProperties(const CallSample &sample, const TraceTable &table, uint64_t windowNs,
                          const PropertyUse &use) {
  // For each call, the functions that other threads of its process were in when it began, or entered within the time
  // that an ordinary call takes. The window is the same for slow and ordinary calls, however long they took.
  std::vector<size_t> order(sample.calls.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::sort(order, {}, [&](size_t i) { return sample.calls[i].beginNs; });
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> found; // by name and thread: the calls
  std::vector<const LongCall *> active;
  size_t next = 0;
  for (const size_t i : order) {
    const SampledCall &call = sample.calls[i];
    for (; next < sample.longCalls.size() && sample.longCalls[next].beginNs < call.beginNs + windowNs; ++next)
      active.push_back(&sample.longCalls[next]);
    std::erase_if(active, [&](const LongCall *other) { return other->endNs <= call.beginNs; });
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (const LongCall *other : active)
      if (other->thread != call.thread && other->beginNs < call.beginNs + windowNs &&
          table.threads[other->thread].process == table.threads[call.thread].process &&
          seen.insert({other->name, other->thread}).second)
        found[{other->name, other->thread}].push_back(i);
  }
  Property property;
  property.kind = FactorKind::Concurrent, property.tested = static_cast<double>(found.size());
  for (const auto &[who, calls] : found) {
    property.what = fmt::format("{} was in {}", threadText(table, who.second), shortName(sample.names[who.first]));
    property.holds.assign(sample.calls.size(), false);
    for (const size_t call : calls)
      property.holds[call] = true;
    use(property);
  }
}

void timeProperties(const CallSample &sample, const std::vector<bool> &isOpen, uint64_t originNs,
                    const PropertyUse &use) {
  std::vector<double> times;
  for (size_t i = 0; i < sample.calls.size(); ++i)
    if (sample.calls[i].isSlow && isOpen[i])
      times.push_back(static_cast<double>(sample.calls[i].beginNs - originNs));
  std::ranges::sort(times);
  constexpr size_t kLeastTimes = 5;
  if (times.size() < kLeastTimes)
    return;
  const auto offer = [&](std::string what, double tested, const auto &holds) {
    Property property;
    property.kind = FactorKind::Time, property.what = std::move(what), property.tested = tested;
    for (const SampledCall &call : sample.calls)
      property.holds.push_back(holds(static_cast<double>(call.beginNs - originNs)));
    use(property);
  };
  // A burst: the shortest stretch of time that holds all of them, most, or half. Begins and ends are at slow calls.
  const double pairs = static_cast<double>(times.size()) * static_cast<double>(times.size()) / 2;
  for (const size_t count : {times.size(), times.size() * 9 / 10, std::max<size_t>(kLeastTimes, times.size() / 2)}) {
    size_t begin = 0;
    for (size_t i = 0; i + count <= times.size(); ++i)
      if (times[i + count - 1] - times[i] < times[begin + count - 1] - times[begin])
        begin = i;
    const double from = times[begin], to = times[begin + count - 1];
    offer(fmt::format("between {} and {}", formatDuration(static_cast<uint64_t>(from)),
                      formatDuration(static_cast<uint64_t>(to))),
          pairs, [from, to](double time) { return time >= from && time <= to; });
  }
  periodProperty(times, offer);
}

} // namespace ada::analysis
