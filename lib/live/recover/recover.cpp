// Takes the last events of a dead process from its ring file, and finishes its files.
#include "ada/trace/recover.h"

#include "ada/trace/atf_index.h"
#include "formats/native/directories.h"
#include "formats/native/index/index_writer.h"
#include "formats/native/sched/sched_file.h"
#include "live/recover/detail_recovery.h"
#include "live/recover/held_recovery.h"
#include "live/recover/manifest_update.h"
#include "live/recover/recording_lock.h"
#include "live/recover/ring_directory.h"
#include "live/recover/ring_place.h"
#include "live/recover/ring_snapshot.h"
#include "shared/encode/thread_files.h"
#include "shared/ring/chunk_walk.h"
#include "shared/ring/left_out.h"
#include "shared/ring/losses.h"
#include "shared/ring/notes.h"
#include "shared/ring/tables.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/safe_file.h"
#include "trace/base/same_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::recover {

using namespace thread_files;

namespace {

// Keeps the stack of open calls in this process's memory.
ring::Frame *growFrames(ring::Frame *old, size_t, size_t capacity) {
  return static_cast<ring::Frame *>(std::realloc(old, capacity * sizeof(ring::Frame)));
}

ring::GapList *makeGapList() { return static_cast<ring::GapList *>(std::calloc(1, sizeof(ring::GapList))); }

struct Expansion : ring::ThreadExpansion {
  Expansion() = default;
  Expansion(const Expansion &) = delete;
  Expansion &operator=(const Expansion &) = delete;
  ~Expansion() {
    std::free(stack.memory());
    std::free(gaps.list);
  }
};

class Recovery {
public:
  Recovery(const std::string &directory, const RingSnapshot *ring, const RecoverOptions &options)
      : directory_(directory), ring_(ring) {
    if (ring) {
      if (ring->header().detail_windows)
        wanted_ = {deathWindowStart(*ring, options).value_or(UINT64_MAX), manifestWindows(directory)};
      clock_.update(ring->anchors(), ring->header().anchors_used, ring->header().anchors_from);
      modules_.update(ring->modules().data(), ring->modules().size());
    }
  }

  // Completes the files of threads that are still in the ring file.
  void threadsOfRing() {
    for (const ada_ring_thread &thread : ring_->threads())
      if (thread.state == ADA_THREAD_LIVE || thread.state == ADA_THREAD_ENDED)
        if (auto done = recoverThread(thread); !done)
          result.failures.push_back(done.error());
  }

  // Finishes the files of all other threads, which are complete already or cut off.
  void remainingThreads() {
    for (const auto &thread : atf::threadsIn(directory_)) {
      if (threads.contains(thread.number))
        continue;
      if (auto done = finishFile(thread.number); !done)
        result.failures.push_back(done.error());
    }
  }

  RecoverResult result;
  std::map<uint64_t, RecoveredThread> threads;

private:
  // Where it is, or will be. Packed threads have a directory in sessions of earlier versions.
  std::string indexPath(uint64_t number) const {
    const std::string place = placeOf(number);
    if (!atf::isDirectory(place))
      return place + (ring_ && !isPacked() ? kAtfIndex : kPackedIndex);
    const std::string path = atf::indexPathIn(place);
    return !atf::exists(path) && isPacked() ? place + kOldPackedIndex : path;
  }
  std::string placeOf(uint64_t number) const { return atf::joinPath(directory_, "thread_" + std::to_string(number)); }
  bool isPacked() const { return ring_ && ring_->header().format == ADA_FORMAT_PACKED; }

  void note(uint64_t number, const atf::IndexReader &reader) {
    RecoveredThread &t = threads[number];
    t.events = reader.size();
    t.tid = reader.header().threadId;
    t.removed = reader.endNumber() - reader.size();
    t.isCut = t.removed > 0;
    if (!reader.empty()) {
      t.timeStartNs = reader.firstNs();
      t.timeEndNs = reader.lastNs();
    }
    result.events += reader.size();
    ++result.threads;
  }

