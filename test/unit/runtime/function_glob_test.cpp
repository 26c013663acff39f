// Globs that choose functions: what they match, and which of a function's names they match.
#include "shared/select/function_glob.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

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
  EXPECT_TRUE(matches("f[\\]]", "f]"));
  EXPECT_TRUE(matches("f[^]", "f^"));
  EXPECT_TRUE(matches("f[!\\]-]", "fx"));
  EXPECT_FALSE(matches("f[!\\]-]", "f-"));
  EXPECT_TRUE(matches("f[]", "f[]")); // an empty set would match nothing: the characters themselves
  EXPECT_TRUE(matches("f[]*", "f[](int)"));
  EXPECT_TRUE(matches("f[a-]", "f-"));
  EXPECT_TRUE(matches("f[-a]", "f-"));
  EXPECT_TRUE(matches("f[", "f[")); // not a set: the character itself
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

TEST(FunctionGlob, Braces) {
  for (const char *text : {"net_read", "net_write", "net_re", "log"})
    EXPECT_TRUE(matches("{net_{read,wr{ite,ong},re},log}", text)) << text;
  for (const char *text : {"net_", "net_wr", "net_log", "{log}", "net_read,log"})
    EXPECT_FALSE(matches("{net_{read,wr{ite,ong},re},log}", text)) << text;
  EXPECT_TRUE(matches("f{,_fast}", "f"));
  EXPECT_TRUE(matches("f{,_fast}", "f_fast"));
  EXPECT_TRUE(matches("{a*,*b}{c,d}", "a1d"));
  EXPECT_TRUE(matches("{[,],x}y", ",y"));
  EXPECT_TRUE(matches("{a\\,b,c}", "a,b"));
  EXPECT_FALSE(matches("{a\\,b,c}", "a"));
  // Not alternatives: the characters themselves.
  EXPECT_TRUE(matches("m::{l(int)#1}::*", "m::{l(int)#1}::f"));
  EXPECT_TRUE(matches("{a,b", "{a,b"));
  EXPECT_TRUE(matches("a,b}", "a,b}"));
  EXPECT_TRUE(matches("{a{b,c}", "{ac"));
}

TEST(FunctionGlob, WrongGlobs) {
  const auto fault = [](const std::string &globs) {
    ada::TextPiece wrong;
    const char *text = faultOf(globs, &wrong);
    return text ? std::string(wrong.data, wrong.size).substr(0, 3) + ": " + text : "";
  };
  std::string deep;
  for (int i = 0; i < 8; ++i)
    deep = "{" + deep + ",x}";
  EXPECT_EQ(fault(deep), "");
  EXPECT_EQ(fault("y|{" + deep + ",x}"), "{{{: has braces nested more than 8 deep");
  EXPECT_EQ(fault(std::string(1023, 'a') + "|b"), "");
  EXPECT_EQ(fault(std::string(1024, 'a') + "|b"), "aaa: is longer than 1,023 characters");
  EXPECT_EQ(fault("{" + std::string(600, ',') + "}"), "{,,: has too many alternatives");
  EXPECT_FALSE(matches(("{" + std::string(600, ',') + "}").c_str(), "a"));
  // A long name is still a name.
  EXPECT_TRUE(matches(std::string(5000, 'a').c_str(), std::string(5000, 'a')));
}

// The definition, written as plainly as possible: whether the pattern from p on matches the text from t on.
bool isMatch(const std::vector<std::string> &items, size_t p, const std::string &text, size_t t) {
  if (p == items.size())
    return t == text.size();
  const std::string &item = items[p];
  if (item == "*")
    return isMatch(items, p + 1, text, t) || (t < text.size() && isMatch(items, p, text, t + 1));
  if (item[0] == '{') { // alternatives of texts
    std::stringstream alternatives(item.substr(1, item.size() - 2));
    for (std::string one; std::getline(alternatives, one, ',');)
      if (text.compare(t, one.size(), one) == 0 && isMatch(items, p + 1, text, t + one.size()))
        return true;
    return false;
  }
  if (t == text.size())
    return false;
  const bool takes =
      item == "?" || (item[0] == '[' ? item.substr(1).find(text[t]) != std::string::npos : item[0] == text[t]);
  return takes && isMatch(items, p + 1, text, t + 1);
}

TEST(FunctionGlob, AgreesWithItsDefinition) {
  const std::vector<std::string> kinds = {"a", "b",    "a",   "b",     "*",         "*",
                                          "?", "[ab]", "[b]", "{a,b}", "{ab,ba,a}", "{bb,aba}"};
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return random() % n; };
  size_t matched = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::string> items(below(8));
    std::string glob, text;
    for (std::string &item : items)
      glob += item = kinds[below(kinds.size())];
    for (size_t n = 1 + below(9); n > 0; --n)
      text += "ab"[below(2)];
    const bool expected = isMatch(items, 0, text, 0);
    ASSERT_EQ(matches(glob.c_str(), text), expected) << glob << " " << text;
    matched += expected;
  }
  EXPECT_GT(matched, 2000u);
}

TEST(FunctionGlob, AnyOfTheNames) {
  Names names = {"_ZN2ns5parseEi", "ns::parse(int)", "/src/net/parse.cpp"};
  for (const char *glob :
       {"_ZN2ns5parseEi", "_ZN2ns*", "ns::parse(int)", "ns::parse", "ns::*", "*/net/*.cpp", "nothing|*parse"})
    EXPECT_TRUE(means(glob, names)) << glob;
  for (const char *glob : {"parse", "ns::", "ns::parse(", "net/parse.cpp", "*.h", ""})
    EXPECT_FALSE(means(glob, names)) << glob;
  EXPECT_FALSE(means("*", Names{}));
}

