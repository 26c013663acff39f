// Recording packed and converting to ATF 2 gives the same bytes as recording ATF 2, and the reverse.
//
// The drain's own code reads the same random chunks twice, in passes that end at the same times, and writes their
// records once as an ATF file and once as a packed one.
#include "ada/trace/atf_detail.h"
#include "ada/trace/convert.h"
#include "core/files/detail_file.h"
#include "core/files/index_file.h"
#include "core/files/packed_detail_file.h"
#include "core/files/packed_file.h"
#include "formats/native/detail/detail_writer.h"
#include "random_chunk.h"
#include "scratch_directory.h"
#include "shared/ring/record_reader.h"
#include "thorough.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <string>

namespace {

using namespace ada;
using namespace ada::runtime;
using test::Chunk, test::grow, test::kBase, test::kFunctions, test::ScratchDirectory;

constexpr uint64_t kStampsOfChunk = 40'000;

// Consecutive chunks of one thread.
struct Memory {
  std::vector<std::unique_ptr<Chunk>> chunks;
  ada_chunk *chunk(uint64_t number) { return &chunks[number]->header; }
  void giveBack(ada_chunk *) {}
  void wake(ada_ring_thread &) {}
  void noteClosed(int) {}
};

Memory randomMemory(unsigned seed, unsigned wild, bool inverts, size_t count) {
  std::mt19937 random(seed);
  Memory memory;
  for (size_t i = 0; i < count; ++i) {
    const unsigned calls = seed % 5 == 0 ? 9 : 5; // some chunks have more open calls than a packed block knows
    memory.chunks.push_back(test::randomChunk(random, wild, inverts, 1 + i * kStampsOfChunk, calls));
    ada_chunk &chunk = memory.chunks.back()->header;
    chunk.state = ADA_CHUNK_USED, chunk.seq = i, chunk.number = static_cast<uint32_t>(i);
    chunk.next = static_cast<uint32_t>(i + 1 < count ? i + 2 : 0);
  }
  return memory;
}

template <class File>
uint64_t takeEvents(Memory &memory, ring::ClockMap &clock, ring::ModuleMap &modules, ring::RecordReader &reader,
                    File &file, unsigned char *&to) {
  typename File::Run run(file, to);
  const uint64_t count = reader.takePlain(memory, clock, modules, [&](const ring::Event &e) { run.encode(e); });
  to = run.end();
  return count;
}
// Packed files have a loop of their own, but for those that are compared with it. `packedPlain`: how many records it
// has taken.
struct ByEvents : PackedFile {};
uint64_t packedPlain = 0;
uint64_t takePlain(Memory &memory, ring::ClockMap &clock, ring::ModuleMap &modules, ring::RecordReader &reader,
                   PackedFile &file, unsigned char *&to) {
  if (!file.agrees(reader.expansion.stack))
    return takeEvents(memory, clock, modules, reader, file, to);
  PackedFile::Sink sink = file.sink(to);
  const uint64_t count = reader.takePlainTo(memory, clock, modules, sink);
  to = sink.at(), packedPlain += count;
  return count;
}
template <class File>
uint64_t takePlain(Memory &memory, ring::ClockMap &clock, ring::ModuleMap &modules, ring::RecordReader &reader,
                   File &file, unsigned char *&to) {
  return takeEvents(memory, clock, modules, reader, file, to);
}

// Reads everything and writes it to `file` in batches, like the drain.
template <class File> void record(Memory &memory, File &file, unsigned seed) {
  std::mt19937 random(seed);
  ring::RecordReader reader;
  ring::ClockMap clock;
  ring::ModuleMap modules;
  ring::RecordBatch batch;
  std::vector<ada_record> records(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places(ADA_CHUNK_RECORDS);
  batch.records = records.data(), batch.details = details.data(), batch.places = places.data();
  ada_ring_thread thread = {};
  thread.first_chunk = 1;
  ada_ring_module all = {};
  all.begin = kBase, all.end = kBase + kFunctions * sizeof(ada_function), all.module_id = 1;
  modules.update(&all, 1);
  ada_anchor anchors[ADA_RING_ANCHORS] = {};
  for (uint64_t i = 0; i < 20; ++i)
    anchors[i] = {1 + 20'000 * i, 5000 + 19'997 * i + i % 3};
  clock.update(anchors, 20);

  std::vector<unsigned char> buffer(16 << 20);
  unsigned char *to = nullptr;
  uint64_t count = 0;
  const auto append = [&] {
    if (to) {
      ASSERT_EQ(file.append(buffer.data(), static_cast<size_t>(to - buffer.data()), count), 0);
    }
    to = nullptr, count = 0;
  };
  const uint64_t end = memory.chunks.size() * kStampsOfChunk;
  for (uint64_t limit = random() % 9000; limit < end + 9000; limit += random() % 9000)
    for (bool more = true, isLast = limit >= end; more;) {
      ASSERT_TRUE(reader.look(memory, thread, limit, isLast));
      if (!to)
        to = file.beginBatch(buffer.data());
      count += takePlain(memory, clock, modules, reader, file, to);
      reader.take(batch);
      for (uint64_t i = 0; i < batch.count; ++i)
        ring::expand(reader.expansion, batch.records[i], clock, modules, grow,
                     [&](const ring::Event &e) { to = file.encode(to, e), ++count; });
      more = reader.advance(memory, batch);
      reader.giveBack(memory, thread);
      if (random() % 3 == 0)
        append();
    }
  append();
  EXPECT_EQ(file.finish(false), 0);
  std::free(reader.expansion.stack.memory());
}

std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string convert(const std::string &from, const std::string &to, bool toPacked) {
  auto source = model::openTrace(from);
  EXPECT_TRUE(source) << source.error().text();
  const auto sink = model::makeAtfFileSink(to, {.version = 2, .packed = toPacked});
  const auto done = model::convert(**source, *sink);
  EXPECT_TRUE(done) << done.error().text();
  return to;
}

// How many events of each kind the file has.
std::map<EventKind, size_t> endsIn(const std::string &path) {
  std::map<EventKind, size_t> counts;
  const auto reader = atf::IndexReader::open(path);
  EXPECT_TRUE(reader) << reader.error().text();
  reader->forEach([&](uint64_t, const atf::IndexEvent &event) { ++counts[event.kind]; });
  return counts;
}

} // namespace

TEST(Equivalence, PackedAndAtf) {
  size_t blocks = 0, inferred = 0, missing = 0;
  for (unsigned turn = 0; turn < test::casesOf(24u, 4u); ++turn) {
    const ScratchDirectory scratch;
    const std::string atfPlace = scratch / "atf/x", packedPlace = scratch / "packed/x"; // also makes the parent folders
    const std::string atfFolder = atfPlace.substr(0, atfPlace.size() - 2),
                      packedFolder = packedPlace.substr(0, packedPlace.size() - 2);
    const unsigned wild = (unsigned[]){0, 1, 20, 300}[turn % 4];
    const bool inverts = (turn + turn / 4) % 2; // in eight turns with each of these
    IndexFile atf;
    PackedFile packed;
    const auto writer = std::make_unique<packed::BlockWriter>();
    atf.begin(atfFolder.c_str(), 0, 4711, 2);
    packed.begin(packedFolder.c_str(), 0, 4711, *writer);
    Memory first = randomMemory(turn, wild, inverts, 30), second = randomMemory(turn, wild, inverts, 30);
    ASSERT_NO_FATAL_FAILURE(record(first, atf, turn));
    ASSERT_NO_FATAL_FAILURE(record(second, packed, turn));
    ASSERT_EQ(atf.events(), packed.events());
    EXPECT_GT(atf.events(), 50'000u);
    // The loop for packed files writes what the encoder writes by itself.
    ByEvents byEvents;
    const auto itsWriter = std::make_unique<packed::BlockWriter>();
    const std::string itsPlace = scratch / "events/x", itsFolder = itsPlace.substr(0, itsPlace.size() - 2);
    byEvents.begin(itsFolder.c_str(), 0, 4711, *itsWriter);
    Memory third = randomMemory(turn, wild, inverts, 30);
    ASSERT_NO_FATAL_FAILURE(record(third, byEvents, turn));
    EXPECT_TRUE(bytesOf(itsFolder + "/thread_0.index.atp") == bytesOf(packedFolder + "/thread_0.index.atp"));
    const std::string recorded = atfFolder + "/thread_0/index.atf", atp = packedFolder + "/thread_0.index.atp";
    const std::string wanted = bytesOf(recorded);
    ASSERT_EQ(wanted.size(), 32 * atf.events() + 128);
    EXPECT_TRUE(bytesOf(convert(atp, scratch / "from_packed.atf", false)) == wanted) << "turn " << turn;
    const std::string there = convert(recorded, scratch / "from_atf.atp", true);
    EXPECT_TRUE(bytesOf(convert(there, scratch / "and_back.atf", false)) == wanted) << "turn " << turn;
    // Packing the drain's file again loses nothing, either. Its bytes differ where ATF has no number for how a call
    // ended.
    const std::string again = convert(atp, scratch / "again.atp", true);
    EXPECT_TRUE(bytesOf(convert(again, scratch / "from_again.atf", false)) == wanted) << "turn " << turn;
    EXPECT_EQ(endsIn(again), endsIn(atp)) << "turn " << turn;
    EXPECT_EQ(endsIn(there).count(EventKind::Inferred), 0u) << "turn " << turn;
    inferred += endsIn(atp)[EventKind::Inferred], missing += endsIn(atp)[EventKind::Missing];
    blocks += bytesOf(atp).size() / packed::kBlockBodyBytes;
  }
  EXPECT_GT(packedPlain, 100'000u);
  EXPECT_GT(blocks, test::casesOf<size_t>(24, 4));
  EXPECT_GT(inferred, 0u);
  EXPECT_GT(missing, 0u);
}

namespace {

// What a hook sees: a function event's registers, vector registers and stack, partly equal to the previous event's.
struct RandomDetail {
  ada_detail detail;
  uint64_t vectors[16];
  uint64_t stack[ADA_MOST_STACK_BYTES / 8];

  void change(std::mt19937 &random) {
    const auto wide = [&] { return uint64_t{random()} << random() % 32; };
    for (uint64_t &value : detail.registers)
      value = random() % 3 ? value : wide();
    detail.sp = 0x7ffc00000000 + random() % 64 * 16, detail.fp = detail.sp + 64;
    detail.lr = 0x400000 + random() % 32;
    detail.vectors = static_cast<uint8_t>(random() % 3 ? 0 : random() % 9);
    detail.stack_bytes = static_cast<uint16_t>(random() % 3 ? 128 : random() % 257);
    for (uint64_t &value : vectors)
      value = random() % 2 ? value : wide();
    for (uint64_t &value : stack)
      value = random() % 3 ? value : wide();
    // The stack follows the vector registers directly.
    if (detail.vectors < 8)
      std::memmove(vectors + size_t{2} * detail.vectors, stack, detail.stack_bytes);
  }
};
static_assert(sizeof(RandomDetail) == sizeof(ada_detail) + sizeof RandomDetail::vectors + sizeof RandomDetail::stack);

std::string asAtf(const std::string &from, const std::string &to) {
  auto reader = atf::DetailReader::open(from);
  EXPECT_TRUE(reader) << reader.error().text();
  auto writer = atf::DetailWriter::create(to, {.threadId = 4711});
  EXPECT_TRUE(writer);
  reader->forEach([&](const atf::DetailEvent &event) { EXPECT_TRUE(writer->append(event, event.payload)); });
  EXPECT_TRUE(writer->finish());
  return bytesOf(to);
}

} // namespace

// The same for detail files, which the drain also cuts to the events in its index files.
TEST(Equivalence, PackedAndAtfDetail) {
  for (unsigned turn = 0; turn < test::casesOf(24u, 3u); ++turn) {
    std::mt19937 random(turn);
    const ScratchDirectory scratch;
    const std::string atfPlace = scratch / "atf/x", packedPlace = scratch / "packed/x"; // also makes the parent folders
    const std::string atfFolder = atfPlace.substr(0, atfPlace.size() - 2),
                      packedFolder = packedPlace.substr(0, packedPlace.size() - 2);
    DetailFile atf;
    PackedDetailFile packed;
    PackedDetailFile::Memory *memory = nullptr;
    atf.begin(atfFolder.c_str(), 0, 4711, 2);
    packed.begin(packedFolder.c_str(), 0, 4711, memory);
    std::vector<unsigned char> buffer(1 << 20);
    auto found = std::make_unique<RandomDetail>();
    *found = {};
    uint64_t seq = 0, ns = 1000;
    for (unsigned batches = 0; batches < 60; ++batches) {
      size_t used = 0;
      atf::DetailTotals totals;
      for (unsigned i = random() % 400; i > 0; --i) {
        seq += 1 + (random() % 9 == 0), ns += random() % 300;
        found->change(random);
        const ring::Event event{.timestampNs = ns,
                                .functionId = 1ull << 32 | random() % 40,
                                .kind = random() % 2 ? ring::kCall : ring::kReturn};
        unsigned count = 0;
        const size_t bytes = atf.encode(buffer.data() + used, event, found->detail, seq, count);
        totals.add({count, bytes, ns, ns, seq, seq});
        used += bytes;
      }
      ASSERT_EQ(atf.append(buffer.data(), totals), 0);
      ASSERT_EQ(packed.append(buffer.data(), totals), 0);
      if (turn % 3 == 1 && random() % 8 == 0) { // it continues after a flush
        ASSERT_EQ(packed.finish(), 0);
      }
      if (turn % 3 == 2 && random() % 8 == 0) { // some index events could not be written
        const uint64_t keep = seq - std::min<uint64_t>(seq, random() % (random() % 2 ? 50 : 4000));
        ASSERT_EQ(atf.cutTo(keep, [](uint64_t) {}), 0);
        ASSERT_EQ(packed.cutTo(keep), 0);
        seq = keep;
      }
      ASSERT_EQ(atf.events(), packed.events());
      packed.closeDescriptor(), atf.closeDescriptor();
    }
    ASSERT_EQ(atf.finish(), 0);
    ASSERT_EQ(packed.finish(), 0);
    EXPECT_EQ(atf.exists(), packed.exists());
    if (!atf.exists())
      continue;
    const std::string wanted = bytesOf(atfFolder + "/thread_0/detail.atf");
    EXPECT_EQ(wanted.size(), atf.bytes() + atf::kFooterBytes);
    EXPECT_TRUE(asAtf(packedFolder + "/thread_0.detail.atp", scratch / "back.atf") == wanted) << "turn " << turn;
    sys::unmap(memory, sizeof *memory);
  }
}
