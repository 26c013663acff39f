// A page about a recording, drawn again and again: the full screen of `top` and of `report --follow`.
#pragma once

#include "terminal/terminal.h"

#include "ada/trace/error.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace ada::cli {

class LivePage {
public:
  /// A key, and the column by which it sorts: a word of sortWords().
  using SortKey = std::pair<char, const char *>;

  virtual ~LivePage() = default;
  /// Reads what is new. False if nothing will follow.
  virtual Expected<bool> look() = 0;
  /// A page of that size without its last line, which shows the keys.
  virtual std::string page(unsigned rows, unsigned columns) = 0;
  virtual std::span<const SortKey> sortKeys() const = 0;

  std::string sortedBy;
  bool isPaused = false;
};

struct ScreenOptions {
  std::chrono::nanoseconds interval{};
  uint64_t looks = 0;       ///< at most; the first one was before. 0: any number
  bool endsItself = false;  ///< when nothing will follow, not with a key
  bool endsOnCtrlC = false; ///< returns; otherwise ^C ends the program
  const char *keys = "";    ///< what the sort keys do
  Palette palette;
};

/// Shows the page, which has been read once, until it ends.
Expected<void> showLive(LivePage &page, bool isLive, const ScreenOptions &options);

} // namespace ada::cli
