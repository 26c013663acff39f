// Turns a trace whose threads come mixed into one that can be read thread by thread.
//
// Each thread's events are collected in memory. When a thread has kChunkBytes of them, or all together have more than
// kMaxPending, they become a chunk of the file. A chunk holds the events as they are, each followed by its texts or
// details. The list of a thread's chunks says which event each chunk begins with, so that a read can start anywhere.
#include "spool.h"

#include "labels.h"
#include "trace/base/temporary_file.h"
#include "trace/base/try.h"
#include "wanted_threads.h"

#include <algorithm>
#include <cstring>

namespace ada::model {

namespace {

constexpr size_t kMaxPending = 32u << 20;
constexpr size_t kChunkBytes = 1u << 18;

struct Chunk {
  uint64_t firstSeq = 0, events = 0;
  uint64_t offset = 0;
  size_t bytes = 0;
};

struct ThreadEvents {
  std::vector<Chunk> chunks;
  std::vector<std::byte> pending; // after the last chunk
  std::vector<uint32_t> firstFunctions;
  bool isAtStart = true; // all its events so far are calls
  uint64_t pendingEvents = 0;
  /// Number of the first pending event.
  uint64_t pendingFirst() const { return chunks.empty() ? 0 : chunks.back().firstSeq + chunks.back().events; }
};

// Shared by all readers of the trace. It does not change once the trace was taken in.
struct Kept {
  TraceInfo info;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Function> functions;
  std::vector<ThreadEvents> events; // by thread
  TemporaryFile file;
  std::vector<Error> errors;
  std::vector<Warning> flaws;
  std::vector<Loss> lost;
};

void put(std::vector<std::byte> &to, const void *from, size_t size) {
  const auto *bytes = static_cast<const std::byte *>(from);
  to.insert(to.end(), bytes, bytes + size);
}

void putText(std::vector<std::byte> &to, std::string_view text) {
  const auto size = static_cast<uint32_t>(text.size());
  put(to, &size, sizeof size);
  put(to, text.data(), text.size());
}

// Takes a trace in.
class Taker : public TraceSink {
public:
  explicit Taker(Kept &kept) : kept_(kept) {}

  bool wantsDetails() const override { return true; }
  Expected<void> begin(const TraceInfo &info) override {
    kept_.info = info;
    return {};
  }
  Expected<void> addProcess(const Process &process) override {
    kept_.processes.push_back(process);
    kept_.processes.back().symbols = {};
    return {};
  }
  Expected<void> addThread(const Thread &thread) override {
    kept_.threads.push_back(thread);
    kept_.threads.back().extent = ThreadExtent();
    kept_.events.emplace_back();
    return {};
  }
  Expected<void> addFunction(const Function &function) override {
    kept_.functions.push_back(function);
    return {};
  }
  Expected<void> events(const Batch &batch) override {
    for (const Event &event : batch.events)
      ADA_TRY(take(event, batch));
    return pending_ > kMaxPending ? flushAll() : Expected<void>();
  }

private:
  Expected<void> take(const Event &event, const Batch &batch) {
    ThreadEvents &thread = kept_.events[event.thread];
    ThreadExtent &extent = *kept_.threads[event.thread].extent;
    extent.firstNs = extent.events ? extent.firstNs : event.timeNs;
    extent.lastNs = event.timeNs;
    ++extent.events;
    thread.isAtStart &= event.kind == Kind::Call && thread.firstFunctions.size() < kOutermostSearched;
    if (thread.isAtStart)
      thread.firstFunctions.push_back(event.function);
    const size_t before = thread.pending.size();
    put(thread.pending, &event, sizeof event);
    if (isText(event.kind)) {
      putText(thread.pending, batch.texts[event.extra].name);
      putText(thread.pending, batch.texts[event.extra].json);
    } else {
      for (const Detail &detail : batch.details.subspan(event.extra, event.details)) {
        put(thread.pending, &detail.type, sizeof detail.type);
        put(thread.pending, &detail.flags, sizeof detail.flags);
        put(thread.pending, &detail.timeNs, sizeof detail.timeNs);
        put(thread.pending, &detail.seq, sizeof detail.seq);
        putText(thread.pending, {reinterpret_cast<const char *>(detail.payload.data()), detail.payload.size()});
      }
    }
    pending_ += thread.pending.size() - before;
    ++thread.pendingEvents;
    return thread.pending.size() >= kChunkBytes ? flush(thread) : Expected<void>();
  }

  Expected<void> flush(ThreadEvents &thread) {
    if (thread.pending.empty())
      return {};
    auto offset = ADA_TRY(kept_.file.append(thread.pending));
    thread.chunks.push_back({thread.pendingFirst(), thread.pendingEvents, offset, thread.pending.size()});
    pending_ -= thread.pending.size();
    thread.pending = {};
    thread.pendingEvents = 0;
    return {};
  }

  Expected<void> flushAll() {
    for (ThreadEvents &thread : kept_.events)
      ADA_TRY(flush(thread));
    return {};
  }

