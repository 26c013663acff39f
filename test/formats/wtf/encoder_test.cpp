// What the encoder refuses; a refused record leaves nothing in the file.
#include "content.h"

#include <gtest/gtest.h>

namespace {

using namespace ada::wtf;
using namespace wtftest;

struct Out {
  std::string bytes;
  Encoder encoder;
  explicit Out(Dialect dialect = Dialect::BigEndian, EncoderOptions options = {}, FileHeader header = {})
      : encoder(begin(bytes, dialect, options, header)) {}
  Out(const Out &) = delete;

  static Encoder begin(std::string &bytes, Dialect dialect, EncoderOptions options, FileHeader header) {
    header.dialect = dialect;
    auto encoder = Encoder::begin(
        [&bytes](std::span<const std::byte> more) {
          bytes.append(reinterpret_cast<const char *>(more.data()), more.size());
          return true;
        },
        header, options);
    EXPECT_TRUE(encoder);
    return std::move(*encoder);
  }
  Content content() {
    EXPECT_TRUE(encoder.finish());
    Content result;
    decode(bytes, result);
    EXPECT_FALSE(result.error) << result.error->message;
    return result;
  }
};

std::string codeOf(const ada::Expected<void> &result) { return result ? "" : result.error().code; }
template <class... Args> std::string write(Out &out, uint32_t wireId, uint64_t timeUs, Args... args) {
  const Arg list[] = {args..., Arg()};
  return codeOf(out.encoder.event(wireId, timeUs, std::span(list, sizeof...(args))));
}

TEST(WtfEncoder, timesPastTheRangeAreAnErrorOrScaled) {
  Out out;
  ASSERT_TRUE(out.encoder.define({.wireId = 20, .name = "x"}));
  EXPECT_EQ(write(out, 20, kMaxTime), "");
  auto late = out.encoder.event(20, kMaxTime + 1);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, "E_TIME_OVERFLOW");
  EXPECT_NE(late.error().message.find("71 min"), std::string::npos);
  EXPECT_EQ(write(out, 20, 5), "");
  EXPECT_EQ(out.content().records.size(), 3u);

  constexpr uint64_t kDay = 86'400'000'000;
  FileHeader header;
  header.timeScale = timeScaleFor(kDay);
  for (Dialect dialect : {Dialect::BigEndian, Dialect::LittleEndian, Dialect::Chunked}) {
    Out scaled(dialect, {}, header);
    ASSERT_TRUE(scaled.encoder.define({.wireId = 20, .name = "x"}));
    EXPECT_EQ(write(scaled, 20, kDay), "");
    const uint64_t time = scaled.content().records[1]["us"];
    EXPECT_LE(time, kDay);
    EXPECT_GT(time, kDay - header.timeScale);
  }
}

TEST(WtfEncoder, aNameHasOneSignature) {
  Out out;
  EXPECT_EQ(codeOf(out.encoder.define({20, kScope, 0, "f", "int32 n"})), "");
  EXPECT_EQ(codeOf(out.encoder.define({20, kScope, 0, "f", "int32 n"})), "");
  EXPECT_EQ(codeOf(out.encoder.define({21, kScope, 0, "f", "int32 n"})), "") << "another number, the same signature";
  EXPECT_EQ(codeOf(out.encoder.define({22, kScope, 0, "f", "int32 m"})), "E_NAME_CONFLICT");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, "f", "int32 n"})), "E_NAME_CONFLICT");
  EXPECT_EQ(codeOf(out.encoder.define({22, kScope, 2, "f", "int32 n"})), "E_NAME_CONFLICT");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 40, "wtf.trace#mark", "ascii name"})), "E_NAME_CONFLICT");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, "wtf.scope#leave"})), "E_NAME_CONFLICT");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, "a\nb"})), "E_BAD_NAME");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, ""})), "E_BAD_NAME");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, "g", "int64 n"})), "E_BAD_SIGNATURE");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, "g", "char c"})), "E_BAD_SIGNATURE");
  EXPECT_EQ(codeOf(out.encoder.define({22, kScope, 0, "std::vector<int, A>::push_back(int&&) \"q\""})), "");
  EXPECT_EQ(write(out, 23, 1), "E_UNDEFINED_EVENT");
  EXPECT_EQ(out.content().types.size(), 3u);

  Out free(Dialect::BigEndian, {.viewerRules = false});
  EXPECT_EQ(codeOf(free.encoder.define({20, kScope, 0, "f", "int32 n"})), "");
  EXPECT_EQ(codeOf(free.encoder.define({21, kScope, 0, "f", "int32 m"})), "");
  EXPECT_EQ(codeOf(free.encoder.define({14, kInstance, 40, "wtf.trace#mark", "ascii name"})), "");
  EXPECT_EQ(free.content().types.size(), 3u);
}

