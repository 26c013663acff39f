// ADA_OPTIONS: what is understood, what is refused and in which words.
#include "core/options.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ada;

namespace {

// The options as texts, from the parser's own list; "refused: " and the message if it refuses.
std::map<std::string, std::string> parsed(const char *text) {
  Options options = {};
  testing::internal::CaptureStderr();
  bool good = parseOptions(options, text);
  std::string message = testing::internal::GetCapturedStderr();
  if (!good)
    return {{"refused", message}};
  std::map<std::string, std::string> all;
  visitOptions(
      options,
      [](void *context, const char *name, const char *value, bool) {
        (*static_cast<std::map<std::string, std::string> *>(context))[name] = value;
      },
      &all);
  all["message"] = message;
  return all;
}
std::string refusal(const char *text) { return parsed(text)["refused"]; }

TEST(Options, Defaults) {
  for (const char *text : {static_cast<const char *>(nullptr), "", "  ", "::: \t\n:"}) {
    auto o = parsed(text);
    EXPECT_EQ(o["output"], "ada-traces");
    EXPECT_EQ(o["session"], "");
    EXPECT_EQ(o["format"], "2");
    EXPECT_EQ(o["enabled"], "true");
    EXPECT_EQ(o["overflow"], "block");
    EXPECT_EQ(o["buffer"], "67108864");
    EXPECT_EQ(o["clock"], "auto");
    EXPECT_EQ(o["help"], "false");
    EXPECT_EQ(o["message"], "");
  }
}

TEST(Options, ColonsAndBlanksSeparate) {
  auto o = parsed(":output=/a b:format=1 \tenabled=0\noverflow=drop:");
  EXPECT_TRUE(o.contains("refused")) << "b is no option";
  o = parsed(":output=/a format=1 \tenabled=0\noverflow=drop:");
  EXPECT_EQ(o["output"], "/a");
  EXPECT_EQ(o["format"], "1");
  EXPECT_EQ(o["enabled"], "false");
  EXPECT_EQ(o["overflow"], "drop");
}

TEST(Options, QuotesProtect) {
  auto o = parsed("include='ns::*|a b':exclude=\"it's:*\":output=x");
  EXPECT_EQ(o["include"], "ns::*|a b");
  EXPECT_EQ(o["exclude"], "it's:*");
  EXPECT_EQ(o["output"], "x");
  EXPECT_EQ(parsed("include=''")["include"], "");
}

TEST(Options, TheLastOneCounts) { EXPECT_EQ(parsed("format=1:format=2")["format"], "2"); }

TEST(Options, Sizes) {
  EXPECT_EQ(parsed("buffer=4096")["buffer"], "4096");
  EXPECT_EQ(parsed("buffer=64K")["buffer"], "65536");
  EXPECT_EQ(parsed("buffer=3m")["buffer"], "3145728");
  EXPECT_EQ(parsed("buffer=2G")["buffer"], "2147483648");
  for (const char *bad : {"buffer=", "buffer=K", "buffer=-1", "buffer=1.5M", "buffer=1MB", "buffer=99999999999999999999",
                          "buffer=18446744073709551615K"})
    EXPECT_NE(refusal(bad).find("is not SIZE"), std::string::npos) << bad;
}

TEST(Options, RefusalsAreOneLineThatNamesTheOption) {
  for (const char *bad : {"nonsense=1", "format=3", "format=", "enabled=yes", "overflow=blocks", "overflow=blo", "format",
                          "=1", "include='open", "output"}) {
    std::string message = refusal(bad);
    EXPECT_EQ(message.rfind("AdaTrace: ", 0), 0u) << bad;
    EXPECT_NE(message.find("ADA_OPTIONS"), std::string::npos) << bad;
    EXPECT_NE(message.find("This program runs untraced."), std::string::npos) << bad;
    EXPECT_EQ(message.find('\n'), message.size() - 1) << bad;
  }
  EXPECT_NE(refusal("formt=1").find("'formt'"), std::string::npos);
  EXPECT_NE(refusal("overflow=wait").find("'wait' is not block|drop"), std::string::npos);
}

TEST(Options, LongTextsAreRefusedNotCutOff) {
  std::string fits = "include=" + std::string(16000, 'x'), tooLong = "include=" + std::string(17000, 'x');
  EXPECT_EQ(parsed(fits.c_str())["include"].size(), 16000u);
  EXPECT_NE(refusal(tooLong.c_str()).find("longer than 16 KiB"), std::string::npos);
  std::string longName = std::string(20000, 'n') + "=1";
  EXPECT_NE(refusal(longName.c_str()), "");
  std::string many;
  for (int i = 0; i < 5000; ++i)
    many += "format=1:";
  parsed(many.c_str()); // whatever it says, it stays in its memory
}

TEST(Options, HelpListsAllAndGoesOn) {
  auto o = parsed("help=1:format=1");
  EXPECT_EQ(o["format"], "1");
  for (const auto &[name, value] : o)
    if (name != "message") {
      EXPECT_NE(o["message"].find("\n  " + name + "="), std::string::npos) << name;
    }
}

} // namespace