  Kept &kept_;
  size_t pending_ = 0;
};

// Reads a chunk's bytes one after the other. They are our own, so nothing is checked.
class ChunkBytes {
public:
  explicit ChunkBytes(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <class T> void get(T &value) {
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
  }
  std::span<const std::byte> getBytes() {
    uint32_t size;
    get(size);
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  std::string_view getText() {
    const auto bytes = getBytes();
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

private:
  std::span<const std::byte> rest_;
};

// Decides what people call the processes and threads, as far as the trace doesn't say it.
void giveLabels(Kept &kept) {
  std::vector<ProcessFacts> facts;
  for (const Process &process : kept.processes)
    facts.push_back({process.name, programOf(process)});
  const std::vector<std::string> labels = processLabels(facts);
  std::vector<std::string> mainNames(kept.processes.size());
  for (const Thread &thread : kept.threads)
    if (kept.processes[thread.process].pid == thread.tid && mainNames[thread.process].empty())
      mainNames[thread.process] = thread.name;
  std::vector<ThreadLabels> labelsOfThreads;
  for (Process &process : kept.processes) {
    if (process.label.empty())
      process.label = labels[process.index];
    const std::string_view programs[] = {process.executable};
    labelsOfThreads.emplace_back(process.pid, mainNames[process.index], programs);
  }
  for (Thread &thread : kept.threads)
    if (thread.label.empty())
      thread.label = labelsOfThreads[thread.process].next(thread.tid, thread.name, [&] {
        std::vector<std::string_view> names;
        for (const uint32_t function : kept.events[thread.index].firstFunctions)
          names.emplace_back(kept.functions[function].displayName);
        return std::string(outermostOf(names));
      });
}

class Spool : public TraceSource {
public:
  explicit Spool(std::shared_ptr<const Kept> kept) : kept_(std::move(kept)) {}

  Expected<void> read(TraceSink &sink) override { return readPart(sink, {}); }
  Expected<void> readPart(TraceSink &sink, const ReadRequest &request) override;
  bool isThreadwise() const override { return true; }
  std::unique_ptr<TraceSource> another() const override { return std::make_unique<Spool>(kept_); }
  const std::vector<Error> &problems() const override { return kept_->errors; }
  const std::vector<Warning> &warnings() const override { return kept_->flaws; }
  std::vector<Loss> losses() const override { return kept_->lost; }

private:
  Expected<void> announce(TraceSink &sink) const;
  Expected<void> readThread(TraceSink &sink, uint32_t thread, const ReadRequest &request) const;
  Expected<void> readChunk(TraceSink &sink, const ReadRequest &request, std::span<const std::byte> bytes,
                           uint64_t firstSeq, uint64_t events) const;

  std::shared_ptr<const Kept> kept_;
};

Expected<void> Spool::announce(TraceSink &sink) const {
  for (const Process &process : kept_->processes)
    ADA_TRY(sink.addProcess(process));
  for (const Thread &thread : kept_->threads)
    ADA_TRY(sink.addThread(thread));
  for (const Function &function : kept_->functions)
    ADA_TRY(sink.addFunction(function));
  return {};
}

Expected<void> Spool::readChunk(TraceSink &sink, const ReadRequest &request, std::span<const std::byte> bytes,
                                uint64_t firstSeq, uint64_t events) const {
  std::vector<Event> chosen;
  std::vector<Text> texts;
  std::vector<Detail> details;
  ChunkBytes from(bytes);
  uint64_t chosenFirst = firstSeq;
  // A batch has no gap between its events.
  const auto emit = [&]() -> Expected<void> {
    auto done = chosen.empty() ? Expected<void>() : sink.events({chosen, texts, details, chosenFirst});
    chosen.clear();
    texts.clear();
    details.clear();
    return done;
  };
  for (uint64_t seq = firstSeq; seq < firstSeq + events; ++seq) {
    Event event;
    from.get(event);
    if (isText(event.kind)) {
      event.extra = static_cast<uint32_t>(texts.size());
      const std::string_view name = from.getText();
      texts.push_back({name, from.getText()});
    } else {
      event.extra = static_cast<uint32_t>(details.size());
      for (unsigned i = 0; i < event.details; ++i) {
        Detail &detail = details.emplace_back();
        from.get(detail.type);
        from.get(detail.flags);
        from.get(detail.timeNs);
        from.get(detail.seq);
        detail.payload = from.getBytes();
      }
    }
    if (!request.wantsEvent(seq, event.timeNs)) {
      ADA_TRY(emit());
      continue;
    }
    if (chosen.empty())
      chosenFirst = seq;
    chosen.push_back(event);
  }
  return emit();
}

Expected<void> Spool::readThread(TraceSink &sink, uint32_t thread, const ReadRequest &request) const {
  const ThreadEvents &events = kept_->events[thread];
  std::vector<std::byte> bytes;
  const auto next = std::upper_bound(events.chunks.begin(), events.chunks.end(), request.fromSeq,
                                     [](uint64_t seq, const Chunk &chunk) { return seq < chunk.firstSeq; });
  for (auto chunk = next == events.chunks.begin() ? next : next - 1; chunk != events.chunks.end(); ++chunk) {
    if (chunk->firstSeq >= request.toSeq)
      break;
    bytes.resize(chunk->bytes);
    ADA_TRY(kept_->file.read(chunk->offset, bytes));
    ADA_TRY(readChunk(sink, request, bytes, chunk->firstSeq, chunk->events));
  }
  ADA_TRY(readChunk(sink, request, events.pending, events.pendingFirst(), events.pendingEvents));
  return sink.endThread(thread);
}

Expected<void> Spool::readPart(TraceSink &sink, const ReadRequest &request) {
  if (!request.isFurther) {
    ADA_TRY(sink.begin(kept_->info));
    ADA_TRY(announce(sink));
  }
  for (const uint32_t thread : wantedThreads(request, kept_->threads.size()))
    ADA_TRY(readThread(sink, thread, request));
  return sink.finish();
}

} // namespace

Expected<std::unique_ptr<TraceSource>> makeThreadwise(std::unique_ptr<TraceSource> source) {
  if (source->isThreadwise())
    return source;
  auto kept = std::make_shared<Kept>();
  Taker taker(*kept);
  ADA_TRY(source->read(taker));
  giveLabels(*kept);
  kept->errors = source->problems();
  kept->flaws = source->warnings();
  kept->lost = source->losses();
  return std::unique_ptr<TraceSource>(std::make_unique<Spool>(std::move(kept)));
}

} // namespace ada::model