TEST(WtfEncoder, aRefusedRecordLeavesNothingBehind) {
  for (Dialect dialect : {Dialect::BigEndian, Dialect::LittleEndian, Dialect::Chunked}) {
    Out out(dialect);
    ASSERT_TRUE(out.encoder.define({20, kInstance, 0, "x", "int32 n, any a"}));
    EXPECT_EQ(write(out, 20, 1, Arg::int32(1), Arg::any("{}")), "");
    EXPECT_EQ(write(out, 20, 1, Arg::int32(1)), "E_ARGS");
    EXPECT_EQ(write(out, 20, 1), "E_ARGS");
    EXPECT_EQ(write(out, 20, 1, Arg::int32(1), Arg::utf8("{}")), "E_ARGS");
    EXPECT_EQ(write(out, 20, 1, Arg::uint32(1), Arg::any("{}")), "E_ARGS");
    EXPECT_EQ(write(out, 20, 1, Arg::int32(1), Arg::any("oops")), "E_BAD_TEXT");
    EXPECT_EQ(write(out, 20, 2, Arg::int32(2), Arg::null(ArgType::Any)), "");
    const Content content = out.content();
    ASSERT_EQ(content.records.size(), 3u);
    EXPECT_EQ(content.records[2]["args"], Json({{"n", 2}, {"a", nullptr}}));
  }
}

TEST(WtfEncoder, lengthsEndWhereTheFormatEnds) {
  Out out;
  ASSERT_TRUE(out.encoder.define({20, kInstance, 0, "x", "ascii s"}));
  ASSERT_TRUE(out.encoder.define({21, kInstance, 0, "y", "utf8 s"}));
  const std::string longest(65534, 'a'), longer(65535, 'a');
  EXPECT_EQ(write(out, 20, 1, Arg::ascii(longest)), "");
  EXPECT_EQ(write(out, 20, 1, Arg::ascii(longer)), "E_RANGE");
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(longest)), "");
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(longer)), "E_RANGE");
  std::string smiles, snow;
  for (int i = 0; i < 10923; ++i)
    smiles += "\xF0\x9F\x98\x80"; // six bytes each in the file: 65538
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(smiles)), "E_RANGE");
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(smiles.substr(4))), "");
  for (int i = 0; i < 21845; ++i)
    snow += "\xE2\x98\x83"; // 65535 bytes
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(snow)), "");
  EXPECT_EQ(write(out, 21, 1, Arg::utf8(snow + "a")), "E_RANGE");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, longer})), "E_RANGE");
  EXPECT_EQ(codeOf(out.encoder.define({22, kInstance, 0, longest})), "");
  const Content content = out.content();
  EXPECT_EQ(content.records[2]["args"]["s"], longest);
  EXPECT_EQ(content.records[4]["args"]["s"], smiles.substr(4));

  Out chunked(Dialect::Chunked);
  ASSERT_TRUE(chunked.encoder.define({20, kInstance, 0, "x", "ascii s"}));
  EXPECT_EQ(write(chunked, 20, 1, Arg::ascii(longer)), "");
  EXPECT_EQ(chunked.content().records[1]["args"]["s"], longer);
}