  // Makes sure that the files to be written or removed have no second name.
  static Expected<void> makeOwnFiles(const std::string &place, const std::string &indexPath) {
    if (hasDirectory(indexPath))
      ADA_TRY(makeOwnDirectory(place));
    for (const std::string &path : {indexPath, atf::detailPathIn(place), atf::schedPathIn(place)})
      ADA_TRY(makeOwnFile(path));
    return {};
  }
  static bool hasDirectory(const std::string &indexPath) { return !indexPath.ends_with(kPackedIndex); }

  Expected<void> finishFile(uint64_t number) {
    const std::string path = indexPath(number), place = placeOf(number);
    const std::string detailPath = atf::detailPathIn(place), schedPath = atf::schedPathIn(place);
    ADA_TRY(makeOwnFiles(place, path));
    ADA_TRY(removeFile(schedPath + kNewer));          // killed before it could replace the file
    if (!hasHeader(path) && !hasHeader(detailPath)) { // killed before it could write anything
      ADA_TRY(removeFile(path));
      ADA_TRY(removeFile(detailPath));
      ADA_TRY(removeFile(schedPath));
      if (hasDirectory(path))
        removeEmptyDirectory(place);
      return {};
    }
    ADA_TRY(atf::finishSched(schedPath));
    auto reader = ADA_TRY(atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer}));
    // Detail is finished before the index, so a finished index means that both are.
    if (reader.countSource() != atf::CountSource::Footer || reader.header().eventCount != reader.size()) {
      DetailRecovery details(detailPath, reader.header().threadId, wanted_);
      ADA_TRY(openDetails(details, path, reader.endNumber()));
      auto writer = ADA_TRY(atf::IndexWriter::resume(path, reader.size()));
      ADA_TRY(finishBoth(writer, details));
    }
    note(number, reader);
    threads[number].held = ADA_TRY(heldIn(place, infoOf(number)));
    return {};
  }

  // The manifest's entry of the thread, or null.
  const ManifestThread *infoOf(uint64_t number) {
    if (!manifest_)
      manifest_ = Manifest::read(atf::joinPath(directory_, "manifest.json"));
    if (!*manifest_)
      return nullptr;
    const auto found = std::ranges::find((*manifest_)->threads, number, &ManifestThread::id);
    return found == (*manifest_)->threads.end() ? nullptr : &*found;
  }

  Expected<void> openDetails(DetailRecovery &details, const std::string &indexPath, uint64_t events,
                             std::span<const ada_detail_chunk *const> waiting = {}) {
    auto cleared = ADA_TRY(details.open(indexPath, events, waiting));
    result.linksCleared += cleared;
    return {};
  }

  static Expected<void> finishBoth(atf::IndexWriter &index, DetailRecovery &details) {
    auto done = details.finish();
    return done ? index.finish(details.exists()) : done;
  }

  Expected<void> createFile(const std::string &path, uint32_t tid) {
    const uint32_t version = ring::detailVersion(ring_->header().format);
    auto made = atf::IndexWriter::create(path, {.version = static_cast<uint8_t>(version),
                                                .packed = isPacked(),
                                                .arch = static_cast<uint8_t>(ring_->header().arch),
                                                .threadId = tid,
                                                .overwrite = true,
                                                .noLinks = true});
    return made ? Expected<void>() : made.error();
  }

  // Restores the drain's state at that cursor, when the file had `inFile` events, into `state`.
  // `inferred`: exits in the file that no hook saw.
  void restore(Expansion &state, const ada_ring_thread &thread, unsigned half, const atf::IndexReader &reader,
               uint64_t inFile, uint64_t &inferred) {
    state.leastNs = ring_->header().least_ns, state.mostDepth = ring_->header().most_depth;
    state.leftOut = thread.left_out[half];
    state.gaps.makeList = makeGapList;
    state.gaps.startNs = ring_->timeOfAnchor(/*newest=*/false);
    state.gaps.threadLost = thread.lost_in_gaps[half];
    Expansion open; // the open calls according to the file
    const atf::IndexReader::OpenCalls before = reader.openAtStart();
    for (uint64_t i = 0; i < std::min(before.unknown, ring::kMaxLostCalls); ++i)
      open.stack.push(ring::kLostFunction, 0, growFrames);
    for (const auto &call : before.calls)
      open.stack.push(call.functionId, call.beginNs, growFrames);
    state.lastNs = state.gaps.lastEventNs = before.beforeNs;
    inferred = isPacked() ? 0 : thread.inferred[half]; // a packed file shows them, and may have lost the oldest
    reader.forEach({0, inFile}, [&](uint64_t, const atf::IndexEvent &event) {
      if (event.kind == EventKind::Call)
        open.stack.push(event.functionId, event.timestampNs, growFrames);
      else if (open.stack.depth > 0)
        --open.stack.depth;
      inferred += event.kind == EventKind::Inferred;
      state.lastNs = state.gaps.lastEventNs = event.timestampNs;
    });
    const auto notes = ring_->notes(thread, half);
    ring::applyNotes(state, open.stack, notes.data(), notes.size(), growFrames);
  }

  // Long because each step needs the results of the steps before it.
  Expected<void> recoverThread(const ada_ring_thread &thread) {
    const std::string path = indexPath(thread.index), place = placeOf(thread.index);
    if (hasDirectory(path))
      ADA_TRY(makeDirectory(place)); // exists if the drain has written anything
    ADA_TRY(makeOwnFiles(place, path));
    if (!hasHeader(path)) // not begun, or killed while its header was written
      ADA_TRY(createFile(path, thread.tid));
    Expansion state;               // what the journal knows
    uint64_t inFile = 0, gone = 0; // events in the file, and events dropped from its front
    uint64_t inferred = 0;
    ada_ring_cursor cursor;
    {
      auto reader = ADA_TRY(atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer}));
      gone = reader.endNumber() - reader.size();
      const unsigned half = ring::cursorFor(thread, reader.endNumber());
      cursor = thread.cursor[half];
      const uint64_t written = cursor.events > gone ? cursor.events - gone : 0;
      inFile = std::min(written, reader.size());
      cursor.lost[ADA_LOST_WRITE_ERROR] += written - inFile; // they had been written
      restore(state, thread, half, reader, inFile, inferred);
    }
    if (const uint64_t unwritten = cursor.lost[ADA_LOST_WRITE_ERROR])
      state.gaps.lose(unwritten);
    DetailRecovery details(atf::detailPathIn(place), thread.tid, wanted_, &ring_->header());
    ADA_TRY(openDetails(details, path, gone + inFile, ring_->detailOf(thread.index)));
    auto writer = ADA_TRY(atf::IndexWriter::resume(path, inFile));
    Expected<void> appended;
    const auto append = [&](const ring::Event &e, const ada_detail *detail) {
      if (!appended)
        return;
      uint64_t link = atf::kNoDetail;
      if (detail && e.ofRecord)
        appended = details.add(e, *detail, gone + writer.size(), link);
      if (!appended)
        return;
      appended = writer.append({.timestampNs = e.timestampNs,
                                .functionId = e.functionId,
                                .detailSeq = link,
                                .kind = static_cast<EventKind>(e.kind),
                                .threadId = thread.tid,
                                .storedDepth = e.depth});
      inferred += e.kind == ring::kInferred;
      ++result.eventsFromRing;
    };
    if (!ring::leavesOut(state)) {
      expandRecords(thread, cursor, state, append);
    } else {
      expandRecords(thread, cursor, state, [&](const ring::Event &e, const ada_detail *detail) {
        ring::leaveOut(state, e, detail != nullptr, [&](const ring::Event &kept) { append(kept, detail); });
      });
      ring::emitWaiting(state, state.stack.depth, UINT64_MAX, [&](const ring::Event &e) { append(e, nullptr); });
    }
    if (!appended)
      return appended;
    ADA_TRY(finishBoth(writer, details));
    const std::string schedPath = atf::schedPathIn(place);
    if (const auto kept = ring_->schedOf(thread); !kept.empty())
      ADA_TRY(replaceFile(schedPath, {reinterpret_cast<const char *>(kept.data()), kept.size()}));
    const auto held = ADA_TRY(recoverHeld(schedPath, thread, ring_->chunksOf(thread.index), clock_,
                                          ring_->timeOfAnchor(/*newest=*/true), ring_->header().times));
    ADA_TRY(atf::finishSched(schedPath));
    auto reader = ADA_TRY(atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer}));
    note(thread.index, reader);
    RecoveredThread &t = threads[thread.index];
    t.held = held;
    const auto &name = thread.name[0] ? thread.name : thread.comm;
    t.name.assign(name, ::strnlen(name, sizeof name));
    ring::addLosses(cursor, state);
    t.gaps = gapsIn(thread, state);
    if (cursor.lost[ADA_LOST_WRITE_ERROR] > 0) { // stray exits are of calls that are not in the file
      cursor.lost[ADA_LOST_WRITE_ERROR] += state.strayExits;
      if (!t.gaps.empty())
        t.gaps.front().events += state.strayExits;
    } else if (cursor.notes == ADA_NOTES_MISSING) // stray exits are of lost calls
      cursor.gaps += static_cast<int64_t>(state.strayExits);
    uint64_t lost[ADA_LOST_REASONS];
    ring::lossesAt(thread, cursor, lost);
    t.lost.assign(std::begin(lost), std::end(lost));
    t.leftOut = state.leftOut, t.inferred = inferred, t.strays = state.strayExits;
    return {};
  }

  // The gaps in the records that were read from the ring.
  std::vector<ring::Gap> gapsIn(const ada_ring_thread &thread, const Expansion &state) const {
    const ring::GapLog &log = state.gaps;
    std::vector<ring::Gap> gaps;
    if (log.list)
      gaps.assign(log.list->gaps, log.list->gaps + log.list->count);
    if (ring::Gap last; log.last(ring::lostByThread(thread), ring_->timeOfAnchor(/*newest=*/true), last))
      gaps.push_back(last);
    std::erase_if(gaps, [](const ring::Gap &gap) { return gap.events == 0; });
    return gaps;
  }

  // Feeds all records that the drain had not written. A place that was reserved but not stamped when the process died
  // is skipped for good, because its call had not been recorded yet.
  template <class Emit>
  void expandRecords(const ada_ring_thread &thread, const ada_ring_cursor &cursor, Expansion &state, Emit &&emit) {
    std::vector<ada_record> records(ADA_CHUNK_RECORDS);
    std::vector<const ada_detail *> details(ADA_CHUNK_RECORDS);
    std::vector<uint16_t> places(ADA_CHUNK_RECORDS);
    ring::RecordBatch batch{.records = records.data(), .details = details.data(), .places = places.data()};
    const std::vector<const ada_chunk *> chunks = ring_->chunksOf(thread.index);
    ring::takeRest(chunks.data(), chunks.size(), cursor, state, batch, [&] {
      for (uint64_t i = 0; i < batch.count; ++i)
        ring::expand(
            state, records[i], clock_, modules_, growFrames, [&](const ring::Event &e) { emit(e, details[i]); },
            details[i]);
    });
  }

  const std::string &directory_;
  const RingSnapshot *ring_;
  std::optional<Expected<Manifest>> manifest_; // as it was, once it was needed
  WantedDetail wanted_;
  ring::ClockMap clock_;
  ring::ModuleMap modules_;
};

