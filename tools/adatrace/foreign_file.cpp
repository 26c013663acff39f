//===- foreign_file.cpp - traces that are no ATF session ------------------===//
#include "foreign_file.h"
#include "convert_filter.h"
#include "exit_codes.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ada::cli {

Expected<std::optional<ForeignFile>> openForeign(std::string &path) {
  using Nothing = std::optional<ForeignFile>;
  const bool isPipe = path == "-";
  struct stat info;
  if (path.empty() ||
      (!isPipe && (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode))))
    return Nothing();
  auto input = model::ByteInput::open(path);
  if (!input)
    return isPipe ? Expected<Nothing>(input.error())
                  : Expected<Nothing>(Nothing());
  const model::Format format = model::sniff(input->head());
  switch (format) {
  case model::Format::AtfDetail:
  case model::Format::Dial9:
  case model::Format::Wtf:
  case model::Format::Gzip:
    return Nothing(ForeignFile{format, std::move(*input)});
  case model::Format::AtfIndex:
  case model::Format::Unknown:
    break;
  }
  // Whatever else it is, the session's reader says what is wrong with it. A
  // pipe is kept in a file for it; the descriptor stays open until the program
  // ends.
  if (!isPipe && S_ISREG(info.st_mode))
    return Nothing();
  if (format == model::Format::Unknown)
    return Error{
        .code = "E_BAD_MAGIC",
        .message = input->head().empty()
                       ? "there is nothing in it"
                       : "not a trace: it begins like none of ATF, dial9 (also "
                         "gzip) and wtf-trace",
        .file = input->name()};
  if (auto kept = input->spool(); !kept)
    return kept.error();
  const int kept = ::open(input->path().c_str(), O_RDONLY);
  if (kept < 0 || ::dup2(kept, STDIN_FILENO) < 0)
    return Error{.code = "E_IO",
                 .message = std::generic_category().message(errno),
                 .file = input->name()};
  ::close(kept);
  path = "/dev/stdin"; // a name that says what it is
  return Nothing();
}

std::optional<ForeignRange> rangeOf(const InputOptions &options,
                                    uint64_t start) {
  ForeignRange range;
  const auto read = [&](const char *name, const std::string &text,
                        uint64_t &time) {
    if (text.empty())
      return true;
    const std::optional<TimeBound> bound = TimeBound::parse(text);
    if (!bound) {
      complain(fmt::format(
          "{}: '{}' is not a time like 10us, 1.5ms, 2s or @123456789", name,
          text));
      return false;
    }
    range.isWanted = true;
    if (bound->isAbsolute)
      time = bound->ns;
    else if (__builtin_add_overflow(start, bound->ns, &time))
      time = ~uint64_t(0);
    return true;
  };
  if (!read("--from", options.from, range.from) ||
      !read("--to", options.to, range.to))
    return std::nullopt;
  return range;
}

int dumpForeign(ForeignFile file, const ForeignDumpOptions &options) {
  if (options.merged)
    return fail(
        kWrongUsage,
        "dump: --merged is for ATF sessions; {} is one sequence as it is",
        file.input.name());
  if (!options.input.threads.empty() && file.format != model::Format::Wtf)
    return fail(kWrongUsage,
                "dump: --thread is for sessions and wtf-trace; `adatrace "
                "convert --thread=… {} "
                "OUT` takes a thread out of it",
                file.input.name());
  if (!rangeOf(options.input, 0))
    return kWrongUsage;
  switch (file.format) {
  case model::Format::Wtf:
    return dumpWtf(file.input, options);
  case model::Format::AtfDetail:
    return dumpDetail(file.input, options);
  default:
    return dumpDial9(file.input, options);
  }
}

int infoForeign(ForeignFile file, Output &out, const Palette &palette,
                bool all) {
  switch (file.format) {
  case model::Format::Wtf:
    return infoWtf(file.input, out, palette, all);
  case model::Format::AtfDetail:
    return infoDetail(file.input, out);
  default:
    return infoDial9(file.input, out, palette, all);
  }
}

} // namespace ada::cli
