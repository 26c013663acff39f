// Damaged and odd files: the decoder delivers everything before the damage, then reports what is wrong and where.
#include "content.h"

#include <gtest/gtest.h>

namespace {

using namespace ada::wtf;
using namespace wtftest;

HandMade start() { return HandMade().header().builtIns(); }

void expectError(const std::string &file, const char *code, uint64_t offset, size_t records) {
  for (size_t piece : {0, 1}) {
    Content content;
    decode(file, content, piece);
    ASSERT_TRUE(content.error);
    EXPECT_EQ(content.error->code, code) << content.error->message;
    EXPECT_EQ(content.error->offset, offset) << content.error->message;
    EXPECT_EQ(content.records.size(), records);
  }
}

TEST(WtfDecoder, saysWhyAFileIsNotForIt) {
  expectError("", "E_TRUNCATED", 0, 0);
  expectError("\xDE\xAD", "E_TRUNCATED", 0, 0);
  expectError("ELF?", "E_BAD_MAGIC", 0, 0);
  expectError("hello world, this is not a trace", "E_BAD_MAGIC", 0, 0);
  for (uint32_t version : {0u, 1u, 2u, 4u, 10u})
    expectError(HandMade().u32(0xDEADBEEF).u32(0).u32(version).str(), "E_BAD_VERSION", 8, 0);
  for (uint32_t version : {2u, 9u, 11u})
    expectError(HandMade(false).u32(0xDEADBEEF).u32(0).u32(version).str(), "E_BAD_VERSION", 8, 0);
}

TEST(WtfDecoder, wantsScriptContext) {
  for (const char *context : {"", "{}", "[]", "{\"contextType\":\"worker\"}", "{\"contextType\":\"script\"", "x"})
    expectError(HandMade().header(context).str(), "E_BAD_CONTEXT", 12, 0);
}

TEST(WtfDecoder, undefinedEventEndsTheFile) {
  HandMade file = start();
  const size_t at = file.size();
  file.record(77, 5).record(8, 6);
  expectError(file.str(), "E_UNDEFINED_EVENT", at, 8);
}

TEST(WtfDecoder, unknownArgumentTypeEndsTheFile) {
  HandMade file = HandMade().header();
  const size_t at = file.size();
  file.define(20, 0, 0, "x", "int64 n").record(20, 5);
  expectError(file.str(), "E_BAD_SIGNATURE", at, 1);
}

TEST(WtfDecoder, stringTableReferencesAreRefused) {
  for (const char *type : {"ascii s", "utf8 s", "any s"}) {
    HandMade file = HandMade().header().define(20, 0, 0, "x", type);
    const size_t at = file.size();
    file.record(20, 5).u16(0xFFFF).u32(0);
    expectError(file.str(), "E_BAD_STRING", at, 1);
  }
}

TEST(WtfDecoder, laterDefinitionWinsAndHasItsOwnArguments) {
  HandMade file = HandMade().header();
  file.define(20, 1, 0, "same", "int32 n").record(20, 1).u32(7);
  file.define(20, 1, 0, "same", "int32 n").record(20, 2).u32(8);                   // again: ignored
  file.define(20, 0, 0, "other", "uint8 m").record(20, 3).u8(9);                   // another name
  file.define(21, 1, 0, "same", "ascii s, bool b").record(21, 4).ascii("x").u8(1); // same name, other arguments
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error) << content.error->message;
  EXPECT_EQ(content.types.size(), 3u);
  ASSERT_EQ(content.records.size(), 8u);
  EXPECT_EQ(content.records[1]["args"], Json({{"n", 7}}));
  EXPECT_EQ(content.records[3]["args"], Json({{"n", 8}}));
  EXPECT_EQ(content.records[5]["name"], "other");
  EXPECT_EQ(content.records[5]["args"], Json({{"m", 9}}));
  EXPECT_EQ(content.records[7]["args"], Json({{"s", "x"}, {"b", true}}));
}

