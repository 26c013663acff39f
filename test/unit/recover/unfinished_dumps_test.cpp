// Dumps that a killed flight recorder left behind: which are removed, and what looks like them and is not touched.
#include "live/recover/unfinished_dumps.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace ada;
using namespace ada::test;

namespace {

constexpr time_t kDay = 24 * 60 * 60;

// A process that is not running.
uint32_t ended() {
  const pid_t pid = ::fork();
  if (pid == 0)
    ::_exit(0);
  ::waitpid(pid, nullptr, 0);
  return static_cast<uint32_t>(pid);
}

class UnfinishedDumps : public testing::Test {
protected:
  // An unfinished dump of the process, with a file in it.
  std::string dump(const std::string &session, uint32_t pid) const {
    const std::string name = session + ".part-" + std::to_string(pid);
    scratch_.write(name + "/pid_" + std::to_string(pid) + "/thread_0.index.atp", "bytes");
    return scratch_.path() + "/" + name;
  }
  void remove(std::optional<uint64_t> dead, time_t later = 0) const {
    recover::removeUnfinishedDumps(scratch_.path(), dead, ::time(nullptr) + later);
  }
  static bool exists(const std::string &path) { return std::filesystem::symlink_status(path).type() != Missing; }
  static constexpr auto Missing = std::filesystem::file_type::not_found;
  ScratchDirectory scratch_;
};

TEST_F(UnfinishedDumps, OfADeadProcessAreRemovedAtOnceWhateverTheSession) {
  const uint32_t dead = ended();
  const std::string one = dump("session_1", dead), two = dump("session_2", dead), other = dump("s", dead + 1);
  remove(dead);
  EXPECT_FALSE(exists(one) || exists(two));
  EXPECT_TRUE(exists(other));
}

TEST_F(UnfinishedDumps, OfOthersAreRemovedADayAfterTheirLastChange) {
  const std::string left = dump("s", ended()), own = dump("s", static_cast<uint32_t>(::getpid()));
  remove(std::nullopt, kDay - 60);
  EXPECT_TRUE(exists(left));
  remove(std::nullopt, kDay + 60);
  EXPECT_FALSE(exists(left));
  EXPECT_TRUE(exists(own)) << "its process is running";
}

TEST_F(UnfinishedDumps, NothingElseIsTouched) {
  const uint32_t dead = ended();
  const std::string pid = std::to_string(dead), filled = dump("notes", dead);
  scratch_.write("notes.part-" + pid + "/mine", "text"); // no recorder made this
  const std::string target = scratch_ / "target/pid_" + pid, link = scratch_ / "link.part-" + pid;
  std::filesystem::create_directories(target);
  std::filesystem::create_directory_symlink(scratch_.path() + "/target", link);
  std::filesystem::create_directories(scratch_ / "inner.part-" + pid);
  std::filesystem::create_directory_symlink(target, scratch_.path() + "/inner.part-" + pid + "/pid_" + pid);
  const std::string file = scratch_.write("file.part-" + pid, "text");
  const std::string names[] = {"x.part-" + pid + "a", "x.part-", ".part-" + pid, "x.part--" + pid, "xpart-" + pid};
  for (const std::string &name : names)
    std::filesystem::create_directories(scratch_.path() + "/" + name);
  remove(dead, 2 * kDay);
  EXPECT_TRUE(exists(filled + "/mine") && exists(filled + "/pid_" + pid + "/thread_0.index.atp"));
  EXPECT_TRUE(exists(link) && exists(target) && exists(file) && exists(scratch_.path() + "/inner.part-" + pid));
  for (const std::string &name : names)
    EXPECT_TRUE(exists(scratch_.path() + "/" + name)) << name;
}

} // namespace
