// Writes the model as a Perfetto trace: one track per thread, slices with interned names.
//
// Each thread has its own packet sequence and clock: a packet has the nanoseconds since the packet before it, and the
// number of a name that an earlier packet of the sequence introduced. So threads may come in any order, mixed or not.
// Field numbers are those of Perfetto's public .proto files; test/tools/Inputs/perfetto.proto has them with names.
//
// Off-CPU times are slices on a track inside the thread's track, and have their own sequence.
#include "formats/export_sink.h"
#include "operations.h"
#include "shared/fnv.h"
#include "trace/base/text.h"

#include <protozero/pbf_builder.hpp>

#include <map>

namespace ada::formats {

namespace {

using Number = protozero::pbf_tag_type;
constexpr Number kTracePacket = 1; // in the file
enum class Packet : Number {
  ClockSnapshot = 6,
  Timestamp = 8,
  SequenceId = 10,
  TrackEvent = 11,
  InternedData = 12,
  SequenceFlags = 13,
  TimestampClock = 58,
  Defaults = 59,
  TrackDescriptor = 60,
};
enum class ClockSnapshot : Number { Clocks = 1 };
enum class Clock : Number { Id = 1, Timestamp = 2, IsIncremental = 3 };
enum class Defaults : Number { TrackEvent = 11, TimestampClock = 58 };
enum class TrackTag : Number { Uuid = 1, Name = 2, Process = 3, Thread = 4, Parent = 5, Counter = 8 };
enum class ProcessTag : Number { Pid = 1, Name = 6 };
enum class ThreadTag : Number { Pid = 1, Tid = 2, Name = 5 };
enum class TrackEvent : Number {
  Annotations = 4,
  Type = 9,
  NameId = 10,
  TrackUuid = 11,
  Name = 23,
  CounterValue = 30,
  SourceId = 34,
  DoubleCounterValue = 44,
  Flows = 47,
  EndingFlows = 48,
};
enum class Interned : Number { EventNames = 2, Sources = 4 };
enum class EventName : Number { Id = 1, Name = 2 };
enum class Source : Number { Id = 1, File = 2, Line = 4 };
enum class Annotation : Number { Integer = 3, Text = 6, Json = 9, Name = 10 };
enum EventType { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum SequenceFlag { kStateCleared = 1, kNeedsState = 2 };

constexpr uint32_t kSequenceClock = 64; // the first number of clocks that belong to a sequence
constexpr uint32_t kBoottime = 6;

template <class Tag> using Part = protozero::pbf_builder<Tag>;

class PerfettoSink : public ExportSink {
public:
  explicit PerfettoSink(model::ByteSink bytes) : ExportSink(Wants::Values), out_(std::move(bytes)) {}

private:
  struct Sequence {
    uint32_t id = 0;
    uint64_t track = 0;
    bool isBegun = false;
    uint64_t nowNs = 0;
    std::vector<bool> knowsName = {}; // by function
  };

  void newProcess(const model::Process &process) override {
    ids_.add(process);
    put([&](Part<Packet> &packet) {
      packet.add_uint32(Packet::SequenceId, kSharedSequence);
      Part<TrackTag> track(packet, Packet::TrackDescriptor);
      track.add_uint64(TrackTag::Uuid, uuidOf(process));
      track.add_string(TrackTag::Name, nameOf(process));
      Part<ProcessTag> about(track, TrackTag::Process);
      about.add_int32(ProcessTag::Pid, static_cast<int32_t>(ids_.pid(process.index)));
      about.add_string(ProcessTag::Name, nameOf(process));
    });
  }
  void newThread(const model::Thread &thread) override {
    ids_.add(thread);
    sequences_.push_back({.id = thread.index + kFirstSequence, .track = uuidOf(thread)});
    put([&](Part<Packet> &packet) {
      packet.add_uint32(Packet::SequenceId, kSharedSequence);
      Part<TrackTag> track(packet, Packet::TrackDescriptor);
      track.add_uint64(TrackTag::Uuid, uuidOf(thread));
      track.add_uint64(TrackTag::Parent, uuidOf(processOf(thread)));
      if (!ids_.isReal(thread.index)) {
        // There may be only one track per thread of the system. The others (fibers, threads with a reused number) are
        // plain tracks of the process.
        track.add_string(TrackTag::Name, labelOf(thread));
        return;
      }
      track.add_string(TrackTag::Name, nameOf(thread));
      Part<ThreadTag> about(track, TrackTag::Thread);
      about.add_int32(ThreadTag::Pid, static_cast<int32_t>(ids_.pid(thread.process)));
      about.add_int32(ThreadTag::Tid, static_cast<int32_t>(ids_.tid(thread.index)));
      about.add_string(ThreadTag::Name, nameOf(thread));
    });
  }

