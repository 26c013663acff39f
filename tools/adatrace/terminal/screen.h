// A terminal as a page that is drawn again and again, and keys that come without Enter.
//
// While a Screen exists, the terminal shows another screen than before, without a cursor. It is put back in every case:
// by the destructor, by signals that end the program (which then ends as it would have), when the program is stopped,
// and when the input turns out to be damaged (handleBusErrors()).
#pragma once

#include <string_view>

namespace ada::cli {

class Screen {
public:
  /// Whether standard input and output are a terminal that can do this.
  static bool isPossible();

  /// At most one at a time. `readsCtrlC`: ^C is a key; otherwise it ends the program.
  explicit Screen(bool readsCtrlC = false);
  ~Screen();
  Screen(const Screen &) = delete;

  unsigned rows() const, columns() const;
  /// Replaces the page, in one write.
  void draw(std::string_view page);

  enum Key : int {
    kNone = -1,   ///< none came in time
    kRedraw = -2, ///< the size changed, or the program was stopped and continues
    kEnd = -3,    ///< the terminal is gone
    kLeft = 1000,
    kRight,
    kOther, ///< a key that is not a character
  };
  /// Waits for a key; characters are themselves.
  int key(int milliseconds);
};

} // namespace ada::cli
