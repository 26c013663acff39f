// The step from one part of a trace to the next (option rotate).
//
// A kill may come between any two steps. The ring's header says which directory the journals refer to, and a single
// store changes that. So everything that is needed after the store is created before it, and everything that was needed
// before it stays until the store is done:
//
//   1. All files get their footers; the manifest says that the trace continues in the next part. After a kill, recovery
//      takes the ring's records into these files, as into any others, and the manifest says how the process ended.
//   2. The next directory is created: an index file for each thread, with the calls that are open and no event; the
//      manifest; the link to the ring. After a kill, the same happens, and there is an additional part without events.
//   3. The store. After a kill, recovery takes the ring's records into the next part, and finds the current one
//      complete.
//   4. The current directory's link to the ring is removed.
#include "core/images/images.h"
#include "process_writer.h"

#include <sys/stat.h>

namespace ada::runtime {

bool ProcessWriter::rotate(unsigned char *buffer) {
  if (!parts_.active() || failed())
    return false;
  const ada_ring_header &h = ring_->header();
  const uint64_t now = sys::nowNs();
  if (!parts_.isDue(now, h.bytes_written, h.events_written) || parts_.isPausing(now))
    return false;
  bool isWrong = false; // the manifest says that the trace continues elsewhere
  int error = parts_.makeNext();
  if (error == 0) {
    if (ownFiles_)
      ring_->holdNext(parts_.next());
    finishFiles();
    const bool isFinished = !failed() && (error = tryManifest(Ending::Rotated, 0)) == 0;
    if (isFinished && (error = makeNextPart(buffer)) == 0) {
      enterNextPart();
      return true;
    }
    parts_.dropNext();
    ring_->letGo(/*hasBegun=*/false);
    isWrong = isFinished;
  }
  // The current part continues, and its manifest says why; that may fail if there is no room.
  parts_.pause(error);
  if (isWrong)
    writeManifest(Ending::Running, 0);
  else if (!failed())
    tryManifest(Ending::Running, 0);
  return true;
}

const char *ProcessWriter::whyNoMove() const {
  return !isPacked()             ? "it records in format 1 or 2; only packed files can be continued in another session "
                                   "(format=packed)"
         : windows_.active()     ? "it records windows, whose detail belongs to its session"
         : options_->isBounded() ? "it keeps only its newest events (max_size, max_time or flight)"
                                 : nullptr;
}

// As rotate(), but the current part is complete already and does not lead on.
int ProcessWriter::moveTo(const char *session, unsigned char *buffer) {
  int error = parts_.makeNextIn(session);
  if (error < 0)
    return error;
  if (ownFiles_)
    ring_->holdNext(parts_.next());
  gatherFacts(Ending::Rotated, 0);
  manifest_.beginParts(parts_);
  images_->beginSession();
  error = makeNextPart(buffer);
  if (error < 0) {
    parts_.dropNext();
    ring_->letGo(/*hasBegun=*/false);
    return error;
  }
  const Path path(directory_);
  __builtin_memcpy(ring_->otherDirectory(), path.c_str(), path.size() + 1);
  sched_.forgetStates();
  enterNextPart();
  return 0;
}

bool ProcessWriter::isGone() const {
  struct stat info = {};
  return sys::call(SYS_newfstatat, AT_FDCWD, place_, &info, 0) == -ENOENT || info.st_nlink == 0;
}

bool ProcessWriter::isDeleted() const {
  struct stat info = {};
  return sys::call(SYS_newfstatat, AT_FDCWD, place_, &info, 0) == 0 && info.st_nlink == 0;
}

int ProcessWriter::makeNextPart(unsigned char *buffer) {
  int error = 0;
  eachThread([&](ThreadWriter &t) {
    if (error == 0)
      error = t.makeNext(parts_.next(), buffer);
  });
  if (error == 0)
    error = writeNextManifest();
  if (error == 0) // after the manifest, which shows recovery that this is a part
    error = linkRing();
  return error == 0 ? parts_.enterNext() : error;
}

// It begins with what this part's manifest has.
int ProcessWriter::writeNextManifest() {
  const Path ring = Path(parts_.nextDirectory()) << "/ring";
  return manifest_.write(parts_.next(), {.ending = Ending::Running,
                                         .status = 0,
                                         .isNext = true,
                                         .place = directory_,
                                         .ring = ringIsBeside_ ? ring.c_str() : ring_->path(),
                                         .failure = failure(),
                                         .lost = reported_,
                                         .before = reported_});
}

// If the ring is a file beside the trace, it gets another name, because the directory of this part may be deleted.
int ProcessWriter::linkRing() {
  const Path link = Path(parts_.next()) << "/ring";
  if (ringIsBeside_)
    return static_cast<int>(
        sys::call(SYS_linkat, AT_FDCWD, (Path(place_) << "/ring").c_str(), AT_FDCWD, link.c_str(), 0));
  return static_cast<int>(sys::call(SYS_symlinkat, ring_->path(), AT_FDCWD, link.c_str()));
}

void ProcessWriter::enterNextPart() {
  ada_ring_header &h = ring_->header();
  __atomic_store_n(&h.events_before, h.events_written, __ATOMIC_RELAXED);
  __atomic_store_n(&h.bytes_before, h.bytes_written, __ATOMIC_RELAXED);
  __atomic_store_n(&h.lost_before, h.events_lost, __ATOMIC_RELAXED);
  const uint64_t path = h.directory_number & ADA_RING_OTHER_PATH;
  __atomic_store_n(&h.directory_number, parts_.moves() ? path ^ ADA_RING_OTHER_PATH : path | parts_.directoryNumber(),
                   __ATOMIC_RELEASE);
  sys::unlink((Path(parts_.left()) << "/ring").c_str());
  if (ringIsBeside_)
    ring_->setPath((Path(directory_) << "/ring").c_str());
  ring_->letGo(/*hasBegun=*/true);
  parts_.begin(h.bytes_written, h.events_written);
  sched_.beginPart();
  facts_.beginPart();
  eachThread([](ThreadWriter &t) { t.goOn(); });
  before_ = reported_;
}

} // namespace ada::runtime
