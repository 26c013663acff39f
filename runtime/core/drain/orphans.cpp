// Looks through the directory of the rings, and into rings that seem to be left behind.
//
// Rings are read, not mapped: a ring is gigabytes of holes, which mlockall() would fill and lock.
#include "orphans.h"
#include "core/base/os.h"
#include "core/base/text.h"
#include "directory.h"
#include "dump.h"
#include "shared/ring/chunk_walk.h"
#include "shared/ring/tables.h"

#include <sys/file.h>
#include <sys/stat.h>

namespace ada::runtime {
namespace {

constexpr int kMaxLooks = 256; // rings looked into at one start: more are unlikely, and it must be quick

// A program with more threads leaves its ring to `adatrace recover`.
constexpr uint64_t kMaxThreads = 1024;

// The pieces that isFinished() reads, one after the other.
struct Pieces {
  struct Journal { // of a thread
    uint32_t index, record;
    uint64_t seq;
  };
  Journal threads[kMaxThreads];
  alignas(64) char chunk[ADA_CHUNK_BYTES];
};

bool read(int fd, uint64_t offset, void *to, uint64_t bytes) { return sys::readAll(fd, to, bytes, offset) == 0; }

// Whether the header says that the ring is finished: its drain has held the lock, and has written everything before the
// manifest.
bool saysFinished(const ada_ring_header &h) {
  const bool isExec = h.state == ADA_RING_EXEC && h.events_at_exec == h.events_written + h.events_lost + 1;
  return h.magic == ADA_RING_MAGIC && h.abi_version == ADA_ABI_VERSION && h.locked &&
         (isExec || h.state == ADA_RING_FINISHED);
}

// Reads how far each thread's records are in the files. False if some are not, or may not be.
bool readJournals(int fd, const ada_ring_header &h, Pieces::Journal *journals, uint64_t &count) {
  count = 0;
  for (uint64_t t = 0; t < h.threads_used; ++t) {
    ada_ring_thread thread;
    if (!read(fd, h.threads_offset + t * sizeof thread, &thread, sizeof thread))
      return false;
    if (thread.state == ADA_THREAD_FREE)
      continue;
    const ada_ring_cursor &cursor = thread.cursor[thread.current & 1];
    for (const ada_ring_run &run : cursor.runs)
      if (run.begin != run.end)
        return false;
    if (count == kMaxThreads)
      return false;
    journals[count++] = {thread.index, cursor.record, cursor.chunk_seq};
  }
  return true;
}

// Whether a chunk has records that the journals do not count as written, or can't be read.
bool hasUnread(int fd, uint64_t offset, Pieces &pieces, uint64_t threads) {
  const ada_chunk &chunk = *reinterpret_cast<const ada_chunk *>(pieces.chunk);
  if (!read(fd, offset, pieces.chunk, sizeof chunk))
    return true;
  if (chunk.state != ADA_CHUNK_USED)
    return false;
  for (uint64_t t = 0; t < threads; ++t) {
    const Pieces::Journal &journal = pieces.threads[t];
    if (chunk.thread != journal.index || chunk.seq < journal.seq)
      continue;
    if (!read(fd, offset, pieces.chunk, ADA_CHUNK_BYTES) ||
        ring::stampFrom(chunk, chunk.seq == journal.seq ? journal.record : 0) != UINT64_MAX)
      return true;
  }
  return false;
}

// Whether a ring of `bytes` bytes is finished. Nothing in it is trusted.
bool isFinished(int fd, const ada_ring_header &h, uint64_t bytes) {
  if (!ring::tablesFit(h, bytes))
    return false;
  if (h.state == ADA_RING_FINISHED)
    return true;
  auto *pieces = static_cast<Pieces *>(sys::mapMemory(sizeof(Pieces)));
  if (!pieces)
    return false;
  uint64_t threads;
  bool is = readJournals(fd, h, pieces->threads, threads);
  for (uint64_t c = 0; is && c < h.chunks_used; ++c)
    is = !hasUnread(fd, h.chunks_offset + c * ADA_CHUNK_BYTES, *pieces, threads);
  sys::unmap(pieces, sizeof(Pieces));
  return is;
}

// Removes what a flight recorder kept in memory, beside its ring at `path`.
void removeFlight(int fd, const char *path) {
  Path beside(path);
  beside.toParent();
  beside << "/adatrace-flight-";
  char directory[ADA_RING_PATH_BYTES];
  if (!read(fd, ADA_RING_PATH_OFFSET, directory, sizeof directory))
    return;
  directory[sizeof directory - 1] = 0;
  bool isBeside = TextPiece(directory).startsWith(beside.c_str());
  for (const char *s = directory; *s; ++s)
    isBeside = isBeside && !(s[0] == '.' && s[1] == '.');
  if (isBeside) // otherwise it is not ours
    removeProcessDirectory(directory);
}

// Removes the link to the ring at `path` from its process's directory, if it is there.
void removeLink(int fd, const ada_ring_header &h, const char *path) {
  const bool isOther = (h.directory_number & ADA_RING_OTHER_PATH) != 0;
  const uint64_t number = h.directory_number & ~ADA_RING_OTHER_PATH;
  char text[ADA_RING_PATH_BYTES];
  if (!read(fd, isOther ? ADA_RING_OTHER_PATH_OFFSET : ADA_RING_PATH_OFFSET, text, sizeof text))
    return;
  text[sizeof text - 1] = 0;
  Path link(text);
  if (number) // option rotate
    link.toParent(), link << "/pid_" << h.pid << '_' << number;
  link << "/ring";
  const long length = sys::readLink(link.c_str(), text, sizeof text - 1);
  text[length > 0 ? length : 0] = 0;
  if (equal(text, path)) // otherwise it is another's
    sys::unlink(link.c_str());
}

void removeIfFinished(const char *path) {
  int fd = sys::open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return;
  struct stat info = {};
  bool isOurs = sys::call(SYS_fstat, fd, &info) == 0 && S_ISREG(info.st_mode) &&
                info.st_uid == static_cast<uint32_t>(sys::call(SYS_geteuid)) &&
                info.st_size >= static_cast<long>(ADA_CHUNK_BYTES);
  // The ring's drain holds the lock while it lives, and so does a process that recovers it. If the lock may be about to
  // be taken for the first time, we don't even try to take it.
  ada_ring_header header;
  if (isOurs && read(fd, 0, &header, sizeof header) && saysFinished(header) &&
      sys::call(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0 && read(fd, 0, &header, sizeof header) && saysFinished(header) &&
      isFinished(fd, header, static_cast<uint64_t>(info.st_size))) {
    sys::unlink(path);
    removeLink(fd, header, path);
    if (header.flight)
      removeFlight(fd, path);
  }
  sys::close(fd);
}

} // namespace

void removeOrphans(const char *directory, const char *own, uint32_t process) {
  Text<64> wanted("adatrace-");
  if (process)
    wanted << process << '-';
  int looks = 0;
  eachName(directory, [&](const char *name) {
    if (!TextPiece(name).startsWith(wanted.c_str()))
      return true;
    Path path(directory);
    path << '/' << name;
    if (!equal(path.c_str(), own))
      removeIfFinished(path.c_str());
    return ++looks < kMaxLooks;
  });
}

} // namespace ada::runtime
