// Measures what rules are about, for all rules in one reading.
#include "check.h"

#include "analysis/calls/call_sink.h"
#include "analysis/events/call_name.h"
#include "trace/base/format.h"
#include "trace/base/text.h"
#include "trace/base/try.h"
#include "trace/names.h"
#include "trace/statistics.h"

#include <algorithm>
#include <deque>

namespace ada::analysis {

namespace {

// What is known about the calls of one rule's functions.
struct Sums {
  Distribution durations;
  uint64_t calls = 0, totalNs = 0, selfNs = 0, exceptions = 0, depth = 0, violations = 0;
  uint64_t below = 0, atMost = 0; // Metric::Percentile: durations below the rule's value, and up to it
  OffCpuTimes off;
  uint64_t schedNs = 0; // total time on threads whose scheduling is known
  double worstPer = 0;  // the largest figure of a call of Rule::per
  bool hasPer = false;
  uint8_t seen = 0; // roles for which the trace has a function
  std::optional<RuleExample> worst;

  void offer(const RuleExample &example) {
    const auto isEarlier = [](const RuleExample &a, const RuleExample &b) { return a.beginNs < b.beginNs; };
    if (!worst || example.measured > worst->measured ||
        (example.measured == worst->measured && isEarlier(example, *worst)))
      worst = example;
  }
  // Whether a call of Rule::per breaks the rule more clearly than the worst so far: the largest figure, or the smallest
  // one where it should be large.
  bool isWorse(const Rule &rule, double measured) const {
    const bool wantsMore = rule.comparison == Comparison::More || rule.comparison == Comparison::MoreOrEqual;
    return !hasPer || (rule.isKeptBy(worstPer) && !rule.isKeptBy(measured)) ||
           (rule.isKeptBy(worstPer) == rule.isKeptBy(measured) &&
            (wantsMore ? measured < worstPer : measured > worstPer));
  }
  void merge(const Rule &rule, const Sums &other) {
    durations.merge(other.durations);
    calls += other.calls, totalNs += other.totalNs, selfNs += other.selfNs, exceptions += other.exceptions;
    depth = std::max(depth, other.depth), violations += other.violations;
    below += other.below, atMost += other.atMost;
    off += other.off, schedNs += other.schedNs, seen |= other.seen;
    if (other.hasPer) {
      if (isWorse(rule, other.worstPer))
        worstPer = other.worstPer, worst = other.worst, hasPer = true;
    } else if (other.worst) {
      offer(*other.worst);
    }
  }
};

// The part of a function in a rule: bits.
enum Role : uint8_t { kFunction = 1, kWithin = 2, kPer = 4, kSecond = 8 };

class CheckWorker : public CallSink<CheckWorker> {
public:
  CheckWorker(TraceTable &table, std::span<const Rule> rules, const FilterOptions &range)
      : CallSink(table, range), sums(rules.size()), checked_(rules), states_(rules.size()) {
    for (const Rule &rule : rules) {
      addGlobs(rule.function), addGlobs(rule.within), addGlobs(rule.per), addGlobs(rule.second);
      hasEach_ |= rule.form == Rule::Form::Each;
    }
  }

  // Called by CallSink.
  void threadBegins() { lane_ = table().threads[thread_].offCpu.get(), isOver_ = false; }
  void traceEnds() { isOver_ = true; }
  void threadEnds() {
    for (State &state : states_)
      state = {};
  }

