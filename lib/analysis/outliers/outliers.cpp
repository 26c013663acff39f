// Finds factors: properties first that explain whatever they explain, then the parts of the calls' time.
#include "outliers.h"

#include "call_parts.h"
#include "call_properties.h"
#include "chance.h"
#include "interruptions.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>
#include <optional>

namespace ada::analysis {

const char *factorKindName(FactorKind kind) {
  static constexpr const char *kNames[] = {"own",      "callee",     "waiting",    "preempted", "unexplained",
                                           "argument", "argument",   "faults",     "thread",    "time",
                                           "before",   "concurrent", "unexplained"};
  return kNames[static_cast<size_t>(kind)];
}

const char *factorKindText(FactorKind kind) {
  return kind == FactorKind::Exception ? "exception"
         : kind == FactorKind::Faults  ? "page faults"
                                       : factorKindName(kind);
}

const char *factorSureName(const OutlierFactor &factor) {
  return factor.kind == FactorKind::Unexplained ? "" : factor.isCertain() ? "certain" : "likely";
}

const char *outlierVerdictName(OutlierVerdict verdict) {
  static constexpr const char *kNames[] = {"certain", "likely", "nothing", "too few calls"};
  return kNames[static_cast<size_t>(verdict)];
}

OutlierVerdict Outliers::verdict() const {
  const auto isNamed = [](const OutlierFactor &factor) { return factor.kind != FactorKind::Unexplained; };
  if (std::ranges::any_of(factors, [&](const OutlierFactor &factor) { return isNamed(factor) && factor.isCertain(); }))
    return OutlierVerdict::Certain;
  if (std::ranges::any_of(factors, isNamed))
    return OutlierVerdict::Likely;
  return callsNeeded > 0 || (slowCalls > 0 && slowCalls < kFewSlowCalls) ? OutlierVerdict::TooFew
                                                                         : OutlierVerdict::Nothing;
}

namespace {

constexpr double kFamilies = 3; // of tests: causes in the program, circumstances, and parts of the calls

// How a property divides the calls that are still open.
struct Contrast {
  double ofSlow = 0, ofOrdinary = 0, p = 1;
  double gain = 0; // 1 if all that is slow has it, and nothing else
  double tail = 1; // chanceOfTail()
};

// All durations of the calls that are compared, without time of the recorder.
struct Durations {
  const CallTimes &calls;
  double median = 0, upperQuartile = 0;

  explicit Durations(const CallTimes &of) : calls(of) {
    if (const uint64_t all = of.count(); all > 0)
      median = static_cast<double>(of.at(all / 2)), upperQuartile = static_cast<double>(of.at((all - 1) * 3 / 4));
  }
  // The chance of `slow` calls that take that long or longer.
  double chanceOfSlow(uint64_t shortestNs, uint64_t slow) const {
    return chanceOfTail({.median = median,
                         .upperQuartile = upperQuartile,
                         .shortestSlow = static_cast<double>(shortestNs),
                         .slow = slow,
                         .all = calls.count()});
  }
  // The chance of a gap below `slow` calls that take that long or longer.
  double chanceOfGapBelow(uint64_t shortestNs, uint64_t slow) const {
    constexpr double kParts[] = {0.5, 0.25};
    double chance = 1;
    for (const double part : kParts) {
      const double extra = static_cast<double>(shortestNs) - median;
      const uint64_t from = static_cast<uint64_t>(std::max(0.0, median + extra * part)), all = calls.countFrom(from);
      chance = std::min(chance, std::size(kParts) * chanceOfGap(slow, all - std::min(all, slow), part));
    }
    return chance;
  }
};

class Search {
public:
  Search(const CallSample &sample, const TraceTable &table, const CallTimes &calls, std::vector<PartColumn> columns,
         const SlowLimits &limits, std::optional<size_t> call)
      : sample_(sample), table_(table), durations_(calls), columns_(std::move(columns)),
        interruptions_(sample, columns_), slowFromNs_(static_cast<double>(limits.slowFromNs)),
        tailChance_(durations_.chanceOfSlow(limits.slowFromNs, limits.slow)),
        apartChance_(std::max(tailChance_, durations_.chanceOfGapBelow(limits.slowFromNs, limits.slow))), call_(call),
        left_(columns_.size()), isOpen_(sample.calls.size(), true) {
    for (size_t c = 0; c < columns_.size(); ++c)
      for (size_t i = 0; i < sample_.calls.size(); ++i)
        left_[c].push_back(sample_.calls[i].isSlow ? columns_[c].ns[i] - columns_[c].ordinaryMean : 0);
    for (const PartColumn &column : columns_)
      extra_ += column.extra(), ordinaryMean_ += column.ordinaryMean;
    leftInCall_ = leftInCall();
  }