TEST(WtfDecoder, redefinedDefineKeepsItsLayout) {
  HandMade file = HandMade().header();
  file.define(1, 0, 40, "wtf.event#define", "uint16 a, ascii b").define(20, 0, 0, "x", "").record(20, 1);
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error);
  EXPECT_EQ(content.records.size(), 3u);
  EXPECT_EQ(content.warnings, std::vector<std::string>{"W_DEFINE_LAYOUT"});
}

TEST(WtfDecoder, anotherNumberForDefineWorks) {
  HandMade file = HandMade().header();
  file.define(9, 0, 40, "wtf.event#define", std::string(builtIns()[0].args));
  file.record(9, 0).u16(20).u16(0).u32(0).ascii("x").ascii("").record(20, 1);
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error);
  EXPECT_EQ(content.records[2]["name"], "x");
}

TEST(WtfDecoder, everyWireIdWorks) {
  HandMade file = HandMade().header();
  for (unsigned id : {0u, 2u, 255u, 256u, 40000u, 65534u, 65535u})
    file.define(id, 0, 0, "t" + std::to_string(id)).record(id, 0xFFFFFFFF);
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error);
  EXPECT_EQ(content.records.size(), 14u);
  EXPECT_EQ(content.records[13]["name"], "t65535");
  EXPECT_EQ(content.records[13]["us"], 4294967295u);
}

TEST(WtfDecoder, utf8IsReadByItsByteCount) {
  HandMade file = HandMade().header().define(20, 0, 0, "x", "utf8 s, any a");
  file.record(20, 1).u16(1).u16(4).raw("\xF0\x9F\x98\x80").u16(2).u16(4).raw("oops"); // unit counts don't matter
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error) << content.error->message;
  EXPECT_EQ(content.records[1]["args"]["s"], "\xF0\x9F\x98\x80");
  EXPECT_EQ(content.warnings, std::vector<std::string>{"W_JSON"});
}

TEST(WtfDecoder, asciiIsLatin1UnlessTheCallerKnowsBetter) {
  HandMade file = HandMade().header().define(20, 0, 0, "x", "ascii s");
  file.record(20, 1).ascii("\xC3\xA4").record(20, 2).ascii(std::string("a\0b", 3));
  Content latin1, utf8;
  decode(file.str(), latin1);
  decode(file.str(), utf8, 0, {.asciiText = AsciiText::Utf8});
  EXPECT_EQ(latin1.records[1]["args"]["s"], "\xC3\x83\xC2\xA4");
  EXPECT_EQ(utf8.records[1]["args"]["s"], "\xC3\xA4");
  EXPECT_EQ(utf8.records[2]["args"]["s"], std::string("a\0b", 3));
}

TEST(WtfDecoder, arraysKeepTheirSigns) {
  HandMade file = HandMade().header().define(20, 0, 0, "x", "int8[] a, int16[] b, int32[] c, uint16[] d, float32[] f");
  file.record(20, 1).u32(1).u8(0xFF).u32(2).u16(0xFFFB).u16(6).u32(1).u32(0xFFFFFFF9).u32(1).u16(0xFFFF);
  file.u32(1).raw(std::string("\x00\x00\x10\xC0", 4)); // little-endian, even in a big-endian file
  Content content;
  decode(file.str(), content);
  ASSERT_FALSE(content.error);
  EXPECT_EQ(content.records[1]["args"],
            Json({{"a", {-1}}, {"b", {-5, 6}}, {"c", {-7}}, {"d", {65535}}, {"f", {-2.25}}}));
}

// The chunked dialect, built from words.
struct Chunks {
  HandMade bytes{false};
  Chunks() { bytes.u32(0xDEADBEEF).u32(1).u32(10); }
  Chunks &chunk(uint32_t type, std::vector<std::pair<uint32_t, std::string>> parts) {
    uint32_t length = 24, offset = 0;
    for (auto &part : parts)
      length += 12 + ((static_cast<uint32_t>(part.second.size()) + 3) & ~3u);
    bytes.u32(0).u32(type).u32(length).u32(0).u32(0xFFFFFFFF).u32(static_cast<uint32_t>(parts.size()));
    for (auto &part : parts) {
      bytes.u32(part.first).u32(offset).u32(static_cast<uint32_t>(part.second.size()));
      offset += (static_cast<uint32_t>(part.second.size()) + 3) & ~3u;
    }
    for (auto &part : parts)
      bytes.raw(part.second).raw(std::string(-part.second.size() & 3, '\0'));
    return *this;
  }
  Chunks &header(const std::string &json = R"({"timebase":12.5})") { return chunk(1, {{0x10000, json}}); }
};

