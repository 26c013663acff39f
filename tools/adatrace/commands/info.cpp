// adatrace info: describes a trace or a program.
#include "command.h"
#include "options/table_options.h"
#include "output/process_summary.h"
#include "process/session_place.h"
#include "terminal/folded_messages.h"

#include "ada/abi.h"
#include "analysis/events/trace_table.h"
#include "analysis/processes/process_list.h"
#include "elf/elf_instrumentation.h"
#include "formats/convert/summary.h"
#include "formats/description.h"
#include "formats/table.h"
#include "trace/base/json.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <map>
#include <set>
#include <utility>

namespace ada::cli {

namespace info_command {
namespace {

struct Options {
  std::string path;
  Format format = Format::Text;
  bool all = false, each = false, functions = false, absolute = false;
};

using formats::Description;
using formats::InfoField;
using formats::InfoRow;
using formats::InfoSection;
using formats::InfoTable;

void printTable(Output &out, const Palette &palette, const InfoTable &table, bool all) {
  if (table.heading.empty())
    return; // for programs only
  out.print("  {}{}{}\n", palette.dim, table.heading, palette.reset);
  size_t listed = 0;
  for (const InfoRow &row : table.rows) {
    if (row.isProblem)
      out.print("  {}unreadable{}    {}\n", palette.error, palette.reset, row.text);
    else if (listed++ < table.shown || all)
      out.print("  {}{}{}{}{}\n", row.text, palette.name, row.name, palette.reset, row.rest);
  }
  if (listed > table.shown && !all)
    out.print("  {}... and {} more {}; --all lists them{}\n", palette.dim, formatCount(listed - table.shown),
              table.what, palette.reset);
}

void printSection(Output &out, const Palette &palette, const InfoSection &section, bool all) {
  if (section.isNamed)
    out.print("{}{}{}\n", palette.name, section.title, palette.reset);
  else if (!section.title.empty())
    out.print("{}\n", section.title);
  for (const InfoField &field : section.fields)
    if (!field.label.empty())
      out.print("  {}{:<13}{} {}\n", palette.dim, field.label, palette.reset, field.text);
  for (const std::string &text : section.warnings)
    out.print("  {}warning{}       {}\n", palette.warn, palette.reset, text);
  for (const std::string &text : section.problems)
    out.print("  {}unreadable{}    {}\n", palette.error, palette.reset, text);
  for (const InfoTable &table : section.tables)
    printTable(out, palette, table, all);
}

// The processes of a session that has too many to be read.
void printFolded(Output &out, const Palette &palette, Description &description, bool absolute,
                 const std::string &path) {
  const auto source = description.sessionSource();
  analysis::TraceTable table;
  analysis::TableSink sink(table);
  if (const auto read = source->readPart(sink, {.threads = std::vector<uint32_t>()}); !read)
    description.problem = read.error();
  printProcessSummary(out, palette, analysis::listProcesses(table), absolute, path);
  description.warnings = source->warnings();
  for (const Error &problem : source->problems()) {
    description.isWhole = false;
    description.warnings.push_back({problem.code, problem.text()});
  }
}

void printText(Output &out, const Palette &palette, Description &description, const Options &options,
               const std::string &path) {
  printSection(out, palette, description.whole, options.all);
  if (analysis::areMany(description.sessionProcesses) && !options.each && !options.all)
    return printFolded(out, palette, description, options.absolute, path);
  description.eachProcess([&](const InfoSection &process) { printSection(out, palette, process, options.all); });
}

JsonMembers membersOf(const InfoSection &section) {
  JsonMembers json;
  json.raw(section.members.list());
  for (const InfoField &field : section.fields)
    json.raw(field.members.list());
  json.texts("warnings", section.warnings).texts("problems", section.problems);
  for (const InfoTable &table : section.tables) {
    json.beginArray(table.key);
    for (const InfoRow &row : table.rows)
      json.json({}, row.members.object());
    json.endArray();
  }
  return json;
}

// Prints one JSON object on one line (docs/json.md), process by process.
void printJson(Output &out, Description &description) {
  InfoSection whole = description.whole;
  for (const Warning &flaw : description.warnings)
    whole.warnings.push_back(flaw.message);
  if (description.problem)
    whole.problems.push_back(description.problem->text());
  out.write("{" + membersOf(whole).list() + ",\"processes\":[");
  const char *comma = "";
  description.eachProcess(
      [&](const InfoSection &process) { out.write(std::exchange(comma, ",") + membersOf(process).object()); });
  out.write("]}\n");
}

// Adds the functions without hooks of all binaries that are still what was traced: a trace does not name them.
void addLeftOut(Description &description) {
  InfoTable table{.key = "left_out_functions",
                  .what = "functions left out",
                  .heading = "functions without hooks, which no trace shows"};
  for (const auto &[path, buildId] : description.whole.binaries)
    for (const LeftOutFunction &function : leftOutFunctions(path, buildId))
      table.rows.push_back(
          {.text = "left out      ",
           .name = oneLine(function.pretty),
           .rest = fmt::format(" in {}: {}", oneLine(path), oneLine(function.reason)),
           .members =
               JsonMembers().text("function", function.pretty).text("path", path).text("reason", function.reason)});
  if (!table.rows.empty())
    description.whole.tables.push_back(std::move(table));
}

void printAbi(Output &out, const Palette &palette, const ElfFile &file) {
  const std::optional<uint32_t> version = abiVersion(file);
  if (!version)
    out.write("  ABI           unknown (no symbol table)\n");
  else if (*version == ADA_ABI_VERSION)
    out.print("  ABI           {}\n", *version);
  else
    out.print("  ABI           {}{}, but this AdaTrace has {}: its runtime will not record this file; rebuild it{}\n",
              palette.warn, *version, ADA_ABI_VERSION, palette.reset);
}

void printElf(Output &out, const Palette &palette, const std::string &path, const ElfFile &file, bool listFunctions) {
  out.print("{}{}{}: {} for {}\n", palette.name, path, palette.reset, file.kind(), file.machine());
  const uint64_t count = instrumentedFunctionCount(file);
  if (!file.hasSections())
    out.write("  instrumented  unknown: the section table was stripped\n");
  else if (count == 0)
    out.print("  instrumented  {}no{}; `adatrace flags` prints the compiler options\n", palette.warn, palette.reset);
  else
    out.print("  instrumented  {}yes{}, {}\n", palette.good, palette.reset, formatCount(count, "function"));
  for (const LeftOutFunction &function : leftOutFunctions(file))
    out.print("  {}left out{}      {}: {}\n", palette.warn, palette.reset, oneLine(function.pretty),
              oneLine(function.reason));
  if (const uint64_t missing = unreachableFunctionCount(file))
    out.print("  {}warning{}       {} of them will not be recorded: the linker keeps their entries apart "
              "(`adatrace doctor {}` says more)\n",
              palette.warn, palette.reset, formatCount(missing), pathForShell(path));
  if (count && !file.isObject())
    printAbi(out, palette, file);
  if (!file.buildId().empty())
    out.print("  build id      {}\n", file.buildId());
  if (count == 0 && !file.isObject() && file.hasSections() && instrumentationOf(path) == Instrumentation::Yes)
    out.write("  libraries     at least one that it is linked with is instrumented\n");
  if (count == 0)
    return;

  const std::vector<InstrumentedFunction> functions = instrumentedFunctions(file);
  if (file.isObject()) {
    if (listFunctions)
      out.write("  functions     are listed for linked files only\n");
    return;
  }
  std::map<std::string, uint64_t> files;
  for (const InstrumentedFunction &function : functions)
    ++files[function.file.empty() ? "(no file known)" : function.file];
  out.print("  source files  {}\n", formatCount(files.size()));
  if (!listFunctions)
    return;
  for (const InstrumentedFunction &function : functions) {
    out.print("  {}{}{}", palette.name, function.pretty, palette.reset);
    if (!function.file.empty())
      out.print("  {}{}", palette.dim, function.file);
    if (!function.file.empty() && function.line)
      out.print(":{}", function.line);
    out.print("{}\n", function.file.empty() ? Escape() : palette.reset);
  }
}

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
  auto place = formats::locate(path);
  if (!place) {
    const std::optional<int> code = path == "-" ? std::nullopt : describeProgram(options, out, palette);
    return code ? *code : fail(kCantRead, "{}", place.error().text());
  }
  const formats::FormatChoice found = formats::recognise(*place);
  if (!found) {
    if (path != "-")
      if (const auto code = describeProgram(options, out, palette))
        return *code;
    return fail(kCantRead, "{}", formats::notATrace(*place).text());
  }
  if (options.format == Format::Json && place->bytes)
    if (auto kept = place->bytes->spool(); !kept) // it is read twice
      return fail(kCantRead, "{}", kept.error().text());
  auto description = need(found.format->describe(*place, options.absolute));
  addLeftOut(description);
  if (options.format == Format::Json) {
    if (description.processes.empty() && !description.eachOfSession && found.format->open)
      formats::describeProcesses(*found.format, std::move(*place), description);
    printJson(out, description);
  } else {
    printText(out, palette, description, options, path);
    out.flush();
    FoldedMessages warnings(options.all || options.each ? "" : "--each",
                            [](const std::string &text) { warning("{}", text); });
    for (const Warning &flaw : description.warnings)
      warnings.add((path == "-" ? "standard input" : path) + ": " + flaw.message);
    warnings.finish();
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
  line.flag("--each", options.each, "Describe each process, however many there are");
  line.flag("--all", options.all, "The same, and list all threads and modules");
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
