// The destination of adatrace convert.
//
// Output is written under a hidden name beside its destination and renamed when it is complete. A conversion that fails
// leaves nothing behind, and an existing file stays until the new one is complete.
#include "convert_output.h"
#include "base/write_all.h"
#include "process/bus_error.h"
#include "process/session_place.h"
#include "terminal/terminal.h"

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

struct ConvertOutput::State {
  enum class Kind {
    Stream,
    File,     ///< written in order
    PathFile, ///< written by path, in a directory that is removed afterwards
    Directory,
  };

  ~State() {
    setBusErrorCleanup(nullptr);
    if (fd > STDERR_FILENO)
      ::close(fd);
    if (unnamed >= 0)
      ::close(unnamed);
    removeTemporary();
  }
  void removeTemporary() {
    std::error_code ignored;
    if (!temporary.empty())
      fs::remove_all(temporary, ignored);
  }
  Expected<void> prepare(const fs::path &path, bool force);
  Expected<void> makeTemporary();
  bool write(std::span<const std::byte> data);
  Expected<void> copyToStream();
  std::string filePath() const {
    return unnamed >= 0 ? "/proc/self/fd/" + std::to_string(unnamed) : temporary + "/file";
  }

  Kind kind = Kind::File;
  model::FormatChoice format;
  std::string name;
  fs::path target;
  std::string temporary; // file or directory; empty when there is nothing to remove
  int unnamed = -1;      // an unlinked temporary file, so that nothing is left behind if the reader goes away
  int fd = -1;
  bool replaces = false; // replaces an existing session
  uint64_t written = 0;
  std::optional<Error> failure;
};

// Only directories that `adatrace` made may be replaced.
static bool isSession(const fs::path &directory) {
  return fs::exists(directory / "manifest.json") || fs::exists(directory / "metadata") ||
         fs::exists(directory / "index.atf") || fs::exists(directory / "index.atp") ||
         !processDirectories(directory.string()).empty() || fs::exists(directory / "thread_0");
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
                                   model::formatExtensions() + ")");
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
    std::string place = (fs::temp_directory_path() / "adatrace-XXXXXX").string();
    unnamed = ::mkostemp(place.data(), O_CLOEXEC);
    if (unnamed < 0)
      return ioError(fs::temp_directory_path().string(), "can't create a temporary file in it; set TMPDIR");
    ::unlink(place.c_str());
    return {};
  }
  fs::path directory = target.parent_path();
  if (directory.empty())
    directory = ".";
  std::string place = (directory / ("." + target.filename().string() + ".adatrace-XXXXXX")).string();
  if (kind == Kind::File) {
    fd = ::mkostemp(place.data(), O_CLOEXEC);
    if (fd < 0)
      return ioError(directory.string(), "can't create a file in it");
  } else {
    if (!::mkdtemp(place.data()))
      return ioError(directory.string(), "can't create a directory in it");
  }
  temporary = place;
  setBusErrorCleanup([this] { removeTemporary(); });
  return {};
}

ConvertOutput::ConvertOutput(std::unique_ptr<State> state) : state_(std::move(state)) {}
ConvertOutput::ConvertOutput(ConvertOutput &&) noexcept = default;
ConvertOutput::~ConvertOutput() = default;

Expected<ConvertOutput> ConvertOutput::open(const std::string &path, model::FormatChoice format, bool force) {
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
    if (format.format->shape == model::Shape::Directory || format.format->shape == model::Shape::File)
      return Error{.code = "E_TERMINAL",
                   .message = fmt::format("{} can't be written to a pipe; name a {}", format.format->title,
                                          format.format->shape == model::Shape::File ? "file" : "directory"),
                   .file = state->name};
    if (format.format->shape != model::Shape::Stream)
      if (auto made = state->makeTemporary(); !made)
        return made.error();
    return ConvertOutput(std::move(state));
  }
  const bool isNamedFile = fs::path(path).has_extension() && model::formatOfPath(path).format == format.format;
  switch (format.format->shape) {
  case model::Shape::Stream:
    state->kind = State::Kind::File;
    break;
  case model::Shape::File:
    state->kind = State::Kind::PathFile;
    break;
  case model::Shape::Directory:
    state->kind = State::Kind::Directory;
    break;
  case model::Shape::DirectoryOrFile:
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
  return state_->kind == State::Kind::Directory ? state_->temporary : state_->filePath();
}

std::unique_ptr<model::TraceSink> ConvertOutput::makeSink(bool exactTimes) {
  const State &s = *state_;
  model::SinkTarget target{.bytes = bytes()};
  if (s.format.format->shape != model::Shape::Stream) {
    target.isDirectory = s.kind == State::Kind::Directory;
    target.path = place();
  }
  return model::mergeCopies(
      s.format.format->makeSink(std::move(target), {.variant = s.format.variant, .exactTimes = exactTimes}));
}

Expected<void> ConvertOutput::State::copyToStream() {
  std::vector<std::byte> buffer(1 << 18);
  ssize_t n;
  for (off_t at = 0; (n = ::pread(unnamed, buffer.data(), buffer.size(), at)) > 0; at += n)
    if (!write(std::span(buffer).first(static_cast<size_t>(n))))
      return *failure;
  return n < 0 ? Expected<void>(ioError(name, "the temporary file cannot be read")) : Expected<void>();
}

Expected<void> ConvertOutput::commit() {
  State &s = *state_;
  if (s.kind == State::Kind::Stream)
    return s.unnamed < 0 ? Expected<void>() : s.copyToStream();
  if (s.fd >= 0) {
    // Some file systems report a full disk only now.
    const int closed = ::close(std::exchange(s.fd, -1));
    if (closed != 0)
      return ioError(s.name, "cannot be written");
  }
  std::error_code problem;
  const fs::path made = s.kind == State::Kind::PathFile ? fs::path(s.filePath()) : fs::path(s.temporary);
  s.written = s.kind == State::Kind::Directory ? bytesBelow(s.temporary) : fs::file_size(made, problem);
  fs::path old;
  if (s.replaces) {
    old = s.temporary + ".old";
    fs::rename(s.target, old, problem);
  }
  if (!problem)
    fs::rename(made, s.target, problem);
  if (problem) {
    if (!old.empty() && !fs::exists(s.target)) {
      std::error_code ignored;
      fs::rename(old, s.target, ignored);
    }
    return Error{.code = "E_IO",
                 .message = "the finished output can't be renamed: " + problem.message(),
                 .file = s.target.string()};
  }
  if (!old.empty())
    fs::remove_all(old, problem);
  if (s.kind != State::Kind::PathFile)
    s.temporary.clear();
  return {};
}

const std::optional<Error> &ConvertOutput::failure() const { return state_->failure; }
const std::string &ConvertOutput::name() const { return state_->name; }
uint64_t ConvertOutput::size() const { return state_->written; }

} // namespace ada::cli