// True if the directory is a copy of the one that the ring names: its manifest was written by the ring's process.
bool isCopyOf(const std::string &directory, const std::string &itsDirectory, const std::string &ringPath) {
  return atf::baseName(directory) == atf::baseName(itsDirectory) && ringIn(readableManifest(directory)) == ringPath;
}

// Checks that the ring is this directory's, because the directory's owner may have linked any file as its ring. The
// ring must have the same owner and name the directory, unless the directory was moved or copied (`isCopy`).
Expected<void> checkRing(const RingSnapshot &ring, const std::string &path, const std::string &directory,
                         bool isOfOtherPart, bool &isCopy) {
  const auto refuse = [&](std::string message) {
    return Error{.code = "E_UNSAFE", .message = std::move(message), .file = path};
  };
  struct stat ours = {}, named = {};
  if (::stat(directory.c_str(), &ours) != 0)
    return systemError(directory, "cannot be opened", errno);
  if (ring.file().st_uid != ours.st_uid)
    return refuse("is linked as the ring of " + directory + ", but belongs to another user");
  const std::string itsDirectory = ring.directory();
  const bool isAnother =
      !isOfOtherPart && !itsDirectory.empty() && ::stat(itsDirectory.c_str(), &named) == 0 && !isSameFile(named, ours);
  isCopy = isAnother && isCopyOf(directory, itsDirectory, path);
  if (isAnother && !isCopy)
    return refuse("is linked as the ring of " + directory + ", but is that of " + itsDirectory);
  return {};
}

