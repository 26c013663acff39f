// Reads sessions into the model, thread by thread.
#include "ada/trace/convert.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/calls.h"
#include "formats/native/detail/detail_links.h"
#include "formats/native/directories.h"
#include "formats/native/index/block_reader.h"
#include "formats/native/info/labels.h"
#include "formats/native/info/time_flaws.h"
#include "formats/native/manifest/description_source.h"
#include "formats/native/manifest/missing_events.h"
#include "formats/native/manifest/symbol_entries.h"
#include "formats/native/sched/sched_file.h"
#include "formats/native/session/event_details.h"
#include "formats/native/session/function_lists.h"
#include "formats/native/session/link_check.h"
#include "formats/native/session/living.h"
#include "formats/native/session/named_functions.h"
#include "formats/native/session/prints.h"
#include "formats/native/session/recent_functions.h"
#include "formats/native/session/request_range.h"
#include "formats/native/session/session_times.h"
#include "shared/manifest_keys.h"
#include "shared/ring/ring_file.h"
#include "trace/base/try.h"
#include "trace/batch_builder.h"
#include "trace/loss_list.h"
#include "trace/wanted_threads.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ada::formats {

namespace {

using atf::kReleaseEvents;
using model::Event, model::Function, model::ReadRequest, model::TraceSink;

// A thread's detail file, opened on first use.
struct Details {
  bool wasOpened = false;
  std::optional<atf::DetailReader> reader;
};

class AtfSource : public model::TraceSource {
public:
  explicit AtfSource(std::shared_ptr<const atf::Session> session)
      : sharedSession_(std::move(session)), session_(*sharedSession_) {
    uint32_t process = 0;
    for (const atf::ProcessTrace &trace : session_.processes()) {
      for (const atf::ThreadTrace &thread : trace.threads())
        if (thread.index)
          threads_.emplace_back(process, &thread);
      ++process;
    }
  }

