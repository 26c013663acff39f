// drain_loop packed|atf ROUNDS [held]: the drain's loop over the plain records of 50 chunks, that many times. held: each
// chunk begins with a record that is not plain, as if the thread had waited for it, and there was a whole chunk of such
// records before.
//
// The calls are those of a program: a tree of functions that call each other in a fixed order, more or less deep from
// turn to turn, with times that are mostly short.
#include "bench/chunks.h"
#include "shared/encode/atf.h"
#include "shared/encode/packed_sink.h"

#include <cstdio>
#include <memory>

using namespace ada;
using namespace ada::bench;

namespace {

constexpr uint64_t kChunks = 50;

class Program {
public:
  Program(Memory &memory, bool isHeld) : filler_(memory, kChunks), isHeld_(isHeld) {
    for (uint64_t turn = 0; !filler_.isFull(); ++turn)
      call(0, 1 + turn % 5);
  }

private:
  void call(uint64_t function, uint64_t depth) {
    if (filler_.isFull())
      return;
    note();
    filler_.call(next(), function);
    for (uint64_t i = 0; depth > 0 && i < 3; ++i)
      call((function * 3 + i + 1) % 64, depth - 1);
    if (filler_.isFull())
      return;
    note();
    filler_.exit(next());
  }
  void note() {
    if (isHeld_ && filler_.isAtChunk())
      filler_.stack(next());
  }
  uint64_t next() { return stamp_ += 30 + stamp_ * 7 % 50 + (stamp_ % 61 == 0 ? 200 : 0); }

  Filler filler_;
  bool isHeld_;
  uint64_t stamp_ = 1'000'000;
};

} // namespace

int main(int count, char **argv) {
  Memory memory;
  const Program program(memory, count > 3);
  std::vector<unsigned char> buffer(kChunks * ADA_CHUNK_RECORDS * atf::kIndexEventBytes);
  uint64_t events = 0, bytes = 0;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    Drain drain(memory);
    if (count > 3)
      drain.reader.mostRecords = ADA_CHUNK_RECORDS;
    unsigned char *to = buffer.data();
    if (argv[1][0] == 'p') {
      auto encoder = std::make_unique<packed::Encoder>();
      drain.run(
          [&] {
            packed::PackedSink sink(*encoder, to);
            drain.reader.takePlainTo(memory, drain.clock, drain.modules, sink);
            to = sink.at();
          },
          [&](const ring::Event &e) { to = encoder->encode(to, e.kind, e.functionId, e.timestampNs); }, [] {});
      events = encoder->events;
    } else {
      const auto emit = [&](const ring::Event &e) {
        atf::encodeIndexEvent(to, 2,
                              {.timestampNs = e.timestampNs,
                               .functionId = e.functionId,
                               .detailSeq = atf::kNoDetail,
                               .kind = static_cast<EventKind>(e.kind),
                               .threadId = 1,
                               .storedDepth = e.depth});
        to += atf::kIndexEventBytes;
      };
      drain.readPlain(emit, [] {});
      events = static_cast<uint64_t>(to - buffer.data()) / atf::kIndexEventBytes;
    }
    bytes = static_cast<uint64_t>(to - buffer.data());
  }
  std::printf("{\"events\": %llu, \"bytes\": %llu}\n", static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(bytes));
}
