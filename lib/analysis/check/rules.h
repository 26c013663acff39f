// Rules about a trace that a build can keep: one a line, in words that say what is measured.
//
//   # comment
//   p99(Server::handle) < 5ms
//   calls(malloc, within Server::handle) == 0
//   depth(parse) <= 200
//   waiting(main_loop) < 10 %
//   exceptions(net::*) == 0
//   total(decode) per frame < 16ms
//   never render -> read_file
//   each lock is followed by unlock in the same call
//
//   rule     = bound | never | each
//   bound    = metric "(" globs [ "," "within" globs ] ")" [ "per" globs ] comparison value
//   metric   = "calls" | "total" | "self" | "mean" | "min" | "max" | "p50" … "p99.9" | "depth" | "exceptions"
//            | "on_cpu" | "waiting" | "preempted"
//   comparison = "<" | "<=" | ">" | ">=" | "==" | "!="
//   value    = number [ "ns" | "us" | "ms" | "s" | "min" | "%" ]
//   never    = "never" globs "->" globs
//   each     = "each" globs "is followed by" globs "in the same call"
//
// Globs are those of --function ("a|b" are two). One that contains spaces, commas or brackets is put in single or
// double quotes. Keywords are lower case. Empty lines and what follows a "#" at the start of a word are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ada::analysis {

enum class Metric { Calls, Total, Self, Mean, Min, Max, Percentile, Depth, Exceptions, OnCpu, Waiting, Preempted };
enum class Comparison { Less, LessOrEqual, More, MoreOrEqual, Equal, NotEqual };
/// What a value is: a count, nanoseconds, or hundredths of the time that the calls took.
enum class Unit { Count, Duration, Percent };

struct Rule {
  enum class Form { Bound, Never, Each };
  Form form = Form::Bound;
  uint32_t line = 0; ///< in the file, from 1
  std::string text;  ///< without comment and outer blanks
  Metric metric = Metric::Calls;
  double percentile = 0; ///< Metric::Percentile
  /// Globs. Never: `function` may not be called, however indirectly, by `within`. Each: `function`, then `second`.
  std::vector<std::string> function, within, per, second;
  Comparison comparison = Comparison::Less;
  double value = 0; ///< in nanoseconds for durations
  Unit unit = Unit::Count;

  bool isKeptBy(double measured) const;
};

struct RuleFault {
  uint32_t line = 0, column = 0; ///< both from 1
  std::string message;
};

/// Reads all rules of a text, or says what is wrong with the first one that is none.
std::variant<std::vector<Rule>, RuleFault> parseRules(std::string_view text);

} // namespace ada::analysis
