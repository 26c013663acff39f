// adatrace pack: puts a session into one file.
#include "command.h"
#include "elf/elf_instrumentation.h"
#include "options/option_values.h"
#include "output/convert_output.h"
#include "output/convert_progress.h"
#include "process/recover_process.h"
#include "process/session_place.h"
#include "terminal/folded_messages.h"
#include "trace/base/file_tree.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "analysis/events/trace_table.h"
#include "formats/convert/pack.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace ada::cli {

namespace pack_command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string session, out;
  std::vector<std::string> sourceRoots;
  bool sources = false, secrets = false, keepFormat = false, unfinished = false, force = false, quiet = false;
  When progress = When::Auto;
};

constexpr char kExtension[] = ".adatrace";
constexpr formats::TraceFormat kArchive = {.title = "an archive", .variants = {}, .shape = formats::Shape::File};

// A trace that grows, or has events in a ring file only, would be packed without them. Says what to do.
int checkFinished(const std::string &session) {
  std::set<std::string> processes;
  eachFileBelow(session, [&](const std::string &name) {
    if (fs::path(name).filename() == "manifest.json")
      processes.insert((fs::path(session) / name).parent_path().string());
  });
  for (const std::string &process : processes)
    switch (stateOf(process)) {
    case ProcessState::Finished:
      break;
    case ProcessState::Running:
      return fail(
          kCantRead,
          "{}: the process is still recording; let it end or stop it (`adatrace stop --of {}`), or pack what is in its "
          "files by now with --unfinished",
          process, pathForShell(session));
    case ProcessState::Unfinished:
      return fail(kCantRead,
                  "{}: the process did not finish its trace; `adatrace recover {}` finishes it, or --unfinished packs "
                  "what is in its files",
                  process, pathForShell(process));
    }
  return kOk;
}

int checkPlace(const std::string &session) {
  std::error_code error;
  if (fs::is_directory(session, error))
    return kOk;
  if (fileKind(session) == FileKind::Directory)
    return fail(kWrongUsage, "{} is packed already; `adatrace unpack {}` makes a directory of it", session,
                pathForShell(session));
  if (fileExists(session))
    return fail(kWrongUsage, "{} is a single file already; `gzip {}` makes it smaller, and all commands read it then",
                session, pathForShell(session));
  return fail(kCantRead, "{}: there is no such directory", session);
}

// Names the files, each with the reason, or the first of those with the same one.
void tellLeftOut(const formats::PackResult &packed) {
  constexpr size_t kMaxNames = 10;
  std::map<std::string_view, std::vector<std::string_view>> byReason;
  for (const auto &[name, why] : packed.leftOut)
    byReason[why].push_back(name);
  for (const auto &[why, names] : byReason) {
    std::string list;
    for (const std::string_view name : std::span(names).first(std::min(names.size(), kMaxNames)))
      list += (list.empty() ? "" : ", ") + oneLine(name);
    if (names.size() > kMaxNames)
      list += fmt::format(" and {} more", formatCount(names.size() - kMaxNames));
    warning("not packed: {}: {}", list, why);
  }
  if (packed.hasSecrets)
    complain("--include-secrets packs source files that look like secrets, too");
}

// Reports what the session should have and does not, such as a deleted file of a thread: the archive lacks it, too, and
// a reader of the archive can't know that it was so before. Returns the exit status.
int tellDamage(const std::string &session) {
  const auto source = formats::openThreadwise(session);
  analysis::TraceTable table;
  analysis::TableSink sink(table);
  if (!source || !(*source)->readPart(sink, {.threads = std::vector<uint32_t>()}))
    return kProblemsFound;
  FoldedMessages told(verifyEach(session), complain);
  for (const Error &problem : (*source)->problems())
    told.add("warning: " + problem.text());
  return (*source)->problems().empty() ? kOk : kProblemsFound;
}

// Whether it is a session or process directory, of which only the ends of files are read.
bool isNative(const std::string &session) {
  std::error_code error;
  return !processDirectories(session).empty() || fs::exists(fs::path(session) / "manifest.json", error);
}

