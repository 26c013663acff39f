//===- cmd_recover.cpp - adatrace recover: traces of killed programs ------===//
#include "command.h"
#include "recover_process.h"
#include "session_place.h"
#include "trace_input.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
  std::string path;
  bool quiet = false, keepRing = false;
};

// The process directories that `path` means: those of a session (of the newest one in a
// directory of sessions), or itself.
std::vector<std::string> directoriesOf(const std::string &path) {
  std::vector<std::string> directories = processDirectories(path);
  if (!directories.empty())
    return directories;
  std::error_code error;
  if (fs::exists(fs::path(path) / "manifest.json", error))
    return {path};
  for (fs::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (at->path().filename().string().starts_with("thread_"))
      return {path};
  if (const Expected<std::string> newest = atf::newestSession(path))
    return processDirectories(*newest);
  return {};
}

int run(const Options &options) {
  const std::string path = options.path.empty() ? kDefaultOutput : options.path;
  std::error_code error;
  if (!fs::is_directory(path, error))
    return options.path.empty()
               ? fail(kCantRead, "there is no session under ./{}; name one",
                      kDefaultOutput)
               : fail(kCantRead, "{}: {}", path,
                      error ? error.message() : "this is not a directory");
  const std::vector<std::string> directories = directoriesOf(path);
  if (directories.empty())
    return fail(kCantRead, "{}: no process has recorded here (there is no directory pid_N)",
                path);
  RecoverTotals totals;
  for (const std::string &directory : directories)
    recoverAndTell(directory, {.exitCode = {}, .signal = {}, .keepRing = options.keepRing},
                   options.quiet, totals);
  return totals.failed || totals.running ? kProblemsFound : kOk;
}

std::function<int()> declare(CLI::App &app, const Invocation &) {
  auto options = std::make_shared<Options>();
  app.add_option("session", options->path,
                 "A session or one process directory of it [the newest session under "
                 "./ada-traces]")
      ->type_name("");
  app.add_flag("--keep-ring", options->keepRing,
               "Leave the memory that was recovered from where it is (see --ring of "
               "`adatrace record`)");
  app.add_flag("-q,--quiet", options->quiet, "Print nothing but problems");
  return [options] { return run(*options); };
}

} // namespace

const Command kRecover = {
    "recover",
    "Finish the trace of a program that was killed",
    "adatrace recover ada-traces/session_20261121_101500",
    declare,
};

} // namespace ada::cli