  // Called by CallReader.
  void begin(uint64_t seq, const model::Event &call, bool, std::string &&) {
    const size_t depth = calls_->walker().depth() - 1;
    for (const auto &[number, roles] : partsOf(call.function)) {
      const Rule &rule = checked_[number];
      State &state = states_[number];
      if (rule.form == Rule::Form::Each) {
        if (state.pending.size() <= depth)
          state.pending.resize(depth + 1);
        uint32_t &pending = state.pending[depth]; // of the call around this one
        if (roles & kSecond && pending > 0)
          --pending;
        else if (roles & kFunction)
          ++pending;
        continue;
      }
      if (roles & kFunction && (rule.within.empty() || state.within > 0)) {
        ++state.open;
        sums[number].depth = std::max<uint64_t>(sums[number].depth, state.open);
        for (PerCall &per : state.per)
          per.depth = std::max(per.depth, state.open);
        if (rule.form == Rule::Form::Never) {
          ++sums[number].violations;
          if (!sums[number].worst)
            sums[number].worst = RuleExample{nameOf(call.function), thread_, seq, call.timeNs, call.timeNs, 1};
        }
        state.counted.push_back(true);
      } else if (roles & kFunction) {
        state.counted.push_back(false);
      }
      state.within += (roles & kWithin) != 0;
      if (roles & kPer)
        state.per.push_back({});
    }
  }
  void end(const Span &span, bool shown, std::string &&) {
    if (hasEach_)
      endEach(span);
    for (const auto &[number, roles] : partsOf(span.functionIndex)) {
      const Rule &rule = checked_[number];
      if (rule.form == Rule::Form::Each)
        continue;
      State &state = states_[number];
      if (roles & kPer)
        endPer(number, span, shown);
      state.within -= (roles & kWithin) != 0;
      if (!(roles & kFunction))
        continue;
      const bool counted = state.counted.back();
      state.counted.pop_back();
      if (!counted)
        continue;
      --state.open;
      if (shown)
        add(number, span, state.open == 0);
    }
  }

  std::vector<Sums> sums; // by rule

private:
  struct PerCall {
    uint64_t calls = 0, totalNs = 0, selfNs = 0, exceptions = 0;
    uint32_t depth = 0;
  };
  struct State { // of the current thread
    uint32_t open = 0, within = 0;
    std::vector<bool> counted;     // for each open call of the function: within was fulfilled
    std::vector<PerCall> per;      // for each open call of Rule::per
    std::vector<uint32_t> pending; // Each: by depth of the function's calls
  };
  using Part = std::pair<size_t, uint8_t>; // rule, roles

  void addGlobs(const std::vector<std::string> &globs) {
    FilterOptions &options = options_.emplace_back();
    options.included = globs;
    matchers_.emplace_back(options, table());
  }
  std::span<const Part> partsOf(uint32_t function) {
    if (function >= parts_.size())
      parts_.resize(function + size_t{1});
    return parts_[function] ? *parts_[function] : findParts(function);
  }
  [[gnu::noinline]] std::span<const Part> findParts(uint32_t function) {
    std::vector<Part> &parts = parts_[function].emplace();
    for (size_t number = 0; number < checked_.size(); ++number) {
      const std::vector<std::string> *globs[] = {&checked_[number].function, &checked_[number].within,
                                                 &checked_[number].per, &checked_[number].second};
      uint8_t roles = 0;
      for (size_t i = 0; i < std::size(globs); ++i)
        if (!globs[i]->empty() && matchers_[4 * number + i].of(function) & FunctionRules::kIncluded)
          roles |= static_cast<uint8_t>(1U << i);
      sums[number].seen |= roles;
      if (roles)
        parts.emplace_back(number, roles);
    }
    return parts;
  }
  std::string nameOf(uint32_t function) const { return table().functions[function].displayName; }
  RuleExample exampleOf(const Span &span, double measured) const {
    return {nameOf(span.functionIndex), thread_, span.beginSeq, span.beginNs, span.endNs, measured};
  }

