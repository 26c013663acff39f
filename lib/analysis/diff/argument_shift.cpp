// Divides calls by their arguments, and weighs them so that both sides have the same arguments.
#include "argument_shift.h"

#include "analysis/outliers/chance.h"
#include "path_changes.h"

#include "trace/base/format.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>

namespace ada::analysis {

namespace {

constexpr uint32_t kNotKnown = ~uint32_t{0};

// Calls by an argument's value.
struct Strata {
  std::vector<uint32_t> ofCall;   // kNotKnown for calls without the argument
  std::vector<std::string> texts; // "= 5"; of ranges "", and the least value is in `from`
  std::vector<double> from;
  bool areRanges = false;
};

template <class Kind>
std::vector<std::optional<Kind>> valuesNamed(const ExplainedCalls &calls, const std::string &name) {
  std::vector<std::optional<Kind>> values;
  for (const ExplainedCall &call : calls.calls) {
    const auto at = call.values->find(name);
    const Kind *value = at == call.values->end() ? nullptr : std::get_if<Kind>(&at->second);
    values.push_back(value ? std::optional<Kind>(*value) : std::nullopt);
  }
  return values;
}

template <class Kind> Strata eachValue(const std::vector<std::optional<Kind>> &values, const std::set<Kind> &distinct) {
  Strata strata;
  for (const Kind &value : distinct)
    if constexpr (std::is_same_v<Kind, double>)
      strata.texts.push_back(fmt::format("= {:g}", value));
    else
      strata.texts.push_back("= \"" + value + "\"");
  for (const std::optional<Kind> &value : values)
    strata.ofCall.push_back(value ? static_cast<uint32_t>(std::distance(distinct.begin(), distinct.find(*value)))
                                  : kNotKnown);
  return strata;
}

constexpr size_t kMaxValuesApart = 24;

std::optional<Strata> strataOf(const std::vector<std::optional<std::string>> &values) {
  std::set<std::string> distinct;
  for (const auto &value : values)
    if (value && distinct.insert(*value).second && distinct.size() > kMaxValuesApart)
      return std::nullopt; // names, keys and the like; their lengths are numbers
  return eachValue(values, distinct);
}

// The value at which it pays most to divide the calls: where the measure of those below and those above differs most.
// `sorted`: values with the measure of their calls. Nothing is added where few calls would be left.
void addBestCuts(std::span<const std::pair<double, double>> sorted, int depth, std::set<double> &edges) {
  constexpr size_t kLeast = 3;
  double all = 0, below = 0, best = 0;
  for (const auto &[value, measure] : sorted)
    all += measure;
  size_t at = 0;
  const double count = static_cast<double>(sorted.size());
  for (size_t i = 1; i + kLeast <= sorted.size(); ++i) {
    below += sorted[i - 1].second;
    if (i < kLeast || sorted[i].first == sorted[i - 1].first)
      continue;
    const double number = static_cast<double>(i), gap = below / number - (all - below) / (count - number);
    if (const double gain = gap * gap * number * (count - number); gain > best)
      best = gain, at = i;
  }
  if (at == 0)
    return;
  edges.insert(sorted[at].first);
  if (depth > 1) {
    addBestCuts(sorted.first(at), depth - 1, edges);
    addBestCuts(sorted.subspan(at), depth - 1, edges);
  }
}

std::optional<Strata> strataOf(const ExplainedCalls &calls, const std::vector<std::optional<double>> &values,
                               const std::function<double(const ExplainedCall &)> &measure) {
  std::set<double> distinct;
  BothSides<std::vector<double>> sorted;
  for (const ExplainedRun &run : calls.runs)
    for (size_t i = run.first; i < run.end; ++i)
      if (values[i]) {
        sorted[run.side].push_back(*values[i]);
        if (distinct.size() <= kMaxValuesApart)
          distinct.insert(*values[i]);
      }
  if (distinct.size() <= kMaxValuesApart)
    return eachValue(values, distinct);
  std::set<double> edges; // each begins a range
  for (const Side side : {kBefore, kAfter}) {
    if (sorted[side].empty())
      return std::nullopt;
    std::ranges::sort(sorted[side]);
    edges.insert(sorted[side].front());
    // What is beyond the other side's values is a range of its own.
    edges.insert(std::nextafter(sorted[side].back(), std::numeric_limits<double>::infinity()));
  }
  std::vector<std::pair<double, double>> measured;
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i])
      measured.emplace_back(*values[i], measure(calls.calls[i]));
  std::ranges::sort(measured);
  addBestCuts(measured, /*depth=*/2, edges);
  for (const Side side : {kBefore, kAfter})
    for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99})
      edges.insert(sorted[side][static_cast<size_t>(share * static_cast<double>(sorted[side].size()))]);
  Strata strata;
  strata.areRanges = true;
  strata.from.assign(edges.begin(), edges.end());
  strata.texts.resize(strata.from.size());
  for (const std::optional<double> &value : values)
    strata.ofCall.push_back(
        value ? static_cast<uint32_t>(std::ranges::upper_bound(strata.from, *value) - strata.from.begin() - 1)
              : kNotKnown);
  return strata;
}

