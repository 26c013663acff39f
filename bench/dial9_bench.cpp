// How fast dial9 streams are written and read: the million-event stream, with 3- and with 16-frame stacks.
//
//   dial9_bench              five sets each, in events per second, as JSON
//   dial9_bench once WHAT [FRAMES [EVENTS]]
//                            WHAT is encode or visit, which encodes
//                            first. For callgrind, where the difference of two
//                            runs with different EVENTS is the cost of the
//                            additional events
#include "dial9_stream.h"
#include "sets.h"

#include "ada/trace/dial9.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

using namespace ada;

namespace {
constexpr uint64_t kEvents = 1'000'000;
constexpr int kSets = 5;

/// Reads every value, so that no part of decoding is left out.
struct Summer : dial9::Visitor {
  uint64_t events = 0, sum = 0;
  void onEvent(const dial9::EventView &event) override {
    ++events;
    uint64_t total = event.timestampNs;
    for (const dial9::Value &value : event.values)
      if (value.type() == dial9::FieldType::StackFrames) {
        dial9::AddressList stack = value.asStack();
        total += stack.empty() ? 0 : stack[stack.size() - 1];
      } else {
        total += value.asUint64();
      }
    sum += total;
  }
};

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "dial9_bench: %s\n", what);
  std::exit(1);
}

dial9::Encoder encode(uint64_t events, size_t frames) {
  dial9::Encoder encoder;
  encoder.reserve(events * (20 + frames * 8 / 5));
  if (!bench::writeSchedulerStream(encoder, events, frames))
    die("the encoder refused an event");
  return encoder;
}

void visit(std::span<const uint8_t> bytes, uint64_t events) {
  Summer summer;
  dial9::Decoder decoder(summer);
  decoder.push(bytes);
  if (!decoder.status().ok() || summer.events != events || !summer.sum)
    die("the stream was not read back");
}
} // namespace

int main(int argc, char **argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "once") {
    const std::string_view what = argv[2];
    const size_t frames = argc > 3 ? std::stoul(argv[3]) : 3;
    const uint64_t events = argc > 4 ? std::stoull(argv[4]) : kEvents;
    dial9::Encoder encoder = encode(events, frames);
    if (what == "visit")
      visit(encoder.bytes(), events);
    else if (what != "encode")
      die("WHAT is encode or visit");
    return 0;
  }
  if (argc != 1)
    die("usage: dial9_bench [once encode|visit [FRAMES [EVENTS]]]");
  for (size_t frames : {3, 16}) {
    auto stream = std::make_shared<dial9::Encoder>(encode(kEvents, frames));
    const std::string name = std::to_string(frames) + " frames, ";
    addSets(name + "encode", kSets, kEvents, [=] { (void)encode(kEvents, frames); });
    addSets(name + "visit", kSets, kEvents, [=] { visit(stream->bytes(), kEvents); });
    benchmark::AddCustomContext(std::to_string(frames) + " frames", std::to_string(stream->bytes().size()) + " bytes");
  }
  runSets(argv[0]);
}