// The path of its directory may contain links: /dev/shm is one on some systems.
Expected<void> removeRingFile(const RingSnapshot &ring, const std::string &path) {
  const auto parent = ADA_TRY(canonicalPath(atf::parentPath(path)));
  return removeFile(atf::joinPath(parent, atf::baseName(path)), &ring.file());
}

Error runningError(const std::string &directory) {
  return {.code = "E_RUNNING",
          .message = "its process is still recording here, or another recovery is running; try again when it has ended",
          .file = directory};
}

// The ring of a process that was killed before it could record anything is removed: a file that belongs to the
// directory's owner and is named after a process. Anything else that is linked as the ring stays. Errors: E_RUNNING if
// the file is open, because its process is starting.
Expected<void> removeUnbegunRing(const std::string &directory, const std::string &path) {
  struct stat ours = {}, info = {};
  const FileDescriptor file(openOrdinary(path, O_RDONLY | O_NOFOLLOW));
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || ::stat(directory.c_str(), &ours) != 0 ||
      info.st_uid != ours.st_uid || !processOfRing(atf::baseName(path)))
    return {};
  if (isOpenElsewhere(file.get()))
    return runningError(directory);
  return removeFile(atf::joinPath(ADA_TRY(canonicalPath(atf::parentPath(path))), atf::baseName(path)), &info);
}

