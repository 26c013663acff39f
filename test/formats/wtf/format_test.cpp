// The parts below records: argument lists, text encodings, JSON slices, header fields, context info.
#include "content.h"

#include "formats/wtf/json_text.h"
#include "formats/wtf/text.h"
#include "trace/base/json.h"

#include <gtest/gtest.h>

namespace {

using namespace ada::wtf;
using namespace wtftest;

std::string signature(std::string_view args, Dialect dialect = Dialect::BigEndian) {
  auto defs = parseSignature(args, dialect);
  if (!defs)
    return defs.error().code;
  std::string text;
  for (const ArgDef &def : *defs)
    text += std::string(typeName(def.type)) + ' ' + def.name + ';';
  return text;
}

TEST(WtfSignature, readsWhatReadersRead) {
  EXPECT_EQ(signature(""), "");
  EXPECT_EQ(signature("int32 x, ascii why"), "int32 x;ascii why;");
  EXPECT_EQ(signature("int32 x,ascii why"), "int32 x;ascii why;");
  EXPECT_EQ(signature("   int32 x,    ascii why"), "int32 x;ascii why;");
  EXPECT_EQ(signature("int32 x@3, any y!?"), "int32 x;any y;");
  EXPECT_EQ(signature("int32 x "), "int32 x;");
  EXPECT_EQ(signature("unsigned short s, unsigned long l"), "uint16 s;uint32 l;");
  EXPECT_EQ(signature("sequence<octet> a, byte[] b, sequence<unsigned long> c"), "uint8[] a;int8[] b;uint32[] c;");
  EXPECT_EQ(signature("bool b, byte c, octet d, short e, long f, float g, "
                      "DOMString h, flowId i, time32 j"),
            "bool b;int8 c;uint8 d;int16 e;int32 f;float32 g;utf8 h;flowId "
            "i;time32 j;");
  EXPECT_EQ(signature("char c, wchar[] w", Dialect::Chunked), "char c;wchar[] w;");
}

TEST(WtfSignature, refusesWhatReadersRefuse) {
  for (const char *args : {"int32  x",
                           "int64 x",
                           "bool[] b",
                           "ascii[] b",
                           "utf8[] b",
                           "any[] b",
                           "flowId[] f",
                           "double d",
                           "x",
                           " ",
                           "int32 x,",
                           ",int32 x",
                           "int32 x, , int32 y",
                           "int32 x y",
                           "sequence<int32 x",
                           "int32\tx",
                           "int32 -x",
                           "char c",
                           "int32[][] x",
                           "sequence<>x y",
                           "sequence< x"})
    EXPECT_EQ(signature(args), "E_BAD_SIGNATURE") << args;
}

TEST(WtfText, cesu8ToUtf8AndBack) {
  const std::string smile = "\xF0\x9F\x98\x80", pair = "\xED\xA0\xBD\xED\xB8\x80";
  EXPECT_EQ(text::cesu8ToUtf8("a" + pair + "b"), "a" + smile + "b");
  EXPECT_EQ(text::cesu8ToUtf8(smile), smile) << "UTF-8 of four bytes is read, too";
  for (std::string lone :
       {"\xED\xA0\xBD", "\xED\xB8\x80", "\xED\xB8\x80\xED\xA0\xBD", "\xED\xA0", "\xED\xA0\xBD\xED\xB8"})
    EXPECT_EQ(text::cesu8ToUtf8(lone), lone);
  std::string out;
  size_t units = 0;
  ASSERT_TRUE(text::utf8ToCesu8("a\xC3\xA4\xE2\x98\x83" + smile, out, units));
  EXPECT_EQ(out, "a\xC3\xA4\xE2\x98\x83" + pair);
  EXPECT_EQ(units, 5u);
  for (std::string bad :
       {"\x80", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xF8\x88\x80\x80\x80", "\xF4\x90\x80\x80", "\xFF"})
    EXPECT_FALSE(text::utf8ToCesu8(bad, out, units));
  EXPECT_EQ(text::latin1ToUtf8("a\xFF"), "a\xC3\xBF");
  ASSERT_TRUE(text::utf8ToLatin1("a\xC3\xBF", out));
  EXPECT_EQ(out, "a\xFF");
  EXPECT_FALSE(text::utf8ToLatin1("\xE2\x98\x83", out));
}

TEST(WtfJson, agreesWithAJsonLibraryOnWhatIsJson) {
  const std::string pieces[] = {"{",  "}",       "[",  "]",    ",",   ":",    "\"a\"", "\"\\u00e4\\n\"",
                                "1",  "-0.5e-3", "01", "true", "nul", "null", " ",     "\"",
                                "\\", "\x01",    "-",  "1.",   "{}",  "[]",   "\"k\":"};
  uint64_t seed = 1;
  const auto next = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u, seed >> 33; };
  int valid = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (uint64_t n = next() % 7; n-- > 0;)
      text += pieces[next() % std::size(pieces)];
    const bool is = json::valid(text);
    ASSERT_EQ(is, Json::accept(text)) << text;
    valid += is;
    if (is) {
      std::string compact;
      json::appendCompact(compact, text);
      ASSERT_EQ(Json::parse(compact), Json::parse(text)) << text;
      ASSERT_LE(compact.size(), text.size());
      if (text.find('"') == text.npos) {
        ASSERT_EQ(compact.find(' '), compact.npos);
      }
    }
  }
  EXPECT_GT(valid, 1000);
}

TEST(WtfJson, nestsAsDeepAsTheTextIsLong) {
  EXPECT_TRUE(json::valid(std::string(500000, '[') + std::string(500000, ']')));
  EXPECT_FALSE(json::valid(std::string(1000000, '[')));
}

TEST(WtfJson, quotesAndUnquotes) {
  std::string out;
  ada::appendJsonString(out, "a\"\\\n\x01\x7F\xC3\xA4\xF0\x9F\x98\x80\xFF");
  EXPECT_EQ(out, "\"a\\\"\\\\\\n\\u0001\\u007f\xC3\xA4\xF0\x9F\x98\x80\xEF\xBF\xBD\"");
  out.clear();
  ada::appendJsonString(out, "\xC3\xA4\xF0\x9F\x98\x80", true);
  EXPECT_EQ(out, "\"\\u00e4\\ud83d\\ude00\"");
  EXPECT_EQ(json::unquote(out), "\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(json::unquote(R"("\ud83d\n\/\b\"x")"), "\xED\xA0\xBD\n/\b\"x");
  EXPECT_FALSE(json::unquote("12"));
  out.clear();
  json::appendCompact(out, " { \"a b\\\" \" : [ 1 , \"\xED\xA0\xBD\xFF\" ] } ");
  EXPECT_EQ(out, "{\"a b\\\" \":[1,\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"]}");
  EXPECT_EQ(json::member(R"({"a":1,"b":[{"a":3}],"a":2})", "a"), "2");
  EXPECT_FALSE(json::member(R"(["a"])", "a"));
}

