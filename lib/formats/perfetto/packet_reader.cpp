// Reads the packets of Perfetto traces.
//
// Field numbers are those of Perfetto's public .proto files. A packet belongs to a sequence, which has names that
// earlier packets introduced, defaults, and its own clocks. After packets were lost, all of these are invalid until the
// sequence begins anew.
#include "packet_reader.h"
#include "operations.h"
#include "packet_splitter.h"

#include <algorithm>
#include <zlib.h>

namespace ada::formats::perfetto {

constexpr uint32_t kBoottime = 6, kFirstSequenceClock = 64, kLastSequenceClock = 127;

uint32_t PacketReader::trackOf(uint64_t uuid) {
  const auto [found, isNew] = byUuid_.try_emplace(uuid, static_cast<uint32_t>(tracks_.size()));
  if (isNew)
    tracks_.push_back({.uuid = uuid});
  return found->second;
}

// Long because it is one list of fields.
void PacketReader::read(std::string_view bytes, Packet &packet) {
  pbf_reader fields(bytes.data(), bytes.size());
  bool isKnown = false, hasOther = false;
  while (fields.next()) {
    const auto type = fields.wire_type();
    const bool isMessage = type == protozero::pbf_wire_type::length_delimited;
    const bool isNumber = type == protozero::pbf_wire_type::varint;
    const auto message = [&](std::optional<pbf_reader> &to) {
      to = fields.get_message();
      isKnown = true;
    };
    switch (isMessage || isNumber ? fields.tag() : 0) {
    case 1:
      lost_.add("packets of the kernel's events (ftrace)");
      isKnown = true;
      fields.skip();
      break;
    case 2:
      isMessage ? message(packet.tree) : fields.skip();
      break;
    case 6:
      isMessage ? message(packet.snapshot) : fields.skip();
      break;
    case 8:
      isNumber ? void(packet.timestamp = fields.get_uint64()) : fields.skip();
      break;
    case 10:
      isNumber ? void(packet.sequence = fields.get_uint32()) : fields.skip();
      break;
    case 11:
      isMessage ? message(packet.event) : fields.skip();
      break;
    case 12:
      if (isMessage)
        packet.interned.push_back(fields.get_message());
      else
        fields.skip();
      isKnown = true;
      break;
    case 13:
      isNumber ? void(packet.flags = fields.get_uint64()) : fields.skip();
      break;
    case 41:
      isNumber ? void(packet.isCleared = fields.get_bool()) : fields.skip();
      break;
    case 42:
      isNumber ? void(packet.isAfterLoss = fields.get_bool()) : fields.skip();
      break;
    case 43:
      isMessage ? message(packet.process) : fields.skip();
      break;
    case 44:
      isMessage ? message(packet.thread) : fields.skip();
      break;
    case 50:
      if (isMessage)
        packet.compressed = viewOf(fields);
      else
        fields.skip();
      isKnown = true;
      break;
    case 58:
      isNumber ? void(packet.clock = fields.get_uint32()) : fields.skip();
      break;
    case 59:
      isMessage ? message(packet.defaults) : fields.skip();
      break;
    case 60:
      isMessage ? message(packet.track) : fields.skip();
      break;
    // These describe how the trace was made: statistics, configuration, marks of the service.
    case 9:
    case 33:
    case 35:
    case 36:
    case 45:
    case 69:
    case 89:
      isKnown = true;
      fields.skip();
      break;
    default:
      hasOther |= isMessage;
      fields.skip();
    }
  }
  if (hasOther && !isKnown)
    lost_.add("packets of other data sources than track events");
}

bool PacketReader::take(std::string_view bytes, uint64_t offset, bool isUnpacked) {
  Packet packet;
  try {
    read(bytes, packet);
    if (!packet.compressed.empty() && !isUnpacked)
      unpack(packet.compressed, offset);
    use(packet);
  } catch (const std::exception &) { // from protozero: the bytes are not a message
    if (damaged++ == 0)
      damagedAt = offset;
  }
  return bool(status);
}

// A packet may hold many others, compressed with zlib.
void PacketReader::unpack(std::string_view compressed, uint64_t offset) {
  constexpr size_t kPiece = 256 << 10;
  PacketSplitter packets([&](std::string_view packet, uint64_t) { return take(packet, offset, true); });
  std::string piece(kPiece, '\0');
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK)
    throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  int result = Z_OK;
  bool goesOn = true;
  while (result == Z_OK && goesOn) {
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = kPiece;
    result = inflate(&stream, Z_NO_FLUSH);
    const size_t got = kPiece - stream.avail_out;
    goesOn = (result == Z_OK || result == Z_STREAM_END) && packets.push(std::string_view(piece).substr(0, got)) &&
             (got > 0 || result == Z_STREAM_END);
  }
  inflateEnd(&stream);
  packets.finish();
  if ((result != Z_STREAM_END || packets.problem()) && status && damaged++ == 0)
    damagedAt = offset;
}

