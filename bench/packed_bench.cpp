// Measures how fast and how small packed index and detail files are, on one thread, with everything in memory:
//
//   packed_bench INDEX.ATF|DETAIL.ATF...
//
// encodes the events of each ATF index or detail file into blocks and decodes them, and prints events per second
// as JSON, one figure per set:
//   encode   into blocks, index events in pieces of 4,096, with the checksum
//   decode   from the blocks, whose checksums are checked
// and, on standard error, the bytes per event.
#include "sets.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "shared/encode/packed_blocks.h"
#include "shared/encode/packed_detail_blocks.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace ada::packed;

namespace {
constexpr int kSets = 7;
constexpr size_t kPiece = 4096;

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "packed_bench: %s\n", what.c_str());
  std::exit(1);
}

struct Source {
  uint64_t ns, function;
  uint32_t kind;
};

std::vector<Source> readEvents(const char *path) {
  auto reader = ada::atf::IndexReader::open(path);
  if (!reader)
    die(reader.error().text());
  std::vector<Source> events;
  events.reserve(reader->size());
  reader->forEach(reader->all(), [&](uint64_t, const ada::atf::IndexEvent &event) {
    events.push_back({event.timestampNs, event.functionId, static_cast<uint32_t>(event.kind)});
  });
  return events;
}

__attribute__((target("sse4.2"))) uint32_t crc32c(uint32_t before, const void *data, size_t bytes) {
  uint64_t sum = ~before;
  auto *at = static_cast<const Byte *>(data);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t eight;
    __builtin_memcpy(&eight, at, 8);
    sum = __builtin_ia32_crc32di(sum, eight);
  }
  for (; bytes; --bytes)
    sum = __builtin_ia32_crc32qi(static_cast<uint32_t>(sum), *at++);
  return ~static_cast<uint32_t>(sum);
}
constexpr auto kSum = [](uint32_t before, const void *data, size_t bytes) { return crc32c(before, data, bytes); };

// Returns the size of the blocks in bytes.
size_t encode(const std::vector<Source> &events, BlockWriter &writer, std::vector<Byte> &to) {
  writer = {};
  size_t size = 0, start = 0;
  auto close = [&] {
    const RawBlockHeader header = writer.close(kSum);
    __builtin_memcpy(to.data() + start, &header, sizeof header);
  };
  for (size_t i = 0; i < events.size();) {
    if (!writer.isOpen()) {
      start = size = aligned(size);
      size += writer.begin(to.data() + size, kSum);
    }
    Byte *const piece = to.data() + size;
    Encoder::Run run(writer, piece);
    for (const size_t last = std::min(events.size(), i + kPiece); i < last; ++i)
      run.encode(events[i].kind, events[i].function, events[i].ns);
    Byte *const end = run.end();
    writer.added(piece, static_cast<size_t>(end - piece), kSum);
    size += static_cast<size_t>(end - piece);
    if (writer.isFull())
      close();
  }
  if (writer.isOpen())
    close();
  return size;
}

// Returns a sum over the events.
uint64_t decode(const std::vector<Byte> &from, size_t size, State &state) {
  uint64_t sum = 0;
  Decoder decoder(state);
  for (size_t at = 0; at < size;) {
    RawBlockHeader raw;
    __builtin_memcpy(&raw, from.data() + at, sizeof raw);
    const Byte *const calls = from.data() + at + kBlockHeaderBytes, *body = calls + raw.callsBytes;
    if (!isBlockHeader(raw, kSum) || crc32c(0, calls, raw.callsBytes + raw.bodyBytes) != raw.bodyChecksum ||
        !beginDecoding(decoder, raw, calls))
      die("a block is damaged");
    Event event;
    const Byte *const end = body + raw.bodyBytes;
    Decoder::Run run(decoder, body, end);
    while (run.next(event) == Decoded::Event)
      sum += event.ns * 3 + event.functionId * 5 + event.kind;
    at = aligned(static_cast<size_t>(end - from.data()));
  }
  return sum;
}

//===--- detail files -----------------------------------------------------===//

struct Details {
  explicit Details(ada::atf::DetailReader from) : reader(std::move(from)), bytes(reader.fileBytes() * 2 + (1 << 17)) {
    reader.forEach([&](const ada::atf::DetailEvent &event) {
      events.push_back({{event.type, event.flags, event.indexSeq, event.threadId, event.timestampNs}, event.payload});
    });
  }
  struct Source {
    ada::atf::DetailHead head;
    std::span<const std::byte> payload;
  };
  ada::atf::DetailReader reader;
  std::vector<Source> events;
  std::vector<Byte> bytes;
  DetailBlockWriter writer;
  DetailState state;