std::string words(std::initializer_list<uint32_t> values) {
  HandMade out(false);
  for (uint32_t value : values)
    out.u32(value);
  return out.str();
}

std::string defineX(uint32_t wireId, uint32_t name, uint32_t args) { return words({1, 0, wireId, 0, 0, name, args}); }
const std::string kStrings("x\0ascii s, char c, wchar[] w\0hello\0", 35);

TEST(WtfChunked, stringsMayComeBehindTheEvents) {
  const std::string events =
      defineX(20, 0, 1) + words({20, 5, 2, 'A', 0xFFFFFFFF, 20, 6, 0xFFFFFFFE, 0x12345641, 1, 0x263A});
  for (bool behind : {false, true}) {
    Chunks file;
    file.header();
    if (behind)
      file.chunk(2, {{0x20002, events}, {0x30000, kStrings}});
    else
      file.chunk(2, {{0x77777, "ignored"}, {0x30000, kStrings}, {0x40000, "resource"}, {0x20002, events}});
    Content content;
    decode(file.bytes.str(), content, 1);
    ASSERT_FALSE(content.error) << content.error->message;
    EXPECT_EQ(content.header->timebaseMs, 12);
    EXPECT_EQ(content.header->timebaseNs, 500000u);
    ASSERT_EQ(content.records.size(), 3u);
    EXPECT_EQ(content.records[1]["args"], Json({{"s", "hello"}, {"c", "A"}, {"w", nullptr}}));
    EXPECT_EQ(content.records[2]["args"], Json({{"s", ""}, {"c", "A"}, {"w", "\xE2\x98\xBA"}}));
    // Cut anywhere: never a wrong record.
    for (size_t cut = 0; cut < file.bytes.size(); ++cut) {
      Content part;
      decode(file.bytes.str().substr(0, cut), part);
      ASSERT_TRUE(part.error);
      EXPECT_EQ(part.error->code, "E_TRUNCATED") << part.error->message;
      for (size_t i = 0; i < part.records.size(); ++i)
        ASSERT_EQ(part.records[i], content.records[i]);
    }
  }
}

TEST(WtfChunked, definitionsLastAndStringsDoNot) {
  Chunks file;
  file.header().chunk(2, {{0x30000, kStrings}, {0x20002, defineX(20, 0, 1)}});
  file.chunk(99, {{5, "unknown chunk"}})
      .chunk(2, {{0x30000, std::string("other\0", 6)}, {0x20002, words({20, 5, 0, 0, 0})}});
  const size_t third = file.bytes.size();
  file.chunk(2, {{0x20002, words({20, 6, 0, 0, 0})}});
  Content content;
  decode(file.bytes.str(), content);
  ASSERT_EQ(content.records.size(), 2u);
  EXPECT_EQ(content.records[1]["args"]["s"], "other");
  ASSERT_TRUE(content.error);
  EXPECT_EQ(content.error->code, "E_BAD_STRING");
  EXPECT_EQ(content.error->offset, third + 36);
}

TEST(WtfChunked, legacyPartsAreBigEndianRecords) {
  Chunks file;
  HandMade events;
  events.define(20, 0, 0, "x", "int16[] v, ascii s").record(20, 5).u32(1).u16(0xFFFE).ascii("\xFF");
  file.header().chunk(2, {{0x20001, events.str()}});
  Content content;
  decode(file.bytes.str(), content);
  ASSERT_FALSE(content.error) << content.error->message;
  EXPECT_EQ(content.records[1]["args"], Json({{"v", {-2}}, {"s", "\xC3\xBF"}}));
}

