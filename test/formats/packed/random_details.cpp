// Makes random detail events: a program that calls and returns, with a stack in memory.
#include "random_details.h"

#include <cstring>
#include <random>

namespace ada::packed {

namespace {

class Program {
public:
  explicit Program(unsigned seed) : random_(seed), memory_(1 << 13) {}

  void step(std::vector<RandomDetail> &to) {
    now_ += random_() % 200;
    if (calls_.empty() || (calls_.size() < 40 && random_() % 2))
      call(to);
    else
      leave(to);
    seq_ += 1 + (random_() % 8 == 0);
  }

private:
  struct Call {
    uint64_t function, sp, fp, lr;
  };

  void call(std::vector<RandomDetail> &to) {
    const uint64_t caller = calls_.empty() ? 0 : calls_.back().function;
    const uint64_t function = 1ull << 32 | (caller * 7 + random_() % 3) % 50;
    const uint64_t sp = (calls_.empty() ? kTop : calls_.back().sp) - 48 - function % 5 * 16;
    calls_.push_back({function, sp, sp + 160, 0x555500001000 + caller * 64 + function % 3 * 8});
    write(sp, calls_.back().lr);
    write(sp + 8, 0x7f0012340000 + random_() % 64 * 16);
    emit(to, atf::kDetailFunctionCall, calls_.back());
  }
  void leave(std::vector<RandomDetail> &to) {
    const Call call = calls_.back();
    calls_.pop_back();
    emit(to, atf::kDetailFunctionReturn, call);
  }

  void emit(std::vector<RandomDetail> &to, uint16_t type, const Call &call) {
    uint64_t registers[8];
    for (uint64_t &value : registers)
      switch (random_() % 6) {
      case 0:
        value = 0;
        break;
      case 1:
        value = random_() >> random_() % 64;
        break;
      case 2:
        value = call.sp + random_() % 256;
        break;
      case 3:
        value = 0 - random_() % 1000;
        break;
      default:
        value = 0x7f0012340000 + call.function % 64 * 4096 + random_() % 4 * 16;
      }
    const size_t stackBytes = call.function % 7 == 0 ? 13 : call.function % 11 == 0 ? 256 : 128;
    Byte stack[atf::kMaxStackBytes];
    for (size_t i = 0; i < sizeof stack; i += 8)
      std::memcpy(stack + i, &at(call.sp + i), 8);
    add(to, {.type = type, .indexSeq = seq_, .timestampNs = now_}, [&](Byte *payload) {
      return atf::encodeFunctionPayload(payload,
                                        {call.function, registers, call.lr, call.fp, call.sp, stack, stackBytes});
    });
    if (call.function % 4 != 0)
      return;
    double vectors[16] = {};
    for (size_t i = 0; i < 16; i += 2)
      vectors[i] = static_cast<double>(random_() % 100) / 4;
    add(to, {.type = atf::kDetailVectors, .indexSeq = seq_, .timestampNs = now_}, [&](Byte *payload) {
      return atf::encodeVectorPayload(payload, call.function, static_cast<unsigned>(call.function / 4 % 9), vectors);
    });
  }
  template <class Fill> void add(std::vector<RandomDetail> &to, const atf::DetailHead &head, Fill &&fill) {
    Byte payload[atf::kMaxFunctionPayloadBytes];
    const size_t bytes = fill(payload);
    const auto *from = reinterpret_cast<const std::byte *>(payload);
    to.push_back({head, {from, from + bytes}});
  }

  static constexpr uint64_t kTop = 0x7ffe00008000;
  uint64_t &at(uint64_t address) { return memory_[address / 8 % memory_.size()]; }
  void write(uint64_t address, uint64_t value) { at(address) = value; }

  std::mt19937_64 random_;
  std::vector<uint64_t> memory_;
  std::vector<Call> calls_;
  uint64_t now_ = 1000, seq_ = 0;
};

} // namespace

std::vector<RandomDetail> randomDetails(size_t count, unsigned seed, bool wild) {
  std::vector<RandomDetail> details;
  Program program(seed);
  std::mt19937_64 random(seed + 1);
  while (details.size() < count) {
    program.step(details);
    if (!wild)
      continue;
    RandomDetail &last = details.back();
    switch (random() % 8) {
    case 0: // something else, of any length
      last.head.type = static_cast<uint16_t>(random());
      last.payload.resize(random() % 3 ? random() % 40 : random() % 600);
      break;
    case 1:
      last.head.flags = static_cast<uint16_t>(random());
      break;
    case 2:
      last.head.indexSeq = random() >> random() % 64;
      last.head.timestampNs = random() >> random() % 64;
      break;
    case 3: // a payload that is almost one of a function
      if (!last.payload.empty())
        last.payload[random() % last.payload.size()] = std::byte(random());
      break;
    default:
      break;
    }
  }
  details.resize(count);
  return details;
}

} // namespace ada::packed
