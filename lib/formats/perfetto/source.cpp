// Reads the track events of Perfetto traces into the model.
//
// Tracks may be described after the events on them. So events are sorted by track and time first, and tracks become
// threads at the end.
#include "formats/byte_source.h"
#include "formats/import/slice_walk.h"
#include "operations.h"
#include "packet_reader.h"
#include "packet_splitter.h"
#include "trace/base/try.h"

#include <charconv>

namespace ada::formats {

using namespace perfetto;

namespace {

// AdaTrace names threads that share a number "worker (tid 4712)".
void takeNumber(model::Thread &thread) {
  constexpr std::string_view kTid = " (tid ";
  const size_t at = thread.name.rfind(kTid);
  if (at == thread.name.npos || thread.name.back() != ')')
    return;
  const std::string_view digits = std::string_view(thread.name).substr(at + kTid.size());
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() - 1)
    return;
  thread.tid = number;
  thread.name.resize(at);
}

// Delivers what a reader has collected to the sink.
class Delivery {
public:
  Delivery(const PacketReader &reader, EventSorter &events, model::LossList &lost, model::TraceSink &sink)
      : reader_(reader), events_(events), lost_(lost), out_(sink, lost), threads_(reader.tracks().size(), kNoTrack) {}

  Expected<void> run();

private:
  void nameProcesses();
  const Track *processTrackOf(const Track &track) const;
  uint32_t processOf(std::optional<uint32_t> pid);
  uint32_t threadOf(uint32_t track);
  uint32_t functionOf(uint32_t process, uint32_t name);

  const PacketReader &reader_;
  EventSorter &events_;
  model::LossList &lost_;
  TraceBuilder out_;
  std::map<uint32_t, std::string> processNames_;                // by pid
  std::map<std::optional<uint32_t>, uint32_t> processes_;       // by pid
  std::map<uint32_t, uint32_t> threadsOf_;                      // how many, by process
  std::vector<uint32_t> processOf_, threads_;                   // by track
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> functions_; // by process and name
};

void Delivery::nameProcesses() {
  processNames_ = reader_.processNames();
  for (const Track &track : reader_.tracks())
    if (track.pid && track.isProcess)
      processNames_[*track.pid] = !track.processName.empty() ? track.processName : track.name;
    else if (track.pid && !track.processName.empty())
      processNames_.try_emplace(*track.pid, track.processName);
}

// A track belongs to the process that it names, or to the process of a track that it is inside.
const Track *Delivery::processTrackOf(const Track &track) const {
  const Track *at = &track;
  for (unsigned steps = 0; steps < 64 && at && !at->pid; ++steps)
    at = reader_.parentOf(*at);
  return at && at->pid ? at : nullptr;
}

uint32_t Delivery::processOf(std::optional<uint32_t> pid) {
  const auto [found, isNew] = processes_.try_emplace(pid);
  if (isNew) {
    model::Process process;
    process.pid = pid;
    process.name = pid ? "pid_" + std::to_string(*pid) : "tracks";
    if (const auto name = pid ? processNames_.find(*pid) : processNames_.end();
        name != processNames_.end() && name->second != process.name)
      process.executable = name->second;
    process.description = oneModule(process.executable.empty() ? process.name : process.executable);
    found->second = out_.add(std::move(process));
  }
  return found->second;
}

uint32_t Delivery::threadOf(uint32_t number) {
  if (threads_[number] != kNoTrack)
    return threads_[number];
  const Track &track = reader_.tracks()[number];
  model::Thread thread;
  thread.process = processOf_[number];
  thread.number = threadsOf_[thread.process]++;
  thread.tid = track.tid.value_or(0);
  thread.name = !track.threadName.empty() ? track.threadName : track.name;
  if (!track.tid)
    takeNumber(thread);
  else if (const auto name = reader_.threadNames().find(*track.tid);
           thread.name.empty() && name != reader_.threadNames().end())
    thread.name = name->second;
  if (thread.name.empty() && !track.tid)
    thread.name = "track " + std::to_string(track.uuid.value_or(0));
  if (thread.name == "thread " + std::to_string(thread.number))
    thread.name.clear(); // a thread without a name is written like this
  return threads_[number] = out_.add(std::move(thread));
}

uint32_t Delivery::functionOf(uint32_t process, uint32_t name) {
  const auto [found, isNew] = functions_.try_emplace({process, name});
  if (isNew) {
    model::Function function;
    function.process = process;
    function.id = name;
    function.name = reader_.name(name);
    function.displayName = function.name.empty() ? "(no name)" : function.name;
    found->second = out_.add(std::move(function));
  }
  return found->second;
}

Expected<void> Delivery::run() {
  out_.begin(true, events_.count() ? std::optional(std::pair(events_.firstNs(), events_.lastNs())) : std::nullopt);
  nameProcesses();
  for (const Track &track : reader_.tracks()) {
    const Track *of = processTrackOf(track);
    processOf_.push_back(processOf(of ? of->pid : std::nullopt));
  }
  // Threads are delivered even if nothing happened in them.
  for (uint32_t i = 0; i < reader_.tracks().size(); ++i)
    if (reader_.tracks()[i].tid || reader_.tracks()[i].hasEvents)
      threadOf(i);
  SliceWalk walk(out_, lost_, [](uint32_t, uint32_t function) { return function; });
  const auto drained = events_.drain([&](const LooseEvent &event, std::string_view text) {
    LooseEvent placed = event;
    placed.thread = threadOf(event.thread);
    if (event.type != SliceWalk::kInstant && event.function != SliceWalk::kNoName)
      placed.function = functionOf(processOf_[event.thread], event.function);
    walk.take(placed, text);
    return bool(out_.status());
  });
  if (!drained)
    return drained;
  walk.leave();
  return out_.finish();
}

} // namespace

Expected<void> PerfettoSource::read(model::TraceSink &sink) {
  ADA_TRY(restart());
  EventSorter events;
  PacketReader reader(events, lost_);
  uint64_t packets = 0;
  PacketSplitter splitter([&](std::string_view packet, uint64_t offset) {
    ++packets;
    return reader.take(packet, offset);
  });
  ADA_TRY(split(splitter, reader));
  if (reader.damaged)
    problem("E_BAD_PACKET",
            std::to_string(reader.damaged) + (reader.damaged == 1 ? " packet is" : " packets are") +
                " damaged; everything before and after was read",
            reader.damagedAt);
  if (packets == reader.damaged && !errors_.empty()) // nothing is usable
    return errors_.front();
  if (reader.unknownClocks)
    flaws_.push_back({"W_NO_CLOCK", std::to_string(reader.unknownClocks) +
                                        " events are on a clock that the trace does not relate to others: their times "
                                        "may be off"});
  return Delivery(reader, events, lost_, sink).run();
}

} // namespace ada::formats
