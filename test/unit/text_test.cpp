// Texts with any content: UTF-8, JSON, and what is sent to a terminal.
#include "shared/text/base64.h"
#include "trace/base/digits.h"
#include "trace/base/estimates.h"
#include "trace/base/json.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include "ada/trace/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ada {
namespace {

TEST(Utf8, FollowsTheStandard) {
  for (const char *good : {"", "plain", "\x01\x7f", "ä", "€", "𝄞", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80"})
    EXPECT_TRUE(isUtf8(good)) << good;
  for (const char *bad : {"\x80", "\xc3", "\xc0\xaf", "\xc1\x81", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(isUtf8(bad)) << jsonString(bad);
}

TEST(Utf8, EveryCodePointReadsBack) {
  for (uint32_t c = 0; c < 0x110000; ++c) {
    char bytes[4];
    const unsigned size = encodeUtf8(c, bytes);
    const bool isSurrogate = c >= 0xd800 && c < 0xe000;
    const CodePoint back = decodeUtf8(bytes, size, Surrogates::Accepted);
    ASSERT_TRUE(back.valid && back.value == c && back.size == size) << c;
    ASSERT_EQ(decodeUtf8(bytes, size).valid, !isSurrogate) << c;
    if (size > 1) {
      ASSERT_FALSE(decodeUtf8(bytes, size - 1).valid) << c;
    }
  }
}

TEST(Utf8, RepairsByteByByte) {
  EXPECT_EQ(oneLine("a\xff\xe2\x82z€"), "a\uFFFD\uFFFD\uFFFDz€");
  EXPECT_EQ(oneLine("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
}

// All that Unicode calls default-ignorable, controls, format characters without a shape, noncharacters; letters of all
// scripts, marks, spaces and pictures are shown.
TEST(OneLine, ReplacesWhatCannotBeSeen) {
  for (const char *hidden :
       {"\x01",   "\x1b",       "\x7f",       "\u0085",     "\u00ad",     "\u034f",     "\u061c",     "\u115f",
        "\u17b5", "\u180e",     "\u200b",     "\u200d",     "\u200f",     "\u2028",     "\u202e",     "\u2060",
        "\u2064", "\u2069",     "\u3164",     "\ufdd0",     "\ufe0f",     "\ufeff",     "\uffa0",     "\ufff9",
        "\uffff", "\U00013430", "\U0001d173", "\U0001fffe", "\U000e0001", "\U000e0061", "\U000e01ef", "\U0010ffff"}) {
    EXPECT_EQ(oneLine(std::string("a") + hidden + "b"), "a?b") << jsonString(hidden);
    EXPECT_EQ(jsonString(hidden).find(hidden), std::string::npos) << jsonString(hidden);
  }
  for (const char *shown : {"\u00a0", "\u00ae", "é", "e\u0301", "\u0600", "שלום", "हिन्दी", "\u2027", "\u202f", "\u2070",
                            "漢字", "한글", "\ue000", "\ufdcf", "\ufffd", "𝄞", "\U0001f600", "\U0001d172"})
    EXPECT_EQ(oneLine(shown), shown);
}

TEST(Digits, AreThoseOfTheStandardLibrary) {
  char text[kMaxDigits];
  const auto check = [&](uint64_t value) {
    ASSERT_EQ(std::string(text, putDecimal(text, value)), std::to_string(value));
    const auto nine = static_cast<uint32_t>(value % 1'000'000'000);
    ASSERT_EQ("1" + std::string(text, putNineDigits(text, nine)), std::to_string(1'000'000'000 + nine));
    ASSERT_EQ("1" + std::string(text, putThreeDigits(text, nine % 1000)), std::to_string(1000 + nine % 1000));
  };
  for (uint64_t value = 0; value < 100'000; ++value)
    check(value);
  for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
    for (const uint64_t value : {power - 1, power, power + 1, power * 10 - 1})
      check(value);
  check(UINT64_MAX);
  for (uint64_t value = 1, i = 0; i < 20'000; value = value * 6364136223846793005u + 1, ++i)
    check(value >> (i % 64));
}

TEST(Quantities, DurationsRoundAndChangeTheirUnit) {
  EXPECT_EQ(formatDuration(0), "0 ns");
  EXPECT_EQ(formatDuration(999), "999 ns");
  EXPECT_EQ(formatDuration(1000), "1.000 us");
  EXPECT_EQ(formatDuration(999'999), "999.999 us");
  EXPECT_EQ(formatDuration(1'234'499), "1.234 ms");
  EXPECT_EQ(formatDuration(1'234'500), "1.235 ms");
  EXPECT_EQ(formatDuration(999'999'499), "999.999 ms");
  EXPECT_EQ(formatDuration(999'999'500), "1.000 s");
  EXPECT_EQ(formatDuration(UINT64_MAX), "18446744073.710 s");
  EXPECT_LE(formatDuration(UINT64_MAX).size(), kDurationBytes);
}

// Everything that moves the cursor, ends the line, or changes the direction of the following text.
constexpr const char *kUnsafe[] = {"\x1b",   "\n",     "\r",     "\t",     "\b",     "\x7f",   "\u0080", "\u009b",
                                   "\u009f", "\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
                                   "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"};

TEST(MissingCalls, HaveOneDigit) {
  EXPECT_EQ(MissingCalls(41'234'567, 3'012'345'678).text(true),
            "up to 4,000,000,000 calls of it were not recorded, some 40,000,000 if it was called as often as before");
  EXPECT_EQ(MissingCalls(0, 0).text(false), "an unknown number of calls of them were not recorded, some 0 if they were "
                                            "called as often as before");
  for (const uint64_t number : {0, 1, 9, 10, 100, 7000})
    EXPECT_TRUE(MissingCalls(number, number).ifAsBefore == number && MissingCalls(number, number).most == number);
  EXPECT_EQ(MissingCalls(14, 0).ifAsBefore, 10u);
  EXPECT_EQ(MissingCalls(15, 0).ifAsBefore, 20u);
  EXPECT_EQ(MissingCalls(96, 0).ifAsBefore, 100u);
  EXPECT_EQ(MissingCalls(0, 11).most, 20u);
  EXPECT_EQ(MissingCalls(0, 91).most, 100u);
  EXPECT_GT(MissingCalls(UINT64_MAX, UINT64_MAX).most, UINT64_MAX / 30);
}

TEST(Text, OneLineIsSafeForTerminals) {
  for (const char *unsafe : kUnsafe)
    EXPECT_EQ(oneLine(std::string("a") + unsafe + "b"), "a?b") << jsonString(unsafe);
  EXPECT_EQ(oneLine("a\x9b"
                    "31mb"),
            "a\uFFFD31mb")
      << "CSI in one byte";
  EXPECT_EQ(oneLine(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(oneLine("Größe\u00a0€ \U0001F600 שלום"), "Größe\u00a0€ \U0001F600 שלום");
}

TEST(Text, ErrorsAreOneLine) {
  const Error error = {.code = "E_IO", .message = "is\nbad", .file = "a\x1b[31m", .found = "\u202e"};
  EXPECT_EQ(error.text(), "a?[31m: found ?: is?bad [E_IO]");
}

// RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const std::pair<std::string, std::string> vectors[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfb", "//77"}};
  const auto bytesOf = [](const std::string &text) {
    std::string bytes;
    return takeBase64(text, [&](unsigned char byte) { bytes += static_cast<char>(byte); }) ? bytes : "refused";
  };
  for (const auto &[bytes, text] : vectors) {
    std::string put;
    putBase64(reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size(), [&](char c) { put += c; });
    EXPECT_EQ(put, text);
    EXPECT_EQ(base64Size(bytes.size()), text.size());
    EXPECT_EQ(bytesOf(text), bytes);
  }
  for (const char *text : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-v"})
    EXPECT_EQ(bytesOf(text), "refused") << text;
}

TEST(Json, EscapesWhatATerminalMustNotBeGiven) {
  EXPECT_EQ(jsonString("say \"hi\" \\\n\t\r\x7f"), R"("say \"hi\" \\\n\t\u000d\u007f")");
  EXPECT_EQ(jsonString("\u009b\u202e\u2066"), R"("\u009b\u202e\u2066")");
  EXPECT_EQ(jsonString("ä€\U0001F600\xff"), "\"ä€\U0001F600\uFFFD\"");
  for (const char *unsafe : kUnsafe)
    EXPECT_EQ(oneLine(jsonString(unsafe)), jsonString(unsafe));
}

TEST(Json, Structure) {
  std::string out = ">";
  JsonText json(out);
  json.beginObject().text("a", std::string("b\n")).number("n", INT64_MIN).number("m", UINT64_MAX).hex("h", 0x1f, 4);
  json.beginArray("list").number({}, 1).beginArray().endArray().null({}).boolean({}, true).endArray();
  json.real("r", 0.1).real("nan", std::nan("")).real("inf", -std::numeric_limits<double>::infinity());
  json.textOrNull("t", "").textOrNull("u", "u").json("j", "[1]").raw("").raw("\"k\":2").line();
  json.text("", "").endObject();
  EXPECT_EQ(out, ">{\"a\":\"b\\n\",\"n\":-9223372036854775808,\"m\":18446744073709551615,\"h\":\"0x001f\","
                 "\"list\":[1,[],null,true],\"r\":0.1,\"nan\":\"nan\",\"inf\":\"-inf\",\"t\":null,\"u\":\"u\","
                 "\"j\":[1],\"k\":2,\n\"\":\"\"}");
}

// What a shell makes of it is tested with a shell, in test/tools/printed_commands.test.
TEST(ShellWord, QuotesWhatAShellTakesForMore) {
  for (const char *plain : {"a", "a-b_c.d/e+f,g:h@i%j=k", "0", "-x"})
    EXPECT_EQ(quotedForShell(plain), plain);
  EXPECT_EQ(quotedForShell(""), "''");
  EXPECT_EQ(quotedForShell("=ls"), "'=ls'") << "zsh puts the path of ls there";
  EXPECT_EQ(quotedForShell("it's $a `b` \\ é"), "'it'\\''s $a `b` \\ é'");
  EXPECT_EQ(quotedForShell("it's\n\\"), "$'it\\'s\\012\\\\'") << "one line";
  EXPECT_EQ(quotedForShell("\x1b"
                           "1\u202e\xff"),
            "$'\\0331\\342\\200\\256\\377'");
  for (const char *nasty : {"a\nb", "\x1b[31m", "\u202e", "\xff", "\xc3"})
    EXPECT_EQ(oneLine(quotedForShell(nasty)), quotedForShell(nasty)) << "shown as it is";
}

TEST(ShellWord, PathsAreNeitherOptionsNorProcesses) {
  EXPECT_EQ(pathForShell("a b/c"), "'a b/c'");
  EXPECT_EQ(pathForShell("-x y"), "'./-x y'");
  EXPECT_EQ(pathForShell("4711"), "./4711");
  EXPECT_EQ(pathForShell("4711a"), "4711a");
  EXPECT_EQ(pathForShell("-"), "FILE") << "standard input is not there again";
}

} // namespace
} // namespace ada