  void offCpuTimes(const model::Thread &thread) override {
    Sequence sequence{.id = thread.index + kFirstOffCpuSequence, .track = perfetto::offCpuTrackOf(uuidOf(thread))};
    put([&](Part<Packet> &packet) {
      packet.add_uint32(Packet::SequenceId, kSharedSequence);
      Part<TrackTag> track(packet, Packet::TrackDescriptor);
      track.add_uint64(TrackTag::Uuid, sequence.track);
      track.add_uint64(TrackTag::Parent, uuidOf(thread));
      track.add_string(TrackTag::Name, std::string(perfetto::kOffCpuTrack));
    });
    thread.eachOffCpu([&](const OffCpu &off) {
      putEvent(sequence, off.fromNs, kNoName, [&](Part<TrackEvent> &event) {
        event.add_enum(TrackEvent::Type, kSliceBegin);
        event.add_string(TrackEvent::Name, std::string(offCpuName(off.why)));
        Part<Annotation> annotation(event, TrackEvent::Annotations);
        annotation.add_string(Annotation::Name, "processor");
        annotation.add_uint64(Annotation::Integer, off.processor);
      });
      putEvent(sequence, off.toNs, kNoName,
               [](Part<TrackEvent> &event) { event.add_enum(TrackEvent::Type, kSliceEnd); });
    });
  }

  void beginCall(const Call &call) override {
    putEvent(sequences_[call.thread], call.timeNs, call.function, [&](Part<TrackEvent> &event) {
      event.add_enum(TrackEvent::Type, kSliceBegin);
      event.add_uint64(TrackEvent::NameId, idOf(call.function));
      if (!function(call.function).file.empty())
        event.add_uint64(TrackEvent::SourceId, idOf(call.function));
      annotate(event, "arguments", call.arguments);
    });
  }
  void endCall(const End &end) override {
    if (end.isOpen()) // viewers show a slice without an end as such
      return;
    putEvent(sequences_[end.thread], end.span.endNs, kNoName, [&](Part<TrackEvent> &event) {
      event.add_enum(TrackEvent::Type, kSliceEnd);
      if (end.span.how != SpanEnd::Return)
        annotate(event, "end", spanEndName(end.span.how));
      annotate(event, "result", end.result);
      annotate(event, "values", end.values);
    });
  }
  bool point(const Point &point) override {
    if (point.kind != SymbolKind::Instant && !point.value)
      return false;
    Sequence &sequence = sequences_[point.thread];
    if (point.kind == SymbolKind::Counter) {
      const uint64_t track = counterTrack(point.function);
      putEvent(sequence, point.timeNs, kNoName, [&](Part<TrackEvent> &event) {
        event.add_enum(TrackEvent::Type, kCounter);
        event.add_uint64(TrackEvent::TrackUuid, track);
        // The format has only one kind of integer.
        if (point.value->isInteger && point.value->number <= static_cast<long double>(INT64_MAX))
          event.add_int64(TrackEvent::CounterValue, static_cast<int64_t>(point.value->number));
        else
          event.add_double(TrackEvent::DoubleCounterValue, point.value->asDouble());
      });
      return true;
    }
    putEvent(sequence, point.timeNs, point.function, [&](Part<TrackEvent> &event) {
      event.add_enum(TrackEvent::Type, kInstant);
      event.add_uint64(TrackEvent::NameId, idOf(point.function));
      if (!function(point.function).file.empty())
        event.add_uint64(TrackEvent::SourceId, idOf(point.function));
      annotate(event, "arguments", point.arguments);
      if (isFlow(point.kind))
        event.add_fixed64(point.kind == SymbolKind::FlowEnd ? TrackEvent::EndingFlows : TrackEvent::Flows,
                          flowOf(function(point.function).displayName, point.value->text()));
    });
    return true;
  }
  void mark(uint32_t thread, uint64_t timeNs, const model::Text &text) override {
    putEvent(sequences_[thread], timeNs, kNoName, [&](Part<TrackEvent> &event) {
      event.add_enum(TrackEvent::Type, kInstant);
      event.add_string(TrackEvent::Name, validUtf8(text.name));
      if (!text.json.empty()) {
        Part<Annotation> annotation(event, TrackEvent::Annotations);
        annotation.add_string(Annotation::Name, "data");
        annotation.add_string(Annotation::Json, validUtf8(text.json));
      }
    });
  }
  void leaveThread(uint32_t thread) override { sequences_[thread].knowsName = {}; }
  void endTrace() override { out_.flush(); }
  const Expected<void> &status() const override { return out_.status(); }

  // All places that have a counter of that name share one track.
  uint64_t counterTrack(uint32_t number) {
    const model::Function &about = function(number);
    const auto [at, isNew] =
        counters_.try_emplace({about.process, about.displayName},
                              perfetto::trackOf(perfetto::TrackKind::Counter, static_cast<uint32_t>(counters_.size())));
    const uint64_t uuid = at->second;
    if (isNew)
      put([&](Part<Packet> &packet) {
        packet.add_uint32(Packet::SequenceId, kSharedSequence);
        Part<TrackTag> track(packet, Packet::TrackDescriptor);
        track.add_uint64(TrackTag::Uuid, uuid);
        track.add_uint64(TrackTag::Parent, uuidOf(table().processes[about.process]));
        track.add_string(TrackTag::Name, about.displayName);
        track.add_message(TrackTag::Counter, std::string());
      });
    return uuid;
  }
  // The format's flows only have numbers, which are unique in the whole trace, so this is a hash of name and id.
  static uint64_t flowOf(std::string_view name, std::string_view id) {
    uint64_t hash = kFnvStart;
    for (const std::string_view text : {name, std::string_view("\0", 1), id})
      hash = fnv1a(text.data(), text.size(), hash);
    return hash;
  }