TEST(WtfEncoder, textThatAnEncodingCannotHold) {
  Out latin1;
  ASSERT_TRUE(latin1.encoder.define({20, kInstance, 0, "x", "ascii s, utf8 u"}));
  EXPECT_EQ(write(latin1, 20, 1, Arg::ascii("\xC3\xBF"), Arg::utf8("\xE2\x98\x83")), "");
  EXPECT_EQ(write(latin1, 20, 1, Arg::ascii("\xE2\x98\x83"), Arg::utf8("")), "E_BAD_TEXT");
  EXPECT_EQ(write(latin1, 20, 1, Arg::ascii("\xFF"), Arg::utf8("")), "E_BAD_TEXT");
  EXPECT_EQ(write(latin1, 20, 1, Arg::ascii(""), Arg::utf8("\xFF")), "E_BAD_TEXT");
  EXPECT_NE(latin1.content().records.size(), 0u);
  EXPECT_NE(latin1.bytes.find(std::string("\x00\x01\xFF\x00\x01\x00\x03\xE2", 8)), std::string::npos);

  FileHeader header;
  header.asciiText = AsciiText::Utf8;
  Out utf8(Dialect::BigEndian, {}, header);
  ASSERT_TRUE(utf8.encoder.define({20, kInstance, 0, "\xE2\x98\x83", "ascii s"}));
  EXPECT_EQ(write(utf8, 20, 1, Arg::ascii("\xE2\x98\x83")), "");
  EXPECT_EQ(write(utf8, 20, 1, Arg::ascii("\xFF")), "") << "bytes as given";
  EXPECT_EQ(utf8.content().records[1]["name"], "\xE2\x98\x83");

  Out chunked(Dialect::Chunked);
  ASSERT_TRUE(chunked.encoder.define({20, kInstance, 0, "x", "ascii s"}));
  EXPECT_EQ(write(chunked, 20, 1, Arg::ascii(std::string_view("a\0b", 3))), "E_BAD_TEXT");
  EXPECT_EQ(write(chunked, 20, 1, Arg::ascii("\xFF")), "E_BAD_TEXT");
}

TEST(WtfEncoder, chunksAreClosedAtTheirSize) {
  Out out(Dialect::Chunked, {.chunkBytes = 100});
  ASSERT_TRUE(out.encoder.defineBuiltIns());
  ASSERT_TRUE(out.encoder.define({20, kInstance, 0, "x", "ascii s, char c, wchar[] w"}));
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(write(out, 20, i, Arg::ascii("text " + std::to_string(i % 7)), Arg::scalar(ArgType::Char, 'c'),
                    Arg::null(ArgType::WcharArray)),
              "");
  const Content content = out.content();
  EXPECT_EQ(content.records.size(), 118u);
  EXPECT_EQ(content.records[117]["args"], Json({{"s", "text 1"}, {"c", "c"}, {"w", nullptr}}));
  EXPECT_EQ(out.bytes.size() % 4, 0u);
  EXPECT_EQ(Out(Dialect::Chunked).content().records.size(), 0u) << "a file without events is complete, too";
}

TEST(WtfEncoder, aSinkThatFailsIsReportedAndSticks) {
  int left = 1;
  auto encoder = Encoder::begin([&](std::span<const std::byte>) { return left-- > 0; }, {});
  ASSERT_TRUE(encoder);
  ASSERT_TRUE(encoder->define({20, kInstance, 0, "x"}));
  EXPECT_EQ(codeOf(encoder->flush()), "E_IO");
  EXPECT_EQ(codeOf(encoder->event(20, 1)), "E_IO");
  EXPECT_EQ(codeOf(encoder->finish()), "E_IO");
  EXPECT_EQ(Encoder::begin([](std::span<const std::byte>) { return false; }, {}).error().code, "E_IO");
}

} // namespace