// One argument, and what it explains.
struct Shift {
  double explainsNs = 0;
  std::vector<double> weights;
  std::string what;
};

class ShiftSearch {
public:
  ShiftSearch(const ExplainedCalls &calls, Statistic statistic) : calls_(calls), statistic_(statistic) {
    for (const ExplainedCall &call : calls.calls)
      weights_.push_back(call.weight);
    for (const ExplainedRun &run : calls.runs) {
      sideOf_.resize(run.end, run.side);
      const auto ns = static_cast<uint64_t>(statisticOf(statistic, *run.times));
      border_ += static_cast<double>(ns) / static_cast<double>(2 * calls.runsOf[run.side]);
    }
    std::set<std::string> numbers, texts;
    for (const ExplainedCall &call : calls.calls)
      for (const auto &[name, value] : *call.values)
        (std::holds_alternative<double>(value) ? numbers : texts).insert(name);
    for (const std::string &name : numbers)
      if (auto strata =
              strataOf(calls, valuesNamed<double>(calls, name), [this](const auto &call) { return measure(call); }))
        strata_.emplace(name, *std::move(strata));
    for (const std::string &name : texts)
      if (auto strata = strataOf(valuesNamed<std::string>(calls, name)))
        strata_.emplace(name, *std::move(strata));
    Strata exceptions; // not an argument, but a property of calls as well
    exceptions.texts = {"no", "yes"};
    for (const ExplainedCall &call : calls.calls)
      exceptions.ofCall.push_back(call.isException);
    strata_.emplace(kExceptions, std::move(exceptions));
  }

  ArgumentShift run() {
    ArgumentShift result;
    const double all = change(weights_);
    constexpr int kMaxShifts = 4;
    for (int round = 0; round < kMaxShifts; ++round) {
      std::string best;
      Shift found;
      for (const auto &[name, strata] : strata_)
        if (std::optional<Shift> shift = shiftOf(name, strata);
            shift && std::abs(shift->explainsNs) > std::abs(found.explainsNs))
          best = name, found = *std::move(shift);
      constexpr double kLeastShare = 0.05;
      if (best.empty() || std::abs(found.explainsNs) < kLeastShare * std::abs(all))
        break;
      Cause cause;
      cause.kind = best == kExceptions ? CauseKind::Exception : CauseKind::Argument;
      cause.what = std::move(found.what), cause.explainsNs = found.explainsNs;
      result.causes.push_back(std::move(cause));
      weights_ = std::move(found.weights);
      strata_.erase(best);
    }
    result.weights = std::move(weights_);
    result.note = std::move(note_);
    return result;
  }

private:
  static constexpr const char *kExceptions = "\nexceptions"; // no argument has that name

  double change(const std::vector<double> &weights) const {
    const std::vector<double> sums = sumWeights(statistic_, calls_, weights);
    return sumOf(calls_, sums, kAfter) - sumOf(calls_, sums, kBefore);
  }

