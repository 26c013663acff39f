// The list of what the database has confirmed, kept in a file.
#include "scratch_directory.h"
#include "ship/shipped.h"

#include <gtest/gtest.h>

#include <fstream>

using ada::cli::Shipped;
using ada::test::ScratchDirectory;

namespace {

struct Read {
  explicit Read(const std::string &file, const std::string &to = "there", const std::string &plan = "all")
      : shipped(file, to, plan) {
    shipped.read(what);
  }
  std::string what;
  Shipped shipped;
};

void write(const std::string &file, const std::string &text) { std::ofstream(file, std::ios::trunc) << text; }

} // namespace

TEST(ShippedFile, IsReadAsItWasWritten) {
  const ScratchDirectory directory;
  const std::string file = directory / "state.json";
  Read first(file);
  EXPECT_EQ(first.what, ""); // there is no file yet
  first.shipped.confirm("session_1/pid_2", {.atSeconds = 5, .mark = 7});
  first.shipped.confirm("na\xff\"me", {.atSeconds = 6, .mark = 8});
  ASSERT_TRUE(first.shipped.write());
  Read again(file);
  EXPECT_EQ(again.what, "");
  ASSERT_TRUE(again.shipped.find("session_1/pid_2", 7));
  EXPECT_EQ(again.shipped.find("session_1/pid_2", 7)->atSeconds, 5u);
  EXPECT_FALSE(again.shipped.find("session_1/pid_2", 9)); // another trace with the same name
  EXPECT_FALSE(again.shipped.find("session_1/pid_3", 7));
}

TEST(ShippedFile, OfAnotherDatabaseOrDamagedIsAsNone) {
  const ScratchDirectory directory;
  const std::string file = directory / "state.json";
  Read first(file);
  first.shipped.confirm("a", {.atSeconds = 5, .mark = 7});
  ASSERT_TRUE(first.shipped.write());
  for (const auto &[to, plan] : {std::pair("elsewhere", "all"), std::pair("there", "some")}) {
    Read other(file, to, plan);
    EXPECT_NE(other.what.find("another database or other options"), other.what.npos) << other.what;
    EXPECT_FALSE(other.shipped.find("a", 7));
  }
  for (const char *text : {"", "{", "[]", "null", R"({"version": 3})", R"({"version": 2, "confirmed": []})"}) {
    write(file, text);
    Read other(file);
    EXPECT_NE(other.what.find("can't be parsed"), other.what.npos) << text;
  }
  write(file, R"({"version": 1, "to": "there", "plan": "all", "confirmed": {"a": 5}})");
  EXPECT_NE(Read(file).what.find("older version"), std::string::npos);
  write(
      file,
      R"({"version": 2, "to": "there", "plan": "all", "confirmed": {"a": 5, "b": {"at": -1}, "c": {"at": 1, "manifest_ns": 2}}})");
  Read odd(file);
  EXPECT_FALSE(odd.shipped.find("a", 0));
  EXPECT_FALSE(odd.shipped.find("b", 0));
  EXPECT_TRUE(odd.shipped.find("c", 2));
}

TEST(ShippedFile, ForgetsWhatIsGone) {
  const ScratchDirectory directory;
  Shipped shipped(directory / "state.json", "there", "all");
  shipped.confirm("a", {.atSeconds = 1, .mark = 1});
  shipped.confirm("b", {.atSeconds = 1, .mark = 1});
  EXPECT_FALSE(shipped.keepOnly({"a", "b", "c"}));
  EXPECT_TRUE(shipped.keepOnly({"b"}));
  EXPECT_FALSE(shipped.find("a", 1));
  EXPECT_TRUE(shipped.find("b", 1));
}
