// The memory that arguments point to: which arguments are recorded, and reading it from memory of any kind.
#include "core/images/argument_contents.h"
#include "shared/select/argument_list.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

namespace {

using namespace ada;
using namespace ada::runtime;

std::string formsOf(const char *types) {
  const ArgumentContents contents = ArgumentContents::parse(types, {64, 64});
  std::string forms;
  for (unsigned i = 0; i <= ArgumentContents::kResult; ++i)
    forms += "-tolvVwr#"[static_cast<unsigned>(contents.argument(i))];
  return forms + (contents.isResultObject() ? "m" : "");
}

TEST(ArgumentContents, AreFoundInTypes) {
  EXPECT_EQ(formsOf(nullptr), "---------");
  EXPECT_EQ(formsOf(""), "---------");
  EXPECT_EQ(formsOf("i0:s32;s:i0:p(const char);t:i1:p(char);u:i2:p(unsigned char)"), "tt-------");
  EXPECT_EQ(formsOf("i0:p(const char)"), "--------t");
  EXPECT_EQ(formsOf("v;s:i0:r(const std\\:\\:string);p:i3:p(std\\:\\:string);q:i4:p(string)"), "o--o-----");
  EXPECT_EQ(
      formsOf("i0+i1:{basic_string_view<char\\, std\\:\\:char_traits<char> >|_M_len@0:u64,_M_str@8:p(const char)};"
              "v:i2+i3:{basic_string_view<char\\, std\\:\\:char_traits<char> >|_M_len@0:u64,_M_str@8:p(const char)}"),
      "--v-----v");
  EXPECT_EQ(
      formsOf(
          "v0.16+v1.16:{basic_string<char\\, std\\:\\:char_traits<char>\\, std\\:\\:allocator<char> >|_M_dataplus@0:"
          "{_Alloc_hider|@0:{allocator<char>},_M_p@0:p(char)},_M_string_length@8:u64,@16:?128()};n:i1:s32"),
      "---------m");
  // Not in a register, or left out; a register that doesn't exist; a name with special characters; text that is cut.
  EXPECT_EQ(formsOf("-:p(char);a:-:p(char);b:!:p(char);c:m8:p(char);d:i9:p(char)"), "---------");
  EXPECT_EQ(formsOf("v;a\\;\\:i1\\:p(char):i0:p(char)"), "t--------");
  EXPECT_EQ(formsOf("i0:s32;s:i0:p(const cha"), "---------");
  EXPECT_EQ(formsOf("i0:s32;s:i0+i1:p(const char)"), "---------");
  EXPECT_EQ(formsOf("\\"), "---------");
}

// Whatever is cut off a text or repeated in it, nothing is read beyond it, and numbers stay those of registers.
TEST(ArgumentContents, ReadAnyText) {
  const std::string whole =
      "i0:p(char);a\\:b:i0:p(const char);v:i1+i2:{basic_string_view<char\\,x|_M_len@0:u64,_M_str@8:p(const "
      "char)};s:i7:r(std\\:\\:string);p:i5:p(P)*8{P|x@0:s32,y@4:s32};q:i6:r(const std\\:\\:vector<int>)#4s32";
  for (size_t from = 0; from < whole.size(); ++from)
    for (size_t n = 0; n <= whole.size() - from; ++n) {
      const std::string part = whole.substr(from, n);
      for (const char *arguments : {static_cast<const char *>(nullptr), "v:str, p:7", "return:str,"}) {
        const ArgumentContents contents = ArgumentContents::parse(part.c_str(), {256, 256}, arguments);
        EXPECT_LE(contents.room(true), ADA_MOST_CONTENTS_BYTES);
        EXPECT_LE(contents.room(false), ADA_MOST_CONTENTS_BYTES / 2);
      }
    }
}

class Texts : public testing::Test {
protected:
  static constexpr size_t kPage = 4096;
  void SetUp() override {
    // Two pages, and a third that can't be read.
    memory_ = static_cast<char *>(mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory_, MAP_FAILED);
    mprotect(memory_ + 2 * kPage, kPage, PROT_NONE);
  }
  void TearDown() override { munmap(memory_, 3 * kPage); }
  char *end() { return memory_ + 2 * kPage; }

