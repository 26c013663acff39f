// The destination of adatrace convert.
//
// Output is written without a name, or in a hidden directory beside its destination, and gets its name when it is
// complete. A conversion that fails leaves nothing behind, and an existing file stays until the new one is complete. If
// a conversion is killed, a file without a name is gone; a hidden directory is removed by the next conversion to the
// same place.
#include "convert_output.h"
#include "process/bus_error.h"
#include "process/session_place.h"
#include "terminal/terminal.h"
#include "trace/base/file_bytes.h"
#include "trace/base/temporary_directory.h"
#include "trace/base/temporary_file.h"
#include "trace/base/write_all.h"

#include "formats/merge_copies.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

static Error ioError(const std::string &path, const std::string &what) {
  return {.code = "E_IO", .message = what + ": " + std::generic_category().message(errno), .file = path};
}

static std::string directoryOf(const fs::path &target) {
  return target.has_parent_path() ? target.parent_path().string() : ".";
}
static std::string descriptorPath(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

struct ConvertOutput::State {
  enum class Kind {
    Stream,
    File,     ///< written in order
    PathFile, ///< written by path
    Directory,
  };

  ~State() {
    setBusErrorCleanup(nullptr);
    if (fd > STDERR_FILENO)
      ::close(fd);
  }
  Expected<void> prepare(const fs::path &path, bool force);
  Expected<void> makeTemporary();
  bool write(std::span<const std::byte> data);
  Expected<void> copyToStream();
  Expected<void> nameFile();
  Expected<void> replace(const std::string &made);
  std::string directoryPath() const { return temporary.path() + "/session"; }
  std::string filePath() const { return unnamed ? descriptorPath(unnamed.get()) : temporary.path() + "/file"; }

  Kind kind = Kind::File;
  formats::FormatChoice format;
  std::string name;
  fs::path target;
  TemporaryDirectory temporary; // for what is written by path
  FileDescriptor unnamed;       // for what is written by path and goes to standard output
  int fd = -1;                  // for what is written in order
  bool replaces = false;        // replaces an existing session
  uint64_t written = 0;
  std::optional<Error> failure;
};

// Only directories that `adatrace` made may be replaced.
static bool isSession(const fs::path &directory) {
  return fs::exists(directory / "manifest.json") || fs::exists(directory / "metadata") ||
         fs::exists(directory / "index.atf") || fs::exists(directory / "index.atp") ||
         !processDirectories(directory.string()).empty() || fs::exists(directory / "thread_0") ||
         fs::exists(directory / "thread_0.index.atp");
}

static Error existsError(const fs::path &path, std::string message) {
  return {.code = "E_EXISTS", .message = std::move(message), .file = path.string()};
}

Expected<void> ConvertOutput::State::prepare(const fs::path &path, bool force) {
  std::error_code problem;
  target = path;
  if (!target.has_filename()) // "dir/"
    target = target.parent_path();
  if (const fs::path real = fs::canonical(target, problem); !problem)
    target = real; // a symbolic link is kept; its target is replaced
  const fs::file_status status = fs::status(target, problem);
  const bool isDirectory = fs::is_directory(status);
  if (fs::exists(status) && !isDirectory && !fs::is_regular_file(status)) {
    if (kind == Kind::File) { // a device or a FIFO
      kind = Kind::Stream;
      fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
      return fd < 0 ? Expected<void>(ioError(name, "cannot be opened for writing")) : Expected<void>();
    }
    return existsError(target, "is not a regular file, so it can't be replaced by one");
  }
  if (isDirectory && kind != Kind::Directory)
    return existsError(target, "is a directory; name a file in it");
  if (fs::exists(status) && kind == Kind::Directory && !isDirectory)
    return existsError(target, "is a file, but a session is a directory; choose another name, or an extension (" +
                                   formats::formatExtensions() + ")");
  const bool isEmpty = isDirectory && fs::is_empty(target, problem);
  if (fs::exists(status) && !isEmpty) {
    if (!force)
      return existsError(target, "exists; --force replaces it");
    if (isDirectory && !isSession(target))
      return existsError(target, "is a directory but not a session, so it is not replaced");
    replaces = isDirectory;
  }
  return makeTemporary();
}

Expected<void> ConvertOutput::State::makeTemporary() {
  if (kind == Kind::Stream) { // an index file that will go to standard output
    unnamed = unnamedFile(temporaryPlace());
    return unnamed ? Expected<void>() : ioError(temporaryPlace(), "can't create a temporary file in it; set TMPDIR");
  }
  const std::string directory = directoryOf(target);
  if (kind == Kind::File) {
    fd = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0 && ::access(descriptorPath(fd).c_str(), F_OK) == 0)
      return {};
    if (fd >= 0)
      ::close(std::exchange(fd, -1)); // without /proc it can't get a name
    else if (!lacksUnnamedFiles(errno))
      return ioError(directory, "can't create a file in it");
  }
  auto made = TemporaryDirectory::make(directory, target.filename().string());
  if (!made)
    return made.error();
  temporary = *std::move(made);
  setBusErrorCleanup([this] { temporary.remove(); });
  if (kind == Kind::File && (fd = ::open(filePath().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
    return ioError(directory, "can't create a file in it");
  if (kind == Kind::Directory && ::mkdir(directoryPath().c_str(), 0700) != 0)
    return ioError(directory, "can't create a directory in it");
  return {};
}

ConvertOutput::ConvertOutput(std::unique_ptr<State> state) : state_(std::move(state)) {}
ConvertOutput::ConvertOutput(ConvertOutput &&) noexcept = default;
ConvertOutput::~ConvertOutput() = default;

Expected<ConvertOutput> ConvertOutput::open(const std::string &path, formats::FormatChoice format, bool force) {
  auto state = std::make_unique<State>();
  state->format = format;
  state->name = path;
  if (path == "-") {
    state->name = "standard output";
    if (isTerminal(STDOUT_FILENO))
      return Error{.code = "E_TERMINAL",
                   .message = "a trace is not meant for a terminal; redirect it to a file or a pipe",
                   .file = state->name};
    state->kind = State::Kind::Stream;
    state->fd = STDOUT_FILENO;
    if (format.format->shape == formats::Shape::Directory || format.format->shape == formats::Shape::File)
      return Error{.code = "E_TERMINAL",
                   .message = fmt::format("{} can't be written to a pipe; name a {}", format.format->title,
                                          format.format->shape == formats::Shape::File ? "file" : "directory"),
                   .file = state->name};
    if (format.format->shape != formats::Shape::Stream)
      if (auto made = state->makeTemporary(); !made)
        return made.error();
    return ConvertOutput(std::move(state));
  }
  TemporaryDirectory::removeAbandoned(directoryOf(path));
  const bool isNamedFile = fs::path(path).has_extension() && formats::formatOfPath(path).format == format.format;
  switch (format.format->shape) {
  case formats::Shape::Stream:
    state->kind = State::Kind::File;
    break;
  case formats::Shape::File:
    state->kind = State::Kind::PathFile;
    break;
  case formats::Shape::Directory:
    state->kind = State::Kind::Directory;
    break;
  case formats::Shape::DirectoryOrFile:
    state->kind = isNamedFile ? State::Kind::PathFile : State::Kind::Directory;
  }
  if (auto prepared = state->prepare(path, force); !prepared)
    return prepared.error();
  return ConvertOutput(std::move(state));
}

bool ConvertOutput::State::write(std::span<const std::byte> data) {
  written += data.size();
  if (writeAll(fd, data.data(), data.size()))
    return true;
  // A reader that went away, as in `| head`, is not an error for the user.
  if (errno == EPIPE && fd == STDOUT_FILENO)
    _exit(128 + SIGPIPE);
  failure = ioError(name, "cannot be written");
  return false;
}

model::ByteSink ConvertOutput::bytes() {
  return [state = state_.get()](std::span<const std::byte> data) { return state->write(data); };
}

std::string ConvertOutput::place() const {
  return state_->kind == State::Kind::Directory ? state_->directoryPath() : state_->filePath();
}

std::unique_ptr<model::TraceSink> ConvertOutput::makeSink(bool exactTimes) {
  const State &s = *state_;
  formats::SinkTarget target{.bytes = bytes()};
  if (s.format.format->shape != formats::Shape::Stream) {
    target.isDirectory = s.kind == State::Kind::Directory;
    target.path = place();
  }
  return formats::mergeCopies(
      s.format.format->makeSink(std::move(target), {.variant = s.format.variant, .exactTimes = exactTimes}));
}

Expected<void> ConvertOutput::State::copyToStream() {
  std::vector<std::byte> buffer(1 << 18);
  ssize_t n;
  for (off_t at = 0; (n = ::pread(unnamed.get(), buffer.data(), buffer.size(), at)) > 0; at += n)
    if (!write(std::span(buffer).first(static_cast<size_t>(n))))
      return *failure;
  return n < 0 ? Expected<void>(ioError(name, "the temporary file cannot be read")) : Expected<void>();
}

// Gives a file without a name one beside the destination, from which it can be renamed, and closes it.
Expected<void> ConvertOutput::State::nameFile() {
  if (temporary.path().empty()) {
    auto made = TemporaryDirectory::make(directoryOf(target), target.filename().string());
    if (!made)
      return made.error();
    temporary = *std::move(made);
    if (::linkat(AT_FDCWD, descriptorPath(fd).c_str(), AT_FDCWD, filePath().c_str(), AT_SYMLINK_FOLLOW) != 0)
      return ioError(name, "cannot be written");
  }
  // Some file systems report a full disk only now.
  return ::close(std::exchange(fd, -1)) == 0 ? Expected<void>() : ioError(name, "cannot be written");
}

// Puts what was made where the destination is.
Expected<void> ConvertOutput::State::replace(const std::string &made) {
  const auto failed = [&] { return ioError(target.string(), "the finished output can't be renamed"); };
  if (!replaces)
    return ::rename(made.c_str(), target.c_str()) == 0 ? Expected<void>() : failed();
  // What was there is removed with the temporary directory.
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return {};
  // Not every file system exchanges names.
  if ((errno != EINVAL && errno != ENOSYS) || ::rename(target.c_str(), temporary.replaced().c_str()) != 0)
    return failed();
  if (::rename(made.c_str(), target.c_str()) == 0)
    return {};
  const Error problem = failed();
  if (::rename(temporary.replaced().c_str(), target.c_str()) != 0)
    temporary.keep();
  return problem;
}

Expected<void> ConvertOutput::commit() {
  State &s = *state_;
  if (s.kind == State::Kind::Stream)
    return s.unnamed ? s.copyToStream() : Expected<void>();
  if (s.kind == State::Kind::File)
    if (auto named = s.nameFile(); !named)
      return named;
  std::error_code problem;
  if (s.kind == State::Kind::Directory)
    s.written = bytesBelow(place());
  else if (s.kind == State::Kind::PathFile)
    s.written = fs::file_size(place(), problem);
  if (auto replaced = s.replace(place()); !replaced)
    return replaced;
  s.temporary.remove();
  return {};
}

const std::optional<Error> &ConvertOutput::failure() const { return state_->failure; }
const std::string &ConvertOutput::name() const { return state_->name; }
uint64_t ConvertOutput::size() const { return state_->written; }

} // namespace ada::cli
