// Takes the last events of a dead process from its ring file, and finishes its files.
#include "ada/trace/recover.h"

#include "ada/trace/atf_index.h"
#include "ada/trace/atf_writer.h"
#include "formats/atf/directories.h"
#include "formats/atf/file_bytes.h"
#include "recover/detail_recovery.h"
#include "recover/manifest_update.h"
#include "recover/ring_snapshot.h"
#include "ring/expander.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace ada {

namespace {

// The stack of open calls in memory of this process.
ring::Frame *growFrames(ring::Frame *old, std::size_t, std::size_t capacity) {
  return static_cast<ring::Frame *>(std::realloc(old, capacity * sizeof(ring::Frame)));
}

struct Expansion : ring::ThreadExpansion {
  Expansion() = default;
  Expansion(const Expansion &) = delete;
  Expansion &operator=(const Expansion &) = delete;
  ~Expansion() { std::free(stack.frames); }
};

// A process that has the ring file mapped is alive and records; its number alone may be another's by now.
bool isRunning(std::uint32_t pid, const std::string &ringPath) {
  if (pid == 0 || pid > INT_MAX || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH))
    return false;
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  std::string line;
  while (std::getline(maps, line))
    if (line.size() >= ringPath.size() && line.ends_with(ringPath))
      return true;
  return false;
}

// Which of a thread's two cursors holds: see ada_ring_thread.
const ada_ring_cursor &cursorOf(const ada_ring_thread &thread, std::uint64_t eventsInFile) {
  const ada_ring_cursor &now = thread.cursor[thread.current & 1], &next = thread.cursor[1 - (thread.current & 1)];
  return next.events > now.events && eventsInFile >= next.events ? next : now;
}

class Recovery {
public:
  Recovery(const std::string &directory, const RingSnapshot *ring) : directory(directory), ring(ring) {
    if (ring) {
      clock.update(ring->anchors(), ring->header().anchors_used);
      modules.update(ring->modules().data(), ring->modules().size());
    }
  }

  // Threads that the ring file still knows: their files are completed from it.
  void threadsOfRing() {
    for (const ada_ring_thread &thread : ring->threads())
      if (thread.state == ADA_THREAD_LIVE || thread.state == ADA_THREAD_ENDED)
        if (auto done = recoverThread(thread); !done)
          result.failures.push_back(done.error());
  }

  // All other threads that have files: whole already, or cut off.
  void remainingThreads() {
    for (const auto &thread : atf::threadDirectories(directory)) {
      if (threads.contains(thread.number))
        continue;
      if (auto done = finishFile(thread.number); !done)
        result.failures.push_back(done.error());
    }
  }

  RecoverResult result;
  std::map<std::uint64_t, RecoveredThread> threads;

private:
  std::string indexPath(std::uint64_t number) const {
    return atf::joinPath(directory, "thread_" + std::to_string(number)) + "/index.atf";
  }

  void note(std::uint64_t number, const atf::IndexReader &reader) {
    RecoveredThread &t = threads[number];
    t.events = reader.size();
    t.tid = reader.header().threadId;
    if (!reader.empty()) {
      t.timeStartNs = reader[0].timestampNs;
      t.timeEndNs = reader[reader.size() - 1].timestampNs;
    }
    result.events += reader.size();
    ++result.threads;
  }

  Expected<void> finishFile(std::uint64_t number) {
    const std::string path = indexPath(number);
    auto reader = atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    if (reader->countSource() != atf::CountSource::Footer || reader->header().eventCount != reader->size()) {
      auto writer = atf::IndexWriter::resume(path, reader->size());
      if (!writer)
        return writer.error();
      const std::string detail = atf::parentPath(path) + "/detail.atf";
      const bool hasDetail = atf::exists(detail);
      if (hasDetail)
        if (auto done = finishDetail(detail); !done)
          return done;
      if (auto done = writer->finish(hasDetail); !done)
        return done;
    }
    note(number, *reader);
    return {};
  }