  struct Text {
    unsigned where, flags;
    uint64_t length;
    std::string bytes;
    bool operator==(const Text &) const = default;
  };
  std::vector<Text> read(const char *types, std::vector<uint64_t> registers, uint32_t most, bool isCall = true,
                         const void *memory = nullptr, const char *arguments = nullptr) {
    ada_detail detail = {};
    detail.integers = static_cast<uint8_t>(registers.size());
    std::copy(registers.begin(), registers.end(), detail.registers);
    const ArgumentContents contents = ArgumentContents::parse(types, {most, most}, arguments);
    const size_t room = contents.room(isCall);
    std::vector<unsigned char> to(room + 1, 0xee);
    readContents(detail, to.data(), contents, isCall, memory);
    EXPECT_LE(detail.contents_bytes, room);
    EXPECT_EQ(to[room], 0xee);
    std::vector<Text> found;
    size_t at = 0;
    for (unsigned i = 0; i < detail.contents; ++i) {
      ada_contents head;
      std::memcpy(&head, &to[at], sizeof head);
      at += sizeof head;
      found.push_back({head.where, head.flags, head.length, {reinterpret_cast<char *>(&to[at]), head.bytes}});
      at += (head.bytes + 7u) / 8 * 8;
    }
    EXPECT_EQ(at, detail.contents_bytes);
    return found;
  }
  static uint64_t at(const void *address) { return reinterpret_cast<uint64_t>(address); }
  static constexpr uint64_t kUnknown = ~uint64_t{0};

  char *memory_ = nullptr;
};

TEST_F(Texts, EndAtTheZero) {
  const char *types = "v;s:i0:p(char)";
  EXPECT_EQ(read(types, {at("hello")}, 64), (std::vector<Text>{{0, 0, 5, "hello"}}));
  EXPECT_EQ(read(types, {at("")}, 64), (std::vector<Text>{{0, 0, 0, ""}}));
  EXPECT_EQ(read(types, {at("hello")}, 6), (std::vector<Text>{{0, 0, 5, "hello"}}));
  EXPECT_EQ(read(types, {at("hello")}, 5), (std::vector<Text>{{0, 0, 5, "hello"}}));
  EXPECT_EQ(read(types, {at("hello")}, 4), (std::vector<Text>{{0, 0, kUnknown, "hell"}})); // its end was not seen
  EXPECT_EQ(read(types, {at("hello")}, 3), (std::vector<Text>{{0, 0, kUnknown, "hel"}}));
  EXPECT_EQ(read(types, {0}, 64), (std::vector<Text>{}));
  EXPECT_EQ(read(types, {}, 64), (std::vector<Text>{})); // the register was not recorded
}

TEST_F(Texts, MayPointAnywhere) {
  const char *types = "v;s:i0:p(char)";
  for (const uint64_t address :
       {uint64_t{1}, at(end()), at(end() + 100), uint64_t{1} << 63, kUnknown, kUnknown - 10, uint64_t{0x7fffffffffff}})
    EXPECT_EQ(read(types, {address}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}})) << address;
  // At the edge of mapped memory, with and without an end; and across the border of two pages.
  for (size_t n = 1; n < 300; ++n) {
    std::memset(memory_, 'x', 2 * kPage);
    const std::string all(std::min<size_t>(n, 256), 'x');
    EXPECT_EQ(read(types, {at(end() - n)}, 256),
              (std::vector<Text>{{0, n <= 256 ? ADA_CONTENTS_UNREADABLE : 0, kUnknown, all}}));
    end()[-1] = 0;
    EXPECT_EQ(read(types, {at(end() - n)}, 256),
              (std::vector<Text>{{0, 0, n <= 257 ? n - 1 : kUnknown, n <= 256 ? all.substr(1) : all}}));
    memory_[kPage + 10] = 0;
    EXPECT_EQ(read(types, {at(memory_ + kPage + 10 - std::min<size_t>(n, 255))}, 256),
              (std::vector<Text>{{0, 0, std::min<size_t>(n, 255), all.substr(0, 255)}}));
  }
}

