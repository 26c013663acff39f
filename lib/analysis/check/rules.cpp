// Parses rules, with errors that point at the column.
#include "rules.h"

#include "trace/base/format.h"

#include <charconv>
#include <cmath>

namespace ada::analysis {

namespace {

struct Fault {
  size_t at = 0; // byte in the line
  std::string message;
};

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

class LineParser {
public:
  explicit LineParser(std::string_view line) : line_(line) {}

  // Nothing if the line has a fault, which is in fault().
  std::optional<Rule> parse() {
    Rule rule;
    skipBlanks();
    const size_t begin = at_;
    const std::string_view word = peekWord();
    const bool isFine = word == "never" ? parseNever(rule) : word == "each" ? parseEach(rule) : parseBound(rule);
    if (!isFine)
      return std::nullopt;
    skipBlanks();
    if (at_ < line_.size())
      return fail("nothing more is expected here"), std::nullopt;
    rule.text = line_.substr(begin);
    while (!rule.text.empty() && isBlank(rule.text.back()))
      rule.text.pop_back();
    return rule;
  }
  const Fault &fault() const { return fault_; }

private:
  bool fail(std::string message) { return failAt(at_, std::move(message)); }
  bool failAt(size_t at, std::string message) {
    fault_ = {at, std::move(message)};
    return false;
  }
  void skipBlanks() {
    while (at_ < line_.size() && isBlank(line_[at_]))
      ++at_;
  }
  // Letters, digits, "_" and "." from here on, which are not consumed.
  std::string_view peekWord() const {
    size_t end = at_;
    while (end < line_.size() &&
           (std::isalnum(static_cast<unsigned char>(line_[end])) || line_[end] == '_' || line_[end] == '.'))
      ++end;
    return line_.substr(at_, end - at_);
  }
  bool word(std::string_view wanted) {
    skipBlanks();
    if (peekWord() != wanted)
      return fail(fmt::format("'{}' is expected here", wanted));
    at_ += wanted.size();
    return true;
  }
  bool words(std::initializer_list<std::string_view> all) {
    for (const std::string_view one : all)
      if (!word(one))
        return false;
    return true;
  }
  bool mark(char wanted) {
    skipBlanks();
    if (at_ >= line_.size() || line_[at_] != wanted)
      return fail(fmt::format("'{}' is expected here", wanted));
    ++at_;
    return true;
  }

