// Measures what the drain's work costs on one thread, without the program that it belongs to:
//
//   drain_bench FOLDER [CHUNKS]
//
// fills chunks as hooks do (calls and returns, nested at random up to 30 deep, or the same repeated in a circle of some
// thousand, or empty calls of any function), has the drain's own code read them, and prints events per second as JSON,
// one figure per set:
//   batch    records taken and expanded by the general rules (chunk_walk.h, expander.h)
//   plain    the same records by the pass for the ordinary case (plain_walk.h)
//   encode   plain, and encoded as ATF 2 into memory
//   packed   plain, and encoded as a packed body into memory
//   sum      the checksum of what was encoded
//   zero     chunks zeroed for their next use
//   file     empty calls: plain, encoded, summed and written to a file in FOLDER
#include "sets.h"

#include "core/base/crc.h"
#include "core/files/index_file.h"
#include "core/files/packed_file.h"
#include "shared/ring/thread_reader.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace ada;
using namespace ada::runtime;

namespace {

constexpr int kSets = 7;
constexpr uint64_t kEntries = 0x100000, kFunctions = 2000;

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "drain_bench: %s\n", what);
  std::exit(1);
}

struct Memory {
  std::vector<ada_chunk *> chunks;
  ada_chunk *chunk(uint64_t number) { return chunks[number]; }
  void giveBack(ada_chunk *) {}
  void wake(ada_ring_thread &) {}
  void noteClosed(int) {}
};

// `deepest`: how deep calls nest. At 1 they are a loop of empty calls, above that they come and go at random.
// `repeats`: the same calls repeat in a circle of some 3,000, as in real programs; otherwise no call is as expected.
void fill(Memory &memory, uint64_t count, size_t deepest, bool repeats) {
  char *at = static_cast<char *>(std::aligned_alloc(ADA_CHUNK_BYTES, count * ADA_CHUNK_BYTES));
  std::memset(at, 0, count * ADA_CHUNK_BYTES);
  std::vector<uint64_t> stack;
  uint64_t stamp = 1'000'000, random = 1, turn = 0;
  for (uint64_t c = 0; c < count; ++c, at += ADA_CHUNK_BYTES) {
    auto *chunk = reinterpret_cast<ada_chunk *>(at);
    chunk->state = ADA_CHUNK_USED, chunk->seq = c, chunk->number = c, chunk->start_stamp = stamp;
    chunk->next = c + 1 < count ? c + 2 : 0;
    auto *records = reinterpret_cast<ada_record *>(chunk + 1);
    for (uint64_t i = 0; i < ADA_CHUNK_RECORDS; ++i) {
      if (repeats && ++turn > 6000 && stack.empty())
        random = 1, turn = 0;
      random = random * 6364136223846793005u + 1442695040888963407u;
      stamp += 20 + (random >> 58);
      if (stack.empty() || (stack.size() < deepest && (random >> 40 & 1))) {
        stack.push_back(kEntries + (random >> 41) % kFunctions * sizeof(ada_function));
        records[i] = {stamp, stack.back() | ADA_RECORD_CALL};
      } else {
        records[i] = {stamp, stack.back() | ADA_RECORD_RETURN};
        stack.pop_back();
      }
    }
    memory.chunks.push_back(chunk);
  }
}

ring::Frame *grow(ring::Frame *old, size_t, size_t newCapacity) {
  return static_cast<ring::Frame *>(std::realloc(old, newCapacity * sizeof(ring::Frame)));
}

struct Drain {
  Memory &memory;
  ring::ThreadReader reader;
  ring::ClockMap clock;
  ring::ModuleMap modules;
  ring::RecordBatch batch;
  ada_ring_thread thread = {};
  ada_ring_module module = {};
  ada_anchor anchors[ADA_RING_ANCHORS] = {{0, 0}, {4'000'000'000'000, 2'000'000'000'000}};
  std::vector<ada_record> records = std::vector<ada_record>(ADA_CHUNK_RECORDS);
  std::vector<const ada_detail *> details = std::vector<const ada_detail *>(ADA_CHUNK_RECORDS);
  std::vector<uint16_t> places = std::vector<uint16_t>(ADA_CHUNK_RECORDS);

  explicit Drain(Memory &from) : memory(from) {
    module.begin = kEntries, module.end = kEntries + kFunctions * sizeof(ada_function), module.module_id = 1;
    modules.update(&module, 1);
    clock.update(anchors, 2);
    thread.first_chunk = 1;
    batch.records = records.data(), batch.details = details.data(), batch.places = places.data();
  }
  ~Drain() { std::free(reader.expansion.stack.frames); }

