// Which traces are removed from the disk.
#include "ship/disk_budget.h"

#include <gtest/gtest.h>

#include <random>

using ada::cli::DiskRules;
using ada::cli::OnDisk;
using ada::cli::whatGoes;

namespace {

constexpr uint64_t kHourNs = uint64_t{3600} * 1'000'000'000;

std::vector<OnDisk> four() {
  return {{.name = "confirmed long ago", .bytes = 10, .isComplete = true, .confirmedNs = 3 * kHourNs},
          {.name = "not confirmed", .bytes = 20, .isComplete = true, .confirmedNs = {}},
          {.name = "confirmed", .bytes = 30, .isComplete = true, .confirmedNs = kHourNs},
          {.name = "still recorded", .bytes = 40, .isComplete = false, .confirmedNs = {}}};
}

std::string namesOf(const std::vector<OnDisk> &all, const DiskRules &rules) {
  std::string names;
  for (const auto &goes : whatGoes(all, rules))
    names += (names.empty() ? "" : ", ") + all[goes.index].name + (goes.isUnsent ? " (unsent)" : "");
  return names;
}

} // namespace

TEST(DiskBudget, WithoutRulesNothingGoes) { EXPECT_EQ(namesOf(four(), {}), ""); }

TEST(DiskBudget, ByAge) {
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = 0}), "confirmed long ago, confirmed");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = kHourNs}), "confirmed long ago, confirmed");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = kHourNs + 1}), "confirmed long ago");
}

TEST(DiskBudget, OnlyAsManyAsAreTooMany) {
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 100}), "");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 99}), "confirmed long ago");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 89}), "confirmed long ago, confirmed");
}

TEST(DiskBudget, WhatIsNotConfirmedOnlyIfAskedFor) {
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 1}), "confirmed long ago, confirmed");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 60, .dropsUnsent = true}),
            "confirmed long ago, confirmed");
  EXPECT_EQ(namesOf(four(), {.deleteAfterNs = {}, .mostBytes = 1, .dropsUnsent = true}),
            "confirmed long ago, confirmed, not confirmed (unsent)");
}

// A trace that is still being recorded is never removed, no trace is removed twice, and unconfirmed traces are kept
// while a confirmed one is left.
TEST(DiskBudget, AnyList) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<OnDisk> all(random() % 8);
    uint64_t bytes = 0;
    for (OnDisk &one : all) {
      one.bytes = random() % 100;
      one.isComplete = random() % 3 != 0;
      if (one.isComplete && random() % 2)
        one.confirmedNs = random() % 10;
      bytes += one.bytes;
    }
    DiskRules rules{.deleteAfterNs = {}, .mostBytes = random() % 300, .dropsUnsent = random() % 2 == 0};
    if (random() % 2)
      rules.deleteAfterNs = random() % 10;
    std::vector<bool> gone(all.size());
    bool droppedUnsent = false;
    for (const auto &goes : whatGoes(all, rules)) {
      EXPECT_FALSE(gone[goes.index]);
      gone[goes.index] = true;
      EXPECT_TRUE(all[goes.index].isComplete);
      EXPECT_EQ(goes.isUnsent, !all[goes.index].confirmedNs);
      EXPECT_TRUE(rules.dropsUnsent || !goes.isUnsent);
      droppedUnsent |= goes.isUnsent;
      bytes -= all[goes.index].bytes;
    }
    bool couldGoOn = false;
    for (size_t i = 0; i < all.size(); ++i)
      if (!gone[i] && all[i].isComplete) {
        couldGoOn |= all[i].confirmedNs || rules.dropsUnsent;
        EXPECT_FALSE(droppedUnsent && all[i].confirmedNs && rules.mostBytes);
      }
    EXPECT_TRUE(rules.mostBytes == 0 || bytes <= rules.mostBytes || !couldGoOn);
  }
}