  std::vector<OutlierFactor> run(const CallValues &values, uint64_t originNs, uint64_t windowNs) {
    std::vector<bool> byProgram(columns_.size()); // preemption comes from outside, whatever the arguments are
    for (size_t c = 0; c < columns_.size(); ++c)
      byProgram[c] = columns_[c].kind != FactorKind::Preempted && columns_[c].kind != FactorKind::Unknown;
    claim(byProgram, 4, [&](const PropertyUse &use) {
      argumentProperties(sample_, values, isOpen_, use);
      exceptionProperties(sample_, use);
    });
    // A wait that another thread ends has a reason of its own, whichever call it is.
    std::vector<bool> byItself = byProgram;
    for (size_t c = 0; c < columns_.size(); ++c)
      byItself[c] = byItself[c] && !columns_[c].isByOthers();
    claim(byItself, 4, [&](const PropertyUse &use) { firstCallProperties(sample_, table_, use); });
    // Parts with a reason of their own. The others are own code, and callees that are slower than otherwise.
    std::vector<bool> isVague(columns_.size());
    for (size_t c = 0; c < columns_.size(); ++c)
      isVague[c] = columns_[c].kind == FactorKind::Own ||
                   (columns_[c].kind == FactorKind::Callee && columns_[c].isOrdinary && !columns_[c].isMore);
    for (size_t c = 0; c < columns_.size(); ++c)
      if (!isVague[c] && columns_[c].kind != FactorKind::Unknown)
        takePart(c);
    claim(isVague, 1, [&](const PropertyUse &use) { faultProperties(sample_, table_, isOpen_, use); });
    claim(isVague, 4, [&](const PropertyUse &use) {
      threadProperties(sample_, table_, use);
      beforeProperties(sample_, use);
      concurrentProperties(sample_, table_, windowNs, use);
      timeProperties(sample_, isOpen_, originNs, use);
    });
    for (size_t c = 0; c < columns_.size(); ++c)
      if (isVague[c])
        takePart(c);
    std::ranges::stable_sort(factors_, std::greater(), &OutlierFactor::explainsNs);
    double explained = 0;
    for (const OutlierFactor &factor : factors_)
      explained += factor.explainsNs;
    OutlierFactor rest;
    rest.explainsNs = extra_ - explained;
    rest.what = "the rest";
    rest.how = restText();
    rest.ofCallNs = leftInCall_;
    factors_.push_back(std::move(rest));
    for (OutlierFactor &factor : factors_)
      factor.share = extra_ > 0 ? factor.explainsNs / extra_ : 0;
    return std::move(factors_);
  }

private:
  // The extra time of the chosen call that nothing explains yet.
  double leftInCall() const {
    double sum = 0;
    for (const std::vector<double> &column : left_)
      sum += call_ ? column[*call_] : 0;
    return sum;
  }
  // A factor has just been taken off left_.
  void addFactor(OutlierFactor factor) {
    const double left = leftInCall();
    factor.ofCallNs = leftInCall_ - left;
    leftInCall_ = left;
    factors_.push_back(std::move(factor));
  }
  // Finds the best property again and again, as long as there is one that is more than chance; `kinds` kinds of them
  // are looked at.
  template <class Properties> void claim(const std::vector<bool> &columns, int kinds, const Properties &properties) {
    constexpr int kMaxClaims = 4;
    for (int round = 0; round < kMaxClaims; ++round) {
      Property best;
      Contrast contrast;
      properties([&](const Property &property) {
        Contrast found = contrastOf(property, columns);
        found.p *= property.tested * kinds * kFamilies;
        constexpr double kLeastGain = 0.2, kAlmost = 0.02;
        if (found.gain < kLeastGain || found.p >= kLeastChance)
          return;
        if (found.gain > contrast.gain + kAlmost || (found.gain > contrast.gain && found.p < contrast.p))
          best = property, contrast = found;
      });
      if (best.holds.empty() || !isPlain(contrast) || !take(best, contrast, columns))
        return;
    }
  }
  // Slow calls that are only the tail of the ordinary ones may well have something in common (the largest sizes, say).
  // That is worth showing only if it tells them from the others almost completely, and if they are much slower.
  bool isPlain(const Contrast &contrast) const {
    return contrast.tail < kLeastChance || (contrast.gain >= 0.8 && contrast.p < 1e-6 && extra_ >= ordinaryMean_);
  }
  Contrast contrastOf(const Property &property, const std::vector<bool> &columns) const {
    uint64_t slow = 0, slowWith = 0, ordinary = 0, ordinaryWith = 0;
    for (size_t i = 0; i < sample_.calls.size(); ++i) {
      if (!property.known.empty() && !property.known[i])
        continue;
      if (!isOpen_[i])
        continue;
      if (sample_.calls[i].isSlow)
        ++slow, slowWith += property.holds[i];
      else
        ++ordinary, ordinaryWith += property.holds[i];
    }
    Contrast contrast;
    if (slow == 0 || ordinary == 0)
      return contrast;
    contrast.ofSlow = static_cast<double>(slowWith) / static_cast<double>(slow);
    contrast.ofOrdinary = static_cast<double>(ordinaryWith) / static_cast<double>(ordinary);
    contrast.gain = contrast.ofSlow - contrast.ofOrdinary, contrast.tail = tailChance_;
    if (property.marked > 0)
      contrastOfFew(property, slowWith, columns, contrast);
    else
      contrast.p = chanceOfAtLeast(slowWith, slow, slowWith + ordinaryWith, slow + ordinary);
    return contrast;
  }
  // It is known how many of all calls have the property. These may be few, and yet hold most of the time: what counts
  // is how many calls are as slow, and their part of the extra time.
  void contrastOfFew(const Property &property, uint64_t slowWith, const std::vector<bool> &columns,
                     Contrast &contrast) const {
    uint64_t shortest = ~uint64_t(0);
    double ns = 0;
    for (size_t i = 0; i < sample_.calls.size(); ++i) {
      if (!isOpen_[i] || !sample_.calls[i].isSlow || !property.holds[i])
        continue;
      shortest = std::min(shortest, sample_.calls[i].durationNs());
      for (size_t c = 0; c < columns_.size(); ++c)
        ns += columns[c] ? left_[c][i] : 0;
    }
    if (slowWith == 0)
      return;
    const uint64_t asSlow = std::max(durations_.calls.countFrom(shortest), slowWith);
    contrast.p = chanceOfAtLeast(slowWith, asSlow, std::max(property.marked, slowWith), sample_.all);
    contrast.gain = std::max(contrast.gain, ns / (extra_ * static_cast<double>(sample_.slow)));
    contrast.tail = std::min(contrast.tail, durations_.chanceOfSlow(shortest, asSlow));
  }

