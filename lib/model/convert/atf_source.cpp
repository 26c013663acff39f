// Reads sessions into the model, thread by thread.
#include "ada/trace/convert.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/calls.h"
#include "formats/atf/directories.h"
#include "formats/atf/file_bytes.h"
#include "model/convert/batch_builder.h"
#include "model/convert/loss_list.h"
#include "model/convert/manifest_parts.h"

#include <algorithm>
#include <array>

namespace ada::model {

namespace {

// Pages of an index file are given back after so many events, so that a large
// trace does not fill the memory with its input.
constexpr std::uint64_t kReleaseEvents = 1 << 17;

// An open detail file and how much of it was handed out.
struct Details {
  atf::DetailReader reader;
  std::uint64_t used = 0;
};

class AtfSource : public TraceSource {
public:
  explicit AtfSource(atf::Session session) : session(std::move(session)) {}

  Expected<void> read(TraceSink &sink) override;
  bool knowsRange() const override { return true; }
  std::optional<double> progress() const override {
    return total ? static_cast<double>(done) / static_cast<double>(total) : 1.0;
  }
  const std::vector<Error> &problems() const override { return errors; }
  const std::vector<Warning> &warnings() const override { return flaws; }
  std::vector<Loss> losses() const override { return lost.list(); }

private:
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range() const;
  Expected<void> announce(TraceSink &sink);
  Expected<void> readThread(TraceSink &sink, std::uint32_t process,
                            atf::ThreadTrace &thread, std::uint32_t index);
  std::uint32_t functionOf(BatchBuilder &batch, TraceSink &sink,
                           std::uint32_t process, std::uint64_t functionId);
  std::optional<Details> openDetails(const atf::ThreadTrace &thread);
  void addDetails(BatchBuilder &batch, Details &details, std::uint64_t seq,
                  std::uint64_t detailSeq);
  void warn(const std::string &place, const std::vector<Warning> &list) {
    for (const Warning &flaw : list)
      flaws.push_back({flaw.code, place + ": " + flaw.message});
  }

  struct Functions {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    struct Recent {
      std::uint64_t id = 0;
      std::uint32_t number = kNone;
    };
    std::array<Recent, 1024> recent;
    FunctionIndex local;
    std::vector<std::uint32_t> numbers; // in the model, by local number
  };

