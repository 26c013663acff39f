// Option `budget`: when recording takes too much, and which functions go then.
#include "core/drain/budget.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ada;
using namespace ada::runtime;

namespace {

constexpr uint64_t kMs = 1000000;

// Which of the functions are switched off, by their positions.
std::set<uint64_t> chosen(const std::vector<uint64_t> &units, uint64_t allowed) {
  std::vector<HotFunction> functions;
  for (uint64_t i = 0; i < units.size(); ++i)
    functions.push_back({units[i], 0, i});
  const uint64_t count = chooseHottest(functions.data(), functions.size(), allowed);
  EXPECT_LE(count, units.size());
  std::set<uint64_t> places;
  for (uint64_t i = functions.size() - count; i < functions.size(); ++i) {
    places.insert(functions[i].function);
    if (i > functions.size() - count) {
      EXPECT_LE(functions[i - 1].units, functions[i].units) << "the hottest is the last";
    }
  }
  EXPECT_EQ(places.size(), count);
  return places;
}

TEST(BudgetChoice, TheHottestGoUntilTheOthersFit) {
  EXPECT_EQ(chosen({5, 100, 7, 60}, 12), (std::set<uint64_t>{1, 3}));
  EXPECT_EQ(chosen({5, 100, 7, 60}, 11), (std::set<uint64_t>{1, 2, 3}));
  EXPECT_EQ(chosen({5, 100, 7, 60}, 72), (std::set<uint64_t>{1}));
  EXPECT_EQ(chosen({5, 100, 7, 60}, 171), (std::set<uint64_t>{1}));
}

TEST(BudgetChoice, NothingGoesIfAllFitAndAllIfNothingIsAllowed) {
  EXPECT_TRUE(chosen({5, 100, 7, 60}, 172).empty());
  EXPECT_TRUE(chosen({}, 0).empty());
  EXPECT_EQ(chosen({3, 3, 3}, 0).size(), 3u);
  EXPECT_EQ(chosen({3, 3, 3}, 3).size(), 2u) << "equal ones: as few as are needed";
}

TEST(BudgetChoice, AsFewAsPossibleOfMany) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<uint64_t> units(1 + random() % 300);
    uint64_t all = 0;
    for (uint64_t &u : units)
      all += u = random() % (round % 2 ? 10 : 1000000);
    const uint64_t allowed = random() % (all + 1);
    const std::set<uint64_t> gone = chosen(units, allowed);
    uint64_t rest = all, least = UINT64_MAX, most = 0;
    for (uint64_t i = 0; i < units.size(); ++i)
      if (gone.contains(i))
        rest -= units[i], least = std::min(least, units[i]);
      else
        most = std::max(most, units[i]);
    EXPECT_LE(rest, allowed);
    if (!gone.empty()) {
      EXPECT_GE(least, most) << "nothing that stays costs more than something that goes";
      EXPECT_GT(rest + least, allowed) << "one less would not have been enough";
    }
  }
}

TEST(BudgetAccount, WhatStaysBelowTheBudgetNeverAddsUp) {
  BudgetAccount account;
  account.start(500);
  for (int i = 0; i < 10000; ++i) {
    EXPECT_EQ(account.add(104 * kMs, 4 * kMs, 1000), 100 * kMs);
    ASSERT_FALSE(account.isOver());
  }
}

TEST(BudgetAccount, AShortBurstIsLetPass) {
  BudgetAccount account;
  account.start(500);
  account.add(30 * kMs, 15 * kMs, 1000);
  EXPECT_FALSE(account.isOver());
  for (int i = 0; i < 10; ++i)
    account.add(100 * kMs, 0, 0); // makes up for the excess
  const uint32_t period = account.period();
  account.add(30 * kMs, 15 * kMs, 1000);
  EXPECT_FALSE(account.isOver());
  EXPECT_EQ(account.period(), period + 1) << "what is owed now began in it, what counts begins after it";
  EXPECT_EQ(account.periodUnits(), 0u);
}

TEST(BudgetAccount, BurstsThatComeAgainAddUp) {
  BudgetAccount account;
  account.start(500);
  int windows = 0;
  while (!account.isOver() && windows < 100) // a program that sleeps most of the time is slowed down too
    account.add(10 * kMs, 5 * kMs, 1000), ++windows;
  EXPECT_GT(windows, 3);
  EXPECT_LT(windows, 6);
}

TEST(BudgetAccount, WhatMayStayOnFollowsFromTheProgramsOwnTime) {
  BudgetAccount account;
  account.start(500);
  account.add(5 * kMs, 1 * kMs, 1000); // a debt begins in the middle of this window
  account.add(100 * kMs, 60 * kMs, 3000000);
  ASSERT_TRUE(account.isOver());
  EXPECT_EQ(account.periodOwnNs(), 40 * kMs);
  EXPECT_EQ(account.allowedUnits(), 100000u) << "2 ms of 60, of three million";
  account.beginPeriod();
  EXPECT_FALSE(account.isOver());
  EXPECT_EQ(account.periodOwnNs(), 0u);
}

