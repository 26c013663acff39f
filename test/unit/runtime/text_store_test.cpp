// The text store keeps each text once, whatever its bytes are.
#include "core/base/text_store.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>

namespace {

TEST(TextStore, KeepsEachTextOnce) {
  static ada::runtime::TextStore store;
  std::map<std::string, const char *> kept;
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % (i % 100 == 0 ? 100000 : 40), '\0');
    for (char &c : text)
      c = static_cast<char>(random() % 3); // includes NULs
    const char *place = store.keep(text.data(), text.size());
    ASSERT_EQ(std::string(place, text.size() + 1), text + '\0');
    ASSERT_EQ(kept.emplace(text, place).first->second, place);
  }
  for (const auto &[text, place] : kept)
    ASSERT_EQ(std::string(place, text.size()), text);
}

} // namespace
