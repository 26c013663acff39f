// Damaged bytes anywhere: no crash, and the events read can be written in another format.
#include "import_reading.h"
#include "random_trace.h"
#include "scratch_directory.h"

#include "formats/table.h"

#include <random>

namespace ada::test {

namespace {

// A trace as the format's own writer writes it.
std::string written(const char *format, unsigned seed) {
  const RecordedTrace trace = randomTrace({.seed = seed, .details = true, .texts = true});
  Player player(trace);
  std::string bytes;
  const formats::FormatChoice choice = formats::formatNamed(format);
  auto sink = choice.format->makeSink({.bytes =
                                           [&](std::span<const std::byte> data) {
                                             bytes.append(reinterpret_cast<const char *>(data.data()), data.size());
                                             return true;
                                           }},
                                      {});
  EXPECT_TRUE(model::convert(player, *sink));
  return bytes;
}

void damage(std::string &bytes, std::mt19937 &random) {
  for (unsigned n = 1 + random() % 4; n > 0; --n) {
    const size_t at = random() % bytes.size();
    switch (random() % 3) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes.erase(at, 1 + random() % 9);
      break;
    default:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 30));
    }
    if (bytes.empty())
      bytes = "x";
  }
}

void readDamaged(const char *format) {
  std::mt19937 random(11);
  for (const unsigned seed : {3u, 12u}) {
    const std::string bytes = written(format, seed);
    ASSERT_FALSE(bytes.empty());
    EXPECT_FALSE(readBytes(bytes).error);
    for (unsigned round = 0; round < 300; ++round) {
      std::string damaged = bytes;
      damage(damaged, random);
      MemoryFile file, out;
      file.assign(damaged);
      auto source = model::openTrace(file.path());
      if (!source)
        continue;
      Recorder recorder;
      (void)(*source)->read(recorder);
      auto sink = model::makeDial9Sink(out.sink());
      (void)model::convert(**source, *sink);
    }
  }
}

} // namespace

TEST(ImportDamage, Chrome) { readDamaged("chrome"); }
TEST(ImportDamage, Perfetto) { readDamaged("perfetto"); }
TEST(ImportDamage, Folded) { readDamaged("folded"); }

} // namespace ada::test
