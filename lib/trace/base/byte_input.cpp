// Reads a file or a pipe in pieces of 256 KiB, and unpacks it on the way if it is packed with gzip.
#include "ada/trace/byte_input.h"

#include "file_bytes.h"
#include "gunzip.h"
#include "temporary_file.h"
#include "trace/base/fair_links.h"
#include "trace/base/try.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ada::model {

struct ByteInput::State {
  static constexpr size_t kPieceBytes = 256 * 1024, kHeadBytes = 64;

  Error fail(const char *what) const { return systemError(name, what, errno); }

  // Bytes of the file as they are: as many as there are, at most `size`.
  Expected<size_t> fillRaw(std::byte *to, size_t size) {
    if (stop && *stop)
      return Error{.code = "E_STOPPED", .message = "reading was stopped", .file = name};
    size_t got = 0;
    while (got < size) {
      const ssize_t n = ::read(fd, to + got, size - got);
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail("cannot be read");
      if (n == 0)
        break;
      got += static_cast<size_t>(n);
      if (got >= kHeadBytes)
        break; // a slow pipe's bytes are useful at once
    }
    position += got;
    return got;
  }

  // The same for the bytes that readers get.
  Expected<size_t> fill(std::byte *to, size_t size) {
    if (!gunzip)
      return fillRaw(to, size);
    size_t got = 0;
    while (got < size && !flaw) {
      if (const size_t n = gunzip->unpack({to + got, size - got})) {
        got += n;
        continue;
      }
      if (gunzip->isDamaged()) {
        fail("E_BAD_GZIP", "the gzip data around the trace is damaged; everything that could be unpacked was read",
             got);
        break;
      }
      auto more = ADA_TRY(fillRaw(packed.data(), packed.size()));
      if (more == 0) {
        if (!gunzip->isComplete())
          fail("E_TRUNCATED", "the gzip data is incomplete; everything that could be unpacked was read", got);
        break;
      }
      gunzip->feed(std::span(packed).first(more));
    }
    unpackedBytes += got;
    return got;
  }
  void fail(const char *code, const char *message, size_t got) {
    flaw = Error{.code = code, .message = message, .file = name, .offset = unpackedBytes + got};
  }

  // Decides whether the bytes are packed, and gets the first ones that readers see.
  Expected<void> begin() {
    flaw.reset();
    gunzip.reset();
    position = unpackedBytes = 0;
    auto got = fillRaw(head.data(), kHeadBytes);
    if (!got)
      return got.error();
    headSize = *got;
    headPending = true;
    if (!isGzip(std::span(head).first(headSize)))
      return {};
    gunzip.emplace();
    packed.resize(kPieceBytes);
    std::copy_n(head.data(), headSize, packed.data());
    gunzip->feed(std::span(packed).first(headSize));
    got = fill(head.data(), kHeadBytes);
    if (!got)
      return got.error();
    headSize = *got;
    return {};
  }

  std::string name, openedAs;
  FileDescriptor own; // unless it is standard input
  int fd = -1;
  bool seekable = false, started = false;
  bool isCopy = false, wasPacked = false;
  std::optional<uint64_t> bytes; // of the file, if (known)
  uint64_t position = 0;         // in the file
  uint64_t unpackedBytes = 0;
  std::optional<Gunzip> gunzip; // if it is packed
  std::vector<std::byte> packed;
  std::optional<Error> flaw, flawOfOriginal; // the latter is of the data that was copied to a file
  std::array<std::byte, kHeadBytes> head;
  size_t headSize = 0;
  std::shared_ptr<const std::atomic<bool>> stop;
  bool headPending = true; // the next read() begins with it
  std::vector<std::byte> piece;
};