  Expected<void> read(TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  Expected<void> readPart(TraceSink &sink, const ReadRequest &request) override;
  std::unique_ptr<model::TraceSource> another() const override {
    auto copy = std::make_unique<AtfSource>(sharedSession_);
    copy->functions_ = functions_;
    copy->functionCount_ = functionCount_;
    copy->living_ = living_;
    copy->wasChecked_ = wasChecked_;
    return copy;
  }
  std::vector<uint64_t> cuts(uint32_t thread, size_t pieces) const override;
  std::optional<model::Prints> prints(uint32_t process) const override {
    const auto first = std::ranges::lower_bound(threads_, process, {}, [](const auto &one) { return one.first; });
    return atf::printsOf(session_, process, static_cast<uint32_t>(first - threads_.begin()));
  }
  Function functionOf(uint32_t process, uint64_t functionId) const override;
  bool knowsRange() const override { return true; }
  std::optional<double> progress() const override {
    return total_ ? static_cast<double>(done_) / static_cast<double>(total_) : 1.0;
  }
  const std::vector<Error> &problems() const override { return errors_; }
  const std::vector<Warning> &warnings() const override { return flaws_; }
  std::vector<model::Loss> losses() const override;

private:
  Expected<void> announce(TraceSink &sink);
  Expected<void> announceThreads(TraceSink &sink, const DescriptionSource &descriptions);
  void begin(const ReadRequest &request, bool areShared);
  Expected<void> readThread(TraceSink &sink, uint32_t process, const atf::ThreadTrace &thread, uint32_t index,
                            const ReadRequest &request);
  Expected<void> announceNew(TraceSink &sink, atf::FunctionLists::List &known, uint32_t process, uint64_t functionId);
  Expected<void> announceUnused(TraceSink &sink);
  void takeFlaws(const atf::ThreadTrace &thread);
  void tellDetailLoss(const atf::ThreadTrace &thread);
  struct ThreadRead;
  void convertEvent(ThreadRead &read, atf::RecentFunctions &functions, uint64_t ns, uint64_t functionId, uint32_t kind,
                    Event &out);
  template <class Raw>
  void convertEvents(ThreadRead &read, std::span<const Raw> records, uint64_t first, std::span<Event> to);
  template <class LinkOf> void addDetails(ThreadRead &read, std::span<Event> to, uint64_t number, LinkOf &&linkOf);
  void addPackedDetails(ThreadRead &read, std::span<Event> to, uint64_t number);
  void tellOpenCalls(ThreadRead &read, const ReadRequest &request);
  void readEvents(ThreadRead &read, atf::SeqRange range);
  void streamEvents(ThreadRead &read, const packed::IndexBlocks &file, atf::SeqRange range);
  template <class Raw> void readRecords(ThreadRead &read, std::span<const Raw> records, atf::SeqRange range);
  void countLosses(const ThreadRead &read);
  uint32_t announceFunction(ThreadRead &read, uint64_t functionId);
  const atf::DetailReader *detailsOf(const atf::ThreadTrace &thread, uint32_t index);
  void warn(const std::string &place, const std::vector<Warning> &list) {
    for (const Warning &flaw : list)
      flaws_.push_back({flaw.code, place + ": " + flaw.message});
  }

  // The inputs and results of reading one thread.
  struct ThreadRead {
    ThreadRead(TraceSink &sink, const atf::IndexReader &events, const atf::DetailReader *details, uint32_t process,
               uint32_t thread)
        : sink(sink), events(events), details(details), process(process), thread(thread), batch(sink) {}
    TraceSink &sink;
    const atf::IndexReader &events;
    const atf::DetailReader *details; // null if they are not wanted or can't be read
    uint32_t process, thread;
    model::BatchBuilder batch;
    // The blocks of packed files are decoded while they are handed on.
    packed::BlockReader stream;
    uint64_t nextSeq = 0;                              // the next event of `stream`
    std::vector<std::pair<size_t, uint64_t>> ownLinks; // of the last events in a batch, those that have one in the file
    std::vector<uint64_t> links;                       // of all of them
    uint64_t detailLinks = 0, detailsUsed = 0, otherThreads = 0, dangling = 0;
  };

  // For another(), too: ten thousand processes take some time and memory.
  const std::shared_ptr<const atf::Session> sharedSession_;
  const atf::Session &session_;
  std::vector<std::pair<uint32_t, const atf::ThreadTrace *>> threads_; // those that can be read, with their processes
  atf::FunctionLists functions_;
  atf::RecentFunctions recent_;
  uint32_t functionCount_ = 0;
  std::unordered_map<uint32_t, Details> details_; // by thread
  std::shared_ptr<const atf::Living> living_;     // asked once, however often it is read
  atf::SchedLanes sched_;
  std::vector<bool> wasChecked_; // checksum of the index, by thread
  uint64_t done_ = 0, total_ = 0;
  std::vector<Error> errors_;
  std::vector<Warning> flaws_;
  model::LossList lost_;
  std::vector<std::string> unlinked_; // packed files whose details were not wanted
};

} // namespace

Expected<void> AtfSource::announce(TraceSink &sink) {
  uint32_t processIndex = 0;
  std::vector<std::string> manifests;
  for (const atf::ProcessTrace &process : session_.processes())
    manifests.push_back(process.manifest() ? atf::joinPath(process.path(), "manifest.json") : std::string());
  const auto descriptions = std::make_shared<const DescriptionSource>(std::move(manifests));
  const std::vector<std::string> labels = atf::processLabels(session_);
  living_ = living_ ? living_ : std::make_shared<const atf::Living>(session_);
  std::ranges::copy(living_->warnings(), std::back_inserter(flaws_));
  std::unordered_set<std::string> told;
  for (const atf::ProcessTrace &process : session_.processes()) {
    for (const Warning &flaw : process.warnings())
      if (flaw.code.starts_with("W_THREAD_MISSING"))
        errors_.push_back({.code = "E_THREAD_MISSING", .message = flaw.message, .file = process.path()});
      else if (!flaw.code.starts_with("W_THREAD_UNREADABLE")) // reported as an error
        flaws_.push_back({flaw.code, process.path() + ": " + flaw.message});
    const atf::ThreadTrace *first = nullptr;
    for (const atf::ThreadTrace &thread : process.threads())
      if (thread.index && !first)
        first = &thread;
    model::Process info;
    info.index = processIndex;
    info.name = process.name(), info.label = labels[processIndex];
    info.pid = process.pid(), info.isRecording = living_->isRecording(processIndex);
    if (process.manifest())
      info.executable = process.manifest()->executable;
    if (first)
      info.clockType = first->index->header().clockType;
    else if (process.manifest())
      info.clockType = static_cast<uint8_t>(process.manifest()->clockType);
    if (const Manifest *manifest = process.manifest()) {
      if (manifest->times == manifest::kTimesFrom[ADA_TIMES_TICK])
        info.resolutionNs = manifest->resolutionNs;
      info.hasAnnotatedValues = manifest->hasAnnotatedValues(), info.timingAnchors = manifest->timingAnchors;
      info.timesAreOrder = manifest->times == manifest::kTimesFrom[ADA_TIMES_NONE];
    }
    info.description = descriptions->ofProcess(processIndex);
    info.symbols = descriptions->symbolsOf(processIndex);
    if (process.manifest()) {
      info.binariesFolder = process.manifest()->binariesFolder();
      for (const Error &flaw : process.manifest()->binaryFlaws()) // of all processes that have the file
        if (told.insert(flaw.file).second)
          flaws_.push_back({"W_BINARY_UNREADABLE", flaw.text()});
      warn(atf::joinPath(process.path(), "manifest.json"), process.manifest()->warnings);
      for (const Warning &flaw : atf::missingEvents(process))
        flaws_.push_back(flaw);
    }
    ADA_TRY(sink.addProcess(info));
    ++processIndex;
  }
  return announceThreads(sink, *descriptions);
}

// Threads come after all processes, so that a sink knows whether there are several processes.
Expected<void> AtfSource::announceThreads(TraceSink &sink, const DescriptionSource &descriptions) {
  uint32_t processIndex = 0, threadIndex = 0;
  atf::TimeFlaws times;
  for (const atf::ProcessTrace &process : session_.processes()) {
    const std::vector<std::string> labelsOfThreads = atf::threadLabels(process);
    for (size_t i = 0; i < process.threads().size(); ++i) {
      const atf::ThreadTrace &thread = process.threads()[i];
      if (!thread.index) {
        errors_.push_back(thread.index.error());
        continue;
      }
      takeFlaws(thread);
      const atf::IndexHeader &header = thread.index->header();
      model::Thread t{.index = threadIndex++, .process = processIndex};
      t.number = static_cast<uint32_t>(thread.id);
      t.tid = thread.tid();
      t.name = thread.name(), t.label = labelsOfThreads[i];
      t.arch = header.arch, t.os = header.os;
      t.fileThreadId = header.threadId;
      t.description = descriptions.ofThread(processIndex, t.number);
      if (thread.info)
        t.gaps = thread.info->gaps;
      t.offCpu = sched_.of(thread.path, thread.info.get(), t.index, errors_);
      t.extent = model::ThreadExtent{
          .events = thread.index->size(), .firstNs = thread.index->firstNs(), .lastNs = thread.index->lastNs()};
      times.add(t);
      ADA_TRY(sink.addThread(t));
    }
    times.endProcess(process.path(), process.manifest());
    ++processIndex;
  }
  std::ranges::move(times.warnings(), std::back_inserter(flaws_));
  return {};
}

// An index file that was finished once and is now cut off has lost data, which is an error.
void AtfSource::takeFlaws(const atf::ThreadTrace &thread) {
  const atf::IndexReader &index = *thread.index;
  const bool isCut = index.header().eventCount != 0 && !index.isComplete();
  for (const Warning &flaw : index.warnings())
    if (isCut && (flaw.code == "W_NO_FOOTER" || flaw.code == "W_FOOTER_CORRUPT"))
      errors_.push_back({.code = "E_TRUNCATED", .message = flaw.message, .file = index.path()});
    else
      flaws_.push_back({flaw.code, index.path() + ": " + flaw.message});
  for (const Warning &flaw : thread.warnings)
    if (flaw.code == "W_DETAIL_MISSING")
      tellDetailLoss(thread);
}

void AtfSource::tellDetailLoss(const atf::ThreadTrace &thread) {
  const auto loss = atf::detailLoss(thread);
  if (loss && thread.detail && *thread.detail) // nothing is lost from the file, only from what can be shown
    flaws_.push_back({loss->code, thread.path + ": " + loss->message});
  else if (loss)
    errors_.push_back({.code = "E" + loss->code.substr(1), .message = loss->message, .file = thread.path});
  else if (thread.detail && !*thread.detail)
    errors_.push_back(thread.detail->error());
}

// The number of a function that is not among the recent ones. Announces it if it is new.
uint32_t AtfSource::announceFunction(ThreadRead &read, uint64_t functionId) {
  atf::FunctionLists::List &known = functions_.of(session_, read.process, functionId);
  const uint32_t local = known.local.add(functionId);
  if (local >= known.numbers.size())
    read.batch.check(announceNew(read.sink, known, read.process, functionId));
  return known.numbers[local];
}

Expected<void> AtfSource::announceNew(TraceSink &sink, atf::FunctionLists::List &known, uint32_t process,
                                      uint64_t functionId) {
  Function function = functionOf(process, functionId);
  known.numbers.push_back(function.index = functionCount_++);
  return sink.addFunction(function);
}

Function AtfSource::functionOf(uint32_t process, uint64_t functionId) const {
  const atf::ProcessTrace &trace = session_.processes()[process];
  Function function{.process = process, .id = functionId, .displayName = std::string(trace.displayName(functionId))};
  if (const Manifest *manifest = trace.manifest())
    if (const std::optional<Symbol> symbol = manifest->find(functionId))
      atf::describe(function, *symbol);
  return function;
}

// Null if there is no detail file or it can't be read.
const atf::DetailReader *AtfSource::detailsOf(const atf::ThreadTrace &thread, uint32_t index) {
  Details &details = details_[index];
  if (std::exchange(details.wasOpened, true))
    return details.reader ? &*details.reader : nullptr;
  const std::string path = atf::detailPathIn(thread.path);
  if (!atf::exists(path) ||
      (session_.kind() == atf::Session::Kind::File && !atf::isIndexName(atf::baseName(thread.index->path()))))
    return nullptr;
  auto reader = atf::DetailReader::open(path, {.checksum = atf::ChecksumPolicy::Defer, .lowMemory = true});
  if (reader)
    thread.index->linkDetails(*reader);
  atf::ThreadTrace whole = thread;
  whole.detail = reader;
  tellDetailLoss(whole);
  if (!reader)
    return nullptr;
  if (auto checked = reader->verifyChecksum(); !checked)
    errors_.push_back(checked.error());
  warn(path, reader->warnings());
  details.reader = *std::move(reader);
  return &*details.reader;
}

// Converts an event to the model, without its details.
[[gnu::always_inline]] inline void AtfSource::convertEvent(ThreadRead &read, atf::RecentFunctions &functions,
                                                           uint64_t ns, uint64_t functionId, uint32_t kind,
                                                           Event &out) {
  atf::RecentFunctions::Entry &recent = functions.of(functionId);
  if (recent.id != functionId || recent.number == atf::RecentFunctions::kNone)
    recent = {functionId, announceFunction(read, functionId)};
  out.timeNs = ns;
  out.thread = read.thread;
  out.function = recent.number;
  out.kind = eventKindOf(kind);
  out.details = 0;
  out.isEarlier = false;
  out.extra = 0;
}

// Converts the events from number `first` on into `to`, without their details.
template <class Raw>
void AtfSource::convertEvents(ThreadRead &read, std::span<const Raw> records, uint64_t first, std::span<Event> to) {
  atf::RecentFunctions &functions = recent_.in(read.process);
  const uint32_t threadId = read.events.header().threadId;
  const Raw *next = records.data() + first;
  for (Event &out : to) {
    const atf::IndexEvent in = read.events.decode(*next++);
    convertEvent(read, functions, in.timestampNs, in.functionId, static_cast<uint32_t>(in.kind), out);
    read.otherThreads += in.threadId != threadId;
    read.detailLinks += in.detailSeq != atf::kNoDetail;
  }
}

// Adds the details of the events in `to`, which have the numbers from `number` on in their thread: linkOf(i) is the
// first detail event of the i-th, or kNoDetail.
template <class LinkOf>
void AtfSource::addDetails(ThreadRead &read, std::span<Event> to, uint64_t number, LinkOf &&linkOf) {
  for (size_t i = 0; i < to.size(); ++i) {
    const uint64_t detailSeq = linkOf(i);
    if (detailSeq == atf::kNoDetail)
      continue;
    const uint64_t added = addDetailsOf(read.batch, to[i], *read.details, number + i, detailSeq);
    read.detailsUsed += added;
    read.dangling += added == 0;
  }
}

// The same for a packed file, most of whose links follow from the detail file.
void AtfSource::addPackedDetails(ThreadRead &read, std::span<Event> to, uint64_t number) {
  read.links.assign(to.size(), atf::kNoDetail);
  read.events.links()->each(
      number, to.size(), [&](uint64_t i, uint64_t detailSeq) { read.links[i] = std::min(read.links[i], detailSeq); });
  for (const auto &[i, link] : read.ownLinks)
    read.links[i] = link;
  addDetails(read, to, number, [&](size_t i) { return read.links[i]; });
}

// Hands on the calls that are already open: those that began in older blocks of a packed file, or before the place
// from which a part is read.
void AtfSource::tellOpenCalls(ThreadRead &read, const ReadRequest &request) {
  const bool isPart = request.withOpenCalls && request.fromSeq > 0;
  if (read.events.empty() || (!isPart && (request.fromSeq > 0 || request.fromNs > 0)))
    return;
  const atf::IndexReader::OpenCalls open = read.events.openBefore(request.fromSeq);
  std::vector<Event> events;
  for (const auto &[functionId, beginNs] : open.calls)
    events.push_back(
        {.timeNs = beginNs, .thread = read.thread, .function = announceFunction(read, functionId), .isEarlier = true});
  if (!events.empty() && read.batch.status())
    read.batch.check(read.sink.events({events, {}, {}, 0, isPart ? 0 : read.events.firstNs(), open.unknown}));
}

// Hands events of a packed file to the batch while decoding them.
void AtfSource::streamEvents(ThreadRead &read, const packed::IndexBlocks &file, atf::SeqRange range) {
  atf::RecentFunctions &functions = recent_.in(read.process);
  for (uint64_t seq = range.first; seq < range.last && read.batch.status();) {
    const packed::Block &block = file.blocks()[file.blockOf(seq)];
    const uint64_t last = std::min(range.last, block.last());
    Expected<void> done;
    if (seq < read.nextSeq || seq - read.nextSeq >= read.stream.left()) {
      done = read.stream.begin(file, block);
      read.nextSeq = block.first;
    }
    if (done)
      done = read.stream.read(std::min(seq - read.nextSeq, read.stream.left()), [](const packed::Event &) {});
    while (done && seq < last && read.stream.left() > 0 && read.batch.status()) {
      const std::span<Event> room = read.batch.add(last - seq);
      Event *out = room.data();
      read.ownLinks.clear();
      done = read.stream.read(room.size(), [&](const packed::Event &event) {
        if (event.hasLink) [[unlikely]]
          read.ownLinks.emplace_back(out - room.data(), event.link);
        convertEvent(read, functions, event.ns, event.functionId, event.kind, *out++);
      });
      const std::span<Event> to(room.data(), out);
      read.batch.takeBack(room.size() - to.size());
      for (const auto &[i, link] : read.ownLinks)
        read.detailLinks += link != packed::kNoLink;
      if (read.details)
        addPackedDetails(read, to, block.firstSeq + (seq - block.first));
      seq += to.size();
    }
    if (!done)
      read.events.noteDamage(done.error());
    if (seq < last && read.stream.left() == 0) { // damaged, or removed
      seq = last;
      read.batch.continueAt(seq);
    }
    read.nextSeq = seq;
  }
}

// Hands events of an ATF file to the batch.
template <class Raw> void AtfSource::readRecords(ThreadRead &read, std::span<const Raw> records, atf::SeqRange range) {
  for (uint64_t seq = range.first; seq < range.last && read.batch.status();) {
    const uint64_t linksBefore = read.detailLinks;
    const std::span<Event> to = read.batch.add(range.last - seq);
    convertEvents(read, records, seq, to);
    if (read.details && read.detailLinks != linksBefore)
      addDetails(read, to, seq, [&](size_t i) { return read.events.decode(records[seq + i]).detailSeq; });
    seq += to.size();
  }
}

// Hands events to the batch, with their details.
void AtfSource::readEvents(ThreadRead &read, atf::SeqRange range) {
  if (const packed::IndexBlocks *file = read.events.packedBlocks())
    streamEvents(read, *file, range);
  else if (!read.events.recordsV2().empty())
    readRecords(read, read.events.recordsV2(), range);
  else
    readRecords(read, read.events.recordsV1(), range);
}

Expected<void> AtfSource::readThread(TraceSink &sink, uint32_t process, const atf::ThreadTrace &thread, uint32_t index,
                                     const ReadRequest &request) {
  const atf::IndexReader &events = *thread.index;
  if (!wasChecked_[index] && !events.isPacked()) { // blocks are checked when they are decoded
    if (auto checked = atf::IndexReader(events).verifyChecksum(); !checked)
      errors_.push_back(checked.error());
    wasChecked_[index] = true;
  }
  const bool isTimed = request.fromNs > 0 || request.toNs != ~uint64_t{0};
  const atf::SeqRange range = rangeOf(events, request, isTimed);
  ThreadRead read(sink, events, sink.wantsDetails() ? detailsOf(thread, index) : nullptr, process, index);
  const bool mustLook = isTimed && !events.isSorted(); // whether events are wanted
  tellOpenCalls(read, request);
  for (uint64_t first = range.first; first < range.last && read.batch.status(); first += kReleaseEvents) {
    const atf::SeqRange part = {first, std::min(range.last, first + kReleaseEvents)};
    atf::SeqRange run = part;
    do {
      if (mustLook)
        run = nextRun(events, {run.first, part.last}, request);
      read.batch.continueAt(run.first);
      readEvents(read, run);
      run.first = run.last;
    } while (run.last < part.last && read.batch.status());
    read.batch.flush(); // its details lie in pages that are released next
    events.release(part);
    // A reader of a few events is likely to read others of the same blocks next.
    if (read.details && (part.size() == kReleaseEvents || range.size() == events.size()))
      read.details->release();
    done_ += part.size();
  }
  if (const std::optional<Error> damage = events.damage(); damage && !wasChecked_[index]) {
    errors_.push_back(*damage);
    wasChecked_[index] = true;
  }
  if (const std::optional<Error> damage = read.details ? read.details->damage() : std::nullopt;
      damage && damage->code != "E_BAD_CHECKSUM") // reported when the file was opened
    errors_.push_back(*damage);
  if (read.batch.status())
    read.batch.check(sink.endThread(index));
  if (range.size() < events.size())
    return read.batch.status(); // a part can't show what is missing
  countLosses(read);
  return read.batch.status();
}

std::vector<uint64_t> AtfSource::cuts(uint32_t thread, size_t pieces) const {
  std::vector<uint64_t> cuts = {0};
  if (thread >= threads_.size())
    return cuts;
  const atf::IndexReader &events = *threads_[thread].second->index;
  if (events.empty() || events.openAtStart().unknown > 0)
    return cuts;
  const uint64_t step = std::max<uint64_t>((events.size() + pieces - 1) / pieces, 1);
  for (uint64_t cut; (cut = events.cutFrom(cuts.back() + step)) < events.size();)
    cuts.push_back(cut);
  return cuts;
}

static constexpr char kNoPlace[] = "events with registers and stack: the other format has no place for them";

// Packed files have no links to count; their detail files show how many there would be. Those are read only when losses
// are requested.
std::vector<model::Loss> AtfSource::losses() const {
  model::LossList all = lost_;
  for (const std::string &path : unlinked_) {
    const std::string detail = atf::detailPathIn(atf::threadPlaceOf(path));
    if (!atf::exists(detail))
      continue;
    if (auto reader = atf::DetailReader::open(detail, {.checksum = atf::ChecksumPolicy::Defer, .lowMemory = true})) {
      uint64_t events = 0;
      reader->forEach([&](const atf::DetailEvent &event) { events += !atf::isAddition(event.type); });
      all.add(kNoPlace, events);
    }
  }
  return all.list();
}

void AtfSource::countLosses(const ThreadRead &read) {
  if (read.details) {
    lost_.add("detail events that no index event names", read.details->size() - read.detailsUsed);
    lost_.add("events whose detail event is not there, or names another event", read.dangling);
  } else if (!read.sink.wantsDetails()) {
    lost_.add(kNoPlace, read.detailLinks);
    if (read.events.isPacked() && read.detailLinks == 0)
      unlinked_.push_back(read.events.path());
  } else {
    lost_.add("events with registers and stack: there is no detail file that can be read", read.detailLinks);
  }
  lost_.add("events of version 1 that name another thread than their file", read.otherThreads);
}

// Resets everything to the state before the first read.
void AtfSource::begin(const ReadRequest &request, bool areShared) {
  errors_ = session_.failures();
  flaws_.clear();
  warn(session_.path(), session_.warnings());
  lost_.clear();
  unlinked_.clear();
  recent_ = {};
  functions_ = {session_.processes().size(), areShared};
  functionCount_ = 0;
  done_ = total_ = 0;
  for (const uint32_t thread : wantedThreads(request, threads_.size()))
    total_ += threads_[thread].second->index->size();
  details_.clear();
  wasChecked_.assign(threads_.size(), false);
}

Expected<void> AtfSource::readPart(TraceSink &sink, const ReadRequest &request) {
  if (!request.isFurther) {
    begin(request, (request.sharesFunctions || sink.sharesFunctions()) && !sink.wantsUnused());
    model::TraceInfo info;
    info.isRoot = session_.kind() == atf::Session::Kind::Root;
    if (sink.needsRange())
      info.range = atf::timesOf(session_);
    ADA_TRY(sink.begin(info));
    ADA_TRY(announce(sink));
  }
  for (const uint32_t thread : wantedThreads(request, threads_.size()))
    ADA_TRY(readThread(sink, threads_[thread].first, *threads_[thread].second, thread, request));
  const bool isWhole = !request.isFurther && !request.threads && request.fromNs == 0 && request.fromSeq == 0 &&
                       request.toNs == ~uint64_t{0} && request.toSeq == ~uint64_t{0};
  if (sink.wantsUnused() && !request.isFurther)
    ADA_TRY(announceUnused(sink));
  else if (isWhole && !sink.takesSymbols())
    lost_.add("functions that no event names", // they were never announced
              atf::countUnnamed(session_, [&](uint32_t process) { return functions_.usedBy(process); }));
  return sink.finish();
}

// Announces the functions that no event named.
Expected<void> AtfSource::announceUnused(TraceSink &sink) {
  Expected<void> status;
  atf::eachNamedFunction(session_, [&](uint32_t process, uint64_t id) {
    atf::FunctionLists::List &known = functions_.ofProcess(process);
    if (status && known.local.add(id) >= known.numbers.size())
      status = announceNew(sink, known, process, id);
  });
  return status;
}

} // namespace ada::formats

namespace ada::model {

std::unique_ptr<TraceSource> makeAtfSource(atf::Session session) {
  return makeAtfSource(std::make_shared<const atf::Session>(std::move(session)));
}

std::unique_ptr<TraceSource> makeAtfSource(std::shared_ptr<const atf::Session> session) {
  return std::make_unique<formats::AtfSource>(std::move(session));
}

} // namespace ada::model
