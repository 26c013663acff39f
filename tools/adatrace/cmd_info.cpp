//===- cmd_info.cpp - adatrace info: what a session or a program holds ----===//
#include "command.h"
#include "foreign_file.h"
#include "info_elf.h"
#include "info_session.h"
#include "session_place.h"
#include "trace_input.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  std::string path;
  bool all = false, functions = false;
};

int run(Options &options, const Invocation &invocation) {
  const Palette palette(invocation.color, STDOUT_FILENO);
  Output out;
  auto foreign = openForeign(options.path);
  if (!foreign)
    return fail(kCantRead, "{}", foreign.error().text());
  if (*foreign)
    return infoForeign(std::move(**foreign), out, palette, options.all);
  if (!options.path.empty()) {
    ElfFile file;
    std::string problem;
    switch (ElfFile::open(options.path, file, problem)) {
    case ElfFile::Status::Ok:
      printElf(out, palette, options.path, file, options.functions);
      return kOk;
    case ElfFile::Status::Broken:
      return fail(kCantRead, "{} can't be read as an ELF file: {}", options.path, problem);
    case ElfFile::Status::CantRead:
      return fail(kCantRead, "{}: {}", options.path, problem);
    case ElfFile::Status::NotElf:
      break;
    }
  }
  // Neither checksums nor detail events: info is to be quick on any session.
  const std::optional<atf::Session> session = openSession(
      options.path, {.checksum = atf::ChecksumPolicy::Defer, .detail = false});
  if (!session)
    return kCantRead;
  const bool whole = printSession(out, palette, *session, options.all);
  return whole ? kOk : kProblemsFound;
}

std::function<int()> declare(CLI::App &app, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  app.add_option("file", options->path,
                 "A session or a part of it, or a program, library or object file [the "
                 "newest session under ./ada-traces]")
      ->type_name("");
  app.add_flag("--all", options->all, "All threads and modules, however many there are");
  app.add_flag("--functions", options->functions,
               "Of a program or library: list the instrumented functions");
  return [options, &invocation] { return run(*options, invocation); };
}

} // namespace

const Command kInfo = {
    "info",
    "Say what a session holds, or whether a program is instrumented",
    "adatrace info ada-traces/session_20261121_101500\n"
    "adatrace info --functions ./server",
    declare,
};

} // namespace ada::cli