  // How much of what is left of each call the property can explain, 0 to 1.
  std::vector<double> mostOf(const Property &property, const std::vector<bool> &columns) const {
    std::vector<double> most(sample_.calls.size(), 1);
    for (size_t i = 0; i < property.mostNs.size(); ++i) {
      double left = 0;
      for (size_t c = 0; c < columns_.size(); ++c)
        left += columns[c] ? std::max(0.0, left_[c][i]) : 0;
      most[i] = left > 0 ? std::min(1.0, property.mostNs[i] / left) : 1;
    }
    return most;
  }

  // The property explains the extra time of the slow calls that have it. False if that is too little.
  bool take(const Property &property, const Contrast &contrast, const std::vector<bool> &columns) {
    const double part = contrast.ofSlow > 0 ? 1 - contrast.ofOrdinary / contrast.ofSlow : 0;
    const double weight = part / static_cast<double>(sample_.slow);
    std::vector<double> taken(columns_.size());
    double sum = 0;
    // Values of some calls were not read: those that were stand for all.
    double known = 0, open = 0;
    for (size_t i = 0; i < sample_.calls.size(); ++i)
      if (isOpen_[i] && sample_.calls[i].isSlow)
        ++open, known += property.known.empty() || property.known[i];
    const double scale = known > 0 ? open / known : 1;
    const std::vector<double> most = mostOf(property, columns);
    for (size_t c = 0; c < columns_.size(); ++c)
      if (columns[c])
        for (size_t i = 0; i < sample_.calls.size(); ++i)
          if (isOpen_[i] && property.holds[i])
            taken[c] += left_[c][i] * most[i] * weight * scale, sum += left_[c][i] * most[i] * weight * scale;
    if (sum < kLeastShareExplained * extra_)
      return false;
    OutlierFactor factor;
    factor.kind = property.kind, factor.what = property.what;
    factor.explainsNs = sum, factor.pValue = std::min(1.0, contrast.p);
    factor.ofSlow = contrast.ofSlow, factor.ofOrdinary = contrast.ofOrdinary;
    factor.how = howText(taken, sum);
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (!columns[c])
        continue;
      for (size_t i = 0; i < sample_.calls.size(); ++i) {
        if (!isOpen_[i])
          continue;
        if (scale > 1) // spread over all, because it is not known which have it
          left_[c][i] *= 1 - std::min(1.0, contrast.ofSlow * part);
        else if (property.holds[i])
          left_[c][i] *= 1 - part * most[i];
      }
    }
    addFactor(std::move(factor));
    for (size_t i = 0; i < sample_.calls.size(); ++i)
      if (property.holds[i])
        isOpen_[i] = false;
    return true;
  }