  // Globs up to a blank, or inside brackets up to "," or ")".
  bool globs(std::vector<std::string> &to, bool isInBrackets) {
    skipBlanks();
    const size_t begin = at_;
    std::string text;
    if (at_ < line_.size() && (line_[at_] == '\'' || line_[at_] == '"')) {
      const size_t end = line_.find(line_[at_], at_ + 1);
      if (end == std::string_view::npos)
        return fail("this quote has no end");
      text = line_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else {
      while (at_ < line_.size() && !isBlank(line_[at_]) && !(isInBrackets && (line_[at_] == ',' || line_[at_] == ')')))
        ++at_;
      text = line_.substr(begin, at_ - begin);
    }
    for (size_t from = 0; from <= text.size();) {
      const size_t end = std::min(text.find('|', from), text.size());
      if (end == from)
        return failAt(begin, "the name of a function, or a glob, is expected here");
      to.push_back(text.substr(from, end - from));
      from = end + 1;
    }
    return true;
  }

  bool parseNever(Rule &rule) {
    rule.form = Rule::Form::Never;
    if (!word("never") || !globs(rule.within, false))
      return false;
    skipBlanks();
    if (line_.substr(at_, 2) != "->")
      return fail("'->' is expected here");
    at_ += 2;
    return globs(rule.function, false);
  }
  bool parseEach(Rule &rule) {
    rule.form = Rule::Form::Each;
    return word("each") && globs(rule.function, false) && words({"is", "followed", "by"}) &&
           globs(rule.second, false) && words({"in", "the", "same", "call"});
  }
  bool parseBound(Rule &rule) {
    if (!metric(rule) || !mark('(') || !globs(rule.function, true))
      return false;
    skipBlanks();
    if (at_ < line_.size() && line_[at_] == ',') {
      ++at_;
      if (!word("within") || !globs(rule.within, true))
        return false;
    }
    if (!mark(')'))
      return false;
    skipBlanks();
    if (peekWord() == "per" && (!word("per") || !globs(rule.per, false)))
      return false;
    return comparison(rule) && value(rule);
  }
  bool metric(Rule &rule) {
    constexpr std::pair<std::string_view, Metric> kMetrics[] = {{"calls", Metric::Calls},
                                                                {"total", Metric::Total},
                                                                {"self", Metric::Self},
                                                                {"mean", Metric::Mean},
                                                                {"min", Metric::Min},
                                                                {"max", Metric::Max},
                                                                {"depth", Metric::Depth},
                                                                {"exceptions", Metric::Exceptions},
                                                                {"on_cpu", Metric::OnCpu},
                                                                {"waiting", Metric::Waiting},
                                                                {"preempted", Metric::Preempted}};
    const std::string_view name = peekWord();
    for (const auto &[known, metric] : kMetrics)
      if (name == known) {
        rule.metric = metric, at_ += name.size();
        return true;
      }
    if (name.size() > 1 && name[0] == 'p') {
      const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), rule.percentile);
      if (error == std::errc() && end == name.data() + name.size() && rule.percentile > 0 && rule.percentile < 100) {
        rule.metric = Metric::Percentile, at_ += name.size();
        return true;
      }
    }
    return fail("a rule begins with never, each, or what is measured: calls, total, self, mean, min, max, p50, p99, "
                "depth, exceptions, on_cpu, waiting or preempted");
  }
  bool comparison(Rule &rule) {
    skipBlanks();
    constexpr std::pair<std::string_view, Comparison> kComparisons[] = {
        {"<=", Comparison::LessOrEqual}, {">=", Comparison::MoreOrEqual}, {"==", Comparison::Equal},
        {"!=", Comparison::NotEqual},    {"<", Comparison::Less},         {">", Comparison::More}};
    for (const auto &[sign, comparison] : kComparisons)
      if (line_.substr(at_, sign.size()) == sign) {
        rule.comparison = comparison, at_ += sign.size();
        return true;
      }
    return fail("<, <=, >, >=, == or != is expected here");
  }
  bool value(Rule &rule) {
    skipBlanks();
    const size_t begin = at_;
    const char *from = line_.data() + at_, *last = line_.data() + line_.size();
    const auto [end, error] = std::from_chars(from, last, rule.value, std::chars_format::fixed);
    if (error != std::errc() || rule.value < 0 || !std::isfinite(rule.value))
      return fail("a number is expected here");
    at_ += static_cast<size_t>(end - from);
    skipBlanks();
    constexpr std::pair<std::string_view, double> kUnits[] = {{"ns", 1},     {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6},
                                                              {"min", 6e10}, {"s", 1e9},  {"%", 0}};
    const size_t unitAt = at_;
    for (const auto &[unit, factor] : kUnits)
      if (line_.substr(at_, unit.size()) == unit) {
        at_ += unit.size();
        rule.unit = factor > 0 ? Unit::Duration : Unit::Percent;
        rule.value *= factor > 0 ? factor : 1;
        break;
      }
    return fits(rule, begin, unitAt);
  }
  bool fits(const Rule &rule, size_t valueAt, size_t unitAt) {
    const bool isCount =
        rule.metric == Metric::Calls || rule.metric == Metric::Depth || rule.metric == Metric::Exceptions;
    const bool canBeShare =
        rule.metric == Metric::OnCpu || rule.metric == Metric::Waiting || rule.metric == Metric::Preempted;
    if (isCount && rule.unit != Unit::Count)
      return failAt(unitAt, "this is a count, which has no unit");
    if (!isCount && rule.unit == Unit::Count)
      return failAt(valueAt, canBeShare ? "a duration (5ms) or a share (10 %) is expected here"
                                        : "a duration is expected here, like 5ms");
    if (rule.unit == Unit::Percent && !canBeShare)
      return failAt(unitAt, "only on_cpu, waiting and preempted can be compared with a share");
    if (!rule.per.empty() && (rule.metric == Metric::Percentile || rule.metric == Metric::Mean ||
                              rule.metric == Metric::Min || rule.metric == Metric::Max || canBeShare))
      return failAt(valueAt, "'per' goes with calls, total, self, depth and exceptions");
    return true;
  }

  std::string_view line_;
  size_t at_ = 0;
  Fault fault_;
};

// Cuts off a comment: a "#" at the start of a word, outside of quotes.
std::string_view withoutComment(std::string_view line) {
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (quote)
      quote = line[i] == quote ? 0 : quote;
    else if (line[i] == '\'' || line[i] == '"')
      quote = line[i];
    else if (line[i] == '#' && (i == 0 || isBlank(line[i - 1])))
      return line.substr(0, i);
  }
  return line;
}

} // namespace

bool Rule::isKeptBy(double measured) const {
  switch (comparison) {
  case Comparison::Less:
    return measured < value;
  case Comparison::LessOrEqual:
    return measured <= value;
  case Comparison::More:
    return measured > value;
  case Comparison::MoreOrEqual:
    return measured >= value;
  case Comparison::Equal:
    return measured == value;
  case Comparison::NotEqual:
    break;
  }
  return measured != value;
}

std::variant<std::vector<Rule>, RuleFault> parseRules(std::string_view text) {
  std::vector<Rule> rules;
  uint32_t number = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view line = withoutComment(text.substr(from, end - from));
    from = end + 1, ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    LineParser parser(line);
    std::optional<Rule> rule = parser.parse();
    if (!rule)
      return RuleFault{number, static_cast<uint32_t>(parser.fault().at + 1), parser.fault().message};
    rule->line = number;
    rules.push_back(*std::move(rule));
  }
  return rules;
}

} // namespace ada::analysis
