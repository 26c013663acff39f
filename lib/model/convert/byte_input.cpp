// Reads a file or a pipe in pieces of 256 KiB.
#include "ada/trace/convert.h"

#include "formats/atf/file_bytes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::model {

using atf::systemError;

struct ByteInput::State {
  static constexpr std::size_t kPieceBytes = 256 * 1024, kHeadBytes = 64;

  ~State() {
    if (fd >= 0 && owned)
      ::close(fd);
  }

  Error fail(const char *what) const { return systemError(name, what, errno); }

  // As much as there is, at most `size`.
  Expected<std::size_t> fill(std::byte *to, std::size_t size) {
    std::size_t got = 0;
    while (got < size) {
      const ssize_t n = ::read(fd, to + got, size - got);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail("cannot be read");
      if (n == 0)
        break;
      got += static_cast<std::size_t>(n);
      if (got >= kHeadBytes)
        break; // a slow pipe's bytes are of use at once
    }
    return got;
  }

  std::string name, openedAs;
  int fd = -1;
  bool owned = false, seekable = false, started = false, spooled = false;
  std::optional<std::uint64_t> bytes; // of all, if known
  std::uint64_t position = 0;
  std::array<std::byte, kHeadBytes> head;
  std::size_t headSize = 0;
  bool headPending = true; // the next read() begins with it
  std::vector<std::byte> piece;
};

ByteInput::ByteInput(std::unique_ptr<State> state) : state(std::move(state)) {}
ByteInput::ByteInput(ByteInput &&) noexcept = default;
ByteInput &ByteInput::operator=(ByteInput &&) noexcept = default;
ByteInput::~ByteInput() = default;

Expected<ByteInput> ByteInput::open(const std::string &path) {
  auto state = std::make_unique<State>();
  State &s = *state;
  s.openedAs = path;
  if (path == "-") {
    s.name = "standard input";
    s.fd = STDIN_FILENO;
  } else {
    s.name = path;
    s.fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    s.owned = true;
    if (s.fd < 0)
      return s.fail("cannot be opened");
  }
  struct stat info;
  if (::fstat(s.fd, &info) != 0)
    return s.fail("cannot be examined");
  if (S_ISDIR(info.st_mode))
    return Error{.code = "E_IO",
                 .message = "is a directory, a file was expected",
                 .file = s.name};
  // Standard input may be a file that another program has read from already.
  s.seekable = S_ISREG(info.st_mode) && ::lseek(s.fd, 0, SEEK_CUR) == 0;
  if (s.seekable) {
    s.bytes = static_cast<std::uint64_t>(info.st_size);
    ::posix_fadvise(s.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  auto got = s.fill(s.head.data(), State::kHeadBytes);
  if (!got)
    return got.error();
  s.headSize = *got;
  return ByteInput(std::move(state));
}

const std::string &ByteInput::name() const noexcept { return state->name; }

std::span<const std::byte> ByteInput::head() const noexcept {
  return {state->head.data(), state->headSize};
}

Expected<std::span<const std::byte>> ByteInput::read() {
  State &s = *state;
  s.started = true;
  s.piece.resize(State::kPieceBytes);
  std::size_t kept = 0;
  if (s.headPending) {
    std::copy_n(s.head.data(), s.headSize, s.piece.data());
    kept = s.headSize;
    s.headPending = false;
  }
  auto got = s.fill(s.piece.data() + kept, s.piece.size() - kept);
  if (!got)
    return got.error();
  s.position += kept + *got;
  return std::span<const std::byte>(s.piece.data(), kept + *got);
}

Expected<void> ByteInput::rewind() {
  State &s = *state;
  if (!s.started)
    return {};
  if (!s.seekable)
    return Error{.code = "E_IO",
                 .message = "a pipe can be read only once; put the trace into "
                            "a file first",
                 .file = s.name};
  if (::lseek(s.fd, 0, SEEK_SET) != 0)
    return s.fail("cannot be rewound");
  s.position = 0;
  s.started = s.headPending = false;
  return {};
}

Expected<void> ByteInput::spool() {
  State &s = *state;
  if (s.seekable)
    return {};
  if (s.started)
    return rewind();
  const char *place = std::getenv("TMPDIR");
  std::string name = std::string(place && *place ? place : "/tmp");
  const std::string directory = name;
  name += "/adatrace-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0)
    return systemError(
        directory, "no temporary file can be made in it; set TMPDIR", errno);
  ::unlink(name.c_str());
  std::uint64_t total = 0;
  for (;;) {
    auto piece = read();
    Expected<void> written;
    if (!piece)
      written = piece.error();
    else
      for (auto rest = *piece; written && !rest.empty();) {
        const ssize_t n = ::write(file, rest.data(), rest.size());
        if (n < 0 && errno != EINTR)
          written = systemError(
              directory, "the input can't be kept there; set TMPDIR", errno);
        if (n > 0)
          rest = rest.subspan(static_cast<std::size_t>(n));
      }
    if (!written) {
      ::close(file);
      return written;
    }
    if (piece->empty())
      break;
    total += piece->size();
  }
  if (s.owned)
    ::close(s.fd);
  s.fd = file;
  s.owned = s.seekable = s.spooled = true;
  s.bytes = total;
  return rewind();
}

std::string ByteInput::path() const {
  if (state->openedAs != "-" && !state->spooled)
    return state->openedAs;
  return "/proc/self/fd/" + std::to_string(state->fd);
}

std::uint64_t ByteInput::position() const noexcept { return state->position; }
std::optional<std::uint64_t> ByteInput::size() const noexcept {
  return state->bytes;
}

} // namespace ada::model
