// The order equals that of a sort in memory, however much is kept in memory.
#include "formats/import/event_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace ada::formats {

TEST(EventSorter, SameOrderFromAFile) {
  std::mt19937 random(3);
  std::vector<LooseEvent> events;
  std::vector<std::string> texts;
  for (unsigned i = 0; i < 5000; ++i) {
    LooseEvent event;
    event.thread = random() % 3;
    event.timeNs = random() % 400;
    event.tie = random() % 2;
    event.function = i;
    events.push_back(event);
    texts.push_back(std::string(random() % 5 ? random() % 40 : 0, static_cast<char>('a' + i % 26)));
  }
  std::vector<unsigned> expected(events.size());
  for (unsigned i = 0; i < expected.size(); ++i)
    expected[i] = i;
  std::ranges::stable_sort(expected, {},
                           [&](unsigned i) { return std::tuple(events[i].thread, events[i].timeNs, events[i].tie); });
  for (const auto &[kept, keptText] : {std::pair<size_t, size_t>{1 << 20, 1 << 20}, {7, 64}, {1000, 9}}) {
    EventSorter sorter(kept, keptText);
    for (size_t i = 0; i < events.size(); ++i)
      ASSERT_TRUE(sorter.add(events[i], texts[i]));
    EXPECT_EQ(sorter.count(), events.size());
    size_t at = 0;
    ASSERT_TRUE(sorter.drain([&](const LooseEvent &event, std::string_view text) {
      EXPECT_EQ(event.function, expected[at]);
      EXPECT_EQ(text, texts[event.function]);
      ++at;
      return true;
    }));
    EXPECT_EQ(at, events.size());
  }
}

TEST(EventSorter, StopsWhenToldTo) {
  EventSorter sorter(2);
  for (unsigned i = 0; i < 9; ++i)
    ASSERT_TRUE(sorter.add({.timeNs = i}));
  unsigned seen = 0;
  ASSERT_TRUE(sorter.drain([&](const LooseEvent &, std::string_view) { return ++seen < 4; }));
  EXPECT_EQ(seen, 4u);
}

} // namespace ada::formats