  atf::Session session;
  std::vector<Functions> functions; // by process
  std::uint32_t functionCount = 0;
  std::uint64_t done = 0, total = 0;
  std::vector<Error> errors;
  std::vector<Warning> flaws;
  LossList lost;
};

} // namespace

std::optional<std::pair<std::uint64_t, std::uint64_t>>
AtfSource::range() const {
  std::uint64_t low = ~std::uint64_t{0}, high = 0;
  for (const atf::ProcessTrace &process : session.processes())
    for (const atf::ThreadTrace &thread : process.threads()) {
      if (!thread.index)
        continue;
      const atf::IndexReader &events = *thread.index;
      for (std::uint64_t first = 0; first < events.size();
           first += kReleaseEvents) {
        const atf::SeqRange part = {
            first, std::min(events.size(), first + kReleaseEvents)};
        events.forEach(part, [&](std::uint64_t, const atf::IndexEvent &event) {
          low = std::min(low, event.timestampNs);
          high = std::max(high, event.timestampNs);
        });
        events.release(part);
      }
    }
  if (low > high)
    return std::nullopt;
  return std::pair(low, high);
}

Expected<void> AtfSource::announce(TraceSink &sink) {
  std::uint32_t processIndex = 0, threadIndex = 0;
  for (const atf::ProcessTrace &process : session.processes()) {
    for (const Warning &flaw : process.warnings())
      if (!flaw.code.starts_with("W_THREAD_UNREADABLE")) // the error says it
        flaws.push_back({flaw.code, process.path() + ": " + flaw.message});
    ManifestParts parts;
    const atf::ThreadTrace *first = nullptr;
    for (const atf::ThreadTrace &thread : process.threads())
      if (thread.index && !first)
        first = &thread;
    if (process.manifest())
      parts =
          ManifestParts::read(atf::joinPath(process.path(), "manifest.json"));
    Process info;
    info.index = processIndex;
    info.name = process.name();
    info.pid = process.pid();
    if (process.manifest())
      info.executable = process.manifest()->executable;
    if (first)
      info.clockType = first->index->header().clockType;
    else if (process.manifest())
      info.clockType = static_cast<std::uint8_t>(process.manifest()->clockType);
    info.description = parts.description;
    info.symbols = parts.symbols;
    if (auto added = sink.addProcess(info); !added)
      return added;
    for (const atf::ThreadTrace &thread : process.threads()) {
      if (!thread.index) {
        errors.push_back(thread.index.error());
        continue;
      }
      warn(thread.index->path(), thread.index->warnings());
      const atf::IndexHeader &header = thread.index->header();
      Thread t;
      t.index = threadIndex++;
      t.process = processIndex;
      t.number = static_cast<std::uint32_t>(thread.id);
      t.tid = thread.tid();
      t.name = thread.name();
      t.arch = header.arch;
      t.os = header.os;
      t.fileThreadId = header.threadId;
      t.description = parts.threadDescription(thread.id);
      if (auto added = sink.addThread(t); !added)
        return added;
    }
    ++processIndex;
  }
  return {};
}

std::uint32_t AtfSource::functionOf(BatchBuilder &batch, TraceSink &sink,
                                    std::uint32_t process,
                                    std::uint64_t functionId) {
  Functions &known = functions[process];
  // Few functions are most calls.
  Functions::Recent &recent =
      known.recent[(functionId ^ functionId >> 32) % known.recent.size()];
  if (recent.number != Functions::kNone && recent.id == functionId)
    return recent.number;
  const std::uint32_t local = known.local.add(functionId);
  if (local < known.numbers.size()) {
    recent = {functionId, known.numbers[local]};
    return recent.number;
  }
  const atf::ProcessTrace &trace = session.processes()[process];
  Function function;
  function.index = functionCount++;
  function.process = process;
  function.id = functionId;
  function.displayName = trace.displayName(functionId);
  if (const Manifest *manifest = trace.manifest())
    if (const Symbol *symbol = manifest->find(functionId)) {
      function.name = symbol->name;
      function.file = symbol->file;
      function.signature = symbol->signature;
      function.types = symbol->types;
      function.line = symbol->line;
      function.address = symbol->address;
    }
  batch.check(sink.addFunction(function));
  known.numbers.push_back(function.index);
  return function.index;
}

std::optional<Details> AtfSource::openDetails(const atf::ThreadTrace &thread) {
  const std::string path = atf::joinPath(thread.path, "detail.atf");
  if (!atf::exists(path) || (session.kind() == atf::Session::Kind::File &&
                             !thread.index->path().ends_with("index.atf")))
    return std::nullopt;
  auto reader = atf::DetailReader::open(
      path, {.checksum = atf::ChecksumPolicy::Defer, .lowMemory = true});
  if (!reader) {
    errors.push_back(reader.error());
    return std::nullopt;
  }
  if (auto checked = reader->verifyChecksum(); !checked)
    errors.push_back(checked.error());
  warn(path, reader->warnings());
  return Details{*std::move(reader)};
}

// The detail events of index event `seq`: the one it names, and those right
// behind that name the same index event (vector registers).
void AtfSource::addDetails(BatchBuilder &batch, Details &details,
                           std::uint64_t seq, std::uint64_t detailSeq) {
  for (std::uint64_t at = detailSeq; at < details.reader.size(); ++at) {
    const atf::DetailEvent detail = details.reader[at];
    if (detail.indexSeq != seq)
      break;
    if (!batch.addDetail(
            {detail.type, detail.flags, detail.timestampNs, detail.payload},
            /*copyPayload=*/false))
      break;
    ++details.used;
  }
}

Expected<void> AtfSource::readThread(TraceSink &sink, std::uint32_t process,
                                     atf::ThreadTrace &thread,
                                     std::uint32_t index) {
  atf::IndexReader &events = *thread.index;
  if (auto checked = events.verifyChecksum(); !checked)
    errors.push_back(checked.error());
  std::optional<Details> details;
  if (sink.wantsDetails())
    details = openDetails(thread);
  BatchBuilder batch(sink);
  std::uint64_t detailLinks = 0, otherThreads = 0, dangling = 0;
  const std::uint32_t threadId = events.header().threadId;
  for (std::uint64_t first = 0; first < events.size() && batch.status();
       first += kReleaseEvents) {
    const atf::SeqRange part = {
        first, std::min(events.size(), first + kReleaseEvents)};
    events.forEach(part, [&](std::uint64_t seq, const atf::IndexEvent &in) {
      Event out;
      out.timeNs = in.timestampNs;
      out.thread = index;
      out.function = functionOf(batch, sink, process, in.functionId);
      const auto kind = static_cast<std::uint32_t>(in.kind);
      if (kind >= 1 && kind <= 3) {
        out.kind = static_cast<Kind>(kind);
      } else {
        out.kind = Kind::Other;
        out.other = kind;
      }
      otherThreads += in.threadId != threadId;
      batch.add(out);
      if (in.detailSeq != atf::kNoDetail) {
        ++detailLinks;
        if (details) {
          addDetails(batch, *details, seq, in.detailSeq);
          dangling += batch.last().details == 0;
        }
      }
      return bool(batch.status());
    });
    batch.flush(); // its details lie in pages that go now
    events.release(part);
    if (details)
      details->reader.release();
    done += part.size();
  }
  if (batch.status())
    batch.check(sink.endThread(index));
  if (details) {
    lost.add("detail events that no index event names",
             details->reader.size() - details->used);
    lost.add("events whose detail event is not there, or names another event",
             dangling);
  } else if (!sink.wantsDetails()) {
    lost.add("events with registers and stack: the other format has no place "
             "for them",
             detailLinks);
  }
  lost.add("events of version 1 that name another thread than their file",
           otherThreads);
  return batch.status();
}

Expected<void> AtfSource::read(TraceSink &sink) {
  errors = session.failures();
  flaws.clear();
  warn(session.path(), session.warnings());
  lost.clear();
  functions.clear();
  functions.resize(session.processes().size());
  functionCount = 0;
  done = 0;
  total = session.eventCount();

  TraceInfo info;
  info.isRoot = session.kind() == atf::Session::Kind::Root;
  if (sink.needsRange())
    info.range = range();
  if (auto begun = sink.begin(info); !begun)
    return begun;
  if (auto announced = announce(sink); !announced)
    return announced;
  std::uint32_t process = 0, index = 0;
  for (atf::ProcessTrace &trace : session.processes()) {
    for (atf::ThreadTrace &thread : trace.threads())
      if (thread.index)
        if (auto read = readThread(sink, process, thread, index++); !read)
          return read;
    ++process;
  }
  return sink.finish();
}

std::unique_ptr<TraceSource> makeAtfSource(atf::Session session) {
  return std::make_unique<AtfSource>(std::move(session));
}

} // namespace ada::model