std::string headerOf(const FileHeader &header) {
  std::string out;
  auto encoder = Encoder::begin(
      [&](std::span<const std::byte> bytes) {
        out.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        return true;
      },
      header);
  if (!encoder)
    return encoder.error().code;
  EXPECT_TRUE(encoder->finish());
  return out;
}

TEST(WtfHeader, keepsEveryFieldInEveryDialect) {
  for (Dialect dialect : {Dialect::BigEndian, Dialect::LittleEndian, Dialect::Chunked})
    for (int64_t timebase : {int64_t{0}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1371488887123}})
      for (uint32_t ns : {0u, 1u, 500000u, 999999u})
        for (uint32_t flags : {0u, 1u, 3u}) {
          FileHeader header;
          header.dialect = dialect;
          header.wtfVersion = 0x01020304;
          header.timebaseMs = timebase;
          header.timebaseNs = dialect == Dialect::Chunked ? ns : 0;
          header.flags = flags;
          header.contextInfo = "{\"contextType\":\"script\",\"title\":\"Gr\xC3\xBC\xC3\x9F\x65 "
                               "\xE2\x98\x83 \xF0\x9F\x98\x80\"}";
          header.metadata = R"({"now_time_ns":42})";
          Content content;
          decode(headerOf(header), content);
          ASSERT_FALSE(content.error) << content.error->message;
          EXPECT_EQ(content.header->dialect, dialect);
          EXPECT_EQ(content.header->wtfVersion, header.wtfVersion);
          EXPECT_EQ(content.header->timebaseMs, timebase);
          EXPECT_EQ(content.header->timebaseNs, header.timebaseNs);
          EXPECT_EQ(content.header->flags, flags);
          EXPECT_EQ(content.header->contextInfo, header.contextInfo);
          EXPECT_EQ(content.header->metadata, header.metadata);
          EXPECT_EQ(content.header->strings,
                    dialect == Dialect::LittleEndian ? HeaderStrings::LengthOnly : HeaderStrings::UnitsAndBytes);
        }
}

