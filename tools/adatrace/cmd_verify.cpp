//===- cmd_verify.cpp - adatrace verify: is this session whole? -----------===//
#include "command.h"
#include "foreign_file.h"
#include "quantities.h"
#include "session_check.h"
#include "session_place.h"
#include "trace_input.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  std::string path;
  bool quiet = false;
};

int run(Options &options, const Invocation &invocation) {
  Output out;
  const Palette palette(invocation.color, STDOUT_FILENO);
  auto foreign = openForeign(options.path);
  if (!foreign)
    return fail(kCantRead, "{}", foreign.error().text());
  if (*foreign)
    return verifyForeign(std::move(**foreign), out, palette, options.quiet);
  std::string place = options.path;
  if (place.empty()) {
    const Expected<std::string> newest = atf::newestSession(kDefaultOutput);
    if (!newest)
      return fail(kCantRead, "there is no session under ./{}; name one",
                  kDefaultOutput);
    place = *newest;
  }
  const auto problem = [&](const std::string &text) {
    out.print("{}problem:{} {}\n", palette.error, palette.reset, text);
  };
  Expected<atf::Session> session = atf::Session::open(place);
  if (!session) {
    // A file that is there but is no good is what this command is to find.
    const Error &error = session.error();
    if (error.code == "E_IO" || error.code == "E_NO_SESSION")
      return fail(kCantRead, "{}", error.text());
    problem(error.text());
    if (!options.quiet)
      out.print("1 problem in {}\n", place);
    return kProblemsFound;
  }
  SessionCheck check(problem, [&](const std::string &text) {
    out.print("{}note:{} {}\n", palette.warn, palette.reset, text);
  });
  check.check(*session);
  if (!options.quiet) {
    if (check.problems() == 0)
      out.print("{}ok:{} ", palette.good, palette.reset);
    else
      out.print("{} problem{} in {}: ", formatCount(check.problems()),
                check.problems() == 1 ? "" : "s", session->path());
    const size_t processes = session->processes().size();
    out.print("{} events, ", formatCount(check.events()));
    if (check.details())
      out.print("{} detail events, ", formatCount(check.details()));
    out.print("{} thread{}, {} process{}\n", formatCount(check.threads()),
              check.threads() == 1 ? "" : "s", processes,
              processes == 1 ? "" : "es");
  }
  return check.problems() ? kProblemsFound : kOk;
}

std::function<int()> declare(CLI::App &app, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareSessionArgument(app, options->path);
  app.add_flag("-q,--quiet", options->quiet,
               "No closing line: nothing but problems");
  return [options, &invocation] { return run(*options, invocation); };
}

} // namespace

const Command kVerify = {
    "verify",
    "Check a session: headers, checksums, order, nesting, names",
    "adatrace verify ada-traces/session_20261121_101500 && echo whole",
    declare,
};

} // namespace ada::cli