TEST(BudgetAccount, WhatCameBeforeADebtIsNotOfItsPeriod) {
  BudgetAccount account;
  account.start(500);
  account.add(20 * kMs, 0, 400000);
  account.add(20 * kMs, 10 * kMs, 400000); // during half of it the program did something else
  account.add(20 * kMs, 16 * kMs, 1000);
  ASSERT_TRUE(account.isOver());
  EXPECT_EQ(account.periodUnits(), 1000u);
  EXPECT_EQ(account.periodBusyNs(), 20 * kMs);
}

TEST(BudgetAccount, BurstsOfOneWindowAddUp) {
  BudgetAccount account;
  account.start(500);
  account.add(320 * kMs, 300 * kMs, 1000); // many threads
  account.add(20 * kMs, 0, 0);
  EXPECT_FALSE(account.isOver()) << "nothing is known of what took it";
  account.add(320 * kMs, 300 * kMs, 1000);
  EXPECT_TRUE(account.isOver());
  EXPECT_EQ(account.periodUnits(), 1000u);
}

TEST(BudgetAccount, ACostThatCannotBeIsNotBelieved) {
  BudgetAccount account;
  account.start(500);
  account.add(100 * kMs, 150 * kMs, 1000);
  EXPECT_EQ(account.add(100 * kMs, 150 * kMs, 1000), 10 * kMs);
  EXPECT_GT(account.allowedUnits(), 0u);
  BudgetAccount idle;
  idle.start(1);
  EXPECT_EQ(idle.add(0, 5 * kMs, 1000), 0u);
  EXPECT_FALSE(idle.isOver());
}

TEST(BudgetTimes, TheProgramsTimeNeverGoesBack) {
  BudgetTimes at = BudgetTimes::after({}, 1000, 700, 200);
  EXPECT_EQ(at.busyNs, 500u);
  at = BudgetTimes::after(at, 2000, 1000, 501); // more time passed between the two readings than before
  EXPECT_EQ(at.busyNs, 500u);
  EXPECT_EQ(at.drainNs, 501u);
  at = BudgetTimes::after(at, 3000, 100, 600); // clocks of which one is refused
  EXPECT_EQ(at.busyNs, 500u);
  at = BudgetTimes::after(at, 4000, 1200, 600);
  EXPECT_EQ(at.busyNs, 600u);
  EXPECT_EQ(at.nowNs, 4000u);
}

TEST(SpeedUp, IsWhatTheOtherFunctionsShow) {
  SpeedUp speedUp;
  speedUp.start(100 * kMs, 50 * kMs, 1000);
  speedUp.add(100 * kMs, 5000); // still with some of the hooks on
  EXPECT_GT(speedUp.value(), SpeedUp::kOne) << "nothing is known: between 1 and 2";
  EXPECT_LT(speedUp.value(), 2 * SpeedUp::kOne);
  speedUp.add(100 * kMs, 1500);
  EXPECT_EQ(speedUp.value(), SpeedUp::kOne * 3 / 2);
  EXPECT_TRUE(speedUp.isLearning());
  speedUp.add(900 * kMs, 16500);
  EXPECT_EQ(speedUp.value(), SpeedUp::kOne * 18 / 10);
  EXPECT_FALSE(speedUp.isLearning());
}

TEST(SpeedUp, HasLimits) {
  SpeedUp slower, faster, few;
  slower.start(100 * kMs, 50 * kMs, 1000);
  faster.start(100 * kMs, 50 * kMs, 1000);
  few.start(100 * kMs, 0, 5);
  for (int i = 0; i < 2; ++i)
    slower.add(100 * kMs, 100), faster.add(100 * kMs, 1000000), few.add(100 * kMs, 1000000);
  EXPECT_EQ(slower.value(), SpeedUp::kOne);
  EXPECT_EQ(faster.value(), 8 * SpeedUp::kOne);
  EXPECT_LT(few.value(), 5 * SpeedUp::kOne);
  EXPECT_EQ(SpeedUp().value(), SpeedUp::kOne);
}

TEST(BudgetShare, IsReadAndWritten) {
  const options::Option &option = *options::find("budget");
  auto read = [&](const char *text) {
    uint64_t share = 77;
    return options::parseValue(option, text, share) ? static_cast<int64_t>(share) : -1;
  };
  EXPECT_EQ(read("none"), 0);
  EXPECT_EQ(read("5%"), 500);
  EXPECT_EQ(read("0.5%"), 50);
  EXPECT_EQ(read("0.01%"), 1);
  EXPECT_EQ(read("12.34%"), 1234);
  EXPECT_EQ(read("100%"), 10000);
  for (const char *wrong : {"", "5", "%", "0%", "0.00%", "0.001%", "5.%", ".5%", "100.01%", "150%", "-1%", "5%%", "abc",
                            "99999999999999999999%", "5 %", "5.5", "None"})
    EXPECT_EQ(read(wrong), -1) << wrong;
  for (const char *text : {"none", "5%", "0.5%", "0.01%", "12.34%", "100%", "7.05%"})
    EXPECT_STREQ(shareText(static_cast<uint64_t>(read(text))).c_str(), text);
}

} // namespace
