// Values from registers: by width and sign, as text and as JSON, and never more than was recorded.
#include "ada/trace/types.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>

using namespace ada::types;

namespace {

// The value of a parameter of this place and type, with these registers.
class Values : public testing::Test {
protected:
  std::string text(const std::string &parameter) { return show(parameter, false); }
  std::string json(const std::string &parameter) { return show(parameter, true); }

  std::array<uint64_t, 8> general_{};
  std::vector<std::byte> vectors_, stack_;

  void setVector(unsigned number, const void *from, size_t size) {
    vectors_.resize(std::max<size_t>(vectors_.size(), 16 * (number + 1)));
    std::memcpy(vectors_.data() + 16 * number, from, size);
  }

private:
  std::string show(const std::string &parameter, bool asJson) {
    const FunctionTypes types = FunctionTypes::parse("-:v;x:" + parameter);
    EXPECT_TRUE(types.isWhole) << parameter;
    const Registers registers{general_, vectors_, 16, stack_};
    const Value value = types.parameters.at(0).value(registers);
    return asJson ? value.json() : value.text();
  }
};

TEST_F(Values, NoKeyComesTwice) {
  general_ = {1, 2, 3};
  const FunctionTypes types = FunctionTypes::parse("-:v;#2:i0:u8;:i1:u8;x:i2:{S|a@0:u8,a@0:u8,a#2@0:u8}");
  const Registers registers{general_, {}, 16, {}};
  EXPECT_EQ(argumentsJson(types, registers), R"({"#2":1,"#2#":2,"x":{"a":3,"a#2":3,"a#2#2":3}})");
}

TEST_F(Values, ControlCharactersAreNotShown) {
  general_[0] = 0x1b7f07;
  EXPECT_EQ(text("i0:a4(c)"), R"("\u0007\u007f\u001b")");
  EXPECT_EQ(json("i0:a4(c)"), R"("\u0007\u007f\u001b")");
}

TEST_F(Values, IntegersHaveWidthAndSign) {
  general_[0] = 0x123456789abcdeff;
  EXPECT_EQ(text("i0:u8"), "255");
  EXPECT_EQ(text("i0:s8"), "-1");
  EXPECT_EQ(text("i0:s16"), "-8449");
  EXPECT_EQ(text("i0:u32"), "2596069119");
  EXPECT_EQ(text("i0:s32"), "-1698898177");
  EXPECT_EQ(text("i0:s64"), "1311768467463790335");
  general_[1] = ~0ull;
  EXPECT_EQ(text("i1:u64"), "18446744073709551615");
  EXPECT_EQ(json("i1:u64"), "18446744073709551615");
  EXPECT_EQ(text("i1+i1:s128"), "-1");
  EXPECT_EQ(text("i1+i1:u128"), "340282366920938463463374607431768211455");
  EXPECT_EQ(json("i1+i1:u128"), "\"340282366920938463463374607431768211455\"");
  general_[2] = 1;
  EXPECT_EQ(text("i0+i2:u128"), "19758512541173341951");
}

TEST_F(Values, BoolCharPointerReference) {
  general_[0] = 0x1100;
  EXPECT_EQ(text("i0:b"), "false");
  general_[0] = 0x1101;
  EXPECT_EQ(text("i0:b"), "true");
  EXPECT_EQ(json("i0:b"), "true");
  general_[0] = 'a';
  EXPECT_EQ(text("i0:c"), "'a'");
  EXPECT_EQ(json("i0:c"), "\"a\"");
  general_[0] = '\n';
  EXPECT_EQ(text("i0:c"), "'\\n'");
  general_[0] = 0;
  EXPECT_EQ(text("i0:p(const char)"), "nullptr");
  EXPECT_EQ(json("i0:p(const char)"), "\"0x0\"");
  general_[0] = 0x7f0012;
  EXPECT_EQ(text("i0:r(int)"), "0x7f0012");
}

TEST_F(Values, EnumsHaveNames) {
  const std::string mode = "i0:e32u(Mode|Mode\\:\\:Slow=0,Mode\\:\\:Fast=1)";
  general_[0] = 0xffffffff00000001;
  EXPECT_EQ(text(mode), "Mode::Fast");
  EXPECT_EQ(json(mode), "\"Mode::Fast\"");
  general_[0] = 7;
  EXPECT_EQ(text(mode), "Mode(7)");
  const std::string bits = "i0:e32u(|A=1,B=2,C=4)";
  EXPECT_EQ(text(bits), "A|B|C");
  general_[0] = 0xff;
  EXPECT_EQ(text("i0:e8s(Neg|Neg\\:\\:Minus=-1)"), "Neg::Minus");
}

TEST_F(Values, FloatingPointReadsBack) {
  const double d = 0.1;
  const float f = 2.5f;
  setVector(0, &d, sizeof d);
  setVector(1, &f, sizeof f);
  EXPECT_EQ(text("v0:f64"), "0.1");
  EXPECT_EQ(text("v1:f32"), "2.5");
  const double nan = std::bit_cast<double>(0x7ff8000000000000), inf = -1 / 0.0;
  setVector(2, &nan, sizeof nan);
  setVector(3, &inf, sizeof inf);
  EXPECT_EQ(text("v2:f64"), "nan");
  EXPECT_EQ(json("v2:f64"), "\"nan\"");
  EXPECT_EQ(text("v3:f64"), "-inf");
  EXPECT_EQ(json("v0:f64"), "0.1");
}

TEST_F(Values, BfloatReadsBack) {
  for (const auto &[bits, expected] : {std::pair(0x3fc0, "1.5"),
                                       {0xc2f7, "-123.5"},
                                       {0x3dcd, "0.1"},
                                       {0x0000, "0"},
                                       {0x7f80, "inf"},
                                       {0x7fc0, "nan"},
                                       {0x0001, "9e-41"}}) {
    general_[0] = static_cast<uint64_t>(bits) | 0xabcd0000;
    EXPECT_EQ(text("i0:g16"), expected);
  }
  general_[0] = 0x3fc0;
  EXPECT_EQ(json("i0:{P|x@0:g16,y@2:v}"), "{\"x\":1.5,\"y\":null}");
  EXPECT_EQ(text("i0:{P|x@0:g16,y@2:v}"), "{x=1.5, y=?}"); // nobody knows a value of no type
}

TEST(Value, AtAnAddress) {
  const uint64_t general[] = {0x1000, 0x2000};
  const uint32_t there[] = {7, 8, 9};
  const Contents contents[] = {{.where = 1, .length = 12, .bytes = std::as_bytes(std::span(there))}};
  const Registers registers{.general = general, .contents = contents};
  const auto show = [&](const char *text) {
    const FunctionTypes types = FunctionTypes::parse(text);
    EXPECT_TRUE(types.isWhole);
    return argumentsText(types, registers, 1) + " " + argumentsJson(types, registers);
  };
  EXPECT_EQ(show("-:v;p:@1.12:{P|x@0:s32,y@8:s32}"), "p={x=7, y=9} {\"p\":{\"x\":7,\"y\":9}}");
  EXPECT_EQ(show("-:v;p:@1.16:{P|x@0:s32,y@12:s32}"), "p={x=7, y=?} {\"p\":{\"x\":7,\"y\":null}}");
  EXPECT_EQ(show("-:v;p:@0.12:{P|x@0:s32,y@8:s32}"), "p=? {\"p\":null}"); // never the address
  EXPECT_EQ(show("-:v;n:@0:s64"), "n=? {\"n\":null}");
}

TEST_F(Values, StructsOutOfPieces) {
  general_[0] = 0xfffffffe00000001;
  const double d = -0.25;
  setVector(0, &d, sizeof d);
  EXPECT_EQ(text("i0:{P|x@0:s32,y@4:s32}"), "{x=1, y=-2}");
  EXPECT_EQ(json("i0:{P|x@0:s32,y@4:s32}"), "{\"x\":1,\"y\":-2}");
  EXPECT_EQ(text("i0+v0:{M|i@0:s64,d@8:f64}"), "{i=-8589934591, d=-0.25}");
  // A member beyond the recorded bytes.
  EXPECT_EQ(text("i0:{P|x@0:s32,y@8:s32}"), "{x=1, y=?}");
  // Members of a base are its own; a name that occurs twice is one key each in JSON.
  EXPECT_EQ(json("i0:{D|@0:{B|x@0:s32},x@4:s32}"), "{\"x\":1,\"x#2\":-2}");
  general_[1] = 0x0000006f6c6c6568;
  EXPECT_EQ(text("i1:a8(c)"), "\"hello\"");
  EXPECT_EQ(text("i0:a2(s32)"), "[1, -2]");
}

TEST_F(Values, NothingThatWasNotRecorded) {
  EXPECT_EQ(text("-:s32"), "?");
  EXPECT_EQ(json("-:s32"), "null");
  EXPECT_EQ(text("i8:s32"), "?");
  EXPECT_EQ(text("v0:f64"), "?");
  EXPECT_EQ(text("m8.4:s32"), "?");
  stack_.assign(12, std::byte{1});
  EXPECT_EQ(text("m8.4:s32"), "16843009");
  EXPECT_EQ(text("m9.4:s32"), "?");
  EXPECT_EQ(text("m4294967295.4:s32"), "?");
  EXPECT_EQ(text("-:v"), "");
}

TEST(Value, LeftOut) {
  const FunctionTypes types = FunctionTypes::parse("!:s64;a:!:s32;b:i0:s32");
  const uint64_t general[] = {7};
  const Registers registers{.general = general};
  EXPECT_TRUE(types.isWhole && types.parameters[0].isLeftOut && !types.parameters[1].isLeftOut);
  EXPECT_EQ(argumentsText(types, registers, 1), "a=<unused>, b=7");
  EXPECT_EQ(argumentsJson(types, registers), "{\"a\":null,\"b\":7}");
  EXPECT_EQ(resultText(types, registers, 1), "<unused>");
  EXPECT_EQ(resultJson(types, registers), "null");
}

TEST(Value, PartsLeftOut) {
  const uint64_t general[] = {10, 0x64636261};
  const Registers registers{.general = general};
  const auto show = [&](const char *text) {
    const FunctionTypes types = FunctionTypes::parse(text);
    EXPECT_TRUE(types.isWhole);
    return argumentsText(types, registers, 1) + " " + argumentsJson(types, registers);
  };
  EXPECT_EQ(show("-:v;m:i0+!:{Mix|id@0:s32,weight@8:f64}"),
            "m={id=10, weight=<unused>} {\"m\":{\"id\":10,\"weight\":null}}");
  EXPECT_EQ(show("-:v;m:!+i0.4:{P|x@0:f32,y@4:f32,z@8:s32}"),
            "m={x=<unused>, y=<unused>, z=10} {\"m\":{\"x\":null,\"y\":null,\"z\":10}}");
  EXPECT_EQ(show("-:v;v:i0+!:s128"), "v=? {\"v\":null}");
  EXPECT_EQ(show("-:v;v:!+!:s128"), "v=<unused> {\"v\":null}");
  EXPECT_EQ(show("-:v;p:i0:p(const char)-"), "p=0xa {\"p\":\"0xa\"}");
  const FunctionTypes half = FunctionTypes::parse("-:v;v:!.4:s32;w:!.2+i0.2:s32");
  EXPECT_EQ(half.parameters[1].value(registers).asSigned(), std::nullopt);
  EXPECT_TRUE(half.parameters[0].isLeftOut && !half.parameters[1].isLeftOut);
}

TEST(Value, AsNumbers) {
  const FunctionTypes types = FunctionTypes::parse("i0:s32;u:i0:u64;f:v0:f32;p:i0:p()");
  const uint64_t general[] = {0xffffffffffffffff};
  const std::vector<std::byte> vectors = [] {
    std::vector<std::byte> bytes(16);
    const float f = 1.5f;
    std::memcpy(bytes.data(), &f, sizeof f);
    return bytes;
  }();
  const Registers registers{general, vectors, 16, {}};
  EXPECT_EQ(types.result.value(registers).asSigned(), -1);
  EXPECT_EQ(types.result.value(registers).asUnsigned(), std::nullopt);
  EXPECT_EQ(types.result.value(registers).asDouble(), -1.0);
  EXPECT_EQ(types.parameters[0].value(registers).asSigned(), std::nullopt);
  EXPECT_EQ(types.parameters[0].value(registers).asUnsigned(), ~0ull);
  EXPECT_EQ(types.parameters[1].value(registers).asDouble(), 1.5);
  EXPECT_EQ(types.parameters[1].value(registers).asUnsigned(), std::nullopt);
  EXPECT_EQ(types.parameters[2].value(registers).asUnsigned(), ~0ull);
}

TEST(Flags, HaveNamesWhereCDocumentsThem) {
  const uint64_t general[8] = {0x7f0000, 02000000, 0644, 0, 0, 0, 0, 0};
  const Registers registers{general, {}, 16, {}};
  const auto show = [&](const char *function, const char *text, uint8_t arch) {
    FunctionTypes types = FunctionTypes::parse(text);
    types.nameFlags(function, arch);
    return argumentsText(types, registers, arch);
  };
  const char *const open = "i0:s32;path:i0:p(const char);flags:i1:s32;mode:i2:u32";
  EXPECT_EQ(show("open", open, 1), "path=0x7f0000, flags=O_RDONLY|O_CLOEXEC, mode=0644");
  EXPECT_EQ(show("my::File::open", open, 1), "path=0x7f0000, flags=O_RDONLY|O_CLOEXEC, mode=0644");
  EXPECT_EQ(show("close", open, 1), "path=0x7f0000, flags=524288, mode=420");
  // By position in C, by name elsewhere.
  EXPECT_EQ(show("open", "i0:s32;:i0:p(const char);:i1:s32", 1), "0x7f0000, O_RDONLY|O_CLOEXEC");
  EXPECT_EQ(show("A::open", "i0:s32;:i0:p(const char);:i1:s32", 1), "0x7f0000, 524288");
  const uint64_t direct[8] = {0, 0200000, 0, 0, 0, 0, 0, 0};
  const Registers other{direct, {}, 16, {}};
  FunctionTypes types = FunctionTypes::parse(open);
  types.nameFlags("open", 1);
  EXPECT_EQ(types.parameters[1].value(other).text(), "O_RDONLY|O_DIRECTORY");
  types.nameFlags("open", 2);
  EXPECT_EQ(types.parameters[1].value(other).text(), "O_RDONLY|O_DIRECT");
}

TEST(CallTexts, RegistersWhereTypesAreNotKnown) {
  const uint64_t general[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::byte> vectors(16);
  vectors[0] = std::byte{9};
  const Registers registers{general, vectors, 16, {}};
  const FunctionTypes nothing;
  EXPECT_EQ(argumentsText(nothing, registers, 1), "rdi=0x1, rsi=0x2, rdx=0x3, rcx=0x4, r8=0x5, r9=0x6, xmm0=0x9");
  EXPECT_EQ(argumentsText(nothing, registers, 2),
            "x0=0x1, x1=0x2, x2=0x3, x3=0x4, x4=0x5, x5=0x6, x6=0x7, x7=0x8, v0=0x9");
  EXPECT_EQ(resultText(nothing, registers, 1), "rax=0x1, rdx=0x2, xmm0=0x9");
  // Registers that a parameter uses are not shown twice.
  EXPECT_EQ(argumentsText(FunctionTypes::parse("i0:v;n:i1:s32;z:i0:NEW"), registers, 1),
            "n=2, rdi=0x1, rdx=0x3, rcx=0x4, r8=0x5, r9=0x6, xmm0=0x9");
  EXPECT_EQ(argumentsJson(FunctionTypes::parse("-:v;:i0:s32;n:i1:s32;n:i2:s32"), registers),
            "{\"#1\":1,\"n\":2,\"#3\":3}");
}

//===--- what pointers point to -------------------------------------------===//

struct Shown {
  std::string text, json;
  bool operator==(const Shown &) const = default;
};

// The value that the first parameter points to, whose address has these bytes.
Shown pointee(const std::string &type, const std::vector<unsigned char> &bytes, std::optional<uint64_t> length,
              bool isUnreadable = false) {
  const FunctionTypes types = FunctionTypes::parse("-:v;p:i0:" + type);
  EXPECT_TRUE(types.isWhole) << type;
  Contents contents;
  contents.bytes = std::as_bytes(std::span(bytes));
  contents.length = length;
  contents.isUnreadable = isUnreadable;
  const Type &pointer = types.parameters.at(0).type;
  return {contents.text(pointer), contents.json(pointer)};
}

TEST(Pointee, Structs) {
  const std::string whole = "p(P)*8{P|x@0:s32,y@4:s32}", same = "r(P)*8{P|x@0:s32,y@4:s32}";
  EXPECT_EQ(pointee(whole, {1, 0, 0, 0, 2, 0, 0, 0}, 8), (Shown{"&{x=1, y=2}", R"({"x":1,"y":2})"}));
  EXPECT_EQ(pointee(same, {1, 0, 0, 0, 2, 0, 0, 0}, 8), (Shown{"{x=1, y=2}", R"({"x":1,"y":2})"}));
  EXPECT_EQ(pointee(whole, {1, 0, 0, 0, 2, 0, 0}, 8, true), (Shown{"&{x=1, y=?}", R"({"x":1,"y":null})"}));
  EXPECT_EQ(pointee(whole, {}, 8, true), (Shown{"(unreadable)", R"("…")"}));
  EXPECT_EQ(pointee("r(int)*4s32", {5, 0, 0, 0}, 4), (Shown{"5", "5"}));
}

// Arrays within a struct, with only the first bytes recorded.
TEST(Pointee, CutArrays) {
  const std::string type = "r(P)*16{P|n@0:a4(s16),t@8:a4(c),u@12:a4(c)}";
  EXPECT_EQ(pointee(type, {1, 0, 2, 0}, 16), (Shown{"{n=[1, 2, …], t=?, u=?}", R"({"n":[1,2],"t":null,"u":null})"}));
  EXPECT_EQ(pointee(type, {1, 0, 2, 0, 3, 0, 4, 0, 'a', 'b'}, 16),
            (Shown{"{n=[1, 2, 3, 4], t=['a', 'b', …], u=?}", R"({"n":[1,2,3,4],"t":["a","b"],"u":null})"}));
  EXPECT_EQ(pointee("r(vector)#2s16", {}, 2000), (Shown{"? (1,000 elements)", "null"}));
}

TEST(Pointee, Elements) {
  EXPECT_EQ(pointee("p(short)*2s16", {1, 0, 2, 0}, {}), (Shown{"[1, 2, …]", "[1,2]"}));
  EXPECT_EQ(pointee("p(short)*2s16", {1, 0, 2}, {}, true), (Shown{"[1, …] (unreadable)", "[1]"}));
  EXPECT_EQ(pointee("r(vector)#2s16", {1, 0, 2, 0}, 4), (Shown{"[1, 2]", "[1,2]"}));
  EXPECT_EQ(pointee("r(vector)#2s16", {1, 0, 2, 0}, 2000), (Shown{"[1, 2, … (1,000 elements)]", "[1,2]"}));
  EXPECT_EQ(pointee("r(vector)#2s16", {}, 0), (Shown{"[]", "[]"}));
  EXPECT_EQ(pointee("r(vector)#1c", {'a', 0, 'b'}, 3), (Shown{R"("a\u0000b")", R"("a\u0000b")"}));
  EXPECT_EQ(pointee("p(P)", {'a'}, 1), (Shown{R"("a")", R"("a")"})); // a text
  EXPECT_EQ(pointee("{V|l@0:u64,s@8:p(char)}", {'a'}, 1), (Shown{R"("a")", R"("a")"}));
}

// Whatever a type text says: it is parsed or refused, and showing the value never reads beyond it.
TEST(Pointee, AnyTypes) {
  for (const char *wrong :
       {"p(P)*", "p(P)*8", "p(P)*x{P}", "p(P)*0{P}", "p(P)#", "p(P)#1{P}", "p(P)*8{P|x@0:v}", "p(P)*4294967296s32"})
    EXPECT_FALSE(FunctionTypes::parse(std::string("-:v;p:i0:") + wrong).isWhole) << wrong;
  EXPECT_EQ(pointee("p(P)*1{P|x@0:{E}}", {'a'}, 1), (Shown{"&{x={}}", R"({"x":{}})"}));
  EXPECT_EQ(pointee("p(P)*8{P|x@4294967295:s32}", {1, 2, 3}, {}), (Shown{"&{x=?}", R"({"x":null})"}));
  EXPECT_EQ(pointee("p(P)*8a1000000000(s32)", {1, 2, 3}, {}).json, "null");
  EXPECT_EQ(pointee("p(P)*8p(Q)*8p(R)*4s32", {1, 0, 0, 0, 0, 0, 0, 0}, {}), (Shown{"[0x1, …]", R"(["0x1"])"}));
}

} // namespace
