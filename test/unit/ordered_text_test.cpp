// Text that several threads write comes out in order, whichever part takes long; and lists that grow meanwhile.
#include "formats/ordered_text.h"
#include "trace/base/stable_list.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <thread>

using namespace ada;
using namespace ada::formats;

namespace {

struct Output {
  std::string text;
  bool isFull = false;
  ByteOutput bytes{[this](std::span<const std::byte> more) {
    if (isFull)
      return false;
    text.append(reinterpret_cast<const char *>(more.data()), more.size());
    return true;
  }};
};

TEST(OrderedText, ComesInTheOrderInWhichItWasAdded) {
  std::mt19937 random(3);
  for (int turn = 0; turn < 20; ++turn) {
    Output out;
    std::string expected;
    {
      OrderedText texts(out.bytes);
      for (int i = 0; i < 300; ++i) {
        const std::string piece(random() % 3 == 0 ? 0 : random() % 2000, static_cast<char>('a' + i % 26));
        const auto pause = std::chrono::microseconds(random() % 20 == 0 ? 2000 : 0);
        expected += piece;
        texts.add([=](std::string &to) {
          std::this_thread::sleep_for(pause);
          to += piece;
        });
      }
      texts.finish();
      texts.finish(); // nothing is left
    }
    out.bytes.flush();
    ASSERT_EQ(out.text, expected) << turn;
  }
}

TEST(OrderedText, HasFewPiecesUnderWay) {
  Output out;
  OrderedText texts(out.bytes);
  const auto alive = std::make_shared<int>();
  for (int i = 0; i < 500; ++i) {
    texts.add([alive](std::string &to) { to += '.'; });
    ASSERT_LE(alive.use_count(), 2 * 16 + 4);
  }
  texts.finish();
  EXPECT_EQ(alive.use_count(), 1);
}

TEST(OrderedText, MayEndWithoutFinish) {
  Output out;
  std::atomic<int> running = 0;
  {
    OrderedText texts(out.bytes);
    for (int i = 0; i < 3; ++i)
      texts.add([&](std::string &) {
        ++running;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
      });
  }
  EXPECT_EQ(running, 0) << "nobody writes any more";
}

TEST(OrderedText, FailuresStick) {
  Output out;
  out.isFull = true;
  OrderedText texts(out.bytes);
  for (int i = 0; i < 10; ++i)
    texts.add([](std::string &to) { to.append(1 << 17, 'x'); });
  texts.finish();
  ASSERT_FALSE(out.bytes.status());
  EXPECT_EQ(out.bytes.status().error().code, "E_IO");
  EXPECT_TRUE(out.text.empty());
}

TEST(ByteOutput, LargeTextsKeepTheirPlace) {
  Output out;
  std::string expected;
  for (const size_t size : {3u, 1u << 16, 5u, (1u << 16) - 1, 1u << 18, 0u, 7u}) {
    const std::string piece(size, static_cast<char>('a' + size % 26));
    out.bytes.put(piece);
    expected += piece;
  }
  out.bytes.flush();
  EXPECT_EQ(out.text, expected);
}

TEST(StableList, ElementsStayWhileItGrows) {
  StableList<std::string> list;
  std::vector<const std::string *> places;
  for (size_t i = 0; i < 5000; ++i) {
    list.push_back(std::to_string(i));
    places.push_back(&list[i]);
  }
  EXPECT_EQ(list.size(), 5000u);
  for (size_t i = 0; i < 5000; ++i) {
    EXPECT_EQ(list[i], std::to_string(i));
    EXPECT_EQ(&list[i], places[i]);
  }
}

} // namespace