TEST(WtfChunked, damageIsLocated) {
  expectError(Chunks().chunk(2, {{0x20002, ""}}).bytes.str(), "E_BAD_HEADER", 12, 0);
  expectError(Chunks().chunk(1, {}).bytes.str(), "E_BAD_HEADER", 12, 0);
  expectError(Chunks().header("{}").bytes.str(), "E_BAD_HEADER", 48, 0);
  expectError(Chunks().header("{\"timebase\":\"1\"}").bytes.str(), "E_BAD_HEADER", 48, 0);
  expectError(Chunks().header("{\"timebase\":1e300}").bytes.str(), "E_BAD_HEADER", 48, 0);
  expectError(Chunks().header("nonsense").bytes.str(), "E_BAD_HEADER", 48, 0);
  expectError(Chunks().header("{\"timebase\":1,\"contextInfo\":{\"contextType\":\"x\"}}").bytes.str(), "E_BAD_CONTEXT",
              48, 0);
  Chunks good;
  good.header();
  const size_t at = good.bytes.size();
  const auto with = [&](std::initializer_list<uint32_t> chunk) { return good.bytes.str() + words(chunk); };
  expectError(with({1, 2, 23, 0, 0, 0}), "E_BAD_CHUNK", at, 0);
  expectError(with({1, 2, 26, 0, 0, 0}), "E_BAD_CHUNK", at, 0);
  expectError(with({1, 2, 36, 0, 0, 2}), "E_BAD_CHUNK", at, 0);
  expectError(with({1, 2, 36, 0, 0, 0xFFFFFFFF}), "E_BAD_CHUNK", at, 0);
  expectError(with({1, 2, 36, 0, 0, 1, 0x20002, 0, 4}), "E_BAD_CHUNK", at + 24, 0);
  expectError(with({1, 2, 36, 0, 0, 1, 0x20002, 0xFFFFFFFF, 0xFFFFFFFF}), "E_BAD_CHUNK", at + 24, 0);
  expectError(with({1, 2, 48, 0, 0, 2, 0x20002, 0, 0, 0x20001, 0, 0}), "E_BAD_CHUNK", at + 36, 0);
  expectError(with({1, 2, 40, 0, 0, 1, 0x20002, 0, 4, 1}), "E_BAD_CHUNK", at + 36, 0); // half a record
  expectError(with({1, 2, 44, 0, 0, 1, 0x20002, 0, 8, 70000, 0}), "E_UNDEFINED_EVENT", at + 36, 0);
  expectError(with({1, 2, 0xFFFFFFFC, 0, 0, 0}), "E_LIMIT", at, 0);
  expectError(with({1, 2, 36, 0, 0, 1, 0x20002, 0, 0, 0}), "E_TRUNCATED", at + 36, 0); // stray zeros
  expectError(with({1, 3, 1000, 0, 0, 1}), "E_TRUNCATED", at, 0);
  expectError(good.bytes.str(), "E_TRUNCATED", at, 0);
}

TEST(WtfChunked, oddHeadersAreReadWithAWarning) {
  Chunks file;
  file.header("{\"timebase\":-1.5,\"flags\":[\"times_as_count\",\"new\"],"
              "\"metadata\":[1]}")
      .header();
  file.chunk(2, {{0x20000, "[]"}});
  Content content;
  decode(file.bytes.str(), content);
  ASSERT_FALSE(content.error) << content.error->message;
  EXPECT_EQ(content.header->timebaseMs, -2);
  EXPECT_EQ(content.header->timebaseNs, 500000u);
  EXPECT_EQ(content.header->flags, kTimesAsCount);
  EXPECT_EQ(content.header->metadata, "[1]");
  EXPECT_EQ(content.warnings, (std::vector<std::string>{"W_FLAG", "W_HEADER_AGAIN", "W_JSON_EVENTS"}));
}

TEST(WtfDecoder, errorsStick) {
  struct Quiet : Visitor {
  } quiet;
  Decoder decoder(quiet);
  EXPECT_EQ(decoder.push("hello world!", 12).error().code, "E_BAD_MAGIC");
  EXPECT_EQ(decoder.push("x", 1).error().code, "E_BAD_MAGIC");
  EXPECT_EQ(decoder.finish().error().code, "E_BAD_MAGIC");
}

} // namespace