  // Whether the part made the slow call slow, or the call would be slow without it. A longer call is preempted more
  // often, and off-CPU more often for other reasons that come from outside, just because it is longer.
  bool madeSlow(const PartColumn &column, size_t i) const {
    return !(column.kind == FactorKind::Preempted || column.isAlone) ||
           static_cast<double>(sample_.calls[i].durationNs()) - column.ns[i] < slowFromNs_;
  }
  // The extra time of one part, as far as no property has explained it.
  void takePart(size_t c) {
    const PartColumn &column = columns_[c];
    std::vector<bool> counts(sample_.calls.size());
    double sum = 0, whole = 0;
    for (size_t i = 0; i < sample_.calls.size(); ++i)
      if (sample_.calls[i].isSlow && madeSlow(column, i)) {
        counts[i] = true;
        sum += left_[c][i] / static_cast<double>(sample_.slow);
        whole += std::max(0.0, left_[c][i]);
      }
    if (sum < kLeastShareExplained * extra_ || whole <= 0)
      return;
    uint64_t slowWith = 0, ordinaryWith = 0;
    const double threshold = column.ordinaryMean + 0.5 * sum;
    for (size_t i = 0; i < sample_.calls.size(); ++i)
      if (column.ns[i] >= threshold && (!sample_.calls[i].isSlow || counts[i]))
        ++(sample_.calls[i].isSlow ? slowWith : ordinaryWith);
    const double p = kFamilies * static_cast<double>(columns_.size()) *
                     std::max(chanceOfPart(c), chanceOfAtLeast(slowWith, sample_.slow, slowWith + ordinaryWith,
                                                               sample_.slow + sample_.ordinary));
    if (p >= kLeastChance)
      return;
    OutlierFactor factor;
    factor.kind = column.kind, factor.what = column.what, factor.object = column.object;
    factor.explainsNs = sum, factor.pValue = std::min(1.0, p);
    factor.ordinaryNs = column.kind == FactorKind::Waiting ? column.ordinaryMean : 0;
    factor.ofSlow = static_cast<double>(slowWith) / static_cast<double>(sample_.slow);
    factor.ofOrdinary =
        static_cast<double>(ordinaryWith) / static_cast<double>(std::max<uint64_t>(sample_.ordinary, 1));
    for (size_t i = 0; i < sample_.calls.size(); ++i)
      if (counts[i])
        left_[c][i] = 0;
    addFactor(std::move(factor));
  }
  // Slow calls were chosen for being slow, so they are slower in some part. That alone is not a finding.
  double chanceOfPart(size_t c) const {
    const PartColumn &column = columns_[c];
    if (column.isSlower)
      return std::max(apartChance_, interruptions_.chanceOf(column));
    if (!column.isOrdinary)
      return 0;
    return column.mayBeLate ? 1 : column.isAlone ? apartChance_ : tailChance_;
  }

