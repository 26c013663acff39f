// Random traces written in every dialect come back unchanged.
// They have types with random arguments of all kinds, zones, times, and text from all Unicode planes. The file arrives
// in pieces of any size.
#include "content.h"
#include "thorough.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace {

using namespace ada::wtf;
using namespace wtftest;

class Generator {
public:
  explicit Generator(uint32_t seed, Dialect dialect, AsciiText asciiText)
      : random(seed), dialect_(dialect), asciiText_(asciiText) {}

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random() % n); }

  std::string text(bool ascii) {
    const bool latin1 = ascii && dialect_ != Dialect::Chunked && asciiText_ == AsciiText::Latin1;
    std::string out;
    for (uint32_t n = pick(9); n-- > 0;) {
      uint32_t c = 'a' + pick(26);
      switch (pick(6)) {
      case 0:
        c = pick(0x80);
        break;
      case 1:
        c = 0x80 + pick(latin1 ? 0x80 : 0x780);
        break;
      case 2:
        c = latin1 ? 'x' : 0x800 + pick(0xD000); // up to U+D7FF
        break;
      case 3:
        c = latin1 ? 0xFF : 0x10000 + pick(0x100000);
        break;
      case 4:
        c = latin1 ? 'y' : 0xDC00 + pick(0x400); // lone low surrogates
        break;
      }
      if (c == 0 && dialect_ == Dialect::Chunked)
        c = 1;
      append(out, c);
    }
    return out;
  }

  std::string json() {
    static constexpr const char *kSome[] = {"1",
                                            "-2.5e3",
                                            "true",
                                            "null",
                                            "\"x\"",
                                            "[]",
                                            "{\"a\":[1,{\"b\":null}]}",
                                            "\"\\ud83d\\ude00\"",
                                            "\" \xE2\x98\x83 \xF0\x9F\x98\x80\"",
                                            " [ 1 , 2 ] "};
    return kSome[pick(std::size(kSome))];
  }

  /// A value of the type; text and elements live in `storage`.
  Arg value(ArgType type, std::deque<std::string> &storage) {
    if (isText(type)) {
      if (pick(5) == 0)
        return Arg::null(type);
      storage.push_back(type == ArgType::Any ? json() : text(type == ArgType::Ascii));
      return Arg::string(type, storage.back());
    }
    if (isArray(type)) {
      if (pick(5) == 0)
        return Arg::null(type);
      std::string &bytes = storage.emplace_back();
      const uint32_t count = pick(6);
      for (uint32_t n = count * widthOf(type); n-- > 0;)
        bytes += static_cast<char>(pick(256));
      return Arg::arrayArg({elementType(type), pick(2) != 0, reinterpret_cast<const std::byte *>(bytes.data()), count});
    }
    const uint32_t bits = static_cast<uint32_t>(random());
    switch (type) {
    case ArgType::Bool:
      return Arg::boolean(bits & 1);
    case ArgType::Int8:
      return Arg::int8(static_cast<int8_t>(bits));
    case ArgType::Int16:
      return Arg::int16(static_cast<int16_t>(bits));
    default:
      return Arg::scalar(type, widthOf(type) == 4 ? bits : bits & ((1u << widthOf(type) * 8) - 1));
    }
  }

  std::mt19937_64 random;

private:
  static void append(std::string &out, uint32_t c) {
    if (c < 0x80) {
      out += static_cast<char>(c);
      return;
    }
    const int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    out += static_cast<char>((tail == 1 ? 0xC0 : tail == 2 ? 0xE0 : 0xF0) | c >> 6 * tail);
    for (int i = tail; i-- > 0;)
      out += static_cast<char>(0x80 | (c >> 6 * i & 0x3F));
  }

  Dialect dialect_;
  AsciiText asciiText_;
};

/// A value as text; two values that the dialect distinguishes get different text.
std::string wordsOf(const Arg &arg, bool nullIsEmpty) {
  std::string out(typeName(arg.type));
  if (isText(arg.type) ? arg.isNull || (nullIsEmpty && arg.text.empty()) : arg.isNull && !nullIsEmpty)
    return out + " null";
  if (isText(arg.type))
    return out + " \"" + std::string(arg.text) + '"';
  if (!isArray(arg.type))
    return out + ' ' + std::to_string(arg.bits);
  for (uint32_t i = 0; i < arg.array.size(); ++i) {
    const std::byte *p = arg.array.data() + size_t{i} * widthOf(arg.type);
    out += ' ';
    for (unsigned byte = 0; byte < widthOf(arg.type); ++byte) {
      const unsigned at = arg.array.bigEndian() ? widthOf(arg.type) - 1 - byte : byte;
      out += std::to_string(std::to_integer<int>(p[at])) + '.';
    }
    EXPECT_TRUE(arg.array.element() == ArgType::Float32 || arg.array.integer(i) <= UINT32_MAX);
  }
  return out;
}