// True for a process whose disk was full, or that had no descriptors left: it wrote its manifest, but not the ends of
// all files.
bool hasUnfinishedFiles(const std::string &directory) {
  for (const auto &thread : atf::threadsIn(directory)) {
    const std::string place = atf::joinPath(directory, thread.name);
    if (atf::lacksEnd(atf::schedPathIn(place)))
      return true;
    const std::string path = atf::indexPathIn(place);
    const auto reader = atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
    if (reader && (reader->isPacked() ? !reader->isComplete() : reader->countSource() == atf::CountSource::FileSize))
      return true;
  }
  return false;
}

bool isLink(const std::string &path) {
  struct stat info = {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

// True if the process was killed when it had just created the directory of the next part of its trace (option rotate).
// Then there is no manifest and no ring, and nothing in the files.
bool isOfNothing(const std::string &directory) {
  const std::string_view name = atf::baseName(directory);
  if (std::ranges::count(name, '_') < 2 || atf::exists(directory + "/manifest.json"))
    return false;
  return std::ranges::all_of(atf::threadsIn(directory), [&](const auto &thread) {
    const std::string path = atf::indexPathIn(atf::joinPath(directory, thread.name));
    if (!hasHeader(path))
      return !isLink(path);
    const auto reader = atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
    return reader && reader->isPacked() && reader->empty();
  });
}

Expected<void> removeNothing(const std::string &directory) {
  for (const auto &thread : atf::threadsIn(directory)) {
    const std::string place = atf::joinPath(directory, thread.name);
    const bool hasDirectory = atf::isDirectory(place);
    ADA_TRY(removeFile(hasDirectory ? place + kOldPackedIndex : place + kPackedIndex));
    if (hasDirectory)
      removeEmptyDirectory(place);
  }
  ADA_TRY(removeFile(directory + "/manifest.json.new"));
  removeEmptyDirectory(directory);
  return {};
}

} // namespace

// Whether the ring is about another part of the trace (option rotate). A process that is killed while it moves on to
// the next part leaves two directories with a link to the ring.
static bool isOfAnotherPart(const RingSnapshot &ring, const std::string &directory) {
  return manifestIsOfPart(directory) && atf::baseName(ring.directory()) != atf::baseName(directory);
}

} // namespace ada::recover