  void add(size_t number, const Span &span, bool isOutermost) {
    const Rule &rule = checked_[number];
    Sums &sum = sums[number];
    const bool isComplete = !span.isEarlier && isSeen(span.how);
    const bool isException = span.how == SpanEnd::Exception;
    ++sum.calls, sum.selfNs += span.selfNs(), sum.exceptions += isException;
    sum.totalNs += isOutermost ? span.durationNs() : 0;
    for (PerCall &per : states_[number].per) {
      ++per.calls, per.selfNs += span.selfNs(), per.exceptions += isException;
      per.totalNs += isOutermost ? span.durationNs() : 0;
    }
    if (isComplete) {
      sum.durations.add(span.durationNs());
      sum.below += static_cast<double>(span.durationNs()) < rule.value;
      sum.atMost += static_cast<double>(span.durationNs()) <= rule.value;
    }
    double measured = static_cast<double>(span.durationNs());
    switch (rule.metric) {
    case Metric::Self:
      measured = static_cast<double>(span.selfNs());
      break;
    case Metric::Depth:
      measured = states_[number].open + 1.0;
      break;
    case Metric::Exceptions:
      if (!isException)
        return;
      measured = 1;
      break;
    case Metric::Calls:
      measured = 1; // the first one
      break;
    case Metric::OnCpu:
    case Metric::Waiting:
    case Metric::Preempted: {
      if (!isOutermost || !lane_ || !lane_->isSchedKnown())
        return;
      const OffCpuTimes off = lane_->timesBetween(span.beginNs, span.endNs);
      sum.off += off, sum.schedNs += span.durationNs();
      const uint64_t running = span.durationNs() - std::min(span.durationNs(), off.notRunningNs());
      measured = static_cast<double>(rule.metric == Metric::OnCpu     ? running
                                     : rule.metric == Metric::Waiting ? off.waitingNs
                                                                      : off.preemptedNs);
      break;
    }
    default:
      break;
    }
    if (rule.per.empty() && (isComplete || rule.metric != Metric::Min))
      sum.offer(exampleOf(span, rule.metric == Metric::Min ? -measured : measured));
  }
  // The figure of a call of Rule::per. Calls that the trace does not show completely don't count.
  void endPer(size_t number, const Span &span, bool shown) {
    State &state = states_[number];
    const PerCall per = state.per.back();
    state.per.pop_back();
    if (!shown || span.isEarlier || span.how == SpanEnd::Open)
      return;
    const Metric metric = checked_[number].metric;
    const double measured = static_cast<double>(metric == Metric::Calls        ? per.calls
                                                : metric == Metric::Total      ? per.totalNs
                                                : metric == Metric::Self       ? per.selfNs
                                                : metric == Metric::Exceptions ? per.exceptions
                                                                               : per.depth);
    Sums &sum = sums[number];
    if (sum.isWorse(checked_[number], measured)) {
      sum.worstPer = measured, sum.hasPer = true;
      sum.worst = exampleOf(span, measured);
    }
  }
  void endEach(const Span &span) {
    for (size_t number = 0; number < checked_.size(); ++number) {
      State &state = states_[number];
      const size_t inner = span.depth + size_t{1};
      if (inner >= state.pending.size() || state.pending[inner] == 0)
        continue;
      const bool isDone = span.how != SpanEnd::Open && !isOver_;
      if (isDone) {
        sums[number].violations += state.pending[inner];
        if (!sums[number].worst)
          sums[number].worst = exampleOf(span, state.pending[inner]);
      }
      state.pending[inner] = 0;
    }
  }

