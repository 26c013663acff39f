// adatrace outliers: shows what sets slow calls of a function apart from its ordinary ones.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/outlier_lines.h"

#include "analysis/outliers/outlier_question.h"
#include "trace/base/text.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

namespace outliers_command {
namespace {

struct Options {
  InputOptions input;
  std::vector<std::string> functions;
  std::string slowest;
  TableOptions table;
  uint64_t limit = 0;
};

constexpr uint64_t kFunctions = 3, kRows = 20; // shown unless --limit says otherwise

int listTails(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::Damage damage;
  auto rows = need(analysis::readTails(input.trace(), input.fromNs(), input.toNs(), damage));
  const size_t all = rows.size();
  rows.resize(std::min<size_t>(all, options.limit ? options.limit : kRows));
  Output out;
  const Palette palette = invocation.palette();
  printTails(out, palette, rows, options.table);
  if (options.table.isText()) {
    if (rows.size() < all)
      out.print("{}... and {} more{}\n", palette.dim, formatCount(all - rows.size()), palette.reset);
    if (!rows.empty())
      out.print("Why some calls are slow: adatrace outliers --function={} {}\n", quotedForShell(rows[0].function),
                pathForShell(input.path()));
  }
  out.flush();
  return input.close(damage);
}

int explain(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::OutlierQuestion question{.globs = options.functions,
                                     .fromNs = input.fromNs(),
                                     .toNs = input.toNs(),
                                     .mostFunctions = options.limit ? options.limit : kFunctions};
  if (!options.slowest.empty())
    question.slowest = *analysis::SlowestOf::parse(options.slowest);
  analysis::Damage damage;
  const analysis::OutlierAnswers answers = need(analysis::askOutliers(input.trace(), question, damage));
  if (answers.functions == 0) {
    complain(fmt::format("outliers: {} has no complete call of such a function", input.name()));
    (void)warnAboutUnmatched("--function", options.functions, input.table().functions);
    return kProblemsFound;
  }
  const Palette palette = invocation.palette();
  Output out;
  const bool isJson = options.table.isJson(), isList = answers.functions > 1;
  for (const analysis::Outliers &found : answers.found) {
    const bool isFirst = &found == answers.found.data(), isLast = &found == &answers.found.back();
    if (!isJson) {
      out.write(isFirst ? "" : "\n");
      printOutliers(out, palette, input, found);
    } else { // one object, or an array if there are several functions
      out.write(isFirst && isList ? "[\n" : "");
      out.write(jsonOf(analysis::outlierColumns(), analysis::OutlierLine{&found, &input.table()}));
      out.write(!isLast ? ",\n" : isList ? "\n]\n" : "\n");
    }
  }
  if (!isJson && answers.found.size() < answers.functions)
    out.print("{}... and {} more functions; --limit shows more{}\n", palette.dim,
              formatCount(answers.functions - answers.found.size()), palette.reset);
  out.flush();
  return input.close(damage);
}

int run(Options &options, const Invocation &invocation) {
  if (options.functions.empty() && !options.slowest.empty())
    return fail(kWrongUsage, "outliers: --slowest needs --function");
  if (!options.functions.empty() && !options.table.isText() && !options.table.isJson())
    return fail(kWrongUsage, "outliers: --function goes with --format=text or json");
  options.table.check("outliers", infoOf(analysis::tailColumns()));
  TraceInput input = TraceInput::open(options.input);
  return options.functions.empty() ? listTails(options, input, invocation) : explain(options, input, invocation);
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  addGlobs(line, "-f,--function", options.functions,
           "Explain the slow calls of these functions (globs, separated by '|'); without it, list the functions with "
           "the most time above their median");
  line.option("--slowest", options.slowest,
              "Which calls are slow: a share (1%), a number (25) or a duration (>5ms) [1%, without those that are no "
              "slower than the rest]")
      .type("WHICH")
      .check([](const std::string &text) {
        return analysis::SlowestOf::parse(text) ? std::string()
                                                : "'" + text + "' is not a share up to 50%, a number or >DURATION";
      });
  addLimit(line, options.limit, "At most this many functions [3 with --function, otherwise 20]");
  addTableOptions(line, options.table, "function");
}

} // namespace
} // namespace outliers_command

const Command kOutliers = {
    "outliers",
    "Show what sets slow calls of a function apart from its ordinary ones",
    "adatrace outliers\n"
    "adatrace outliers --function='Server::handle'\n"
    "adatrace outliers --function='parse*' --slowest='>5ms' --format=json",
    withOptions<outliers_command::declare, outliers_command::run>,
};

} // namespace ada::cli