TEST(WtfHeader, eitherStringFormIsReadInEitherByteOrder) {
  const std::string context = R"({"contextType":"script"})";
  for (bool big : {true, false})
    for (bool lengthOnly : {true, false})
      for (std::string metadata : {"", "{}", "[1,2]", "{\"a\":1}"}) {
        HandMade file(big);
        file.u32(0xDEADBEEF).u32(7).u32(3);
        for (const std::string &text : {context, metadata}) {
          file.u16(static_cast<unsigned>(text.size()));
          if (!lengthOnly && !text.empty())
            file.u16(static_cast<unsigned>(text.size()));
          file.raw(text);
          if (text == context)
            file.u32(9).u32(1).u32(0);
        }
        const size_t events = file.size();
        file.define(2, 0, 0, "x");
        Content content;
        decode(file.str(), content, 1);
        ASSERT_FALSE(content.error) << content.error->message;
        EXPECT_EQ(content.header->strings == HeaderStrings::LengthOnly, lengthOnly);
        EXPECT_EQ(content.header->metadata, metadata);
        EXPECT_EQ(content.header->flags, 9u);
        EXPECT_EQ(content.header->eventsOffset, events);
        EXPECT_EQ(content.records.size(), 1u);
      }
}

TEST(WtfHeader, notesTextAndTimeScaleInTheMetadata) {
  for (const std::string metadata : {"", "{}", "{ \"a\" : [1] }"}) {
    FileHeader header;
    header.asciiText = AsciiText::Utf8;
    header.timeScale = 60;
    header.metadata = metadata;
    Content content;
    decode(headerOf(header), content);
    ASSERT_FALSE(content.error);
    EXPECT_EQ(content.header->asciiText, AsciiText::Utf8);
    EXPECT_EQ(content.header->timeScale, 60u);
    EXPECT_EQ(Json::parse(content.header->metadata).contains("a"), metadata.size() > 2);
    EXPECT_EQ(headerOf(*content.header), headerOf(header)) << "the note is not added twice";
    FileHeader plain = *content.header;
    plain.asciiText = AsciiText::Latin1;
    plain.timeScale = 1;
    Content without;
    decode(headerOf(plain), without);
    EXPECT_EQ(without.header->timeScale, 1u);
    EXPECT_FALSE(Json::parse(without.header->metadata).contains("adatrace"));
  }
}

TEST(WtfHeader, refusesWhatTheDialectCannotHold) {
  FileHeader header;
  header.timebaseNs = 5;
  EXPECT_EQ(headerOf(header), "E_RANGE");
  header = {};
  header.contextInfo = R"({"contextType":"worker"})";
  EXPECT_EQ(headerOf(header), "E_BAD_CONTEXT");
  header = {};
  header.metadata = "{";
  EXPECT_EQ(headerOf(header), "E_BAD_METADATA");
  header.metadata = "[]";
  EXPECT_NE(headerOf(header), "E_BAD_METADATA") << "an array loads";
  header.timeScale = 2;
  EXPECT_EQ(headerOf(header), "E_BAD_METADATA") << "but takes no note";
  header = {};
  header.metadata = '"' + std::string(65533, 'x') + '"';
  EXPECT_EQ(headerOf(header), "E_RANGE");
  header.metadata = '"' + std::string(65532, 'x') + '"';
  EXPECT_NE(headerOf(header), "E_RANGE");
  header = {};
  header.flags = 8;
  EXPECT_NE(headerOf(header), "E_RANGE");
  header.dialect = Dialect::Chunked;
  EXPECT_EQ(headerOf(header), "E_RANGE");
}

