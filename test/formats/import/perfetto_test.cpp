// Perfetto's track events: names, clocks and defaults of sequences, and what is lost with them.
#include "import_reading.h"

#include "formats/perfetto/packet_splitter.h"

#include <protozero/pbf_writer.hpp>
#include <zlib.h>

namespace ada::test {

namespace {

using protozero::pbf_writer;

enum : unsigned { kBegin = 1, kEnd = 2, kInstant = 3, kCounter = 4, kCleared = 1, kNeeds = 2 };

// Packets in sequence, each with the content that `fill` adds.
struct Trace {
  std::string bytes;
  template <class Fill> Trace &packet(Fill &&fill) {
    std::string content;
    pbf_writer packet(content);
    fill(packet);
    pbf_writer(bytes).add_message(1, content);
    return *this;
  }
  template <class Fill> Trace &event(unsigned type, uint64_t time, Fill &&fill) {
    return packet([&](pbf_writer &packet) {
      packet.add_uint64(8, time);
      packet.add_uint32(10, 1);
      packet.add_uint32(13, kNeeds);
      pbf_writer event(packet, 11);
      event.add_uint32(9, type);
      fill(event);
    });
  }
  Trace &thread(uint64_t uuid, int pid, int tid, const char *name) {
    return packet([&](pbf_writer &packet) {
      pbf_writer track(packet, 60);
      track.add_uint64(1, uuid);
      pbf_writer thread(track, 4);
      thread.add_int32(1, pid);
      thread.add_int32(2, tid);
      thread.add_string(5, name);
    });
  }
};

void addName(pbf_writer &packet, unsigned list, uint64_t id, const char *text) {
  pbf_writer interned(packet, 12);
  pbf_writer entry(interned, list);
  entry.add_uint64(1, id);
  entry.add_string(2, text);
}

// A sequence on track 9. Its clock 64 counts microseconds, and each time is relative to the previous one.
Trace ownClock() {
  Trace trace;
  trace.packet([](pbf_writer &packet) {
    packet.add_uint32(10, 1);
    packet.add_uint32(13, kCleared);
    {
      pbf_writer snapshot(packet, 6);
      {
        pbf_writer clock(snapshot, 1);
        clock.add_uint32(1, 64);
        clock.add_uint64(2, 5);
        clock.add_bool(3, true);
        clock.add_uint64(4, 1000);
      }
      pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, 6);
      clock.add_uint64(2, 105'000);
    }
    addName(packet, 2, 3, "f");
    addName(packet, 3, 4, "count");
    pbf_writer defaults(packet, 59);
    defaults.add_uint32(58, 64);
    pbf_writer event(defaults, 11);
    event.add_uint64(11, 9);
  });
  return trace;
}

} // namespace

TEST(Perfetto, ClocksNamesAndDefaults) {
  Trace trace = ownClock();
  trace.event(kBegin, 2, [](pbf_writer &event) {
    event.add_uint64(10, 3);
    pbf_writer annotation(event, 4);
    annotation.add_uint64(1, 4);
    annotation.add_int64(4, -7);
  });
  trace.event(kBegin, 1, [](pbf_writer &event) { event.add_string(23, "g"); });
  trace.event(kInstant, 0, [](pbf_writer &event) { event.add_string(23, "here"); });
  trace.event(kEnd, 3, [](pbf_writer &) {});
  trace.event(kEnd, 3, [](pbf_writer &) {});
  trace.event(kCounter, 3, [](pbf_writer &event) { event.add_int64(30, 4); });
  trace.thread(9, 70, 71, "loader"); // after the events of that thread
  const Reading read = readBytes(trace.bytes);
  EXPECT_EQ(read.thread(0), "107000 +f 107000 count=-7 108000 +g 108000 here 111000 -g 114000 -f");
  EXPECT_EQ(read.trace.threads[0].name, "loader");
  EXPECT_EQ(read.trace.threads[0].tid, 71u);
  EXPECT_EQ(read.trace.processes[0].pid, 70u);
  EXPECT_EQ(read.lossOf("counters"), 1u);
  EXPECT_TRUE(read.problems.empty());
  expectCutsAreBeginnings(trace.bytes, 1);
}

TEST(Perfetto, EventsOfALostStateAreLeftOut) {
  Trace trace = ownClock();
  trace.packet([](pbf_writer &packet) {
    packet.add_uint32(10, 1);
    packet.add_bool(42, true);
  });
  trace.event(kBegin, 2, [](pbf_writer &event) { event.add_uint64(10, 3); });
  trace.packet([](pbf_writer &packet) {
    packet.add_uint32(10, 1);
    packet.add_bool(41, true);
  });
  trace.event(kBegin, 500, [](pbf_writer &event) { event.add_uint64(10, 3); }); // its name is gone too
  const Reading read = readBytes(trace.bytes);
  EXPECT_EQ(read.thread(0), "500 +name 3");
  EXPECT_EQ(read.lossOf("lost what they refer to"), 1u);
}

TEST(Perfetto, TracksAreOrderedByTime) {
  Trace trace;
  const auto put = [&](unsigned type, uint64_t time, uint64_t track, const char *name) {
    trace.packet([&](pbf_writer &packet) {
      packet.add_uint64(8, time);
      packet.add_uint32(10, 1);
      pbf_writer event(packet, 11);
      event.add_uint32(9, type);
      event.add_uint64(11, track);
      if (name)
        event.add_string(23, name);
    });
  };
  trace.thread(1, 5, 6, "a").thread(2, 5, 7, "b");
  put(kEnd, 30, 2, nullptr);
  put(kBegin, 10, 1, "f");
  put(kBegin, 20, 2, "g");
  put(kEnd, 15, 1, nullptr);
  put(kBegin, 1, 8, "h"); // on a track that is never described
  const Reading read = readBytes(trace.bytes);
  EXPECT_EQ(read.thread(0), "10 +f 15 -f");
  EXPECT_EQ(read.thread(1), "20 +g 30 -g");
  EXPECT_EQ(read.thread(2), "1 +h");
  EXPECT_EQ(read.trace.threads[2].name, "track 8");
}

TEST(Perfetto, AnnotationsOfEveryKind) {
  Trace trace = ownClock();
  trace.event(kBegin, 0, [](pbf_writer &event) {
    event.add_uint64(10, 3);
    const auto add = [&](const char *name, auto &&fill) {
      pbf_writer annotation(event, 4);
      annotation.add_string(10, name);
      fill(annotation);
    };
    add("b", [](pbf_writer &a) { a.add_bool(2, true); });
    add("u", [](pbf_writer &a) { a.add_uint64(3, ~uint64_t{0}); });
    add("d", [](pbf_writer &a) { a.add_double(5, 0.5); });
    add("s", [](pbf_writer &a) { a.add_string(6, "x\"y"); });
    add("p", [](pbf_writer &a) { a.add_uint64(7, 255); });
    add("j", [](pbf_writer &a) { a.add_string(9, "{\"a\": [1]}"); });
    add("n", [](pbf_writer &a) { a.add_string(9, "{no json"); });
    add("o", [](pbf_writer &a) {
      pbf_writer member(a, 11);
      member.add_string(10, "m");
      member.add_int64(4, 1);
    });
    add("l", [](pbf_writer &a) {
      for (const int value : {1, 2})
        pbf_writer(a, 12).add_int64(4, value);
    });
  });
  const Reading read = readBytes(trace.bytes);
  EXPECT_EQ(read.thread(0), "105000 +f 105000 b=true 105000 u=18446744073709551615 105000 d=0.5 105000 s=\"x\\\"y\" "
                            "105000 p=\"0xff\" 105000 j={\"a\":[1]} 105000 n=\"{no json\" 105000 o={\"m\":1} 105000 "
                            "l=[1,2]");
}

TEST(Perfetto, CompressedPackets) {
  Trace inner = ownClock(), trace;
  inner.event(kBegin, 2, [](pbf_writer &event) { event.add_uint64(10, 3); });
  std::string packed(compressBound(inner.bytes.size()), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef *>(packed.data()), &size,
                     reinterpret_cast<const Bytef *>(inner.bytes.data()), inner.bytes.size()),
            Z_OK);
  packed.resize(size);
  trace.packet([&](pbf_writer &packet) { packet.add_bytes(50, packed); });
  EXPECT_EQ(readBytes(trace.bytes).thread(0), "107000 +f");
  trace.bytes.clear();
  packed[size / 2] = static_cast<char>(packed[size / 2] ^ 0x55);
  trace.packet([&](pbf_writer &packet) { packet.add_bytes(50, packed); });
  EXPECT_TRUE(readBytes(trace.bytes).error);
}

