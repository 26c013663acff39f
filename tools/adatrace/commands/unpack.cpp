// adatrace unpack: makes a directory of a session that is one file.
#include "command.h"
#include "output/convert_output.h"
#include "output/convert_progress.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/file_tree.h"
#include "trace/base/quantities.h"
#include "trace/base/write_all.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace ada::cli {

namespace unpack_command {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, out;
  bool force = false, quiet = false;
};

constexpr formats::TraceFormat kDirectory = {.title = "a session", .variants = {}, .shape = formats::Shape::Directory};

std::string defaultOutput(const std::string &file) {
  const fs::path name = fs::path(file).filename();
  return name.has_extension() ? name.stem().string() : name.string() + "-unpacked";
}

// Names in an archive that was opened lead nowhere else: Archive::parse() refuses others.
Expected<void> write(const fs::path &to, const std::string &from, const Archive::Member &member) {
  std::error_code error;
  fs::create_directories(member.isDirectory ? to : to.parent_path(), error);
  if (error)
    return Error{.code = "E_IO", .message = "the directory can't be created: " + error.message(), .file = to.string()};
  if (member.isDirectory)
    return {};
  const auto bytes = FileBytes::open(from);
  if (!bytes)
    return bytes.error();
  const FileDescriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file)
    return systemError(to.string(), "cannot be created", errno);
  if (!writeAll(file.get(), bytes->bytes().data(), bytes->bytes().size()))
    return systemError(to.string(), "cannot be written", errno);
  bytes->release(bytes->bytes());
  const timespec times[] = {{.tv_sec = member.modifiedSeconds, .tv_nsec = 0},
                            {.tv_sec = member.modifiedSeconds, .tv_nsec = 0}};
  (void)::futimens(file.get(), times);
  return {};
}

int run(const Options &options, const Invocation &) {
  const auto place = archivePlaceOf(options.file);
  if (!place)
    return fail(kCantRead, "{}: {}", options.file,
                fileExists(options.file) ? "is not an archive, as `pack` writes it" : "there is no such file");
  const ArchivePlace archive = need(*place);
  if (!archive.name.empty())
    return fail(kWrongUsage, "{} lies in an archive; name the archive", options.file);
  const std::string target = options.out.empty() ? defaultOutput(options.file) : options.out;
  if (std::error_code error; fs::exists(target, error) && !fs::is_directory(target, error))
    return fail(kWrongUsage, "{} exists and is not a directory; choose another one with --output", target);
  auto opened = ConvertOutput::open(target, {&kDirectory, 0}, options.force);
  if (!opened)
    return fail(opened.error().code == "E_EXISTS" ? kWrongUsage : kCantRead, "{}", opened.error().text());
  std::optional<ConvertOutput> out = *std::move(opened);
  int code = kOk;
  uint64_t files = 0;
  const auto tell = [&](const Error &problem) {
    code = kProblemsFound;
    complain(problem.text());
  };
  if (archive.in->archive.damage())
    tell(*archive.in->archive.damage());
  umask(077);
  ConvertLine line(When::Never); // keeps a signal until what was made is removed
  for (const auto &[name, member] : archive.in->archive.members()) {
    if (ConvertLine::interruption())
      ConvertLine::endInterrupted(out);
    if (const auto written = write(fs::path(out->place()) / name, options.file + "/" + name, member); written)
      files += !member.isDirectory;
    else if (written.error().code == "E_BAD_ARCHIVE")
      tell(written.error()); // a member that is damaged
    else
      return fail(kCantRead, "{}", written.error().text());
  }
  if (files == 0)
    return fail(kCantRead, "{} holds no file that can be unpacked", options.file);
  need(out->commit());
  if (!options.quiet)
    complain(fmt::format("{} with {} in {}", formatCount(files, "file"), formatBytes(out->size()), target));
  return code;
}

void declare(CommandLine &line, Options &options) {
  line.option("file", options.file, "A file that `pack` has written").type("").required();
  line.option("-o,--output", options.out, "The directory to make [the name of the file without extension, here]")
      .type("DIR");
  line.flag("--force", options.force, "Replace the directory if it is a session");
  addQuiet(line, options.quiet, "No closing line");
}

} // namespace
} // namespace unpack_command

const Command kUnpack = {
    "unpack",
    "Make a directory of a session that `pack` has put into one file",
    "adatrace unpack slow.adatrace -o slow",
    withOptions<unpack_command::declare, unpack_command::run>,
};

} // namespace ada::cli
