// What the traces of a process's threads share: place, memory, descriptors, failure, limits, the end.
#include "process_writer.h"

#include "core/base/message.h"
#include "core/images/images.h"
#include "identity.h"
#include "shared/manifest_keys.h"

#include <sys/resource.h>

namespace ada::runtime {
namespace {

constexpr uint64_t kMaxOpenFiles = 200; // half of the lowest limit for programs on ordinary systems

} // namespace

void ProcessWriter::start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options,
                          const TriggerRules &triggers, const char *directory) {
  anchors_ = &anchors;
  ring_ = &ring, images_ = &images, options_ = &options;
  parts_.start(options, directory);
  directory_ = place_ = parts_.directory();
  ringIsBeside_ = equal(ring.path(), (Path(directory_) << "/ring").c_str());
  windows_.start(options, triggers);
  pool_.start(options.detail_buffer, windows_.active() ? &ring : nullptr);
  bound_.start(options);
  budget_.start(ring, images, options);
  clock_.start(ring);
  manifest_.start(
      {&ring, &images, &anchors, &options, &windows_, &sched_, &budget_, &facts_, parts_.active() ? &parts_ : nullptr});
}

void ProcessWriter::startSched(bool isAlone) {
  sched_.begin(*ring_, place_, options_->isBounded());
  sched_.whenOutOfDescriptors([](void *trace) { return static_cast<ProcessWriter *>(trace)->closeDescriptors(); },
                              this);
  if (!options_->sched)
    sched_.refuse(manifest::kNotAskedFor);
  else if (options_->isBounded())
    sched_.refuse(manifest::kNotInBounded);
  else if (!ownFiles_)
    sched_.refuse("AdaTrace can't have file descriptors of its own here");
  else
    sched_.start(isAlone);
}

void ProcessWriter::reset() {
  sched_.reset();
  for (uint64_t slot = 0; slot < threads_.ready(); ++slot)
    threads_[slot].release();
  threads_.release();
  blocks_.release();
  for (uint64_t slot = 0; slot < details_.ready(); ++slot)
    if (details_[slot])
      sys::unmap(details_[slot], sizeof *details_[slot]);
  details_.release();
  bound_.reset();
  facts_.release();
  __builtin_memset(static_cast<void *>(this), 0, sizeof *this);
}

void ProcessWriter::prepare() {
  ring_->prepare([this](uint64_t slots) { return reserve(slots); },
                 [this](uint64_t threads) { return facts_.reserve(threads); });
  // Threads that wait for a chunk, now that some are free; ring::RecordReader returns a thread's own chunks.
  const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used && ring_->hasFreeChunks(); ++i)
    ring_->wake(ring_->threads()[i]);
}

void ProcessWriter::removeRing() {
  ring_->unlink();
  sys::unlink((Path(place_) << "/ring").c_str());
}

void ProcessWriter::handOver(Identity &identity) {
  auto give = [&](const char *path) {
    sys::call(SYS_fchownat, AT_FDCWD, path, identity.user(), identity.group(), AT_SYMLINK_NOFOLLOW);
  };
  // Make no system call that would not be permitted: a seccomp filter may not know it.
  if (sys::call(SYS_geteuid) == 0 && identity.user() != 0) {
    sys::call(SYS_fchown, ring_->descriptor(), identity.user(), identity.group());
    give(place_);
    give((Path(place_) << "/manifest.json").c_str());
    if (parts_.active() && parts_.isInOwnSession()) // the next part is created in it
      give((Path(place_) << "/..").c_str());
    eachThread([&](const ThreadWriter &t) { t.handOver(Path(place_), give); });
  }
  identity.follow();
}

bool ProcessWriter::canShare() const {
  rlimit64 limit = {};
  return ownFiles_ && !windows_.active() && !bound_.active() && !budget_.active() &&
         sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit) == 0 &&
         limit.rlim_cur >= 2 * kMaxOpenFiles + sched_.descriptors();
}

//===--- the threads' files -----------------------------------------------===//

void ProcessWriter::countOpenFile(ThreadWriter &thread) {
  if (__atomic_add_fetch(&openFiles_, 1, __ATOMIC_RELAXED) <= kMaxOpenFiles)
    return;
  if (!closeDescriptors())
    thread.closeDescriptors(); // the others' are in use
}