TEST(Perfetto, DamagedPacketsAreLeftOut) {
  Trace trace = ownClock();
  trace.packet([](pbf_writer &packet) {
    packet.add_uint64(8, 1);
    packet.add_bytes(11, "\xff\xff\xff");
  });
  trace.event(kBegin, 2, [](pbf_writer &event) { event.add_uint64(10, 3); });
  const Reading read = readBytes(trace.bytes);
  EXPECT_EQ(read.thread(0), "107000 +f");
  ASSERT_EQ(read.problems.size(), 1u);
  EXPECT_EQ(read.problems[0].code, "E_BAD_PACKET");
}

TEST(Perfetto, PiecesOfAnySize) {
  Trace trace = ownClock();
  trace.event(kBegin, 2, [](pbf_writer &event) { event.add_uint64(10, 3); });
  std::string expected;
  for (const size_t piece : {trace.bytes.size(), size_t{1}, size_t{5}}) {
    std::string seen;
    formats::PacketSplitter splitter([&](std::string_view packet, uint64_t offset) {
      seen += std::to_string(offset) + ":" + std::string(packet);
      return true;
    });
    for (size_t at = 0; at < trace.bytes.size(); at += piece)
      EXPECT_TRUE(splitter.push(std::string_view(trace.bytes).substr(at, piece)));
    splitter.finish();
    EXPECT_FALSE(splitter.problem());
    if (expected.empty())
      expected = seen;
    EXPECT_EQ(seen, expected);
  }
}

} // namespace ada::test