  // "3.1 ms in its own code, 1.2 ms in parse(), slower"
  std::string howText(const std::vector<double> &taken, double sum) const {
    std::vector<size_t> order;
    for (size_t c = 0; c < taken.size(); ++c)
      if (taken[c] >= 0.1 * sum)
        order.push_back(c);
    std::ranges::sort(order, std::greater(), [&](size_t c) { return taken[c]; });
    std::string text;
    for (const size_t c : order)
      text += fmt::format("{}{} {}", text.empty() ? "" : "; ", formatDuration(static_cast<uint64_t>(taken[c])),
                          columns_[c].what);
    return text;
  }
  std::string restText() const {
    std::vector<double> rest(columns_.size());
    double sum = 0;
    for (size_t c = 0; c < columns_.size(); ++c) {
      for (size_t i = 0; i < sample_.calls.size(); ++i)
        rest[c] += left_[c][i] / static_cast<double>(std::max<uint64_t>(sample_.slow, 1));
      sum += std::max(0.0, rest[c]);
    }
    return sum > 0 ? howText(rest, sum) : std::string();
  }

  const CallSample &sample_;
  const TraceTable &table_;
  Durations durations_;
  std::vector<PartColumn> columns_;
  Interruptions interruptions_;
  double slowFromNs_, tailChance_;
  double apartChance_; // the same, and whether a gap lies below the slow calls
  double extra_ = 0, ordinaryMean_ = 0, leftInCall_ = 0;
  std::optional<size_t> call_; // the chosen one
  std::vector<std::vector<double>>
      left_;                 // by column and call: extra time that nothing explains yet; 0 for ordinary calls
  std::vector<bool> isOpen_; // calls that have none of the properties found so far
  std::vector<OutlierFactor> factors_;
};

uint64_t startOf(const TraceTable &table) {
  uint64_t start = ~uint64_t(0);
  for (const model::Thread &thread : table.threads)
    if (thread.extent && thread.extent->events > 0)
      start = std::min(start, thread.extent->firstNs);
  return start == ~uint64_t(0) ? 0 : start;
}

// The calls that are compared.
struct Compared {
  CallTimes calls;
  SlowLimits limits;
  double tailChance = 1;
};

Compared compared(CallTimes &&calls, const SlowestOf &slowest, uint64_t longer) {
  Compared result;
  result.limits = limitsOf(calls, slowest, longer);
  result.tailChance = Durations(calls).chanceOfSlow(result.limits.slowFromNs, result.limits.slow);
  result.calls = std::move(calls);
  return result;
}

bool isSlowIn(const Compared &compared, const CallId &call) {
  const auto slow = compared.calls.choose(compared.limits.slowFromNs, ~uint64_t(0), 1); // has the one asked about
  return compared.limits.slow > 0 && std::ranges::find(slow, call, &TimedCall::id) != slow.end();
}

// Whether there are calls that are slow without preemption, clearly and not just a few of all slow ones.
bool isSlowWithoutPreemption(const Compared &rest, const FunctionTimes &function) {
  constexpr double kClearly = 1e-4;
  constexpr uint64_t kOfPreempted = 10; // that many preempted calls for each of them
  const SlowLimits &limits = rest.limits;
  return rest.tailChance < kClearly && limits.slow > 0 &&
         limits.slowFromNs >= 2 * rest.calls.at(rest.calls.count() / 2) &&
         limits.slow * kOfPreempted >= function.mostlyPreempted.count();
}

// Notes the calls that were preempted for most of their time: how many and how long. They are not compared.
void notePreempted(const FunctionTimes &function, const SlowLimits &limits, Outliers &result) {
  const CallTimes &calls = function.mostlyPreempted;
  const auto mean = [&](int64_t ns) { return static_cast<double>(ns) / static_cast<double>(calls.count()); };
  result.preemptedCalls = calls.count();
  result.preemptedMeanNs = calls.count() > 0 ? mean(function.mostlyPreemptedNs.count()) : 0;
  result.preemptedSlow = calls.countFrom(limits.slowFromNs);
  result.preemptedSlowOwnNs = static_cast<double>(calls.totalFrom(limits.slowFromNs));
  result.preemptedSlowNs = static_cast<double>(function.mostlyPreemptedNs.countFrom(limits.slowFromNs));
}

} // namespace

