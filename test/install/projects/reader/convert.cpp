// Converts a session to dial9 and reads it back, using only the public headers of the trace library; counts calls by
// the model and events by the format's own decoder. Has its own fmt.
#include <ada/trace/convert.h>
#include <ada/trace/dial9.h>
#include <ada/trace/wtf.h>

#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

struct CountCalls : ada::model::TraceSink {
  unsigned long calls = 0;
  ada::Expected<void> events(const ada::model::Batch &batch) override {
    for (const ada::model::Event &event : batch.events)
      calls += event.kind == ada::model::Kind::Call;
    return {};
  }
};

struct CountEvents : ada::dial9::Visitor {
  unsigned long events = 0;
  void onEvent(const ada::dial9::EventView &event) override { events += event.schema->name() == "ada.Call"; }
};

int fail(const ada::Error &error) {
  std::cerr << error.text() << '\n';
  return 3;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::ofstream out(argv[2], std::ios::binary);
  auto source = ada::model::openTrace(argv[1]);
  if (!source)
    return fail(source.error());
  auto sink = ada::model::makeDial9Sink([&](auto bytes) {
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    return out.good();
  });
  if (auto done = ada::model::convert(**source, *sink); !done)
    return fail(done.error());
  out.close();
  for (const ada::model::Loss &loss : sink->losses())
    std::cerr << loss.count << ' ' << loss.what << '\n';

  auto back = ada::model::openTrace(argv[2]);
  if (!back)
    return fail(back.error());
  CountCalls calls;
  if (auto done = (*back)->read(calls); !done)
    return fail(done.error());
  std::ifstream in(argv[2], std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  CountEvents events;
  ada::dial9::Decoder decoder(events);
  decoder.push({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  std::cout << fmt::format("{} calls, {} ada.Call events, {}\n", calls.calls, events.events,
                           ada::wtf::dialectName(ada::wtf::Dialect::Chunked));
  return 0;
}