namespace ada {

using namespace recover;

Expected<RecoverResult> recoverProcess(const std::string &given, const RecoverOptions &options) {
  if (!atf::isDirectory(given))
    return Error{
        .code = "E_IO", .message = "not a directory; give the directory of a process, session_…/pid_N", .file = given};
  const auto canonical = canonicalPath(given); // from here on no link is followed
  if (!canonical)
    return canonical.error();
  const std::string &directory = *canonical;
  const RecordingLock lock(directory, RecordingLock::For::Recovery);
  if (lock.owner() == RecordingLock::Owner::Another)
    return runningError(directory);
  const Manifest manifest = readableManifest(directory);
  RingPlace place = findRing(directory, manifest);
  if (!options.ring.empty())
    place.path = options.ring;
  // The ring may have been removed with the last part of the trace (option rotate), or the process was killed before it
  // could remove the link as well.
  bool isClosed = place.path.empty() && isFinal(manifest) &&
                  (!place.isLinked || manifestHasEnd(directory) || manifestLeadsOn(directory));
  if (isClosed && !place.isLinked && !hasUnfinishedFiles(directory))
    return RecoverResult{};

  if (place.path.empty() && !place.isLinked && isOfNothing(directory)) {
    ADA_TRY(removeNothing(directory));
    RecoverResult nothing;
    nothing.wasNeeded = true;
    return nothing;
  }

  bool isCopy = false; // then the ring is left for the original
  std::optional<RingSnapshot> ring;
  std::optional<RecordingLock> ringLock;
  if (!place.path.empty()) {
    auto opened = RingSnapshot::open(place.path);
    if (opened) {
      ring.emplace(std::move(*opened));
      const bool isOfOther = isOfAnotherPart(*ring, directory);
      ADA_TRY(checkRing(*ring, place.path, directory, isOfOther, isCopy));
      ringLock.emplace(place.path, RecordingLock::For::Recovery);
      if (isRecording(ring->header(), place.path, ringLock->owner()))
        return runningError(directory);
      if (isOfOther) {
        ring.reset(), ringLock.reset();
        isClosed = isFinal(manifest);
      }
    } else if (opened.error().code != kRingNotBegun) {
      return opened.error();
    } else if (isStarting(directory, place.path)) {
      return runningError(directory);
    } else if (!options.keepRing) {
      ADA_TRY(removeUnbegunRing(directory, place.path));
    }
  }
  Recovery recovery(directory, ring ? &*ring : nullptr, options);
  recovery.result.wasNeeded = !isClosed || hasUnfinishedFiles(directory);
  recovery.result.ringFound = ring.has_value();
  const bool finished = ring && ring->header().state == ADA_RING_FINISHED;
  if (ring && !finished)
    recovery.threadsOfRing();
  recovery.remainingThreads();
  // The process's own manifest is better if the process was killed between its last file and the removal of the ring,
  // or could not finish its files.
  if (!finished && !isClosed) {
    ADA_TRY(makeOwnFile(atf::joinPath(directory, "manifest.json")));
    ADA_TRY(updateManifest(directory, recovery.threads, ring ? &*ring : nullptr, options, recovery.result));
  }
  if (!options.keepRing && recovery.result.failures.empty()) {
    if (ring && !isCopy)
      if (auto removed = removeRingFile(*ring, place.path); !removed)
        recovery.result.failures.push_back(removed.error());
    if (place.isLinked)
      if (auto removed = removeFile(directory + "/ring"); !removed)
        recovery.result.failures.push_back(removed.error());
  }
  return std::move(recovery.result);
}

static bool isLocked(const std::string &directory) {
  return RecordingLock(directory, RecordingLock::For::Question).owner() == RecordingLock::Owner::Another;
}

// Whether a process records into that ring. Reads the header only: to map thousands of rings takes time.
static bool isInUse(const std::string &ring) {
  const FileDescriptor fd(openOrdinary(ring, O_RDONLY | O_NOFOLLOW));
  const std::optional<ada_ring_header> header = headerIn(fd.get());
  return header && header->abi_version == ADA_ABI_VERSION &&
         isRecording(*header, ring, RecordingLock(ring, RecordingLock::For::Question).owner());
}

bool isRecording(const std::string &directory) {
  if (isLocked(directory))
    return true;
  const RingPlace place = findRing(directory, readableManifest(directory));
  return !place.path.empty() && isInUse(place.path);
}

bool isUnfinished(const std::string &directory, const Manifest &manifest) {
  if (isFinal(manifest) || isLocked(directory))
    return false;
  if (ringIn(manifest).empty()) // a recorder names it from the start: this is a converted trace
    return true;
  if (const RingPlace place = findRing(directory, manifest); !place.path.empty())
    return !isInUse(place.path);
  return !isFinal(readableManifest(directory)); // it may have ended since the manifest was read
}

} // namespace ada