Expected<Outliers> findOutliers(model::TraceSource &source, TraceTable &table, const ReadTimes &times,
                                const FunctionTimes &function, const SlowestOf &slowest, Damage &damage,
                                const CallId &call) {
  constexpr uint64_t kLeastCalls = 20; // fewer have no quartiles worth comparing with
  Outliers result;
  result.function = function.function;
  Compared of = compared(function.all(), slowest, function.longer);
  if (slowest.kind == SlowestOf::Kind::Share && function.preempted.count() > 0)
    if (Compared rest = compared(function.withoutPreemption(), slowest, 0);
        isSlowWithoutPreemption(rest, function) && (call == CallId() || isSlowIn(rest, call))) {
      of = std::move(rest);
      notePreempted(function, of.limits, result);
    }
  const SlowLimits &limits = of.limits;
  result.calls = of.calls.count() + result.preemptedCalls;
  result.slowFromNs = limits.slowFromNs;
  result.ordinaryFromNs = limits.ordinaryFromNs, result.ordinaryToNs = limits.ordinaryToNs;
  result.slowCalls = limits.slow, result.ordinaryCalls = limits.ordinary;
  if (of.calls.count() < kLeastCalls || limits.slow == 0) {
    result.callsNeeded = of.calls.count() < kLeastCalls ? kLeastCalls : 0;
    return result;
  }
  auto sample = sampleCalls(source, table, times, function, of.calls, limits, damage);
  if (!sample)
    return sample.error();
  if (sample->slow == 0 || sample->ordinary == 0)
    return result;
  uint64_t waiting = 0, took = 0;
  for (const SampledCall &call : sample->calls) {
    took += call.isSlow ? call.durationNs() : 0;
    for (const CallPart &part : call.parts)
      waiting += call.isSlow ? part.waitingNs : 0;
    result.hasSched |= table.threads[call.thread].knowsSched();
  }
  CallWaits waits;
  // Reading what all threads did is only worth it if there is something to find.
  if (result.hasSched ? static_cast<double>(waiting) >= kLeastShareExplained * static_cast<double>(took)
                      : sample->callsWaitFunctions) {
    constexpr uint64_t kMaxToRead = 200;
    if (isReadInPieces(source, table))
      sample->thin(kMaxToRead, call);
    waits = ADA_TRY(waitsOf(source, table, *sample));
  }
  double slowSum = 0, ordinarySum = 0;
  for (const SampledCall &call : sample->calls)
    (call.isSlow ? slowSum : ordinarySum) += static_cast<double>(call.durationNs());
  result.slowMeanNs = slowSum / static_cast<double>(sample->slow);
  result.ordinaryMeanNs = ordinarySum / static_cast<double>(sample->ordinary);
  result.extraNs = result.slowMeanNs - result.ordinaryMeanNs;

  auto values = valuesOf(source, table, *sample);
  if (!values)
    return values.error();
  result.hasArguments = std::ranges::any_of(*values, [](const auto &of) { return !of.empty(); });
  const uint64_t median = of.calls.at(of.calls.count() / 2);
  const auto chosen = std::ranges::find(sample->calls, call, &SampledCall::id);
  std::optional<size_t> chosenPlace;
  if (chosen != sample->calls.end() && chosen->isSlow) {
    chosenPlace = static_cast<size_t>(chosen - sample->calls.begin());
    result.isCallSlow = true;
    result.callExtraNs = static_cast<double>(chosen->durationNs()) - result.ordinaryMeanNs;
  }
  std::vector<PartColumn> columns = divideCalls(*sample, waits, result.hasSched);
  for (const PartColumn &column : columns)
    if (column.kind == FactorKind::Preempted)
      (column.isLate ? result.lateExtraNs : result.preemptedExtraNs) += std::max(0.0, column.extra());
  Search search(*sample, table, of.calls, std::move(columns), limits, chosenPlace);
  result.factors = search.run(*values, startOf(table), std::max<uint64_t>(median, 1));

  constexpr size_t kExamples = 3;
  for (const TimedCall &call : of.calls.slowest(kExamples))
    result.slowest.push_back({call.thread, call.beginSeq, call.endNs - call.beginNs, call.beginNs, call.endNs});
  return result;
}

} // namespace ada::analysis