TEST(FunctionGlob, NamesAsPrinted) {
  const auto chooses = [](const char *glob, const char *name) {
    return means(glob, {.mangled = nullptr, .demangled = name, .file = nullptr});
  };
  EXPECT_TRUE(chooses("wait(..)", "wait(int*)"));
  EXPECT_TRUE(chooses("wait(..) const", "wait(int*) const"));
  EXPECT_FALSE(chooses("wait(..)", "wait2(int*)"));
  EXPECT_TRUE(chooses("Queue<..>::pop()", "Queue<int>::pop()"));
  EXPECT_TRUE(chooses("add<..>(..)", "int add<int, 5>(int, char)"));
  EXPECT_TRUE(chooses("name(..)", "name[abi:cxx11](std::string)"));
  EXPECT_FALSE(chooses("name(..)", "name[3](std::string)"));
  EXPECT_TRUE(chooses("main::{lambda(..)#1}::operator()(..) const", "main::{lambda(int)#1}::operator()(int) const"));
  EXPECT_FALSE(chooses("f(.)", "f(int)"));
  // Operators with '|' in their name, alone and beside others.
  for (const char *name : {"Q::operator||(Q const&)", "Q::operator|(Q const&)", "Q::operator|=(Q const&)"}) {
    const std::string full = name, printed = full.substr(0, full.find('(')) + "(..)";
    EXPECT_TRUE(chooses(printed.c_str(), name)) << printed;
    EXPECT_TRUE(chooses((full.substr(0, full.find('(')) + "|main").c_str(), name)) << name;
    EXPECT_TRUE(chooses(("main|" + printed + "|other").c_str(), name)) << printed;
    EXPECT_TRUE(chooses(("main|" + printed + "|other").c_str(), "other()")) << printed;
  }
  EXPECT_TRUE(chooses("*operator|main", "main()"));
}

TEST(FunctionGlob, NameWithoutParameters) {
  auto plain = [](const char *name) { return std::string(name).substr(0, lengthWithoutParameters(name)); };
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
  EXPECT_EQ(plain("-[Counter(Sums) add:to:]"), "-[Counter(Sums) add:to:]");
}

TEST(FunctionGlob, PartsOfDemangledNames) {
  struct {
    const char *full, *name, *plain;
  } const cases[] = {
      {"f", "f", "f"},
      {"int f<int>(int)", "f<int>(int)", "f"},
      {"std::vector<int, std::allocator<int> >::push_back(int&&)",
       "std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector::push_back"},
      {"int const& ns::f<int>(int const&)", "ns::f<int>(int const&)", "ns::f"},
      {"decltype(auto) f<A<(3)>>(int)", "f<A<(3)>>(int)", "f"},
      {"decltype(((a).b)(c)) f<1>(int)", "f<1>(int)", "f"},
      {"void (*ns::f<int>(int))(char)", "ns::f<int>(int)", "ns::f"},
      {"int (&f<int>())[3]", "f<int>()", "f"},
      {"int (*(*f<int>(int))(char))(long)", "f<int>(int)", "f"},
      {"void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f<int>(int)", "(anonymous namespace)::f"},
      {"A::operator char const*() const", "A::operator char const*() const", "A::operator char const*"},
      {"bool operator<<int>(A<int>)", "operator<<int>(A<int>)", "operator<"},
      {"bool operator< <int>(A<int>)", "operator< <int>(A<int>)", "operator<"},
      {"S& operator<< <int>(S&, A<int>)", "operator<< <int>(S&, A<int>)", "operator<<"},
      {"auto operator<=><int>(A<int>)", "operator<=><int>(A<int>)", "operator<=>"},
      {"V<int>::operator->() const", "V<int>::operator->() const", "V::operator->"},
      {"V<int>::operator->*<int>(int)", "V<int>::operator->*<int>(int)", "V::operator->*"},
      {"operator delete[](void*)", "operator delete[](void*)", "operator delete[]"},
      {"auto void f<int>(int)::'lambda'(auto)::operator()<int>(auto) const",
       "f<int>(int)::'lambda'(auto)::operator()<int>(auto) const", "f(int)::'lambda'(auto)::operator()"},
      {"void f<int>(int)::Local::g()", "f<int>(int)::Local::g()", "f(int)::Local::g"},
      {"A::f(int) const::L::g<int>(int)", "A::f(int) const::L::g<int>(int)", "A::f(int) const::L::g"},
      {"std::string f[abi:cxx11]<int>(int)", "f[abi:cxx11]<int>(int)", "f"},
      {"load a file", "load a file", "load a file"},
      {"a < b", "a < b", "a < b"},
  };
  for (const auto &one : cases) {
    const ada::TextPiece declared = declarator(one.full);
    const size_t start = startOfName(declared);
    EXPECT_EQ(std::string(declared.data + start, declared.size - start), one.name) << one.full;
    std::string plain;
    PlainCharacters characters({one.name, lengthWithoutParameters(one.name)});
    for (char c; characters.next(c);)
      plain += c;
    EXPECT_EQ(plain, one.plain) << one.full;
    for (const char *glob : {one.full, one.name, one.plain})
      EXPECT_TRUE(means(glob, {.mangled = "_Z", .demangled = one.full, .file = nullptr})) << glob;
  }
}

// It would not end in a day.
TEST(FunctionGlob, TakesNoExponentialTime) {
  std::string text(2000, 'a');
  EXPECT_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
  std::string braces;
  for (int i = 0; i < 100; ++i)
    braces += "{a,aa}";
  EXPECT_FALSE(matches((braces + "b").c_str(), std::string(150, 'a')));
}

} // namespace
