// ADA_OPTIONS: what is understood, what is refused and in which words.
#include "core/facts/options.h"
#include "standard_error.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

using namespace ada;
using namespace ada::runtime;

namespace {

// The options as text, from the parser's own list; "refused: " and the message if it refuses.
std::map<std::string, std::string> parsed(const char *text) {
  Options options = {};
  testing::internal::CaptureStderr();
  noteStandardError(false); // the file is another one each time
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
    EXPECT_EQ(o["buffer"], "0"); // auto, until there is a ring
    EXPECT_EQ(o["clock"], "auto");
    EXPECT_EQ(o["help"], "false");
    EXPECT_EQ(o["message"], "");
  }
}

TEST(Options, ColonsAndBlanksSeparate) {
  auto o = parsed(":output=/a b:format=1 \tenabled=0\noverflow=drop:");
  EXPECT_TRUE(o.contains("refused")) << "b is not an option";
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
  for (const char *bad : {"buffer=", "buffer=K", "buffer=-1", "buffer=1.5M", "buffer=1MB",
                          "buffer=99999999999999999999", "buffer=18446744073709551615K"})
    EXPECT_NE(refusal(bad).find("is not a size like 4096"), std::string::npos) << bad;
  EXPECT_EQ(parsed("buffer=auto")["buffer"], "0");
  EXPECT_EQ(parsed("buffer=0")["buffer"], "1"); // as little as there can be
  EXPECT_NE(refusal("detail_buffer=auto").find("is not SIZE"), std::string::npos);
}

TEST(Options, RefusalsAreOneLineThatNamesTheOption) {
  for (const char *bad : {"nonsense=1", "format=3", "format=", "enabled=yes", "overflow=blocks", "overflow=blo",
                          "format", "=1", "include='open", "output"}) {
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
  std::string fits = "session=" + std::string(16000, 'x'), tooLong = "session=" + std::string(17000, 'x');
  EXPECT_EQ(parsed(fits.c_str())["session"].size(), 16000u);
  EXPECT_NE(refusal(tooLong.c_str()).find("longer than 16 KiB"), std::string::npos);
  std::string longName = std::string(20000, 'n') + "=1";
  EXPECT_NE(refusal(longName.c_str()), "");
  std::string many;
  for (int i = 0; i < 5000; ++i)
    many += "format=1:";
  parsed(many.c_str()); // whatever the text says, the parser stays within its memory
}

TEST(Options, HelpListsAllAndGoesOn) {
  auto o = parsed("help=1:format=1");
  EXPECT_EQ(o["format"], "1");
  for (const auto &[name, value] : o)
    if (name != "message") {
      EXPECT_NE(o["message"].find("\n  " + name + "="), std::string::npos) << name;
    }
}

TEST(Options, MillisecondsAreNumbers) {
  EXPECT_EQ(parsed("pre_roll_ms=250")["pre_roll_ms"], "250");
  for (const char *bad : {"pre_roll_ms=", "pre_roll_ms=1K", "post_roll_ms=2s", "post_roll_ms=-1"})
    EXPECT_NE(refusal(bad).find("is not MS"), std::string::npos) << bad;
}

//===--- triggers ---------------------------------------------------------===//

// The rules as text, one per line; "refused: " and the message.
std::string triggers(const std::string &text) {
  TriggerRules rules;
  testing::internal::CaptureStderr();
  noteStandardError(false); // the file is another one each time
  bool good = rules.parse(text.c_str());
  std::string message = testing::internal::GetCapturedStderr();
  if (!good)
    return "refused: " + message;
  std::string all;
  for (unsigned i = 0; i < rules.count; ++i)
    all += std::string(options::kTriggerKinds[static_cast<int>(rules.rules[i].kind)]) + ' ' + rules.rules[i].glob +
           ' ' + std::to_string(rules.rules[i].limitNs) + '\n';
  return all + (rules.onSignal ? "signal" : "");
}

TEST(Triggers, Kinds) {
  EXPECT_EQ(triggers(""), "");
  EXPECT_EQ(triggers("call:ns::*;signal;slow:a>b<c>>5ms;exception:[;x]"),
            "refused: AdaTrace: option 'trigger' in ADA_OPTIONS: 'x]' is not one of call:GLOB, slow:GLOB>5ms, "
            "exception:GLOB, signal. This program runs untraced.\n");
  EXPECT_EQ(triggers("call:ns::*;signal;slow:a>b<c>>5ms;;exception:e*"),
            "call ns::* 0\nslow a>b<c> 5000000\nexception e* 0\nsignal");
}

TEST(Triggers, WhatIsWrong) {
  for (const char *bad : {"call", "call:", "cal:f", "slow:f", "slow:f>", "slow:f>5", "slow:f>5m", "slow:>5ms",
                          "slow:f>99999999999999999999s", "signal:", "Signal"})
    EXPECT_EQ(triggers(bad).substr(0, 8), "refused:") << bad;
}

TEST(Triggers, AtMostEightHaveGlobs) {
  std::string eight;
  for (int i = 0; i < 8; ++i)
    eight += "call:f" + std::to_string(i) + ";signal;";
  EXPECT_NE(triggers(eight).find("call f7 0\nsignal"), std::string::npos);
  EXPECT_NE(triggers(eight + "call:last").find("'call:last' is one trigger too many"), std::string::npos);
}

TEST(Triggers, AnyNumberOfSemicolons) {
  EXPECT_EQ(triggers(std::string(12000, ';') + "call:f" + std::string(3000, ';')), "call f 0\n");
  EXPECT_EQ(triggers(std::string(12000, ';')), "");
}

// The runtime reads what the tool writes: an unquoted value ends where the grammar says, for all texts made of some
// characters that matter.
TEST(Options, EveryShortTextIsDividedCompletely) {
  const std::string letters = ":=' ;a";
  for (const std::string prefix : {"include=", "trigger=call", "format=", "x"})
    for (int n = 0; n < 6 * 6 * 6 * 6 * 6; ++n) {
      std::string text = prefix;
      for (int i = 0, rest = n; i < 5; ++i, rest /= 6)
        text += letters[static_cast<size_t>(rest % 6)];
      TextPiece rest(text);
      options::Assignment a;
      options::Reading reading = options::Reading::Assignment;
      for (int steps = 0; reading == options::Reading::Assignment; ++steps) {
        const char *before = rest.data;
        reading = options::takeAssignment(rest, a);
        ASSERT_LT(steps, 12) << text;
        ASSERT_LE(before, rest.data);
        ASSERT_LE(rest.data + rest.size, text.c_str() + text.size());
        if (reading == options::Reading::Assignment) {
          ASSERT_GE(a.value.data, before + a.name.size + 1) << text;
          ASSERT_LE(a.value.data + a.value.size, rest.data) << text;
          ASSERT_TRUE(a.quote || a.option || !options::hasSeparator(a.value)) << text;
        }
      }
    }
}

} // namespace
