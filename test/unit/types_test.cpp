// Texts of types: everything understood at the front is used.
// No text makes the reader run out of memory or stack.
#include "ada/trace/types.h"

#include <gtest/gtest.h>
#include <random>

using namespace ada::types;

namespace {

TEST(TypesText, SaysWhatAFunctionTakes) {
  const FunctionTypes types =
      FunctionTypes::parse("i0+i1:{D|x@0:s64,y@8:f64};v:v0:f64;mode:i0.4:e32s(Mode|Mode\\:\\:Slow=-"
                           "1,"
                           "Mode\\:\\:Fast=1);s:i1:p(const char);:i2:u8;far:-:s64;...:-:v");
  ASSERT_TRUE(types.isWhole);
  EXPECT_TRUE(types.hasResult);
  EXPECT_TRUE(types.isVariadic);
  EXPECT_EQ(types.result.where.size(), 2u);
  EXPECT_EQ(types.result.type.kind, Kind::Struct);
  EXPECT_EQ(types.result.type.bytes(), 16u);
  ASSERT_EQ(types.parameters.size(), 5u);
  EXPECT_EQ(types.parameters[0].type.text(), "float64");
  EXPECT_EQ(types.parameters[0].where[0].place, Piece::Place::Vector);
  const Parameter &mode = types.parameters[1];
  EXPECT_EQ(mode.where[0].bytes, 4u);
  EXPECT_EQ(mode.type.text(), "Mode");
  EXPECT_TRUE(mode.type.isSigned);
  ASSERT_EQ(mode.type.enumerators.size(), 2u);
  EXPECT_EQ(mode.type.enumerators[0].name, "Mode::Slow");
  EXPECT_EQ(mode.type.enumerators[0].value, ~uint64_t{0});
  EXPECT_EQ(types.parameters[2].type.text(), "const char *");
  EXPECT_EQ(types.parameters[3].name, "");
  EXPECT_EQ(types.parameters[3].type.text(), "uint8");
  EXPECT_TRUE(types.parameters[4].where.empty());
}

TEST(TypesText, StopsAtWhatItDoesNotKnow) {
  const FunctionTypes newer = FunctionTypes::parse("i0:s32;a:i0:s32;b:i1:Q7;c:i2:b");
  EXPECT_TRUE(newer.hasResult);
  EXPECT_FALSE(newer.isWhole);
  ASSERT_EQ(newer.parameters.size(), 1u);
  EXPECT_EQ(newer.parameters[0].name, "a");
  EXPECT_EQ(newer.stoppedAt, 16u);
  for (const char *text : {"", "i", "i0", "i0:", "x0:s32", "i0:s", "i0:s99999999999", "i0:{P|x@",
                           "i0:e32u(M|A=", "i0:p(", "i0.0:s32", "i0.65:s32"})
    EXPECT_FALSE(FunctionTypes::parse(text).hasResult) << text;
}

TEST(TypesText, IsBounded) {
  std::string deep = "i0:";
  for (int i = 0; i < 100000; ++i)
    deep += "{S|x@0:";
  EXPECT_FALSE(FunctionTypes::parse(deep).hasResult);
  std::string wide = "i0:{S|x0@0:s8";
  for (int i = 1; i < 50000; ++i)
    wide += ",x" + std::to_string(i) + "@0:s8";
  EXPECT_FALSE(FunctionTypes::parse(wide + "}").hasResult);
  EXPECT_FALSE(FunctionTypes::parse("i0:s32;" + std::string(FunctionTypes::kMaxTextBytes, 'x')).hasResult);
}

// Nearly correct texts: no crash, and every parameter can be shown.
TEST(TypesText, AnyTextIsRead) {
  const std::string good = "i0+i1:{D|x@0:s64,y@8:f64,z@3:a4(c)};v:v0:f64;mode:i0.4:e32s(Mode|A=-1,B="
                           "1);"
                           "s:i1:p(const char);r:v1.16:?128(x);t:m8.4:s32;...:-:v";
  const std::string letters = "iv:;.+{}()|@=,\\0123456789sufbcper?am-\n\"";
  std::mt19937 random(1);
  const uint64_t general[8] = {1, ~0ull, 3, 4, 5, 6, 7, 8};
  const std::vector<std::byte> vectors(48, std::byte{0x41}), stack(20, std::byte{7});
  const Registers registers{general, vectors, 16, stack};
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (unsigned n = 1 + random() % 4; n > 0; --n)
      switch (random() % 3) {
      case 0:
        text[random() % text.size()] = letters[random() % letters.size()];
        break;
      case 1:
        text.erase(random() % text.size(), 1 + random() % 5);
        break;
      default:
        text.insert(random() % text.size(), 1, letters[random() % letters.size()]);
      }
    FunctionTypes types = FunctionTypes::parse(text);
    types.nameFlags("open", 1);
    const std::string all = argumentsText(types, registers, 1) + resultText(types, registers, 2) +
                            argumentsJson(types, registers) + resultJson(types, registers) + argumentTypesJson(types);
    ASSERT_LT(all.size(), 1u << 20);
    ASSERT_EQ(all.find('\n'), std::string::npos) << text;
  }
}

} // namespace
