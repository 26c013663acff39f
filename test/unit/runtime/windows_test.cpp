// The windows of detail_mode=window: which detail they keep, and what the manifest says about them.
#include "core/base/json.h"
#include "core/drain/windows.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ada;
using namespace ada::runtime;
using Fate = Windows::Fate;

namespace {

constexpr uint64_t kMs = 1000000;

class WindowsTest : public testing::Test {
protected:
  WindowsTest() {
    parseOptions(options_, "detail_mode=window:pre_roll_ms=100:post_roll_ms=10");
    windows_->start(options_, rules_);
    now_ = sys::nowNs() + 1000 * kMs; // late enough after the start for a full pre-roll
  }
  void trigger(uint64_t ns) {
    windows_->trigger(ns, TriggerKind::Api);
    windows_->takePending();
  }
  nlohmann::json manifest() {
    windows_->noteWritten();
    return written(&Windows::writeManifest);
  }
  nlohmann::json news() { return written(&Windows::writeNews); }
  nlohmann::json written(void (Windows::*write)(JsonWriter &)) {
    int fd = memfd_create("manifest", 0);
    {
      JsonWriter json(fd);
      json.beginObject();
      ((*windows_).*write)(json);
      json.endObject();
      EXPECT_EQ(json.finish(), 0);
    }
    std::string text(static_cast<size_t>(lseek(fd, 0, SEEK_END)), ' ');
    EXPECT_EQ(pread(fd, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    close(fd);
    return nlohmann::json::parse(text)["windows"];
  }
  std::vector<uint64_t> available() {
    std::vector<uint64_t> all;
    for (const auto &window : manifest())
      all.push_back(window["pre_roll_available_ms"]);
    return all;
  }

  Options options_ = {};
  TriggerRules rules_;
  std::unique_ptr<Windows> windows_ = std::make_unique<Windows>();
  uint64_t now_;
};

TEST_F(WindowsTest, WantsWhatLiesInIt) {
  trigger(now_);
  EXPECT_EQ(windows_->fateOf(now_ - 100 * kMs, 0), Fate::Write);
  EXPECT_EQ(windows_->fateOf(now_ + 10 * kMs, 0), Fate::Write);
  EXPECT_EQ(windows_->fateOf(now_ + 10 * kMs + 1, now_), Fate::Wait);
  EXPECT_EQ(windows_->fateOf(now_ - 100 * kMs - 1, now_), Fate::Drop);
}

TEST_F(WindowsTest, ClaimsTheWholePreRollIfNothingWasDropped) {
  windows_->noteDropped(now_ - 101 * kMs);
  trigger(now_);
  EXPECT_EQ(available(), std::vector<uint64_t>{100});
}

TEST_F(WindowsTest, ClaimsNothingThatWasDroppedBefore) {
  windows_->noteDropped(now_ - 30 * kMs);
  trigger(now_);
  EXPECT_EQ(available(), std::vector<uint64_t>{30});
}

TEST_F(WindowsTest, ClaimsNothingThatIsDroppedAfterwards) {
  trigger(now_);
  windows_->noteDropped(now_ - 70 * kMs); // before it could be written
  EXPECT_EQ(available(), std::vector<uint64_t>{70});
}

TEST_F(WindowsTest, ClaimsNothingThatIsDroppedWhereItGrows) {
  trigger(now_);
  windows_->noteDropped(now_ - 120 * kMs);
  trigger(now_ - 50 * kMs); // a trigger of another thread, seen later: reaches back to -150 ms
  EXPECT_EQ(available(), std::vector<uint64_t>{70});
}

// After a kill there is what was on disk: windows have to be there before their detail is.
TEST_F(WindowsTest, SaysWhatIsNewOnce) {
  EXPECT_FALSE(windows_->hasNews());
  windows_->noteUnsafe(now_ - 30 * kMs);
  trigger(now_);
  EXPECT_TRUE(windows_->hasNews());
  auto news = this->news();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0]["start_ns"], now_ - 100 * kMs);
  EXPECT_EQ(news[0]["pre_roll_available_ms"], 30); // until the rest is on disk, too
  EXPECT_FALSE(windows_->hasNews());
  EXPECT_TRUE(this->news().is_null());
  windows_->noteWritten();
  EXPECT_EQ(this->news()[0]["pre_roll_available_ms"], 100);
  EXPECT_FALSE(windows_->hasNews());
  trigger(now_ + 1000 * kMs);
  trigger(now_ - 1000 * kMs); // before the others
  EXPECT_EQ(this->news().size(), 2u);
  trigger(now_ + 5 * kMs);
  news = this->news();
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0]["trigger_count"], 2);
  windows_->noteWritten(); // these three
  EXPECT_EQ(this->news().size(), 3u);
  windows_->noteDropped(now_);
  EXPECT_EQ(this->news()[0]["pre_roll_available_ms"], 0);
  EXPECT_EQ(manifest().size(), 3u);
  EXPECT_TRUE(this->news().is_null());
}

TEST_F(WindowsTest, SeesEveryTriggerOfManyThreads) {
  std::vector<std::thread> threads;
  for (uint64_t n = 0; n < 4; ++n)
    threads.emplace_back([&, n] {
      for (uint64_t i = 0; i < 1000; ++i)
        windows_->trigger(now_ + (4 * i + n) * 1000 * kMs, TriggerKind::Api);
    });
  for (std::thread &t : threads)
    t.join();
  windows_->takePending();
  EXPECT_EQ(manifest().size(), 4000u);
}

TEST_F(WindowsTest, KeepsTheNewestOfTooManyTriggers) {
  for (uint64_t i = 0; i < 10000; ++i)
    windows_->trigger(now_ + i * 1000 * kMs, TriggerKind::Api);
  windows_->takePending();
  const auto all = manifest();
  ASSERT_EQ(all.size(), 4096u);
  EXPECT_EQ(all.back()["end_ns"], now_ + 9999 * 1000 * kMs + 10 * kMs);
}

} // namespace