  std::span<const Rule> checked_;
  std::deque<FilterOptions> options_;
  std::deque<FunctionRules> matchers_;                  // four for each rule
  std::vector<std::optional<std::vector<Part>>> parts_; // by function
  std::vector<State> states_;                           // by rule
  bool hasEach_ = false, isOver_ = false;
  const OffCpuLane *lane_ = nullptr;
};

// Finds functions of the rule of which the trace has no call. Without some of them the rule says nothing: false then.
bool findMissing(const Rule &rule, const Sums &sums, CheckAnswer &answer) {
  // Calls that there should not be may well be missing.
  const bool mayLack =
      rule.form == Rule::Form::Never || (rule.form == Rule::Form::Bound && rule.metric == Metric::Calls);
  const std::pair<const std::vector<std::string> *, Role> kParts[] = {
      {&rule.within, kWithin}, {&rule.per, kPer}, {&rule.function, kFunction}};
  for (const auto &[globs, role] : kParts) {
    if (globs->empty() || sums.seen & role)
      continue;
    for (const std::string &glob : *globs)
      answer.missing += (answer.missing.empty() ? "" : "|") + glob;
    return role == kFunction && mayLack;
  }
  return true;
}

// The percentile of many durations is only known within a range, but on which side of the rule's value it lies was
// counted.
void measurePercentile(const Rule &rule, const Sums &sums, CheckAnswer &answer) {
  const uint64_t rank = sums.durations.rankOf(rule.percentile);
  const Distribution::Range range = sums.durations.percentileRange(rule.percentile);
  auto from = static_cast<double>(range.from), to = static_cast<double>(range.to);
  if (sums.below >= rank)
    to = std::clamp(std::ceil(rule.value) - 1, from, to);
  else if (sums.atMost >= rank)
    from = to = rule.value;
  else
    from = std::clamp(std::floor(rule.value) + 1, from, to);
  answer.measured = (from + to) / 2;
  answer.error = (to - from) / 2;
}

CheckAnswer answerTo(const Rule &rule, Sums &sums) {
  CheckAnswer answer;
  if (!findMissing(rule, sums, answer)) {
    answer.verdict = CheckAnswer::Verdict::Undecided;
    return answer;
  }
  answer.worst = sums.worst;
  const auto decide = [&](double measured) {
    answer.measured = measured;
    answer.verdict = rule.isKeptBy(measured) ? CheckAnswer::Verdict::Kept : CheckAnswer::Verdict::Broken;
  };
  if (rule.form != Rule::Form::Bound) {
    answer.measured = static_cast<double>(sums.violations);
    answer.verdict = sums.violations == 0 ? CheckAnswer::Verdict::Kept : CheckAnswer::Verdict::Broken;
    return answer;
  }
  const auto undecided = [&] { answer.verdict = CheckAnswer::Verdict::Undecided; };
  if (!rule.per.empty()) {
    sums.hasPer ? decide(sums.worstPer) : undecided();
    return answer;
  }
  const auto share = [&](uint64_t ns) {
    if (sums.schedNs == 0) {
      answer.lacksScheduling = sums.calls > 0;
      return undecided();
    }
    decide(rule.unit == Unit::Percent ? 100 * static_cast<double>(ns) / static_cast<double>(sums.schedNs)
                                      : static_cast<double>(ns));
  };
  const uint64_t running = sums.schedNs - std::min(sums.schedNs, sums.off.notRunningNs());
  switch (rule.metric) {
  case Metric::Calls:
    decide(static_cast<double>(sums.calls));
    break;
  case Metric::Exceptions:
    decide(static_cast<double>(sums.exceptions));
    break;
  case Metric::Depth:
    decide(static_cast<double>(sums.depth));
    break;
  case Metric::Total:
    decide(static_cast<double>(sums.totalNs));
    break;
  case Metric::Self:
    decide(static_cast<double>(sums.selfNs));
    break;
  case Metric::OnCpu:
    share(running);
    break;
  case Metric::Waiting:
    share(sums.off.waitingNs);
    break;
  case Metric::Preempted:
    share(sums.off.preemptedNs);
    break;
  case Metric::Mean:
    sums.calls ? decide(static_cast<double>(sums.totalNs) / static_cast<double>(sums.calls)) : undecided();
    break;
  case Metric::Min:
    sums.durations.count() ? decide(static_cast<double>(sums.durations.min())) : undecided();
    break;
  case Metric::Max:
    sums.durations.count() ? decide(static_cast<double>(sums.durations.max())) : undecided();
    break;
  case Metric::Percentile:
    if (sums.durations.count() == 0) {
      undecided();
    } else {
      measurePercentile(rule, sums, answer);
      decide(answer.measured);
    }
    break;
  }
  if (answer.worst && rule.metric == Metric::Min)
    answer.worst->measured = -answer.worst->measured;
  // Nothing was measured, so a limit on times says nothing.
  if (sums.calls == 0 && (rule.metric == Metric::Total || rule.metric == Metric::Self))
    undecided();
  return answer;
}

} // namespace

Expected<std::vector<CheckAnswer>> checkRules(const Trace &trace, std::span<const Rule> rules, uint64_t fromNs,
                                              uint64_t toNs, Damage &damage) {
  FilterOptions range;
  range.fromNs = fromNs, range.toNs = toNs;
  std::vector<Sums> sums(rules.size());
  ADA_TRY(readParts<CheckWorker>(
      trace, partsOf(trace), [&](TraceTable &own) { return std::make_unique<CheckWorker>(own, rules, range); },
      [&](CheckWorker &worker) {
        for (size_t i = 0; i < rules.size(); ++i)
          sums[i].merge(rules[i], worker.sums[i]);
      },
      damage));
  std::vector<CheckAnswer> answers;
  for (size_t i = 0; i < rules.size(); ++i)
    answers.push_back(answerTo(rules[i], sums[i]));
  return answers;
}

std::string commandThatShows(const RuleExample &example, const TraceTable &table, bool severalProcesses,
                             const std::string &session) {
  const std::string place = pathForShell(session);
  if (example.endNs <= example.beginNs)
    return fmt::format("adatrace tree --thread={} --from=@{} --to=@{} {}", table.threads[example.thread].number,
                       example.beginNs - std::min<uint64_t>(example.beginNs, 1000), example.beginNs + 1000, place);
  return fmt::format("adatrace why --call={} {}", callName(table, severalProcesses, example.thread, example.seq),
                     place);
}

const char *verdictName(CheckAnswer::Verdict verdict) {
  return verdict == CheckAnswer::Verdict::Kept     ? "kept"
         : verdict == CheckAnswer::Verdict::Broken ? "broken"
                                                   : "undecided";
}

std::string undecidedText(const Rule &rule, const CheckAnswer &answer) {
  if (answer.lacksScheduling)
    return "scheduling was not recorded";
  if (!answer.missing.empty())
    return fmt::format("no call of '{}' is in the trace", answer.missing);
  return rule.per.empty() ? "no complete call of such a function is in the trace"
                          : "no complete call of the function after 'per' is in the trace";
}

namespace {

const model::Thread &threadOf(const RuleExampleLine &line) { return line.trace->threads[line.call->thread]; }

constexpr Column<RuleExampleLine> kExamples[] = {
    {kPid, [](const RuleExampleLine &line) -> Value { return line.trace->processOf(threadOf(line)).pid; }},
    {kProcess, [](const RuleExampleLine &line) -> Value { return line.trace->processOf(threadOf(line)).label; }},
    {kThread, [](const RuleExampleLine &line) -> Value { return uint64_t(threadOf(line).number); }},
    {kTid, [](const RuleExampleLine &line) -> Value { return threadOf(line).tid; }},
    {ColumnInfo{"function", Holds::Text, "the function that was called"},
     [](const RuleExampleLine &line) -> Value { return shortName(line.call->function); }},
    {ColumnInfo{"seq", Holds::Number, "the call's number, for `why --call=THREAD:SEQ`"},
     [](const RuleExampleLine &line) -> Value { return line.call->seq; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when it began"},
     [](const RuleExampleLine &line) -> Value { return line.call->beginNs; }},
    {ColumnInfo{"duration_ns", Holds::Duration, "how long it took; 0 for a call that should not be there"},
     [](const RuleExampleLine &line) -> Value { return line.call->endNs - line.call->beginNs; }},
    {ColumnInfo{"command", Holds::Text, "the command that shows it"},
     [](const RuleExampleLine &line) -> Value { return line.command; }},
};

bool isDecided(const RuleLine &line) { return line.answer->verdict != CheckAnswer::Verdict::Undecided; }
Value measuredOf(const RuleLine &line) {
  return isDecided(line) ? Value(Json{fmt::format("{:.10g}", line.answer->measured)}) : Value();
}
Value worstOf(const RuleLine &line) {
  if (!line.answer->worst)
    return {};
  return Json{jsonOf(ruleExampleColumns(), RuleExampleLine{&*line.answer->worst, line.trace, line.command})};
}

constexpr Column<RuleLine> kRules[] = {
    {ColumnInfo{"session", Holds::Text, "the trace"}, [](const RuleLine &line) -> Value { return line.session; }},
    {ColumnInfo{"line", Holds::Number, "of the rule in its file"},
     [](const RuleLine &line) -> Value { return uint64_t(line.rule->line); }},
    {ColumnInfo{"rule", Holds::Text, "its text"}, [](const RuleLine &line) -> Value { return line.rule->text; }},
    {ColumnInfo{"verdict", Holds::Text, "`kept`, `broken` or `undecided`"},
     [](const RuleLine &line) -> Value { return verdictName(line.answer->verdict); }},
    {ColumnInfo{"measured", Holds::Real,
                "a count, nanoseconds, or per cent; for `never` and `each` the number of violations"} |
         kOrNull,
     measuredOf},
    {ColumnInfo{"measured_error", Holds::Real,
                "for a percentile of more than 64 calls: by how many nanoseconds `measured` may be off. The verdict is "
                "exact"} |
         kOrNull,
     [](const RuleLine &line) -> Value {
       const bool isExact = !isDecided(line) || line.answer->error == 0;
       return isExact ? Value() : Value(Json{fmt::format("{:.10g}", line.answer->error)});
     }},
    {ColumnInfo{"reason", Holds::Text,
                "why it is undecided; for a rule that is kept, that the trace has no call of its function"} |
         kOrNull,
     [](const RuleLine &line) -> Value {
       const bool hasReason = !isDecided(line) || !line.answer->missing.empty();
       return hasReason ? Value(undecidedText(*line.rule, *line.answer)) : Value();
     }},
    {ColumnInfo{"worst", Holds::Object, "the worst call, or the first that should not be there"} | kOrNull, worstOf},
};

} // namespace

Columns<RuleExampleLine> ruleExampleColumns() { return kExamples; }
Columns<RuleLine> ruleColumns() { return kRules; }

} // namespace ada::analysis