  Expected<void> recoverThread(const ada_ring_thread &thread) {
    const std::string path = indexPath(thread.index);
    ::mkdir(atf::parentPath(path).c_str(), 0777); // there already, if the drain has written anything
    Expansion state;
    std::uint64_t inFile = 0;
    const ada_ring_cursor *cursor = nullptr;
    auto writer = [&]() -> Expected<atf::IndexWriter> {
      auto reader = atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
      if (!reader) { // not begun, or killed while its header was written
        cursor = &cursorOf(thread, 0);
        return atf::IndexWriter::create(path, {.version = static_cast<std::uint8_t>(ring->header().format),
                                               .arch = static_cast<std::uint8_t>(ring->header().arch),
                                               .threadId = thread.tid,
                                               .overwrite = true});
      }
      cursor = &cursorOf(thread, reader->size());
      inFile = std::min(cursor->events, reader->size());
      reader->forEach({0, inFile}, [&](std::uint64_t, const atf::IndexEvent &event) {
        if (event.kind == EventKind::Call)
          state.stack.push(event.functionId, event.timestampNs, growFrames);
        else if (state.stack.depth > 0)
          --state.stack.depth;
        state.lastNs = event.timestampNs;
      });
      return atf::IndexWriter::resume(path, inFile);
    }();
    if (!writer)
      return writer.error();
    DetailRecovery details(atf::parentPath(path) + "/detail.atf", *ring, thread.tid);
    if (auto opened = details.open(inFile); !opened)
      return opened.error();
    Expected<void> appended;
    expandRecords(thread, *cursor, state, [&](const ring::Event &e, const ada_detail *detail) {
      if (!appended)
        return;
      std::uint64_t link = atf::kNoDetail;
      if (detail && e.ofRecord)
        appended = details.add(e, *detail, writer->size(), link);
      if (!appended)
        return;
      appended = writer->append({.timestampNs = e.timestampNs,
                                 .functionId = e.functionId,
                                 .detailSeq = link,
                                 .kind = static_cast<EventKind>(e.kind),
                                 .threadId = thread.tid,
                                 .storedDepth = e.depth});
      ++result.eventsFromRing;
    });
    if (!appended)
      return appended;
    if (auto done = details.finish(); !done)
      return done;
    if (auto done = writer->finish(details.exists()); !done)
      return done;
    auto reader = atf::IndexReader::open(path, {.checksum = atf::ChecksumPolicy::Defer});
    if (!reader)
      return reader.error();
    note(thread.index, *reader);
    RecoveredThread &t = threads[thread.index];
    t.name.assign(thread.name, ::strnlen(thread.name, sizeof thread.name));
    t.lost.assign(std::begin(thread.lost), std::end(thread.lost));
    return {};
  }

  // Feeds all records that the drain had not written. Slots that were reserved but not stamped when the process died are
  // skipped: the call they would have told of had not been recorded yet.
  template <class Emit>
  void expandRecords(const ada_ring_thread &thread, const ada_ring_cursor &cursor, Expansion &state, Emit &&emit) {
    std::vector<ada_record> records;
    std::vector<const ada_detail *> details;
    bool inverted = false;
    for (const ada_chunk *chunk : ring->chunksOf(thread.index)) {
      if (chunk->seq < cursor.chunk_seq)
        continue;
      std::uint64_t from = chunk->seq == cursor.chunk_seq ? cursor.record : 0;
      auto *slots = reinterpret_cast<const ada_record *>(chunk + 1);
      for (std::uint64_t i = from, units; i < ADA_CHUNK_RECORDS; i += units) {
        const ada_detail *detail = ring->header().uses_detail ? ring::detailOf(&slots[i]) : nullptr;
        units = 1 + (detail ? detail->units : 0);
        if (slots[i].stamp < chunk->start_stamp)
          continue;
        inverted |= !records.empty() && slots[i].stamp < records.back().stamp;
        records.push_back(slots[i]);
        details.push_back(detail);
      }
    }
    if (inverted)
      ring::lowerStamps(records.data(), records.size(), UINT64_MAX);
    for (std::size_t i = 0; i < records.size(); ++i)
      ring::expand(state, records[i], clock, modules, growFrames,
                   [&](const ring::Event &e) { emit(e, details[i]); });
  }

  const std::string &directory;
  const RingSnapshot *ring;
  ring::ClockMap clock;
  ring::ModuleMap modules;
};

} // namespace

Expected<RecoverResult> recoverProcess(const std::string &directory, const RecoverOptions &options) {
  if (!atf::isDirectory(directory))
    return Error{.code = "E_IO",
                 .message = "not a directory; give the directory of a process, session_…/pid_N",
                 .file = directory};
  const std::string link = directory + "/ring";
  char resolved[PATH_MAX];
  struct stat info = {};
  const bool linked = ::lstat(link.c_str(), &info) == 0;
  const std::string ringPath = linked && ::realpath(link.c_str(), resolved) ? resolved : "";
  if (!linked && manifestIsFinal(directory))
    return RecoverResult{};

  std::optional<RingSnapshot> ring;
  if (!ringPath.empty()) {
    auto opened = RingSnapshot::open(ringPath);
    if (!opened)
      return opened.error();
    ring.emplace(std::move(*opened));
    if (isRunning(ring->header().pid, ringPath))
      return Error{.code = "E_RUNNING",
                   .message = "process " + std::to_string(ring->header().pid) +
                              " is alive and still recording here; recover when it has ended",
                   .file = directory};
  }
  Recovery recovery(directory, ring ? &*ring : nullptr);
  recovery.result.wasNeeded = true;
  recovery.result.ringFound = ring.has_value();
  const bool finished = ring && ring->header().state == ADA_RING_FINISHED;
  if (ring && !finished)
    recovery.threadsOfRing();
  recovery.remainingThreads();
  if (!finished) // killed between its last file and the removal of the ring: its own manifest is better
    if (auto done = updateManifest(directory, recovery.threads, ring ? &*ring : nullptr, options,
                                   recovery.result);
        !done)
      return done.error();
  if (!options.keepRing && recovery.result.failures.empty()) {
    if (!ringPath.empty())
      ::unlink(ringPath.c_str());
    if (linked)
      ::unlink(link.c_str());
  }
  return std::move(recovery.result);
}

} // namespace ada