struct Reader : Visitor {
  explicit Reader(bool nullIsEmpty) : nullIsEmpty(nullIsEmpty) {}
  bool nullIsEmpty;
  std::vector<std::string> records;
  size_t warnings = 0;
  void onRecord(const Record &record) override {
    std::string words = record.type->name + '@' + std::to_string(record.timeUs);
    for (const Arg &arg : record.args)
      words += '|' + wordsOf(arg, nullIsEmpty);
    records.push_back(std::move(words));
  }
  void onWarning(const ada::Warning &) override { ++warnings; }
};

void roundTrip(uint32_t seed, Dialect dialect, AsciiText asciiText) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::string(dialectName(dialect)));
  Generator make(seed, dialect, asciiText);
  FileHeader header;
  header.dialect = dialect;
  header.asciiText = asciiText;
  std::string file;
  auto encoder = Encoder::begin(
      [&](std::span<const std::byte> bytes) {
        file.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        return true;
      },
      header, {.viewerRules = make.pick(2) != 0, .chunkBytes = make.pick(2) ? 80u : 1u << 20});
  ASSERT_TRUE(encoder);

  const bool nullIsEmpty = dialect != Dialect::Chunked;
  std::vector<std::string> expected;
  std::vector<std::pair<uint16_t, std::vector<ArgType>>> types;
  for (uint32_t n = 1 + make.pick(4); n-- > 0;) {
    std::string args, name = "type " + std::to_string(n);
    std::vector<ArgType> argTypes;
    for (uint32_t k = make.pick(8); k-- > 0;) {
      argTypes.push_back(static_cast<ArgType>(make.pick(dialect == Dialect::Chunked ? 24 : 20)));
      args += (args.empty() ? "" : ", ") + std::string(typeName(argTypes.back())) + " a" + std::to_string(k);
    }
    const auto wireId = static_cast<uint16_t>(make.pick(2) ? 18 + n : 60000 + n);
    const uint32_t time = static_cast<uint32_t>(make.random());
    ASSERT_TRUE(encoder->define({wireId, static_cast<uint16_t>(make.pick(3)), make.pick(128), name, args}, time));
    types.emplace_back(wireId, std::move(argTypes));
    expected.push_back("wtf.event#define@" + std::to_string(time));
  }
  const size_t definitions = expected.size();
  for (uint32_t n = make.pick(8); n-- > 0;) {
    const auto typeIndex = make.pick(static_cast<uint32_t>(types.size()));
    std::deque<std::string> storage;
    std::vector<Arg> args;
    const uint32_t time = static_cast<uint32_t>(make.random());
    std::string words = "type " + std::to_string(types.size() - 1 - typeIndex) + '@' + std::to_string(time);
    for (ArgType type : types[typeIndex].second) {
      args.push_back(make.value(type, storage));
      words += '|' + wordsOf(args.back(), nullIsEmpty);
    }
    const auto written = encoder->event(types[typeIndex].first, time, args);
    ASSERT_TRUE(written) << written.error().message;
    expected.push_back(std::move(words));
  }
  ASSERT_TRUE(encoder->finish());

  Reader reader(nullIsEmpty);
  Decoder decoder(reader);
  for (size_t at = 0; at < file.size();) {
    const size_t piece = std::min<size_t>(1 + make.pick(make.pick(2) ? 4 : 400), file.size() - at);
    const auto pushed = decoder.push(file.data() + at, piece);
    ASSERT_TRUE(pushed) << pushed.error().message;
    at += piece;
  }
  const auto finished = decoder.finish();
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_EQ(reader.warnings, 0u);
  ASSERT_EQ(reader.records.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    if (i < definitions)
      ASSERT_EQ(reader.records[i].substr(0, expected[i].size() + 1), expected[i] + '|');
    else
      ASSERT_EQ(reader.records[i], expected[i]);
  }

  auto again = reencode(file); // the file is written as it was read, except for chunk sizes
  ASSERT_TRUE(again) << again.error().message;
  if (dialect != Dialect::Chunked) {
    ASSERT_EQ(*again, file);
  }
}

const uint32_t kStreams = ada::test::casesOf(12'000u, 2'000u);

TEST(WtfRoundTrip, bigEndian) {
  for (uint32_t seed = 0; seed < kStreams; ++seed)
    roundTrip(seed, Dialect::BigEndian, seed % 2 ? AsciiText::Utf8 : AsciiText::Latin1);
}
TEST(WtfRoundTrip, littleEndian) {
  for (uint32_t seed = 0; seed < kStreams; ++seed)
    roundTrip(seed, Dialect::LittleEndian, seed % 2 ? AsciiText::Utf8 : AsciiText::Latin1);
}
TEST(WtfRoundTrip, chunked) {
  for (uint32_t seed = 0; seed < kStreams; ++seed)
    roundTrip(seed, Dialect::Chunked, AsciiText::Latin1);
}

} // namespace