void PacketReader::use(Packet &packet) {
  Sequence &sequence = sequences_[packet.sequence];
  constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
  if (packet.isAfterLoss) {
    sequence.isValid = false;
    lost_.add("gaps where Perfetto had lost packets of a sequence (each sequence begins with one)");
  }
  if (packet.isCleared || packet.flags & kStateCleared) {
    const uint32_t threadTrack = sequence.threadTrack;
    sequence = Sequence();
    sequence.threadTrack = threadTrack;
    sequence.isValid = true;
  }
  if (packet.snapshot)
    addSnapshot(*packet.snapshot, sequence);
  if (packet.defaults)
    addDefaults(*packet.defaults, sequence);
  for (const pbf_reader &part : packet.interned)
    addInterned(part, sequence);
  if (packet.track)
    addTrack(*packet.track);
  if (packet.tree)
    addTree(*packet.tree);
  if (packet.thread) {
    Track track;
    addThread(*packet.thread, track);
    if (packet.process)
      addProcess(*packet.process, track);
    const auto [found, isNew] =
        byThread_.try_emplace({track.pid.value_or(0), track.tid.value_or(0)}, static_cast<uint32_t>(tracks_.size()));
    if (isNew)
      tracks_.push_back(std::move(track));
    else if (!track.threadName.empty())
      tracks_[found->second].threadName = track.threadName;
    sequence.threadTrack = found->second;
  } else if (packet.process) {
    Track track;
    addProcess(*packet.process, track);
    if (track.pid && !track.processName.empty())
      processNames_[*track.pid] = track.processName;
  }
  if (!packet.event)
    return;
  if (packet.flags & kNeedsState && !sequence.isValid)
    return lost_.add("events whose sequence has lost what they refer to");
  const auto time = timeOf(packet, sequence);
  if (!time)
    return lost_.add("events without a time of their packet");
  addEvent(*packet.event, *time, sequence);
}

std::optional<uint64_t> PacketReader::timeOf(const Packet &packet, Sequence &sequence) {
  if (!packet.timestamp)
    return std::nullopt;
  const uint32_t id = packet.clock ? *packet.clock : sequence.defaultClock.value_or(kBoottime);
  const bool isOwn = id >= kFirstSequenceClock && id <= kLastSequenceClock;
  auto &clocks = isOwn ? sequence.clocks : clocks_;
  const auto found = clocks.find(id);
  if (found == clocks.end()) {
    unknownClocks += id != kBoottime;
    return packet.timestamp;
  }
  ClockState &clock = found->second;
  uint64_t value = *packet.timestamp;
  if (clock.isIncremental)
    value = clock.now += value;
  value = value * clock.unit + static_cast<uint64_t>(clock.offset);
  return value;
}

void PacketReader::addSnapshot(pbf_reader snapshot, Sequence &sequence) {
  struct Reading {
    uint32_t id = 0;
    ClockState clock;
  };
  std::vector<Reading> readings;
  while (snapshot.next(1, protozero::pbf_wire_type::length_delimited)) {
    Reading reading;
    for (pbf_reader fields = snapshot.get_message(); fields.next();)
      switch (fields.tag_and_type()) {
      case protozero::tag_and_type(1, protozero::pbf_wire_type::varint):
        reading.id = fields.get_uint32();
        break;
      case protozero::tag_and_type(2, protozero::pbf_wire_type::varint):
        reading.clock.now = fields.get_uint64();
        break;
      case protozero::tag_and_type(3, protozero::pbf_wire_type::varint):
        reading.clock.isIncremental = fields.get_bool();
        break;
      case protozero::tag_and_type(4, protozero::pbf_wire_type::varint):
        reading.clock.unit = std::max<uint64_t>(1, fields.get_uint64());
        break;
      default:
        fields.skip();
      }
    readings.push_back(reading);
  }
  // The trace's time is that of BOOTTIME, or of the first clock whose relation to it is known.
  std::optional<uint64_t> now;
  for (const Reading &reading : readings)
    if (reading.id == kBoottime)
      now = reading.clock.now * reading.clock.unit;
  for (const Reading &reading : readings)
    if (const auto known = clocks_.find(reading.id); !now && known != clocks_.end())
      now = reading.clock.now * reading.clock.unit + static_cast<uint64_t>(known->second.offset);
  if (!now && !readings.empty())
    now = readings.front().clock.now * readings.front().clock.unit;
  for (Reading &reading : readings) {
    reading.clock.offset = static_cast<int64_t>(*now - reading.clock.now * reading.clock.unit);
    const bool isOwn = reading.id >= kFirstSequenceClock && reading.id <= kLastSequenceClock;
    (isOwn ? sequence.clocks : clocks_)[reading.id] = reading.clock;
  }
}

void PacketReader::addInterned(pbf_reader interned, Sequence &sequence) {
  while (interned.next()) {
    constexpr unsigned kEventNames = 2, kAnnotationNames = 3, kAnnotationTexts = 29;
    const unsigned what = interned.tag();
    if (interned.wire_type() != protozero::pbf_wire_type::length_delimited ||
        (what != kEventNames && what != kAnnotationNames && what != kAnnotationTexts)) {
      interned.skip();
      continue;
    }
    uint64_t id = 0;
    std::string_view text;
    for (pbf_reader fields = interned.get_message(); fields.next();)
      if (fields.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::varint))
        id = fields.get_uint64();
      else if (fields.tag_and_type() == protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited))
        text = viewOf(fields);
      else
        fields.skip();
    if (what == kEventNames)
      sequence.eventNames[id] = nameOf(text);
    else
      (what == kAnnotationNames ? sequence.annotationNames : sequence.texts)[id] = limit_.takeText(text);
  }
}