TEST_F(Texts, OfTheStandardLibrary) {
  const std::string small = "small", large(100000, 'l'), zeros("a\0b", 3);
  const char *types = "v;s:i0:r(const std\\:\\:string)";
  EXPECT_EQ(read(types, {at(&small)}, 64), (std::vector<Text>{{0, 0, 5, "small"}}));
  EXPECT_EQ(read(types, {at(&large)}, 64), (std::vector<Text>{{0, 0, 100000, large.substr(0, 64)}}));
  EXPECT_EQ(read(types, {at(&zeros)}, 64), (std::vector<Text>{{0, 0, 3, zeros}}));
  const uint64_t torn[2] = {7, kUnknown};
  EXPECT_EQ(read(types, {at(torn)}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
  EXPECT_EQ(read(types, {at(end() - 8)}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
  EXPECT_EQ(read("v0.16+v1.16:{basic_string<char\\,x|_M_p@0:p(char)},_M_string_length@8:u64}", {}, 64, false, &small),
            (std::vector<Text>{{ADA_CONTENTS_RESULT, 0, 5, "small"}}));

  const char *view = "i0+i1:{basic_string_view<char\\,x|_M_len@0:u64,_M_str@8:p(const char)};"
                     "v:i2+i3:{basic_string_view<char\\,x|_M_len@0:u64,_M_str@8:p(const char)}";
  EXPECT_EQ(read(view, {0, 0, 3, at("abcdef")}, 64), (std::vector<Text>{{2, 0, 3, "abc"}}));
  EXPECT_EQ(read(view, {6, at("abcdef")}, 4, false), (std::vector<Text>{{0, 0, 6, "abcd"}}));
  EXPECT_EQ(read(view, {0, 0, 3}, 64), (std::vector<Text>{}));
}

// Laid out by the test as libc++ does it.
TEST_F(Texts, OfLibcxx) {
  struct String {
    explicit String(std::string_view text) {
      if (text.size() <= 22) {
        bytes[0] = static_cast<char>(text.size() << 1);
        text.copy(bytes + 1, text.size());
      } else {
        const uint64_t words[3] = {(text.size() + 1) | 1, text.size(), at(text.data())};
        std::memcpy(bytes, words, sizeof words);
      }
    }
    char bytes[24] = {};
  };
  const char *types = "v;s:i0:r(const std\\:\\:__1\\:\\:string);p:i1:p(std\\:\\:__1\\:\\:string)";
  EXPECT_EQ(formsOf(types), "ll-------");
  const std::string large(100000, 'l');
  const String none(""), small("small"), shortest(large.substr(0, 22)), longest(large),
      zeros(std::string_view("a\0b", 3));
  EXPECT_EQ(read(types, {at(&none)}, 64), (std::vector<Text>{{0, 0, 0, ""}}));
  EXPECT_EQ(read(types, {at(&small), at(&zeros)}, 64),
            (std::vector<Text>{{0, 0, 5, "small"}, {1, 0, 3, std::string("a\0b", 3)}}));
  EXPECT_EQ(read(types, {at(&shortest)}, 64), (std::vector<Text>{{0, 0, 22, large.substr(0, 22)}}));
  EXPECT_EQ(read(types, {at(&longest)}, 64), (std::vector<Text>{{0, 0, 100000, large.substr(0, 64)}}));
  String odd("");
  odd.bytes[0] = static_cast<char>(0xfe); // longer than a short string can be
  EXPECT_EQ(read(types, {at(&odd)}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
  const uint64_t torn[3] = {65, kUnknown, 7};
  EXPECT_EQ(read(types, {at(torn)}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
  EXPECT_EQ(read(types, {at(end() - 8)}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
  for (const char *result : {"v:{basic_string<char\\,x|__rep_@0:?}", "v:{basic_string<char\\,x|__r_@0:{y|z@0:?}}"})
    EXPECT_EQ(read(result, {}, 64, false, &small), (std::vector<Text>{{ADA_CONTENTS_RESULT, 0, 5, "small"}})) << result;

  const char *view = "v;v:i2+i3:{basic_string_view<char\\,x|__data_@0:p(const char),__size_@8:u64};"
                     "w:i4+i5:{basic_string_view<char\\,x|__data@0:p(const char),__size@8:u64}";
  EXPECT_EQ(formsOf(view), "--V-V----");
  EXPECT_EQ(read(view, {0, 0, at("abcdef"), 3, at("gh"), 2}, 64),
            (std::vector<Text>{{2, 0, 3, "abc"}, {4, 0, 2, "gh"}}));
  EXPECT_EQ(read(view, {0, 0, 0, 3}, 64), (std::vector<Text>{}));
}

TEST_F(Texts, AreFourAtMost) {
  const char *types = "v;a:i0:p(char);b:i1:p(char);c:i2:p(char);d:i3:p(char);e:i4:p(char)";
  const uint64_t text = at("x");
  EXPECT_EQ(read(types, {text, 0, text, text, text, text}, 8).size(), 4u);
  EXPECT_EQ(read(types, {text, text, text, text, text, text}, 256).size(), 4u);
}

TEST(ArgumentContents, OfPointeesAreFoundInTypes) {
  EXPECT_EQ(formsOf("i0:p(P)*8{P|x@0:s32,y@4:s32};a:i0:r(const P)*8{P|x@0:s32,y@4:s32};b:i1:p(const int)*4s32;"
                    "c:i2:r(int)*4s32;d:i3:r(const std\\:\\:vector<int>)#4s32;e:i4:p(P)"),
            "wrw#----w");
  EXPECT_EQ(formsOf("v;a:i0:p(P)*;b:i1:p(P)*0{P};c:i2:p(P)#;d:i3:p(P)*8;e:i4:p(char)*1c"), "---rt----");
  // Values at an address, of a number or a struct; not of a result, and not without a size.
  EXPECT_EQ(formsOf("@0.8:{P};a:@1.24:{P|x@0:s32};b:@2:s64;c:@3.0:{P};d:@8.16:{P};e:@4.16+i5:{P}"), "-ww------");
  const auto bytesOf = [](const char *types, ArgumentContents::Sizes sizes, const char *arguments, unsigned number) {
    return ArgumentContents::parse(types, sizes, arguments).bytes(number);
  };
  const char *types = "i0:p(char);s:i0:p(char);p:i1:p(P)*24{P|x@0:s32,y@20:s32};n:i2:p(int)*4s32;"
                      "v:i3:r(std\\:\\:vector<short>)#2s16;a\\:b:i4:p(int)*4s32";
  // By the options: at most the whole struct, only whole elements, and eight elements if their number is not known.
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(bytesOf(types, {0, 0}, nullptr, i), 0u);
    EXPECT_EQ(bytesOf(types, {16, 0}, nullptr, i), (std::vector{16u, 0u, 0u, 0u})[i]);
    EXPECT_EQ(bytesOf(types, {0, 7}, nullptr, i), (std::vector{0u, 7u, 4u, 6u})[i]);
    EXPECT_EQ(bytesOf(types, {10, 99}, nullptr, i), (std::vector{10u, 24u, 32u, 98u})[i]);
  }
  // By names: these arguments and no others, whatever the options are.
  EXPECT_EQ(bytesOf(types, {0, 0}, "s:str", 0), 64u);
  EXPECT_EQ(bytesOf(types, {16, 0}, "s:str", 0), 16u);
  EXPECT_EQ(bytesOf(types, {16, 16}, "s:str", 1), 0u);
  EXPECT_EQ(bytesOf(types, {16, 16}, "s:fields", 0), 0u); // it is not a struct
  EXPECT_EQ(bytesOf(types, {16, 16}, "x:str,  p:fields , n:99,s", 1), 16u);
  EXPECT_EQ(bytesOf(types, {16, 16}, "x:str,  p:fields , n:99,s", 2), 96u);
  EXPECT_EQ(bytesOf(types, {16, 16}, "x:str,  p:fields , n:99,s", 0), 0u);
  EXPECT_EQ(bytesOf(types, {0, 0}, "return:5", ArgumentContents::kResult), 5u);
  EXPECT_EQ(bytesOf(types, {0, 0}, "a:4", 4), 0u);
  EXPECT_EQ(bytesOf("v;p:@1.24:{P|x@0:s32}", {0, 99}, nullptr, 1), 24u);
  EXPECT_EQ(bytesOf("v;p:@1.24:{P|x@0:s32}", {0, 16}, nullptr, 1), 16u);
}

TEST_F(Texts, AreStructsAndElements) {
  const struct {
    int x, y;
  } point = {1, 2};
  const auto bytes = [](const auto &value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
  };
  const char *whole = "v;p:i0:p(P)*8{P|x@0:s32,y@4:s32}";
  EXPECT_EQ(read(whole, {at(&point)}, 64), (std::vector<Text>{{0, 0, 8, bytes(point)}}));
  EXPECT_EQ(read(whole, {at(&point)}, 4), (std::vector<Text>{{0, 0, 4, bytes(point.x)}}));
  EXPECT_EQ(read(whole, {at(end() - 4)}, 64),
            (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, 8, std::string(4, '\0')}}));
  EXPECT_EQ(read(whole, {at(end())}, 64), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, 8, ""}}));
  EXPECT_EQ(read(whole, {0}, 64), (std::vector<Text>{}));

  const uint16_t row[20] = {1, 2, 3};
  EXPECT_EQ(read("v;p:i0:p(short)*2s16", {at(row)}, 64),
            (std::vector<Text>{{0, 0, kUnknown, bytes(row).substr(0, 16)}}));
  EXPECT_EQ(read("v;p:i0:p(short)*2s16", {at(row)}, 0, true, nullptr, "p:41"),
            (std::vector<Text>{{0, 0, kUnknown, bytes(row)}}));

  const char *vector = "v;p:i0:r(std\\:\\:vector<short>)#2s16";
  const std::vector<uint16_t> some(row, row + 20), none;
  EXPECT_EQ(read(vector, {at(&some)}, 9), (std::vector<Text>{{0, 0, 40, bytes(row).substr(0, 8)}}));
  EXPECT_EQ(read(vector, {at(&some)}, 99), (std::vector<Text>{{0, 0, 40, bytes(row)}}));
  EXPECT_EQ(read(vector, {at(&none)}, 99), (std::vector<Text>{{0, 0, 0, ""}}));
  const uint64_t torn[2] = {at(row) + 2, at(row)};
  EXPECT_EQ(read(vector, {at(torn)}, 99), (std::vector<Text>{{0, ADA_CONTENTS_UNREADABLE, kUnknown, ""}}));
}

TEST(ArgumentLists, AreBehindGlobs) {
  const auto split = [](const char *text) {
    const select::DetailGlob found = select::splitArguments(text);
    const auto string = [](TextPiece piece) {
      return std::string(piece.data ? piece.data : "-", piece.data ? piece.size : 1);
    };
    return string(found.glob) + " " + string(found.arguments);
  };
  EXPECT_EQ(split("open*(path:str, flags)"), "open* path:str, flags");
  EXPECT_EQ(split("f(int)(n:4)"), "f(int) n:4");
  EXPECT_EQ(split("f(std::string, ns::T)"), "f(std::string, ns::T) -");
  EXPECT_EQ(split("operator()"), "operator() -");
  EXPECT_EQ(split("{lambda at a.cpp:3}(int)"), "{lambda at a.cpp:3}(int) -");
  EXPECT_EQ(split(")"), ") -");
  EXPECT_EQ(split("(:"), "(: -");
  EXPECT_EQ(split(":)"), ":) -");
  for (const char *good : {"a:str", "a:fields,b", " a:1 , b:256", "return:str"})
    EXPECT_TRUE(select::isArgumentList(good)) << good;
  for (const char *bad : {"", ":str", "a:", "a:string", "a:0", "a:257", "a:-1", "a:str,,b", "a:4x"})
    EXPECT_FALSE(select::isArgumentList(bad)) << bad;
}

TEST(ArgumentContents, AreRememberedByAddress) {
  struct alignas(16) {
    ada_function function[2000] = {};
    char types[2][16] = {"v;s:i0:p(char)", "v;s:i1:p(char)"};
  } static image;
  for (unsigned i = 0; i < 2000; ++i)
    image.function[i].types_off = static_cast<int32_t>(reinterpret_cast<char *>(image.types[i % 2]) -
                                                       reinterpret_cast<char *>(&image.function[i]));
  const auto of = [](const ada_function &function) {
    return ArgumentContents::of(function, {64, 0}, [](const ada_function &) -> const char * { return nullptr; });
  };
  for (int round = 0; round < 3; ++round)
    for (unsigned i = 0; i < 2000; ++i)
      ASSERT_EQ(of(image.function[i]).argument(i % 2), ContentForm::Terminated);
  image.function[7].types_off = 0;
  ArgumentContents::forget();
  EXPECT_FALSE(of(image.function[7]).any(true));
}

} // namespace
