//===- convert_output.cpp - where adatrace convert writes to --------------===//
//
// Everything is written beside its place under a hidden name and renamed when
// it is whole: a conversion that fails leaves nothing, and what was there stays
// until then.
//
//===----------------------------------------------------------------------===//
#include "convert_output.h"
#include "session_place.h"
#include "terminal.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

std::optional<TraceFormat> formatNamed(const std::string &name) {
  static constexpr std::pair<std::string_view, TraceFormat> kNames[] = {
      {"atf1", TraceFormat::Atf1}, {"atf2", TraceFormat::Atf2},
      {"atf", TraceFormat::Atf2},  {"dial9", TraceFormat::Dial9},
      {"wtf", TraceFormat::Wtf},   {"wtf-le", TraceFormat::WtfLittle},
      {"cff", TraceFormat::Cff},
  };
  for (const auto &[known, format] : kNames)
    if (name == known)
      return format;
  return std::nullopt;
}

std::optional<TraceFormat> formatOfPath(const std::string &path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".trc")
    return TraceFormat::Dial9;
  if (extension == ".wtf-trace")
    return TraceFormat::Wtf;
  if (extension == ".cff")
    return TraceFormat::Cff;
  if (extension == ".atf" || extension.empty())
    return TraceFormat::Atf2;
  return std::nullopt;
}

static bool isAtf(TraceFormat format) {
  return format == TraceFormat::Atf1 || format == TraceFormat::Atf2;
}

static Error ioError(const std::string &path, const std::string &what) {
  return {.code = "E_IO",
          .message = what + ": " + std::generic_category().message(errno),
          .file = path};
}

static mode_t umaskNow() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

struct ConvertOutput::State {
  enum class Kind { Stream, File, AtfFile, Session };

  ~State() {
    if (fd > STDERR_FILENO)
      ::close(fd);
    std::error_code ignored;
    if (!temporary.empty())
      fs::remove_all(temporary, ignored);
  }
  Expected<void> prepare(const fs::path &path, bool force);
  Expected<void> makeTemporary();
  bool write(std::span<const std::byte> data);
  Expected<void> copyToStream();

  Kind kind = Kind::File;
  TraceFormat format = TraceFormat::Atf2;
  std::string name;
  fs::path target;
  std::string
      temporary; // file or directory; empty when there is nothing to remove
  int fd = -1;
  bool replaces = false; // a session that is there
  uint64_t written = 0;
  std::optional<Error> failure;
};

// Something that `adatrace` made may be replaced; anything else may not.
static bool isSession(const fs::path &directory) {
  return fs::exists(directory / "manifest.json") ||
         fs::exists(directory / "index.atf") ||
         !processDirectories(directory.string()).empty() ||
         fs::exists(directory / "thread_0");
}

static Error existsError(const fs::path &path, std::string message) {
  return {
      .code = "E_EXISTS", .message = std::move(message), .file = path.string()};
}

Expected<void> ConvertOutput::State::prepare(const fs::path &path, bool force) {
  std::error_code problem;
  target = path;
  if (!target.has_filename()) // "dir/"
    target = target.parent_path();
  if (const fs::path real = fs::canonical(target, problem); !problem)
    target = real; // a link stays one
  const fs::file_status status = fs::status(target, problem);
  const bool isDirectory = fs::is_directory(status);
  if (fs::exists(status) && !isDirectory && !fs::is_regular_file(status)) {
    if (kind == Kind::File) { // a device or a FIFO
      kind = Kind::Stream;
      fd = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
      return fd < 0
                 ? Expected<void>(ioError(name, "cannot be opened for writing"))
                 : Expected<void>();
    }
    return existsError(target,
                       "is no regular file, and can't be replaced by one");
  }
  if (isDirectory && kind != Kind::Session)
    return existsError(target, "is a directory; name a file in it");
  if (fs::exists(status) && kind == Kind::Session && !isDirectory)
    return existsError(
        target,
        "is a file, and a session is a directory; choose another name, or an "
        "extension (.trc, .wtf-trace, .cff, .atf)");
  const bool isEmpty = isDirectory && fs::is_empty(target, problem);
  if (fs::exists(status) && !isEmpty) {
    if (!force)
      return existsError(target, "exists; --force replaces it");
    if (isDirectory && !isSession(target))
      return existsError(
          target, "is a directory, but not a session; it is not replaced");
    replaces = isDirectory;
  }
  return makeTemporary();
}

Expected<void> ConvertOutput::State::makeTemporary() {
  fs::path directory = target.parent_path();
  if (kind == Kind::Stream) // an index file, on its way to standard output
    directory = fs::temp_directory_path();
  else if (directory.empty())
    directory = ".";
  std::string place =
      (directory / ("." + target.filename().string() + ".adatrace-XXXXXX"))
          .string();
  if (kind == Kind::File) {
    fd = ::mkostemp(place.data(), O_CLOEXEC);
    if (fd < 0)
      return ioError(directory.string(), "no file can be made in it");
    ::fchmod(fd, 0666 & ~umaskNow());
  } else {
    if (!::mkdtemp(place.data()))
      return ioError(directory.string(), "no directory can be made in it");
    ::chmod(place.c_str(), 0777 & ~umaskNow());
  }
  temporary = place;
  return {};
}