ByteInput::ByteInput(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteInput::ByteInput(ByteInput &&) noexcept = default;
ByteInput &ByteInput::operator=(ByteInput &&) noexcept = default;
ByteInput::~ByteInput() = default;

void ByteInput::stopBy(std::shared_ptr<const std::atomic<bool>> flag) noexcept { state_->stop = std::move(flag); }

// False if it is a FIFO that nothing writes to. Reads block from now on.
static bool waitForWriter(int fd) {
  constexpr int kMaxMs = 5000;
  struct stat info;
  if (::fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode)) {
    pollfd wait{fd, POLLIN, 0};
    // A pipe without data and without writers reads as nothing, one with writers as EAGAIN. No byte can be taken,
    // because there is no room for one. (volatile: the compiler would warn about that.)
    void *volatile nowhere = nullptr;
    if (::poll(&wait, 1, kMaxMs) == 0 && ::read(fd, nowhere, 1) == 0)
      return false;
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return true;
}

Expected<ByteInput> ByteInput::open(const std::string &path) {
  auto state = std::make_unique<State>();
  State &s = *state;
  s.openedAs = path;
  if (path == "-") {
    s.name = "standard input";
    s.fd = STDIN_FILENO;
  } else {
    s.name = path;
    // O_NONBLOCK: opening a FIFO would wait for a writer, which may never come.
    s.own = FileDescriptor(openFairly(path, O_RDONLY | O_NONBLOCK));
    s.fd = s.own.get();
    if (s.fd < 0 && errno == ENOTDIR) {
      // Perhaps it is in an archive: a copy can be read like a file.
      const auto member = ADA_TRY(FileBytes::open(path));
      TemporaryFile copy;
      ADA_TRY(copy.append(member.bytes()));
      s.own = copy.take();
      s.fd = s.own.get();
      s.isCopy = true;
      if (::lseek(s.fd, 0, SEEK_SET) != 0)
        return s.fail("cannot be rewound");
    }
    if (s.fd < 0)
      return s.fail("cannot be opened");
    if (!waitForWriter(s.fd))
      return Error{.code = "E_IO",
                   .message = "is a pipe that no program opened for writing within five seconds",
                   .file = s.name};
  }
  struct stat info;
  if (::fstat(s.fd, &info) != 0)
    return s.fail("cannot be examined");
  if (S_ISDIR(info.st_mode))
    return Error{.code = "E_IO", .message = "is a directory, but a file was expected", .file = s.name};
  if (s.own && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)))
    return Error{.code = "E_IO", .message = "is a device, but a file was expected", .file = s.name};
  // Standard input may be a file that another program has read from already.
  s.seekable = S_ISREG(info.st_mode) && ::lseek(s.fd, 0, SEEK_CUR) == 0;
  if (s.seekable) {
    s.bytes = static_cast<uint64_t>(info.st_size);
    ::posix_fadvise(s.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  ADA_TRY(s.begin());
  return ByteInput(std::move(state));
}

const std::string &ByteInput::name() const noexcept { return state_->name; }

std::span<const std::byte> ByteInput::head() const noexcept { return {state_->head.data(), state_->headSize}; }

Expected<std::span<const std::byte>> ByteInput::read() {
  State &s = *state_;
  s.started = true;
  s.piece.resize(State::kPieceBytes);
  size_t kept = 0;
  if (s.headPending) {
    std::copy_n(s.head.data(), s.headSize, s.piece.data());
    kept = s.headSize;
    s.headPending = false;
  }
  auto got = ADA_TRY(s.fill(s.piece.data() + kept, s.piece.size() - kept));
  return std::span<const std::byte>(s.piece.data(), kept + got);
}

Expected<void> ByteInput::rewind() {
  State &s = *state_;
  if (!s.started)
    return {};
  if (!s.seekable)
    return Error{
        .code = "E_IO", .message = "a pipe can be read only once; put the trace into a file first", .file = s.name};
  if (::lseek(s.fd, 0, SEEK_SET) != 0)
    return s.fail("cannot be rewound");
  s.started = false;
  return s.begin();
}

Expected<void> ByteInput::spool() { return state_->seekable ? Expected<void>() : copyToFile(); }

Expected<std::string> ByteInput::asFile() {
  State &s = *state_;
  if (!s.seekable || s.gunzip)
    ADA_TRY(copyToFile());
  return s.openedAs != "-" && !s.isCopy ? s.openedAs : "/proc/self/fd/" + std::to_string(s.fd);
}

Expected<void> ByteInput::copyToFile() {
  State &s = *state_;
  if (s.started)
    ADA_TRY(rewind());
  TemporaryFile copy;
  for (;;) {
    const auto piece = ADA_TRY(read());
    ADA_TRY(copy.append(piece));
    if (piece.empty())
      break;
  }
  s.bytes = copy.size();
  s.own = copy.take();
  s.fd = s.own.get();
  s.seekable = s.isCopy = true;
  s.wasPacked = s.gunzip.has_value();
  s.flawOfOriginal = s.flaw;
  return rewind();
}

bool ByteInput::isPacked() const noexcept { return state_->gunzip || state_->wasPacked; }
const std::optional<Error> &ByteInput::damage() const noexcept {
  return state_->flaw ? state_->flaw : state_->flawOfOriginal;
}
uint64_t ByteInput::position() const noexcept { return state_->position; }
std::optional<uint64_t> ByteInput::size() const noexcept { return state_->bytes; }

} // namespace ada::model
