// Globs that choose functions: what they match, by which of a function's names.
#include "select/function_glob.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

using namespace ada::select;

namespace {

bool matches(const char *glob, const std::string &text) {
  return means(glob, {.mangled = text.c_str(), .demangled = nullptr, .file = nullptr});
}

TEST(FunctionGlob, Characters) {
  EXPECT_TRUE(matches("main", "main"));
  EXPECT_FALSE(matches("main", "main2"));
  EXPECT_FALSE(matches("main", "amain"));
  EXPECT_FALSE(matches("main", "mai"));
  EXPECT_TRUE(matches("m?in", "main"));
  EXPECT_FALSE(matches("m?in", "min"));
  EXPECT_TRUE(matches("*", "anything"));
  EXPECT_TRUE(matches("ma*", "ma"));
  EXPECT_TRUE(matches("*in", "main"));
  EXPECT_TRUE(matches("*a*i*", "main"));
  EXPECT_TRUE(matches("**a**", "main"));
  EXPECT_FALSE(matches("*b*", "main"));
  EXPECT_TRUE(matches("*abc", "ababcabc"));
  EXPECT_FALSE(matches("", "main"));
}

TEST(FunctionGlob, Sets) {
  EXPECT_TRUE(matches("f[0-9]", "f7"));
  EXPECT_FALSE(matches("f[0-9]", "fx"));
  EXPECT_TRUE(matches("f[abc]", "fb"));
  EXPECT_TRUE(matches("f[!0-9]", "fx"));
  EXPECT_FALSE(matches("f[!0-9]", "f7"));
  EXPECT_TRUE(matches("f[^0-9]", "fx"));
  EXPECT_TRUE(matches("f[]]", "f]"));
  EXPECT_TRUE(matches("f[a-]", "f-"));
  EXPECT_TRUE(matches("f[-a]", "f-"));
  EXPECT_TRUE(matches("f[", "f["));     // no set: the character itself
  EXPECT_TRUE(matches("f[a", "f[a"));
  EXPECT_TRUE(matches("[a-c]*[x-z]", "b---y"));
}

TEST(FunctionGlob, EscapesAndAlternatives) {
  EXPECT_TRUE(matches("operator\\*", "operator*"));
  EXPECT_FALSE(matches("operator\\*", "operatorx"));
  EXPECT_TRUE(matches("operator\\|", "operator|"));
  EXPECT_TRUE(matches("a|b|c", "b"));
  EXPECT_TRUE(matches("a|b|c", "c"));
  EXPECT_FALSE(matches("a|b|c", "d"));
  EXPECT_TRUE(matches("|b", "b"));
  EXPECT_TRUE(matches("x|net_*", "net_read"));
}

TEST(FunctionGlob, AnyOfTheNames) {
  Names names = {"_ZN2ns5parseEi", "ns::parse(int)", "/src/net/parse.cpp"};
  for (const char *glob : {"_ZN2ns5parseEi", "_ZN2ns*", "ns::parse(int)", "ns::parse", "ns::*", "*/net/*.cpp", "nothing|*parse"})
    EXPECT_TRUE(means(glob, names)) << glob;
  for (const char *glob : {"parse", "ns::", "ns::parse(", "net/parse.cpp", "*.h", ""})
    EXPECT_FALSE(means(glob, names)) << glob;
  EXPECT_FALSE(means("*", Names{}));
}

TEST(FunctionGlob, NameWithoutParameters) {
  auto plain = [](const char *name) {
    return std::string(name).substr(0, lengthWithoutParameters(piece(name)));
  };
  EXPECT_EQ(plain("f"), "f");
  EXPECT_EQ(plain("f()"), "f");
  EXPECT_EQ(plain("ns::f(int, char)"), "ns::f");
  EXPECT_EQ(plain("S::f(void (*)(int)) const"), "S::f");
  EXPECT_EQ(plain("S::operator()(int)"), "S::operator()");
  EXPECT_EQ(plain("S::operator()() const"), "S::operator()");
  EXPECT_EQ(plain("f(int)::{lambda(char)#1}::operator()(char) const"), "f(int)::{lambda(char)#1}::operator()");
  EXPECT_EQ(plain("task() (.resume)"), "task");
  EXPECT_EQ(plain("f(int) [clone .cold]"), "f");
  EXPECT_EQ(plain("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(plain("broken)"), "broken)");
}

TEST(FunctionGlob, TakesNoExponentialTime) {
  std::string text(2000, 'a');
  auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

} // namespace