  struct Stratum {
    double share = 0, sum = 0, squares = 0, squaredWeights = 0; // of the measure
    double mean() const { return sum / share; }
    double error() const { // squared
      const double variance = std::max(0.0, squares / share - mean() * mean());
      return variance * squaredWeights / (share * share);
    }
  };
  // What tells whether calls of a stratum matter: their time, or for a percentile whether they are beyond it.
  double measure(const ExplainedCall &call) const {
    return statistic_ == Statistic::Mean || statistic_ == Statistic::Total ? call.ns : call.ns > border_ ? 1 : 0;
  }

  std::optional<Shift> shiftOf(const std::string &name, const Strata &strata) {
    const size_t count = strata.texts.size();
    if (count < 2)
      return std::nullopt;
    BothSides<std::vector<Stratum>> sides;
    BothSides<double> known = {}, all = {};
    sides.fill(std::vector<Stratum>(count));
    for (size_t i = 0; i < weights_.size(); ++i) {
      const Side side = sideOf_[i];
      const double weight = weights_[i] / static_cast<double>(calls_.runsOf[side]);
      all[side] += weight;
      if (strata.ofCall[i] == kNotKnown)
        continue;
      Stratum &in = sides[side][strata.ofCall[i]];
      const double value = measure(calls_.calls[i]);
      in.share += weight, in.sum += weight * value, in.squares += weight * value * value;
      in.squaredWeights += weight * weight;
      known[side] += weight;
    }
    constexpr double kAlmostAll = 0.95, kLeastCommon = 0.05;
    BothSides<double> common = {};
    for (const Side side : {kBefore, kAfter}) {
      if (known[side] < kAlmostAll * all[side])
        return std::nullopt;
      for (size_t s = 0; s < count; ++s) {
        Stratum &in = sides[side][s];
        in.share /= known[side], in.sum /= known[side], in.squares /= known[side];
        in.squaredWeights /= known[side] * known[side];
      }
    }
    for (size_t s = 0; s < count; ++s)
      if (sides[kBefore][s].share > 0 && sides[kAfter][s].share > 0)
        common[kBefore] += sides[kBefore][s].share, common[kAfter] += sides[kAfter][s].share;
    if (std::min(common[kBefore], common[kAfter]) < kLeastCommon) {
      if (note_.empty() && name != kExceptions)
        note_ = name + " has hardly any value in common on the two sides, so nobody can tell what that changes";
      return std::nullopt;
    }
    if (!matters(sides) || !isMoreThanChance(strata, sides))
      return std::nullopt;
    Shift shift;
    shift.weights = weights_;
    for (size_t i = 0; i < weights_.size(); ++i) {
      const uint32_t s = strata.ofCall[i];
      if (s == kNotKnown)
        continue;
      const double a = sides[kBefore][s].share, b = sides[kAfter][s].share;
      const double target = a > 0 && b > 0 ? (a / common[kBefore] + b / common[kAfter]) / 2 : 0;
      shift.weights[i] *= target / sides[sideOf_[i]][s].share;
    }
    for (const ExplainedRun &run : calls_.runs) { // a run without any of these values can't be weighed
      double left = 0;
      for (size_t i = run.first; i < run.end; ++i)
        left += shift.weights[i];
      if (left <= 0)
        return std::nullopt;
    }
    shift.explainsNs = change(weights_) - change(shift.weights);
    shift.what = describeShift(name, strata, sides);
    return shift;
  }

  // Whether other shares of the strata change the measure by more than the measure's own noise.
  static bool matters(const BothSides<std::vector<Stratum>> &sides) {
    double effect = 0, error = 0, mean = 0;
    for (const auto &side : sides)
      for (const Stratum &in : side)
        mean += in.sum / 2;
    for (size_t s = 0; s < sides[kBefore].size(); ++s) {
      const Stratum &a = sides[kBefore][s], &b = sides[kAfter][s];
      if (a.share <= 0 && b.share <= 0)
        continue;
      const double part = a.share <= 0 || b.share <= 0 ? 1 : 0.5, moved = b.share - a.share;
      double of = 0, by = 0;
      for (const Stratum *in : {&a, &b})
        if (in->share > 0)
          of += part * in->mean(), by += part * part * in->error();
      effect += moved * (of - mean), error += moved * moved * by;
    }
    constexpr double kLeastDeviations = 4;
    return std::abs(effect) > kLeastDeviations * std::sqrt(error);
  }

