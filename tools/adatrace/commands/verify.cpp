// adatrace verify: checks whether a trace is intact.
#include "command.h"
#include "input/trace_input.h"
#include "options/option_values.h"
#include "process/session_place.h"
#include "terminal/folded_messages.h"

#include "formats/table.h"
#include "trace/base/quantities.h"

namespace ada::cli {

namespace verify_command {
namespace {

struct Options {
  std::string path;
  bool quiet = false, each = false;
};

std::string contents(const formats::CheckSummary &summary) {
  std::string text;
  for (const auto &[count, what] : summary.counts)
    text += (text.empty() ? "" : ", ") + formatCount(count, what);
  return text;
}

int run(Options &options, const Invocation &invocation) {
  Output out;
  const Palette palette = invocation.palette();
  const std::string path = sessionOrNewest(options.path);
  auto place = need(formats::locate(path));
  const formats::FormatChoice found = formats::recognise(place);
  uint64_t problems = 0;
  const std::string all = options.each ? "" : "--each";
  FoldedMessages told(
      all, [&](const std::string &text) { out.print("{}problem:{} {}\n", palette.error, palette.reset, text); });
  FoldedMessages notes(
      all, [&](const std::string &text) { out.print("{}note:{} {}\n", palette.warn, palette.reset, text); });
  const auto problem = [&](const std::string &text) {
    ++problems;
    told.add(text);
  };
  const auto note = [&](const std::string &text) { notes.add(text); };
  if (!found && path == "-")
    return fail(kCantRead, "{}", formats::notATrace(place).text());
  if (!found) { // a file that exists but can't be opened is a finding
    problem(formats::notATrace(place).text());
    if (!options.quiet)
      out.print("{} in {}\n", formatCount(problems, "problem"), path);
    return kProblemsFound;
  }
  const auto checked = need(found.format->verify(place, {problem, note}));
  told.finish();
  notes.finish();
  if (!options.quiet) {
    if (problems == 0)
      out.print("{}ok:{} ", palette.good, palette.reset);
    else
      out.print("{} in {}{}", formatCount(problems, "problem"), checked.place, checked.counts.empty() ? "" : ": ");
    out.print("{}\n", contents(checked));
  }
  return problems ? kProblemsFound : kOk;
}

void declare(CommandLine &line, Options &options) {
  line.option("trace", options.path,
              "A session, a part of one, or a trace of any format [the newest session under ./ada-traces]; - is "
              "standard input")
      .type("");
  line.flag("--each", options.each, "Print each problem, however many are alike");
  addQuiet(line, options.quiet, "Print only problems, no closing line");
}

} // namespace
} // namespace verify_command

const Command kVerify = {
    "verify",
    "Check a trace: headers, checksums, order, nesting, names",
    "adatrace verify ada-traces/session_20261121_101500 && echo intact",
    withOptions<verify_command::declare, verify_command::run>,
};

} // namespace ada::cli