  // Returns the size of the blocks in bytes.
  size_t encode() {
    writer = {};
    Byte *to = bytes.data(), *start = to, *body = to;
    uint64_t seq = 0;
    auto close = [&] {
      writer.added(body, static_cast<size_t>(to - body), kSum);
      const RawDetailBlockHeader header = writer.close(kSum);
      __builtin_memcpy(start, &header, sizeof header);
    };
    for (const Source &event : events) {
      if (!writer.isOpen()) {
        start = bytes.data() + aligned(static_cast<size_t>(to - bytes.data()));
        to = body = writer.begin(start, seq, kSum);
      }
      to = writer.encode(to, event.head, reinterpret_cast<const Byte *>(event.payload.data()), event.payload.size());
      ++seq;
      if (writer.isFull())
        close();
    }
    if (writer.isOpen())
      close();
    return static_cast<size_t>(to - bytes.data());
  }

  // With `compare`, checks the decoded events against those that were encoded.
  uint64_t decode(size_t size, bool compare) {
    uint64_t sum = 0, seq = 0;
    for (size_t at = 0; at < size;) {
      RawDetailBlockHeader raw;
      __builtin_memcpy(&raw, bytes.data() + at, sizeof raw);
      const Byte *next = bytes.data() + at + kBlockHeaderBytes, *const end = next + raw.bodyBytes;
      if (!isBlockHeader(raw, kSum) || crc32c(0, next, raw.bodyBytes) != raw.bodyChecksum)
        die("a block is damaged");
      state.beginBlock();
      DetailDecoder decoder(state);
      for (UnpackedDetail event; decoder.next(next, end, event) == Decoded::Event; ++seq) {
        sum += event.head.indexSeq + event.payload[0];
        if (compare && (seq >= events.size() || event.head.timestampNs != events[seq].head.timestampNs ||
                        event.bytes != events[seq].payload.size() ||
                        __builtin_memcmp(event.payload, events[seq].payload.data(), event.bytes) != 0))
          die("decoded events differ");
      }
      at = aligned(static_cast<size_t>(end - bytes.data()));
    }
    if (compare && seq != events.size())
      die("not all events are decoded");
    return sum;
  }
};

void addDetails(const char *path, ada::atf::DetailReader reader) {
  auto details = std::make_shared<Details>(std::move(reader));
  const size_t size = details->encode();
  details->decode(size, true);
  std::fprintf(stderr, "%s: %zu detail events, %.2f bytes per event\n", path, details->events.size(),
               static_cast<double>(size) / static_cast<double>(details->events.size()));
  const std::string name = path + std::string(", ");
  addSets(name + "encode", kSets, details->events.size(), [=] { details->encode(); });
  addSets(name + "decode", kSets, details->events.size(),
          [=] { benchmark::DoNotOptimize(details->decode(size, false)); });
}

} // namespace

int main(int count, char **files) {
  for (int i = 1; i < count; ++i) {
    if (auto details = ada::atf::DetailReader::open(files[i])) {
      addDetails(files[i], *std::move(details));
      continue;
    }
    auto events = std::make_shared<std::vector<Source>>(readEvents(files[i]));
    auto bytes =
        std::make_shared<std::vector<Byte>>(events->size() * 4 + kPiece * kMaxEventBytes + kMaxBlockStartBytes);
    auto writer = std::make_shared<BlockWriter>();
    auto state = std::make_shared<State>();
    uint64_t sum = 0;
    for (const Source &event : *events)
      sum += event.ns * 3 + event.function * 5 + event.kind;
    const size_t size = encode(*events, *writer, *bytes);
    if (decode(*bytes, size, *state) != sum)
      die("decoded events differ");
    std::fprintf(stderr, "%s: %zu events, %.4f bytes per event\n", files[i], events->size(),
                 static_cast<double>(size) / static_cast<double>(events->size()));
    const std::string name = files[i] + std::string(", ");
    addSets(name + "encode", kSets, events->size(), [=] { encode(*events, *writer, *bytes); });
    addSets(name + "decode", kSets, events->size(), [=] { benchmark::DoNotOptimize(decode(*bytes, size, *state)); });
  }
  runSets(files[0]);
}