bool ProcessWriter::closeDescriptors() {
  if (isShared_)
    return false;
  eachThread([](ThreadWriter &t) { t.closeDescriptors(); });
  return true;
}

void ProcessWriter::fail(const char *what, int error) {
  if (__atomic_exchange_n(&failing_, true, __ATOMIC_ACQ_REL)) { // the first of several threads reports it
    while (!failed())
      arch::pause();
    return;
  }
  Text<512> m("cannot write ");
  m << directory_ << '/' << what << ": " << errorText(error);
  error_ = error;
  __builtin_memcpy(failure_, m.c_str(), m.size() + 1);
  static_assert(sizeof failure_ <= sizeof ring_->header().failure);
  __builtin_memcpy(ring_->header().failure, failure_, sizeof failure_);
  __atomic_store_n(&failed_, true, __ATOMIC_RELEASE);
}

void ProcessWriter::removeOldest() {
  const Bound::Block block = bound_.takeOldest();
  if (failed()) // the files stay as they are
    return;
  if (ThreadWriter &t = threads_[block.slot]; t.isActive() && t.number() == block.thread) {
    tryToWrite(block.thread, t.indexName(), [&] { return t.removeOldestBlock(); });
    return;
  }
  // The thread has ended, and its slot may belong to another.
  PackedFile file;
  tryToWrite(block.thread, thread_files::kPackedIndex, [&] {
    int error = file.load(place_, static_cast<uint32_t>(block.thread));
    return error < 0 ? error : file.removeFirst();
  });
  file.closeDescriptor();
  ThreadFacts &f = facts_[block.thread];
  f.removed = file.removed(), f.timeStart = file.timeStart(), f.timeEnd = file.timeEnd();
}

void ProcessWriter::finishFiles() {
  eachThread([](ThreadWriter &t) {
    t.finish();
    t.finishSched();
  });
}

void ProcessWriter::finish(Ending ending, int status) {
  finishFiles();
  int error = writeManifest(ending, status);
  eachThread([&](ThreadWriter &t) {
    if (isFull(error) && t.makeRoom()) { // the manifest needs room as well
      t.finish();
      error = writeManifest(ending, status);
    }
  });
}

//===--- the manifest -----------------------------------------------------===//

ManifestWriter::Facts ProcessWriter::gatherFacts(Ending ending, int status) {
  eachThread([&](ThreadWriter &t) { t.gatherFacts(/*isPartDone=*/ending == Ending::Rotated); });
  const ada_ring_header &h = ring_->header();
  reported_ = {.unattached = __atomic_load_n(&h.events_unattached, __ATOMIC_RELAXED),
               .late = __atomic_load_n(&h.events_late, __ATOMIC_RELAXED),
               .ended = h.events_ended,
               .leftOut = h.left_out_ended};
  return {.ending = ending,
          .status = status,
          .isNext = false,
          .place = directory_,
          .ring = nullptr,
          .failure = failure(),
          .lost = reported_,
          .before = before_};
}

int ProcessWriter::tryManifest(Ending ending, int status) {
  ManifestWriter::Facts facts = gatherFacts(ending, status);
  if (ending != Ending::Rotated) // the next part's manifest names it
    facts.ring = ring_->path();
  const int error = withDescriptors([&] { return manifest_.write(place_, facts); });
  if (error == 0)
    manifest_.removeLateModules(place_);
  return error;
}

void ProcessWriter::writeNewWindows() {
  if (!windows_.hasNews() || failed())
    return;
  if (const int error = writeNews(); error < 0)
    fail(manifest::kLateModulesFile, error);
}

int ProcessWriter::writeManifest(Ending ending, int status) {
  const int error = tryManifest(ending, status);
  manifestFailed_ = error < 0;
  if (error < 0)
    fail("manifest.json", error);
  return error;
}

int ProcessWriter::writeDumpManifest(Ending ending, int status, const char *directory) {
  const ManifestWriter::Facts facts = gatherFacts(ending == Ending::Running ? Ending::Dump : ending, status);
  return withDescriptors([&] { return manifest_.write(directory, facts); });
}

} // namespace ada::runtime