int run(const Options &options, const Invocation &) {
  const std::string session = sessionOrNewest(options.session);
  if (const int code = checkPlace(session))
    return code;
  if (!options.unfinished)
    if (const int code = checkFinished(session))
      return code;
  const std::string target = options.out.empty() ? lastNameOf(session) + kExtension : options.out;
  auto opened = ConvertOutput::open(target, {&kArchive, 0}, options.force);
  if (!opened)
    return fail(opened.error().code == "E_EXISTS" ? kWrongUsage : kCantRead, "{}", opened.error().text());
  std::optional<ConvertOutput> out = std::move(*opened);
  const std::string place = out->place();
  const int file = ::open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0)
    return fail(kCantRead, "{}", systemError(target, "cannot be created", errno).text());
  ConvertLine line(options.quiet ? When::Never : options.progress, "packing");
  formats::SourceFiles sources(session,
                               {.roots = options.sourceRoots, .namedBy = addSourceFiles, .secrets = options.secrets});
  int number = 0; // of what went wrong with writing
  const auto packed = formats::pack(session,
                                    [&](std::span<const std::byte> bytes) {
                                      const bool isWritten = writeAll(file, bytes.data(), bytes.size());
                                      number = isWritten ? number : errno;
                                      return isWritten;
                                    },
                                    {.keepFormat = options.keepFormat,
                                     .sources = options.sources ? &sources : nullptr,
                                     .secrets = options.secrets,
                                     .scratch = fs::path(place).parent_path().string(),
                                     .goOn = [&](double part) {
                                       line.update([&] { return std::string(session); }, part);
                                       return ConvertLine::interruption() == 0;
                                     }});
  number = ::close(file) != 0 && number == 0 ? errno : number;
  line.clear();
  if (ConvertLine::interruption())
    ConvertLine::endInterrupted(out);
  if (number)
    return fail(kCantRead, "{}", systemError(target, "cannot be written", number).text());
  if (!packed)
    return fail(kCantRead, "{}", packed.error().text());
  if (auto committed = out->commit(); !committed)
    return fail(kCantRead, "{}", committed.error().text());
  for (const std::string &note : packed->notes)
    warning("{}", note);
  if (packed->missingSources)
    warning("{} of {} are not on this machine", formatCount(packed->missingSources),
            formatCount(packed->sources + packed->missingSources, "source file"));
  tellLeftOut(*packed);
  const int status = isNative(session) ? tellDamage(session) : kOk;
  if (!options.quiet)
    complain(fmt::format("{} of {} in {}: {} instead of {} in {}{}", formatCount(packed->events, "event"), session,
                         formatDuration(line.nanoseconds()), formatBytes(out->size()), formatBytes(packed->bytesBefore),
                         target,
                         packed->sources ? ", with " + formatCount(packed->sources, "source file") : std::string()));
  return status;
}

void declare(CommandLine &line, Options &options) {
  line.option("session", options.session, "A session or process directory [the newest session under ./ada-traces]")
      .type("");
  line.option("-o,--output", options.out, "The file to write [the name of the session, with .adatrace, here]")
      .type("FILE");
  line.flag("--sources", options.sources,
            "Also pack the source files of the functions that were called; the viewer shows them");
  addSourceRoots(line, options.sourceRoots);
  line.flag("--include-secrets", options.secrets,
            "With --sources, also pack files that look like private keys, passwords or tokens");
  line.flag("--keep-format", options.keepFormat,
            "Pack all files as they are, neither converted nor compressed: `tar xf` alone restores the session");
  line.flag("--unfinished", options.unfinished,
            "Pack a session that is being recorded, or was not finished, as it is in its files now");
  line.flag("--force", options.force, "Replace the output if it exists");
  addQuiet(line, options.quiet, "No closing line and no progress");
  addWhen(line, "--progress", options.progress);
}

} // namespace
} // namespace pack_command

const Command kPack = {
    "pack",
    "Put a session into one file, which all commands read",
    "adatrace pack ada-traces/session_20261121_101500 -o slow.adatrace\n"
    "adatrace pack --sources && adatrace report session_20261121_101500.adatrace",
    withOptions<pack_command::declare, pack_command::run>,
};

} // namespace ada::cli