  // Reads all chunks. For each chunk, `begin()` returns what takes its events, and `chunkRead()` is called after it.
  template <class Begin, class Read> void run(bool plain, Begin &&begin, Read &&chunkRead) {
    for (bool more = true; more;) {
      if (!reader.look(memory, thread, UINT64_MAX, false))
        die("nothing to read");
      {
        auto &&emit = begin();
        if (plain)
          reader.takePlain(memory, clock, modules, emit);
        reader.take(batch);
        for (uint64_t i = 0; i < batch.count; ++i)
          ring::expand(reader.expansion, batch.records[i], clock, modules, grow, emit);
      }
      more = reader.advance(memory, batch);
      reader.giveBack(memory, thread);
      chunkRead();
    }
  }
};

} // namespace

// Long because it is one list of sets.
int main(int argc, char **argv) {
  if (argc < 2)
    die("usage: drain_bench FOLDER [CHUNKS]");
  const std::string folder = argv[1];
  Memory memory, repeating;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  Memory loop;
  fill(memory, count, 30, false);
  fill(loop, count, 1, false);
  fill(repeating, count, 30, true);
  std::vector<unsigned char> buffer(IndexFile::kMostBatchBytes + 2 * ADA_CHUNK_RECORDS * atf::kIndexEventBytes);
  unsigned char *to = buffer.data();
  IndexFile plainFile;
  plainFile.begin(folder.c_str(), 0, 1, 2);
  auto encode = [&] { return [&](const ring::Event &e) { to = plainFile.encode(to, e); }; };
  uint64_t sum = 0;
  auto add = [&] { return [&](const ring::Event &e) { sum += e.timestampNs ^ e.functionId; }; };

  const auto events = static_cast<uint64_t>(memory.chunks.size()) * ADA_CHUNK_RECORDS;
  addSets("batch", kSets, events, [&] { Drain(memory).run(false, add, [] {}); });
  addSets("plain", kSets, events, [&] { Drain(memory).run(true, add, [] {}); });
  addSets("plain, empty calls", kSets, events, [&] { Drain(loop).run(true, add, [] {}); });
  addSets("encode, empty calls", kSets, events, [&] { Drain(loop).run(true, encode, [&] { to = buffer.data(); }); });
  addSets("encode", kSets, events, [&] { Drain(memory).run(true, encode, [&] { to = buffer.data(); }); });
  auto blocks = std::make_unique<packed::BlockWriter>();
  PackedFile packedFile;
  auto pack = [&](Memory &from) {
    packedFile.begin(folder.c_str(), 0, 1, *blocks);
    unsigned char *at = packedFile.beginBatch(buffer.data());
    struct Pack {
      PackedFile::Run run;
      unsigned char *&at;
      __attribute__((always_inline)) void operator()(const ring::Event &e) { run.encode(e); }
      ~Pack() { at = run.end(); }
    };
    Drain(from).run(
        true, [&] { return Pack{{packedFile, at}, at}; },
        [&] {
          if (at >= buffer.data() + PackedFile::kMostBatchBytes)
            at = buffer.data();
        });
  };
  addSets("packed, empty calls", kSets, events, [&] { pack(loop); });
  addSets("packed", kSets, events, [&] { pack(memory); });
  addSets("plain, repeating calls", kSets, events, [&] { Drain(repeating).run(true, add, [] {}); });
  addSets("packed, repeating calls", kSets, events, [&] { pack(repeating); });
  addSets("sum", kSets, events, [&] {
    for (size_t i = 0; i < memory.chunks.size(); ++i)
      sum += crc32c(0, buffer.data(), ADA_CHUNK_RECORDS * atf::kIndexEventBytes);
  });
  addSets("zero", kSets, events, [&] {
    static ada_chunk *spare = static_cast<ada_chunk *>(std::aligned_alloc(ADA_CHUNK_BYTES, ADA_CHUNK_BYTES));
    for (size_t i = 0; i < memory.chunks.size(); ++i) {
      ring::zeroRecords(*spare);
      __asm__ volatile("" : : "r"(spare) : "memory");
    }
  });
  const std::string path = folder + "/thread_0/index.atf";
  addSets(
      "file", kSets, events, [&] { std::remove(path.c_str()); },
      [&] {
        IndexFile file;
        file.begin(folder.c_str(), 0, 1, 2);
        auto write = [&] {
          const auto bytes = static_cast<size_t>(to - buffer.data());
          if (file.append(buffer.data(), bytes, bytes / atf::kIndexEventBytes) < 0)
            die("cannot write");
          to = buffer.data();
        };
        Drain(loop).run(true, encode, [&] {
          if (to >= buffer.data() + IndexFile::kMostBatchBytes)
            write();
        });
        write();
        file.closeDescriptor();
      });
  runSets(argv[0]);
  std::remove(path.c_str());
  std::remove((folder + "/thread_0").c_str());
  return sum == 0;
}
