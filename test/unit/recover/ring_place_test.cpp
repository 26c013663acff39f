// Which ring file belongs to a process directory that has no link to one.
#include "live/recover/ring_place.h"

#include "ada/trace/recover.h"
#include "dead_process.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::recover {
namespace {

using test::RingBuilder, test::ScratchDirectory;

// A number that no process has, and that differs between tests that run at the same time.
std::string numberOfNobody() { return std::to_string(4194305 + ::getpid()); }

class RingPlaceTest : public ::testing::Test {
protected:
  RingPlaceTest() {
    std::filesystem::create_directories(directory_);
    ring_.header().pid = 7, ring_.header().locked = 1;
    ring_.header().directory_number = 0;
    ring_.add(1000, 1, ADA_RECORD_CALL);
    ring_.add(1010, 1, ADA_RECORD_RETURN);
  }
  ~RingPlaceTest() override {
    for (const std::string &path : {ringFile_, otherFile_})
      std::filesystem::remove(path);
  }

  // A manifest that names the ring.
  Manifest manifest(const char *how) const { return manifest(how, ringFile_); }
  static Manifest manifest(const char *how, const std::string &ring) {
    Manifest fields = Manifest::empty();
    fields.exit.how = how;
    fields.recorder =
        ManifestFields(std::make_shared<ManifestFields::List>(1, std::pair<std::string, std::string>("ring", ring)));
    return fields;
  }

  ScratchDirectory scratch_;
  const std::string number_ = numberOfNobody(), directory_ = scratch_ / ("pid_" + number_),
                    ringFile_ = "/dev/shm/adatrace-" + number_ + "-a1",
                    otherFile_ = "/dev/shm/adatrace-" + number_ + "-b2";
  RingBuilder ring_;
};

TEST_F(RingPlaceTest, AManifestNamesIt) {
  EXPECT_EQ(findRing(directory_, manifest("running")).path, "");
  ring_.name(directory_);
  ring_.write(ringFile_);
  for (const char *how : {"running", "exec", "stopped"}) {
    const RingPlace place = findRing(directory_, manifest(how));
    EXPECT_EQ(place.path, ringFile_) << how;
    EXPECT_FALSE(place.isLinked);
  }
}

TEST_F(RingPlaceTest, OneOutOfReachIsNone) {
  EXPECT_EQ(findRing(directory_, manifest("code", "/dev/null/ring")).path, "");
}

TEST_F(RingPlaceTest, AProcessThatWasStoppedRecordsElsewhere) {
  std::filesystem::create_directories(scratch_ / "another");
  ring_.name(scratch_ / "another");
  ring_.write(ringFile_);
  EXPECT_EQ(findRing(directory_, manifest("stopped")).path, "");
  Manifest part = manifest("rotated");
  part.part.number = 1;
  EXPECT_EQ(findRing(directory_, part).path, "");
}

TEST_F(RingPlaceTest, BeforeTheFirstManifestItNamesTheDirectory) {
  RingBuilder other = ring_;
  other.name(scratch_ / "gone");
  other.write(otherFile_);
  EXPECT_EQ(findRing(directory_, Manifest::empty()).path, "");
  ring_.name(directory_);
  ring_.write(ringFile_);
  EXPECT_EQ(findRing(directory_, Manifest::empty()).path, ringFile_);
  const auto result = recoverProcess(directory_);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->events, 2u);
  EXPECT_FALSE(std::filesystem::exists(ringFile_));
  EXPECT_TRUE(std::filesystem::exists(otherFile_));
}

TEST_F(RingPlaceTest, OfSeveralThatWereNotBegunTheNewestIsTaken) {
  for (const auto &[path, seconds] : {std::pair(otherFile_, 2000), std::pair(ringFile_, 1000)}) {
    test::writeFile(path, std::string(ADA_CHUNK_BYTES, '\0'));
    const timespec times[] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  EXPECT_EQ(findRing(directory_, Manifest::empty()).path, otherFile_);
}

TEST_F(RingPlaceTest, ARingThatWasNotBegunIsRemoved) {
  test::writeFile(ringFile_, std::string(ADA_CHUNK_BYTES, '\0'));
  const auto result = recoverProcess(directory_);
  EXPECT_TRUE(result) << result.error().text();
  EXPECT_FALSE(std::filesystem::exists(ringFile_));
}

} // namespace
} // namespace ada::recover