ConvertOutput::ConvertOutput(std::unique_ptr<State> state)
    : state(std::move(state)) {}
ConvertOutput::ConvertOutput(ConvertOutput &&) noexcept = default;
ConvertOutput::~ConvertOutput() = default;

Expected<ConvertOutput> ConvertOutput::open(const std::string &path,
                                            TraceFormat format, bool force) {
  auto state = std::make_unique<State>();
  state->format = format;
  state->name = path;
  if (path == "-") {
    state->name = "standard output";
    if (isTerminal(STDOUT_FILENO))
      return Error{.code = "E_TERMINAL",
                   .message =
                       "a trace is no text for a terminal; redirect it into a "
                       "file or a pipe",
                   .file = state->name};
    state->kind = State::Kind::Stream;
    state->fd = STDOUT_FILENO;
    if (isAtf(format))
      if (auto made = state->makeTemporary(); !made)
        return made.error();
    return ConvertOutput(std::move(state));
  }
  state->kind = !isAtf(format)                         ? State::Kind::File
                : fs::path(path).extension() == ".atf" ? State::Kind::AtfFile
                                                       : State::Kind::Session;
  if (auto prepared = state->prepare(path, force); !prepared)
    return prepared.error();
  return ConvertOutput(std::move(state));
}

bool ConvertOutput::State::write(std::span<const std::byte> data) {
  written += data.size();
  while (!data.empty()) {
    const ssize_t n = ::write(fd, data.data(), data.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      // A reader that went away, as `| head` does, is not our user's problem.
      if (errno == EPIPE && fd == STDOUT_FILENO)
        _exit(128 + SIGPIPE);
      failure = ioError(name, "cannot be written");
      return false;
    }
    data = data.subspan(static_cast<size_t>(n));
  }
  return true;
}

model::ByteSink ConvertOutput::bytes() {
  return [state = state.get()](std::span<const std::byte> data) {
    return state->write(data);
  };
}

std::unique_ptr<model::TraceSink> ConvertOutput::makeSink(bool exactTimes) {
  const auto wtf = [&](wtf::Dialect dialect) {
    return model::makeWtfSink(bytes(),
                              {.dialect = dialect, .exactTimes = exactTimes});
  };
  switch (state->format) {
  case TraceFormat::Dial9:
    return model::makeDial9Sink(bytes());
  case TraceFormat::Wtf:
    return wtf(wtf::Dialect::BigEndian);
  case TraceFormat::WtfLittle:
    return wtf(wtf::Dialect::LittleEndian);
  case TraceFormat::Cff:
    return wtf(wtf::Dialect::Chunked);
  case TraceFormat::Atf1:
  case TraceFormat::Atf2:
    break;
  }
  const model::AtfSinkOptions options = {
      .version =
          static_cast<uint8_t>(state->format == TraceFormat::Atf1 ? 1 : 2)};
  if (state->kind == State::Kind::Session)
    return model::makeAtfSessionSink(state->temporary, options);
  return model::makeAtfFileSink(state->temporary + "/index.atf", options);
}

Expected<void> ConvertOutput::State::copyToStream() {
  const std::string path = temporary + "/index.atf";
  const int in = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0)
    return ioError(path, "cannot be opened");
  std::vector<std::byte> buffer(1 << 18);
  ssize_t n;
  while ((n = ::read(in, buffer.data(), buffer.size())) > 0)
    if (!write(std::span(buffer).first(static_cast<size_t>(n))))
      break;
  ::close(in);
  if (n < 0)
    return ioError(path, "cannot be read");
  return failure ? Expected<void>(*failure) : Expected<void>();
}

Expected<void> ConvertOutput::commit() {
  State &s = *state;
  if (s.kind == State::Kind::Stream)
    return s.temporary.empty() ? Expected<void>() : s.copyToStream();
  if (s.fd >= 0) {
    // The disk may be full, and some file systems say so only now.
    const int closed = ::close(std::exchange(s.fd, -1));
    if (closed != 0)
      return ioError(s.name, "cannot be written");
  }
  std::error_code problem;
  const fs::path made = s.kind == State::Kind::AtfFile
                            ? fs::path(s.temporary) / "index.atf"
                            : fs::path(s.temporary);
  s.written = s.kind == State::Kind::Session ? bytesBelow(s.temporary)
                                             : fs::file_size(made, problem);
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
                 .message =
                     "the output can't get its name: " + problem.message(),
                 .file = s.target.string()};
  }
  if (!old.empty())
    fs::remove_all(old, problem);
  if (s.kind != State::Kind::AtfFile)
    s.temporary.clear();
  return {};
}

const std::optional<Error> &ConvertOutput::failure() const {
  return state->failure;
}
const std::string &ConvertOutput::name() const { return state->name; }
uint64_t ConvertOutput::size() const { return state->written; }

} // namespace ada::cli
