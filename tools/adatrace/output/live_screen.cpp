// A page about a recording, drawn again and again.
#include "live_screen.h"

#include "process/bus_error.h"
#include "terminal/screen.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace ada::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kCtrlC = 3;

// The column that a key chooses; null if it is not such a key. Arrows go to the next one.
const char *columnOf(std::span<const LivePage::SortKey> keys, int key, const std::string &current) {
  if (key == Screen::kLeft || key == Screen::kRight) {
    const auto at =
        std::ranges::find(keys, current, [](const LivePage::SortKey &of) { return std::string(of.second); });
    const size_t number = at == keys.end() ? 0 : static_cast<size_t>(at - keys.begin());
    return keys[(number + (key == Screen::kRight ? 1 : keys.size() - 1)) % keys.size()].second;
  }
  const auto at = std::ranges::find(keys, key, [](const LivePage::SortKey &of) { return int(of.first); });
  return at == keys.end() ? nullptr : at->second;
}

// The keys are in the last line, whatever is above them.
std::string withKeys(std::string page, unsigned rows, const std::string &keys) {
  for (auto lines = static_cast<size_t>(std::ranges::count(page, '\n')); lines + 1 < rows; ++lines)
    page += '\n';
  return page + keys;
}

} // namespace

Expected<void> showLive(LivePage &page, bool isLive, const ScreenOptions &options) {
  std::optional<Screen> screen(std::in_place, options.endsOnCtrlC);
  struct Cleanup {
    explicit Cleanup(std::function<void()> cleanUp) { setBusErrorCleanup(std::move(cleanUp)); }
    ~Cleanup() { setBusErrorCleanup({}); }
  } cleanup([&] { screen.reset(); });
  auto next = Clock::now() + options.interval;
  const auto draw = [&] {
    screen->draw(withKeys(page.page(screen->rows(), screen->columns()), screen->rows(),
                          std::string(options.palette.dim.text) + "by " + page.sortedBy + "; q quit  space pause  " +
                              options.keys + "arrows: column" + std::string(options.palette.reset.text)));
  };
  draw();
  for (uint64_t number = 1; number != options.looks && (isLive || !options.endsItself);) {
    const bool isWaiting = !page.isPaused && isLive;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
    const int key = screen->key(isWaiting ? static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)) : -1);
    if (key == 'q' || key == kCtrlC || key == Screen::kEnd)
      break;
    if (key == ' ')
      page.isPaused = !page.isPaused;
    else if (const char *column = columnOf(page.sortKeys(), key, page.sortedBy))
      page.sortedBy = column;
    if (!page.isPaused && isLive && Clock::now() >= next) {
      const auto done = page.look();
      if (!done)
        return done.error();
      isLive = *done;
      next = Clock::now() + options.interval;
      ++number;
    }
    draw();
  }
  return {};
}

} // namespace ada::cli
