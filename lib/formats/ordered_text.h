// Text that several threads write in pieces, and that comes out in order.
//
// Most of the cost of a text format is writing numbers and names; reading the trace takes little besides. So sinks
// collect what they have to write, and hand it over in pieces:
//
//   texts.add([rows = std::move(rows)](std::string &to) { ... });     any thread, at any time until finish()
//   texts.finish();
//
// There is one thread for each core except one. The thread that adds pieces also writes when the others have enough to
// do; on a single core it is the only one.
#pragma once

#include "formats/byte_output.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ada::formats {

/// Not thread-safe: one thread adds.
class OrderedText {
public:
  /// Appends its piece of the text. Must not change anything that another piece reads.
  using Write = std::function<void(std::string &to)>;

  /// `out` must live as long as this, and is used only by the thread that calls add() and finish().
  explicit OrderedText(ByteOutput &out) : out_(out) {}
  ~OrderedText();
  OrderedText(const OrderedText &) = delete;
  OrderedText &operator=(const OrderedText &) = delete;

  void add(Write write);
  /// Afterwards, everything that was added is in `out`.
  void finish();

private:
  struct Piece {
    Write write;
    std::string text;
    enum { Waiting, Taken, Done } state = Waiting;
  };

  static constexpr unsigned kMaxThreads = 16; // one reading thread has no work for more
  void begin();
  void work();
  void reduceTo(size_t most, std::unique_lock<std::mutex> &lock);
  bool writeNext(std::unique_lock<std::mutex> &lock);
  void handOn(std::unique_lock<std::mutex> &lock);

  ByteOutput &out_;
  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<Piece> pieces_; // in order; finished ones at the front are handed on
  size_t next_ = 0;          // index of the first piece that no thread has taken
  bool isBegun_ = false, isOver_ = false;
  std::vector<std::string> spare_; // memory of texts that were handed on
  std::vector<std::thread> threads_;
};

} // namespace ada::formats
