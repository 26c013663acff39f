// Blocks are sent while the trace is still being read.
#include "fleet/block_sender.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

using ada::Error;
using ada::Expected;
using ada::cli::BlockSender;
using ada::formats::SpanBlock;

namespace {

SpanBlock blockOf(uint32_t number, std::string_view bytes) {
  SpanBlock block;
  block.number = number;
  block.bytes = bytes;
  return block;
}

} // namespace

TEST(BlockSender, SendsEachOnceWithItsBytes) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::mutex mutex;
    std::multiset<std::string> sent;
    BlockSender sender(threads, [&](const SpanBlock &block) -> Expected<void> {
      const std::lock_guard lock(mutex);
      EXPECT_EQ(std::to_string(block.number), block.bytes);
      sent.insert(std::string(block.bytes));
      return {};
    });
    for (uint32_t i = 0; i < 500; ++i) {
      std::string bytes = std::to_string(i);
      ASSERT_TRUE(sender.take(blockOf(i, bytes)));
      bytes.assign(bytes.size(), '#'); // the sender has a copy
    }
    ASSERT_TRUE(sender.finish());
    ASSERT_TRUE(sender.finish()); // nothing is left to send
    EXPECT_EQ(sent.size(), 500u);
    EXPECT_EQ(sent.count("499"), 1u);
  }
}

TEST(BlockSender, NoMoreThanItsThreadsAtATime) {
  std::atomic<unsigned> now = 0, most = 0;
  BlockSender sender(3, [&](const SpanBlock &) -> Expected<void> {
    const unsigned mine = ++now;
    for (unsigned seen = most; mine > seen && !most.compare_exchange_weak(seen, mine);)
      ;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --now;
    return {};
  });
  for (uint32_t i = 0; i < 60; ++i)
    ASSERT_TRUE(sender.take(blockOf(i, "x")));
  ASSERT_TRUE(sender.finish());
  EXPECT_LE(most, 3u);
}

TEST(BlockSender, StopsAtTheFirstError) {
  std::atomic<unsigned> sent = 0;
  BlockSender sender(2, [&](const SpanBlock &block) -> Expected<void> {
    ++sent;
    return block.number == 3 ? Expected<void>(Error{.code = "E_SERVER", .message = "no"}) : Expected<void>();
  });
  Expected<void> taken;
  uint32_t i = 0;
  for (; i < 1'000'000 && taken; ++i)
    taken = sender.take(blockOf(i, "x"));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, "E_SERVER");
  EXPECT_LT(i, 1'000'000u);
  EXPECT_FALSE(sender.finish());
  const unsigned before = sent;
  EXPECT_FALSE(sender.take(blockOf(i, "x")));
  EXPECT_FALSE(sender.finish());
  EXPECT_EQ(sent, before);
}

// Blocks being sent are waited for; the rest is given up.
TEST(BlockSender, EndsWithoutFinish) {
  std::atomic<unsigned> begun = 0, ended = 0;
  {
    BlockSender sender(1, [&](const SpanBlock &) -> Expected<void> {
      ++begun;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++ended;
      return {};
    });
    for (uint32_t i = 0; i < 3; ++i)
      ASSERT_TRUE(sender.take(blockOf(i, "x")));
  }
  EXPECT_EQ(begun, ended);
}
