// Writes a trace as dial9 and as wtf-trace, in memory, and reads both with the formats' own decoders.
#include <ada/trace/convert.h>
#include <ada/trace/dial9.h>
#include <ada/trace/wtf.h>

#include <iostream>
#include <memory>
#include <string>

namespace {

struct Dial9Events : ada::dial9::Visitor {
  unsigned long calls = 0;
  void onEvent(const ada::dial9::EventView &event) override { calls += event.schema->name() == "ada.Call"; }
};

struct WtfRecords : ada::wtf::Visitor {
  unsigned long records = 0;
  void onRecord(const ada::wtf::Record &) override { ++records; }
};

/// The bytes of a trace in the format of the sink that `makeSink` makes.
template <class MakeSink> std::string converted(const char *path, MakeSink makeSink) {
  std::string bytes;
  auto source = ada::model::openTrace(path);
  if (!source) {
    std::cerr << source.error().text() << '\n';
    std::exit(3);
  }
  const std::unique_ptr<ada::model::TraceSink> sink = makeSink([&](std::span<const std::byte> more) {
    bytes.append(reinterpret_cast<const char *>(more.data()), more.size());
    return true;
  });
  if (auto done = ada::model::convert(**source, *sink); !done) {
    std::cerr << done.error().text() << '\n';
    std::exit(3);
  }
  for (const ada::model::Loss &loss : sink->losses())
    std::cerr << "lost: " << loss.count << ' ' << loss.what << '\n';
  return bytes;
}

} // namespace

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "ada-traces";

  const std::string dial9 = converted(path, ada::model::makeDial9Sink);
  Dial9Events events;
  ada::dial9::Decoder decoder(events);
  decoder.push({reinterpret_cast<const uint8_t *>(dial9.data()), dial9.size()});
  std::cout << "dial9: " << events.calls << " calls\n";

  const std::string wtf = converted(
      path, [](auto bytes) { return ada::model::makeWtfSink(bytes, {.dialect = ada::wtf::Dialect::Chunked}); });
  WtfRecords records;
  ada::wtf::Decoder wtfDecoder(records);
  if (auto done = wtfDecoder.push(wtf.data(), wtf.size()); !done) {
    std::cerr << done.error().text() << '\n';
    return 3;
  }
  std::cout << ada::wtf::dialectName(wtfDecoder.header()->dialect) << ": " << (records.records > 0 ? "some" : "no")
            << " records\n";
  return 0;
}
