// Text that several threads write, each a piece of it, and that comes out in order.
//
// What a text format costs is writing numbers and names; who reads the trace has little to do besides. So sinks collect
// what there is to write, and hand it over in pieces:
//
//   texts.add([rows = std::move(rows)](std::string &to) { ... });     any thread, at any time until finish()
//   texts.finish();
//
// One thread for each processor but one, and who adds writes as well when the others have enough to do. With a single
// processor it is the only one.
#ifndef ADA_LIB_FORMATS_ORDERED_TEXT_H
#define ADA_LIB_FORMATS_ORDERED_TEXT_H

#include "formats/byte_output.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ada::model {

/// Not thread-safe: one thread adds.
class OrderedText {
public:
  /// Appends its piece of the text. Must not change what another piece looks at.
  using Write = std::function<void(std::string &to)>;

  /// `out` must live as long as this, and is used by who calls add() and finish() only.
  explicit OrderedText(ByteOutput &out) : out_(out) {}
  ~OrderedText();
  OrderedText(const OrderedText &) = delete;
  OrderedText &operator=(const OrderedText &) = delete;

  void add(Write write);
  /// All that was added is in `out` then.
  void finish();

private:
  struct Piece {
    Write write;
    std::string text;
    enum { Waiting, Taken, Done } state = Waiting;
  };

  static constexpr unsigned kMostThreads = 16; // one that reads has no work for more
  void begin();
  void work();
  void reduceTo(std::size_t most, std::unique_lock<std::mutex> &lock);
  bool writeNext(std::unique_lock<std::mutex> &lock);
  void handOn(std::unique_lock<std::mutex> &lock);

  ByteOutput &out_;
  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::deque<Piece> pieces_; // in order; those in front that are done are handed on
  std::size_t next_ = 0;     // of them, the first that nobody has taken
  bool isBegun_ = false, isOver_ = false;
  std::vector<std::string> spare_; // texts that were handed on: their memory
  std::vector<std::thread> threads_;
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_ORDERED_TEXT_H