TEST(WtfHeader, absoluteTimesOverflowToNothing) {
  FileHeader header;
  header.timebaseMs = 1700000000000;
  header.timebaseNs = 7;
  EXPECT_EQ(header.absoluteNs(5), 1700000000000000000 + 5007);
  header.timebaseMs = INT64_MAX / 1000;
  EXPECT_FALSE(header.absoluteNs(0));
  EXPECT_FALSE(FileHeader().absoluteNs(UINT64_MAX));
  EXPECT_EQ(timeScaleFor(kMaxTime), 1u);
  EXPECT_EQ(timeScaleFor(kMaxTime + 1), 2u);
  EXPECT_LE(timeScaleFor(86'400'000'000) == 21 ? 86'400'000'000 / 21 : UINT64_MAX, kMaxTime);
}

TEST(WtfContext, roundTrip) {
  ContextInfo info;
  info.uri = "/bin/a.out";
  EXPECT_EQ(info.toJson(), R"({"contextType":"script","uri":"/bin/a.out","args":[]})");
  info.title = "Gr\xC3\xBC\xC3\x9F\x65";
  info.iconUri = "i";
  info.taskId = "42";
  info.args = {"a.out", "--x=\"1\""};
  info.userAgent.emplace().platform = "linux";
  const std::string json = info.toJson();
  EXPECT_TRUE(text::isAscii(json));
  auto again = ContextInfo::parse(json);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->toJson(), json);
  EXPECT_EQ(again->title, info.title);
  EXPECT_EQ(again->args, info.args);
  auto odd = ContextInfo::parse(R"({"contextType":"\u0073cript","uri":5,"icon":null,"args":[1,"x"],"userAgent":3})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->args, std::vector<std::string>{"x"});
  EXPECT_FALSE(odd->userAgent);
  for (const char *bad : {"", "{", "[]", "{}", R"({"contextType":1})", R"({"contextType":"worker"})", "null"})
    EXPECT_EQ(ContextInfo::parse(bad).error().code, "E_BAD_CONTEXT");
}

TEST(WtfArg, jsonOfEachType) {
  const auto json = [](const Arg &arg) {
    std::string out;
    appendJson(out, arg);
    return out;
  };
  EXPECT_EQ(json(Arg::boolean(true)), "true");
  EXPECT_EQ(json(Arg::int8(-128)), "-128");
  EXPECT_EQ(json(Arg::uint32(4294967295)), "4294967295");
  EXPECT_EQ(json(Arg::float32(0.1f)), "0.1");
  EXPECT_EQ(json(Arg::float32(1.0f / 0.0f)), "\"inf\"");
  EXPECT_EQ(json(Arg::time32(12345)), "12.345");
  EXPECT_EQ(json(Arg::time32(12000)), "12");
  EXPECT_EQ(json(Arg::time32(1050)), "1.05");
  EXPECT_EQ(json(Arg::any("{ \"a\" : [ 1 ] }")), "{\"a\":[1]}");
  EXPECT_EQ(json(Arg::any("oops")), "\"oops\"");
  EXPECT_EQ(json(Arg::null(ArgType::Any)), "null");
  const int16_t values[] = {-1, 2};
  EXPECT_EQ(json(Arg::arrayOf<int16_t>(values)), "[-1,2]");
  const float floats[] = {0.5f, -2.25f};
  EXPECT_EQ(json(Arg::arrayOf<float>(floats)), "[0.5,-2.25]");
  EXPECT_EQ(json(Arg::scalar(ArgType::Char, 'A')), "\"A\"");
  const uint16_t units[] = {0xD83D, 0xDE00};
  EXPECT_EQ(json(Arg::arrayArg({ArgType::Wchar, false, reinterpret_cast<const std::byte *>(units), 2})),
            "\"\xF0\x9F\x98\x80\"");
}

} // namespace
