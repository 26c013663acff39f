// The messages about a server that does not answer.
#include "ship/server_trouble.h"

#include <gtest/gtest.h>

using ada::cli::ServerTrouble;

constexpr uint64_t kSecond = 1'000'000'000, kMinute = 60 * kSecond;

TEST(ServerTrouble, SaysItOnceAndOnceAnHour) {
  ServerTrouble trouble;
  EXPECT_FALSE(trouble.worked(0));
  EXPECT_EQ(trouble.failed("no answer", kMinute), "no answer; trying again until it does");
  int lines = 0;
  for (uint64_t minute = 2; minute <= 121; ++minute)
    lines += trouble.failed("no answer", minute * kMinute).has_value();
  EXPECT_EQ(lines, 2);
  const auto over = trouble.worked(122 * kMinute);
  ASSERT_TRUE(over);
  EXPECT_NE(over->find("accepts traces again"), over->npos) << *over;
  EXPECT_FALSE(trouble.worked(123 * kMinute));
  EXPECT_TRUE(trouble.failed("no answer", 124 * kMinute)); // another outage
}

TEST(ServerTrouble, PausesGrowToAMinute) {
  ServerTrouble trouble;
  uint64_t pauses = 0;
  for (const uint64_t seconds : {1, 2, 4, 8, 16, 32, 60, 60}) {
    trouble.failed("no answer", pauses);
    EXPECT_EQ(trouble.pauseNs(), seconds * kSecond);
    pauses += trouble.pauseNs();
  }
  trouble.worked(pauses);
  trouble.failed("no answer", pauses);
  EXPECT_EQ(trouble.pauseNs(), kSecond);
}