void PacketReader::addDefaults(pbf_reader defaults, Sequence &sequence) {
  sequence.defaultClock.reset();
  sequence.defaultTrack.reset();
  while (defaults.next())
    if (defaults.tag_and_type() == protozero::tag_and_type(58, protozero::pbf_wire_type::varint)) {
      sequence.defaultClock = defaults.get_uint32();
    } else if (defaults.tag_and_type() == protozero::tag_and_type(11, protozero::pbf_wire_type::length_delimited)) {
      for (pbf_reader event = defaults.get_message(); event.next();)
        if (event.tag_and_type() == protozero::tag_and_type(11, protozero::pbf_wire_type::varint))
          sequence.defaultTrack = event.get_uint64();
        else
          event.skip();
    } else {
      defaults.skip();
    }
}

void PacketReader::addThread(pbf_reader fields, Track &track) {
  while (fields.next())
    switch (fields.tag_and_type()) {
    case protozero::tag_and_type(1, protozero::pbf_wire_type::varint):
      track.pid = static_cast<uint32_t>(fields.get_int32());
      break;
    case protozero::tag_and_type(2, protozero::pbf_wire_type::varint):
      track.tid = static_cast<uint32_t>(fields.get_int32());
      break;
    case protozero::tag_and_type(5, protozero::pbf_wire_type::length_delimited):
      track.threadName = limit_.take(viewOf(fields));
      break;
    default:
      fields.skip();
    }
}

void PacketReader::addProcess(pbf_reader fields, Track &track) {
  while (fields.next())
    switch (fields.tag_and_type()) {
    case protozero::tag_and_type(1, protozero::pbf_wire_type::varint):
      track.pid = static_cast<uint32_t>(fields.get_int32());
      break;
    case protozero::tag_and_type(6, protozero::pbf_wire_type::length_delimited):
      track.processName = limit_.take(viewOf(fields));
      break;
    default:
      fields.skip();
    }
}

void PacketReader::addTrack(pbf_reader fields) {
  Track read;
  while (fields.next())
    switch (fields.tag_and_type()) {
    case protozero::tag_and_type(1, protozero::pbf_wire_type::varint):
      read.uuid = fields.get_uint64();
      break;
    case protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited):
    case protozero::tag_and_type(10, protozero::pbf_wire_type::length_delimited):
      read.name = limit_.take(viewOf(fields));
      break;
    case protozero::tag_and_type(3, protozero::pbf_wire_type::length_delimited):
      addProcess(fields.get_message(), read);
      read.isProcess = true;
      break;
    case protozero::tag_and_type(4, protozero::pbf_wire_type::length_delimited):
      addThread(fields.get_message(), read);
      break;
    case protozero::tag_and_type(5, protozero::pbf_wire_type::varint):
      read.parent = fields.get_uint64();
      break;
    default:
      fields.skip();
    }
  Track &track = tracks_[trackOf(read.uuid.value_or(0))];
  const auto put = [](auto &to, auto &from, bool isThere) {
    if (isThere)
      to = std::move(from);
  };
  put(track.name, read.name, !read.name.empty());
  put(track.threadName, read.threadName, !read.threadName.empty());
  put(track.processName, read.processName, !read.processName.empty());
  put(track.pid, read.pid, read.pid.has_value());
  put(track.tid, read.tid, read.tid.has_value());
  put(track.parent, read.parent, read.parent.has_value());
  track.isProcess |= read.isProcess;
  track.isOffCpu |= track.name == kOffCpuTrack && track.parent && track.uuid == offCpuTrackOf(*track.parent);
}

void PacketReader::addTree(pbf_reader tree) {
  while (tree.next()) {
    constexpr unsigned kProcesses = 1, kThreads = 2;
    const unsigned what = tree.tag();
    if (tree.wire_type() != protozero::pbf_wire_type::length_delimited || (what != kProcesses && what != kThreads)) {
      tree.skip();
      continue;
    }
    uint32_t id = 0;
    std::string name;
    for (pbf_reader fields = tree.get_message(); fields.next();)
      if (fields.tag_and_type() == protozero::tag_and_type(1, protozero::pbf_wire_type::varint))
        id = static_cast<uint32_t>(fields.get_int32());
      else if (fields.tag_and_type() ==
                   protozero::tag_and_type(what == kProcesses ? 3 : 2, protozero::pbf_wire_type::length_delimited) &&
               name.empty())
        name = limit_.take(viewOf(fields)); // the first argument of a command line is the program
      else
        fields.skip();
    if (!name.empty())
      (what == kProcesses ? processNames_ : threadNames_)[id] = name;
  }
}

} // namespace ada::formats::perfetto
