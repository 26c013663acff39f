// Adatrace info: describes a trace or a program.
#include "command.h"
#include "elf/info_elf.h"
#include "options/table_options.h"
#include "output/description_text.h"
#include "process/session_place.h"

#include "convert/summary.h"
#include "formats/table.h"

namespace ada::cli {

namespace info_command {
namespace {

struct Options {
  std::string path;
  Format format = Format::Text;
  bool all = false, functions = false, absolute = false;
};

// Describes a program or library. Returns nothing if the file is neither.
std::optional<int> describeProgram(const Options &options, Output &out, const Palette &palette) {
  ElfFile file;
  std::string problem;
  switch (ElfFile::open(options.path, file, problem)) {
  case ElfFile::Status::Ok:
    if (options.format == Format::Json)
      return fail(kWrongUsage, "info: --format=json is for traces; {} is a program or library", options.path);
    printElf(out, palette, options.path, file, options.functions);
    return kOk;
  case ElfFile::Status::Broken:
    return fail(kCantRead, "{} can't be read as an ELF file: {}", options.path, problem);
  case ElfFile::Status::CantRead:
    return fail(kCantRead, "{}: {}", options.path, problem);
  case ElfFile::Status::NotElf:
    break;
  }
  return std::nullopt;
}

int run(Options &options, const Invocation &invocation) {
  const Palette palette = invocation.palette();
  Output out;
  const std::string path = sessionOrNewest(options.path);
  auto place = model::locate(path);
  if (!place) {
    const std::optional<int> code = path == "-" ? std::nullopt : describeProgram(options, out, palette);
    return code ? *code : fail(kCantRead, "{}", place.error().text());
  }
  const model::FormatChoice found = model::recognise(*place);
  if (!found) {
    if (path != "-")
      if (const auto code = describeProgram(options, out, palette))
        return *code;
    return fail(kCantRead, "{}", model::notATrace(*place).text());
  }
  if (options.format == Format::Json && place->bytes)
    if (auto kept = place->bytes->spool(); !kept) // it is read twice
      return fail(kCantRead, "{}", kept.error().text());
  auto description = need(found.format->describe(*place, options.absolute));
  if (options.format == Format::Json) {
    if (description.processes.empty() && found.format->open)
      model::describeProcesses(*found.format, std::move(*place), description);
    printJson(out, description);
  } else {
    printText(out, palette, description, options.all);
    out.flush();
    for (const Warning &flaw : description.warnings)
      warning("{}: {}", path == "-" ? "standard input" : path, flaw.message);
    if (description.problem)
      complain(description.problem->text());
  }
  return description.isWhole && !description.problem ? kOk : kProblemsFound;
}

void declare(CommandLine &line, Options &options) {
  line.option("file", options.path,
              "A session, a part of one, a trace of any format, or a program, library or object file [the newest "
              "session under ./ada-traces]; - is standard input")
      .type("");
  line.flag("--all", options.all, "List all threads and modules, however many there are");
  line.flag("--absolute", options.absolute, "Show times on the trace's clock, not since its start");
  addFormat(line, options.format, {Format::Text, Format::Json}, "text, or json: one object, for scripts [text]");
  line.flag("--functions", options.functions, "For a program or library: list the instrumented functions");
}

} // namespace
} // namespace info_command

const Command kInfo = {
    "info",
    "Show what a trace holds, or whether a program is instrumented",
    "adatrace info ada-traces/session_20261121_101500\n"
    "adatrace info --format=json run.trc | jq '.processes[].pid'\n"
    "adatrace info --functions ./server",
    withOptions<info_command::declare, info_command::run>,
};

} // namespace ada::cli
