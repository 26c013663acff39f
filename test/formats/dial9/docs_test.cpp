// The annotated stream at the top of docs/formats/dial9.md is a real stream.
// It has the content that the page describes, and an encoder writes it.
#include "stream_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

using namespace ada::dial9;
using namespace ada::dial9::test;

namespace {
std::vector<uint8_t> streamOnThePage() {
  std::ifstream page(ADA_DIAL9_DOC);
  std::string line;
  std::vector<uint8_t> bytes;
  while (std::getline(page, line) && line != "```")
    ;
  while (std::getline(page, line) && line != "```") {
    std::istringstream hex(line.substr(0, line.find("   ")));
    for (unsigned byte; hex >> std::hex >> byte;)
      bytes.push_back(uint8_t(byte));
  }
  return bytes;
}
} // namespace

TEST(Dial9Docs, TheStreamOnThePageIsWhatAnEncoderWrites) {
  Encoder encoder;
  const Field fields[] = {{"fn", FieldType::PooledString}, {"arg", FieldType::Varint}};
  ASSERT_EQ(encoder.schema(0, "call", true, fields), EncodeError::None);
  const StringPoolEntry name[] = {{0, "main"}};
  ASSERT_EQ(encoder.stringPool(name), EncodeError::None);
  for (auto [time, argument] : {std::pair(1000, 300), std::pair(1500, 7), std::pair(20'000'000, 7)}) {
    const Value values[] = {Value::pooledString(0), Value::varint(uint64_t(argument))};
    ASSERT_EQ(encoder.event(0, uint64_t(time), values), EncodeError::None);
  }
  const std::vector<uint8_t> page = streamOnThePage();
  ASSERT_GT(page.size(), 80u);
  EXPECT_TRUE(std::ranges::equal(encoder.bytes(), page));
}

TEST(Dial9Docs, TheStreamOnThePageSaysMain) {
  const Trace trace = decodeAll(streamOnThePage());
  ASSERT_TRUE(trace.status.ok());
  std::string said;
  for (const Frame &frame : trace.frames)
    if (auto *event = std::get_if<Event>(&frame))
      for (const Value &value : event->values())
        if (value.type() == FieldType::PooledString)
          if (const std::string *text = trace.text(*event, value))
            said += *text + ' ' + std::to_string(*event->timestampNs()) + ' ';
  EXPECT_EQ(said, "main 1000 main 1500 main 20000000 ");
}