  static void annotate(Part<TrackEvent> &event, const char *name, std::string_view text) {
    if (text.empty())
      return;
    Part<Annotation> annotation(event, TrackEvent::Annotations);
    annotation.add_string(Annotation::Name, name);
    annotation.add_string(Annotation::Text, validUtf8(text));
  }

  template <class Fill> void put(Fill &&fill) {
    packet_.clear();
    {
      Part<Packet> packet(packet_);
      fill(packet);
    }
    protozero::pbf_writer(out_.text()).add_message(kTracePacket, packet_);
    out_.settle();
  }
  template <class Fill> void putEvent(Sequence &sequence, uint64_t timeNs, uint32_t name, Fill &&fill) {
    if (!sequence.isBegun)
      beginSequence(sequence, timeNs);
    put([&](Part<Packet> &packet) {
      packet.add_uint32(Packet::SequenceId, sequence.id);
      if (timeNs >= sequence.nowNs) {
        packet.add_uint64(Packet::Timestamp, timeNs - sequence.nowNs);
        sequence.nowNs = timeNs;
      } else { // time went back, which a difference can't express
        packet.add_uint64(Packet::Timestamp, timeNs);
        packet.add_uint32(Packet::TimestampClock, kBoottime);
      }
      packet.add_uint32(Packet::SequenceFlags, kNeedsState);
      if (name != kNoName)
        intern(packet, sequence, name);
      Part<TrackEvent> event(packet, Packet::TrackEvent);
      fill(event);
    });
  }
  void intern(Part<Packet> &packet, Sequence &sequence, uint32_t name) {
    if (name >= sequence.knowsName.size())
      sequence.knowsName.resize(name + size_t{1});
    if (sequence.knowsName[name])
      return;
    sequence.knowsName[name] = true;
    Part<Interned> interned(packet, Packet::InternedData);
    const model::Function &about = function(name);
    {
      Part<EventName> entry(interned, Interned::EventNames);
      entry.add_uint64(EventName::Id, idOf(name));
      entry.add_string(EventName::Name, about.displayName);
    }
    if (!about.file.empty()) {
      Part<Source> source(interned, Interned::Sources);
      source.add_uint64(Source::Id, idOf(name));
      source.add_string(Source::File, about.file);
      if (about.line)
        source.add_uint32(Source::Line, about.line);
    }
  }
  // The sequence's clock starts at its first event, and its events are on its track.
  void beginSequence(Sequence &sequence, uint64_t timeNs) {
    sequence.isBegun = true;
    sequence.nowNs = timeNs;
    put([&](Part<Packet> &packet) {
      packet.add_uint32(Packet::SequenceId, sequence.id);
      packet.add_uint32(Packet::SequenceFlags, kStateCleared);
      {
        Part<ClockSnapshot> snapshot(packet, Packet::ClockSnapshot);
        for (const uint32_t id : {kSequenceClock, kBoottime}) {
          Part<Clock> clock(snapshot, ClockSnapshot::Clocks);
          clock.add_uint32(Clock::Id, id);
          clock.add_uint64(Clock::Timestamp, timeNs);
          if (id == kSequenceClock)
            clock.add_bool(Clock::IsIncremental, true);
        }
      }
      Part<Defaults> defaults(packet, Packet::Defaults);
      defaults.add_uint32(Defaults::TimestampClock, kSequenceClock);
      Part<TrackEvent> event(defaults, Defaults::TrackEvent);
      event.add_uint64(TrackEvent::TrackUuid, sequence.track);
    });
  }

  static constexpr uint32_t kNoName = ~uint32_t{0}, kSharedSequence = 1;
  static constexpr uint32_t kFirstSequence = 2, kFirstOffCpuSequence = 0x80000000; // by thread
  static uint64_t uuidOf(const model::Process &process) {
    return perfetto::trackOf(perfetto::TrackKind::Process, process.index);
  }
  static uint64_t uuidOf(const model::Thread &thread) {
    return perfetto::trackOf(perfetto::TrackKind::Thread, thread.index);
  }
  static uint64_t idOf(uint32_t function) { return function + uint64_t{1}; }

  ByteOutput out_;
  SystemIds ids_;
  std::string packet_;
  std::vector<Sequence> sequences_;                               // by thread
  std::map<std::pair<uint32_t, std::string>, uint64_t> counters_; // tracks of counters, by process and name
};

} // namespace

std::unique_ptr<model::TraceSink> makePerfettoSink(model::ByteSink bytes) {
  return std::make_unique<PerfettoSink>(std::move(bytes));
}

} // namespace ada::formats