  // The cut, or the value, whose share changed most, and whose calls differ most from the others.
  struct Cut {
    size_t at = 0;
    double before = 0, after = 0;
  };
  static Cut cutOf(const Strata &strata, const BothSides<std::vector<Stratum>> &sides) {
    Cut best, cut;
    double all = 0, sum = 0, most = -1;
    for (const auto &side : sides)
      for (const Stratum &in : side)
        all += in.sum;
    for (size_t s = strata.texts.size(); s-- > 0;) {
      const Stratum &a = sides[kBefore][s], &b = sides[kAfter][s];
      if (!strata.areRanges)
        cut.before = cut.after = sum = 0;
      cut.at = s, cut.before += a.share, cut.after += b.share, sum += a.sum + b.sum;
      const double share = cut.before + cut.after;
      if (share <= 0 || share >= 2)
        continue;
      const double gap = sum / share - (all - sum) / (2 - share);
      if (const double moved = std::abs(gap * (cut.after - cut.before)); moved > most)
        best = cut, most = moved;
    }
    return best;
  }
  bool isIn(const Strata &strata, const Cut &cut, size_t call) const {
    const uint32_t s = strata.ofCall[call];
    return s != kNotKnown && (strata.areRanges ? s >= cut.at : s == cut.at);
  }
  bool isMoreThanChance(const Strata &strata, const BothSides<std::vector<Stratum>> &sides) const {
    const Cut cut = cutOf(strata, sides);
    BothSides<uint64_t> with = {}, all = {};
    std::vector<double> ofRun;
    for (const ExplainedRun &run : calls_.runs) {
      double share = 0, sum = 0;
      for (size_t i = run.first; i < run.end; ++i)
        sum += weights_[i], share += isIn(strata, cut, i) ? weights_[i] : 0;
      ofRun.push_back(share / sum);
      all[run.side] += run.end - run.first;
      with[run.side] += static_cast<uint64_t>(std::llround(share / sum * static_cast<double>(run.end - run.first)));
    }
    if (std::min(calls_.runsOf[kBefore], calls_.runsOf[kAfter]) > 1) {
      const auto middle = ofRun.begin() + static_cast<ptrdiff_t>(calls_.runsOf[kBefore]);
      const auto [leastA, mostA] = std::minmax_element(ofRun.begin(), middle);
      const auto [leastB, mostB] = std::minmax_element(middle, ofRun.end());
      if (*mostA >= *leastB && *mostB >= *leastA)
        return false;
    }
    const Side more = cut.after > cut.before ? kAfter : kBefore;
    const double p = chanceOfAtLeast(with[more], all[more], with[kBefore] + with[kAfter], all[kBefore] + all[kAfter]);
    return p * static_cast<double>(strata.texts.size() * strata_.size()) < 0.01;
  }
  static std::string describeShift(const std::string &name, const Strata &strata,
                                   const BothSides<std::vector<Stratum>> &sides) {
    if (name == kExceptions)
      return fmt::format("left by an exception: {:.2g} % of the calls, before {:.2g} %", 100 * sides[kAfter][1].share,
                         100 * sides[kBefore][1].share);
    const Cut cut = cutOf(strata, sides);
    const std::string which = strata.areRanges ? fmt::format(">= {:g}", strata.from[cut.at]) : strata.texts[cut.at];
    return fmt::format("{} {} in {:.3g} % of the calls, before {:.3g} %", name, which, 100 * cut.after,
                       100 * cut.before);
  }

  const ExplainedCalls &calls_;
  const Statistic statistic_;
  std::vector<double> weights_;
  std::vector<Side> sideOf_; // by call
  double border_ = 0;        // halfway between the statistics of both sides
  std::map<std::string, Strata> strata_;
  std::string note_;
};

} // namespace

ArgumentShift findArgumentShift(const ExplainedCalls &calls, Statistic statistic) {
  return ShiftSearch(calls, statistic).run();
}

} // namespace ada::analysis
