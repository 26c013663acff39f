// Measures what the drain's work costs on one thread, without the program that it belongs to:
//
//   drain_bench FOLDER [CHUNKS [INDEX]]
//
// fills chunks as hooks do (calls and returns, nested at random up to 30 deep, or the same repeated in a circle of some
// thousand, or empty calls of any function, or those of a real program from INDEX, its index.atf of ATF 2), has the
// drain's own code read them, and prints events per second as JSON, one figure per set:
//   batch    records taken and expanded by the general rules (chunk_walk.h, expander.h)
//   plain    the same records by the pass for the ordinary case (plain_walk.h)
//   encode   plain, and encoded as ATF 2 into memory
//   packed   plain, and encoded as a packed body into memory
//   sum      the checksum of what was encoded
//   zero     chunks zeroed for their next use
//   file     empty calls: plain, encoded, summed and written to a file in FOLDER
#include "chunks.h"
#include "sets.h"

#include "core/base/crc.h"
#include "core/files/index_file.h"
#include "core/files/packed_file.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <vector>

using namespace ada;
using namespace ada::bench;
using namespace ada::runtime;

namespace {

constexpr int kSets = 7;

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "drain_bench: %s\n", what);
  std::exit(1);
}

// `deepest`: how deep calls nest. At 1 they are a loop of empty calls, above that they come and go at random.
// `repeats`: the same calls repeat in a circle of some 3,000; otherwise no call is as expected.
void fill(Memory &memory, uint64_t count, size_t deepest, bool repeats) {
  Filler filler(memory, count);
  for (uint64_t stamp = 1'000'000, random = 1, turn = 0; !filler.isFull();) {
    if (repeats && ++turn > 6000 && filler.depth() == 0)
      random = 1, turn = 0;
    random = random * 6364136223846793005u + 1442695040888963407u;
    stamp += 20 + (random >> 58);
    if (filler.depth() == 0 || (filler.depth() < deepest && (random >> 40 & 1)))
      filler.call(stamp, random >> 41);
    else
      filler.exit(stamp);
  }
}

// The calls and times of a real thread, from the index file of an ATF 2 session: as often as needed.
void fill(Memory &memory, uint64_t count, const char *indexFile) {
  std::ifstream file(indexFile, std::ios::binary);
  file.seekg(atf::kHeaderBytes);
  std::vector<atf::RawIndexEventV2> events(count * ADA_CHUNK_RECORDS);
  file.read(reinterpret_cast<char *>(events.data()), static_cast<std::streamsize>(events.size() * sizeof events[0]));
  events.resize(static_cast<size_t>(file.gcount()) / sizeof events[0]);
  if (events.empty())
    die("the index file has no events");
  Filler filler(memory, count);
  uint64_t stamp = 1'000'000, lastNs = events[0].timestampNs;
  for (size_t i = 0; !filler.isFull(); i = (i + 1) % events.size()) {
    const atf::RawIndexEventV2 &event = events[i];
    stamp += i > 0 ? (event.timestampNs - lastNs) * 2 : 100;
    lastNs = event.timestampNs;
    if (event.kind == static_cast<uint8_t>(EventKind::Call))
      filler.call(stamp, event.functionId);
    else if (filler.depth() > 0)
      filler.exit(stamp);
  }
}

} // namespace

// Long because it is one list of sets.
int main(int argc, char **argv) {
  if (argc < 2)
    die("usage: drain_bench FOLDER [CHUNKS [INDEX]]");
  const std::string folder = argv[1];
  Memory memory, repeating;
  const uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  Memory loop, real;
  fill(memory, count, 30, false);
  fill(loop, count, 1, false);
  fill(repeating, count, 30, true);
  if (argc > 3)
    fill(real, count, argv[3]);
  std::vector<unsigned char> buffer(IndexFile::kMaxBatchBytes + 2 * ADA_CHUNK_RECORDS * atf::kIndexEventBytes);
  unsigned char *to = buffer.data();
  IndexFile plainFile;
  plainFile.begin(folder.c_str(), 0, 1, 2);
  auto encode = [&](const ring::Event &e) { to = plainFile.encode(to, e); };
  uint64_t sum = 0;
  auto add = [&](const ring::Event &e) { sum += e.timestampNs ^ e.functionId; };
  auto beginAgain = [&] { to = buffer.data(); };

  const auto events = static_cast<uint64_t>(memory.chunks.size()) * ADA_CHUNK_RECORDS;
  addSets("batch", kSets, events, [&] { Drain(memory).readAll(add); });
  addSets("plain", kSets, events, [&] { Drain(memory).readPlain(add, [] {}); });
  addSets("plain, empty calls", kSets, events, [&] { Drain(loop).readPlain(add, [] {}); });
  addSets("encode, empty calls", kSets, events, [&] { Drain(loop).readPlain(encode, beginAgain); });
  addSets("encode", kSets, events, [&] { Drain(memory).readPlain(encode, beginAgain); });
  auto blocks = std::make_unique<packed::BlockWriter>();
  PackedFile packedFile;
  auto pack = [&](Memory &from) {
    packedFile.begin(folder.c_str(), 0, 1, *blocks);
    unsigned char *at = packedFile.beginBatch(buffer.data());
    Drain drain(from);
    drain.run(
        [&] {
          PackedFile::Sink sink = packedFile.sink(at);
          drain.reader.takePlainTo(from, drain.clock, drain.modules, sink);
          at = sink.at();
        },
        [&](const ring::Event &e) { at = packedFile.encode(at, e); },
        [&] {
          if (at >= buffer.data() + PackedFile::kMaxBatchBytes)
            at = buffer.data();
        });
  };
  addSets("packed, empty calls", kSets, events, [&] { pack(loop); });
  addSets("packed", kSets, events, [&] { pack(memory); });
  addSets("plain, repeating calls", kSets, events, [&] { Drain(repeating).readPlain(add, [] {}); });
  addSets("packed, repeating calls", kSets, events, [&] { pack(repeating); });
  if (argc > 3) {
    addSets("encode, real calls", kSets, events, [&] { Drain(real).readPlain(encode, beginAgain); });
    addSets("packed, real calls", kSets, events, [&] { pack(real); });
  }
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
        Drain(loop).readPlain(encode, [&] {
          if (to >= buffer.data() + IndexFile::kMaxBatchBytes)
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
