// A directory for an unfinished output disappears with its program, or with the next one that makes one.
#include "scratch_directory.h"
#include "trace/base/temporary_directory.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::test {

namespace fs = std::filesystem;

namespace {

std::set<std::string> namesIn(const std::string &directory) {
  std::set<std::string> names;
  for (const auto &entry : fs::directory_iterator(directory))
    names.insert(entry.path().filename().string());
  return names;
}

// What a program leaves that is killed: the directory, and no lock.
std::string abandoned(const std::string &parent) {
  auto made = *TemporaryDirectory::make(parent, "out.adatrace");
  std::string path = made.path();
  made.keep();
  return path;
}

} // namespace

TEST(TemporaryDirectory, IsRemovedWithItsProgram) {
  const ScratchDirectory scratch;
  {
    const auto made = *TemporaryDirectory::make(scratch.path(), "out");
    fs::create_directories(made.path() + "/a/b");
    EXPECT_TRUE(TemporaryDirectory::isName(fs::path(made.path()).filename().string())) << made.path();
    struct stat info;
    ASSERT_EQ(::stat(made.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
  }
  EXPECT_EQ(namesIn(scratch.path()), std::set<std::string>());
}

TEST(TemporaryDirectory, OthersStayWhileTheyAreUsed) {
  const ScratchDirectory scratch;
  const auto one = *TemporaryDirectory::make(scratch.path(), "out");
  const auto two = *TemporaryDirectory::make(scratch.path(), "out");
  TemporaryDirectory::removeAbandoned(scratch.path());
  EXPECT_EQ(namesIn(scratch.path()).size(), 2u);
}

TEST(TemporaryDirectory, AbandonedOnesAreRemoved) {
  const ScratchDirectory scratch;
  fs::create_directories(abandoned(scratch.path()) + "/session/pid_1");
  const std::string outside = scratch.write("elsewhere/precious", "x"), linked = abandoned(scratch.path());
  fs::create_directory_symlink(fs::path(outside).parent_path(), linked + "/link");
  fs::remove(abandoned(scratch.path()) + "/lock"); // killed before it was made
  EXPECT_TRUE(bool(TemporaryDirectory::make(scratch.path(), "other")));
  EXPECT_EQ(namesIn(scratch.path()), std::set<std::string>({"elsewhere"}));
  EXPECT_TRUE(fs::exists(outside));
}

TEST(TemporaryDirectory, NothingElseIsRemoved) {
  const ScratchDirectory scratch;
  const std::string name = fs::path(abandoned(scratch.path())).filename().string();
  TemporaryDirectory::removeAbandoned(scratch.path());
  std::string other = name;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(TemporaryDirectory::isName(other));
  for (const char *text :
       {"", ".", ".adatrace-", "out.adatrace-0123456789abcdef", ".adatrace-refused", ".x.adatrace-AbC123"})
    EXPECT_FALSE(TemporaryDirectory::isName(text)) << text;
  // A user's directory with a name that is nearly one; a file, a link and a full directory without a lock that have
  // exactly one; and what was being replaced.
  scratch.write(other + "/lock", "");
  scratch.write(name, "a file");
  const std::string elsewhere = fs::path(scratch.write("elsewhere/lock", "")).parent_path().string();
  {
    auto second = *TemporaryDirectory::make(scratch.path(), "2"),
         third = *TemporaryDirectory::make(scratch.path(), "3"),
         fourth = *TemporaryDirectory::make(scratch.path(), "4");
    fs::remove_all(second.path());
    fs::create_directory_symlink(elsewhere, second.path());
    fs::rename(third.path() + "/lock", third.path() + "/precious");
    fs::create_directory(fourth.replaced());
    second.keep(), third.keep(), fourth.keep();
  }
  const auto before = namesIn(scratch.path());
  TemporaryDirectory::removeAbandoned(scratch.path());
  EXPECT_EQ(namesIn(scratch.path()), before);
  EXPECT_TRUE(fs::exists(elsewhere + "/lock"));
}

// Another machine's locks may not be seen on a network file system.
TEST(TemporaryDirectory, IsAbandonedAfterADay) {
  constexpr time_t kNow = 2'000'000'000, kHour = 3600;
  EXPECT_TRUE(TemporaryDirectory::isAbandoned(true, kNow, kNow));
  EXPECT_FALSE(TemporaryDirectory::isAbandoned(false, kNow - 23 * kHour, kNow));
  EXPECT_FALSE(TemporaryDirectory::isAbandoned(false, kNow + kHour, kNow));
  EXPECT_TRUE(TemporaryDirectory::isAbandoned(false, kNow - 25 * kHour, kNow));
}

TEST(TemporaryDirectory, LongNamesAreCut) {
  const ScratchDirectory scratch;
  EXPECT_TRUE(bool(TemporaryDirectory::make(scratch.path(), std::string(255, 'n'))));
  EXPECT_EQ(TemporaryDirectory::make(scratch.path() + "/nowhere", "n").error().code, "E_IO");
}

} // namespace ada::test
