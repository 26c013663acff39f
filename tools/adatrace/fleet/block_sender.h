// Sends blocks of rows while the trace is read on, several at a time.
#ifndef ADATRACE_FLEET_BLOCK_SENDER_H
#define ADATRACE_FLEET_BLOCK_SENDER_H

#include "ada/trace/error.h"
#include "formats/clickhouse/span_blocks.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ada::cli {

/// Memory: a block for each thread, one that waits, and the one that is being made.
class BlockSender {
public:
  /// `send` is called by `threads` threads at a time, each with a block of its own, and is to know what that means.
  BlockSender(unsigned threads, std::function<Expected<void>(const model::SpanBlock &)> send);
  /// Gives up what was not begun, and waits for the rest.
  ~BlockSender();
  BlockSender(const BlockSender &) = delete;
  BlockSender &operator=(const BlockSender &) = delete;

  /// Keeps a copy, and returns when there is room for another one. Errors: the first one of `send`, after which nothing
  /// is sent any more.
  Expected<void> take(const model::SpanBlock &block);
  /// Returns when all of them are sent. Errors: likewise.
  Expected<void> finish();

private:
  struct Kept {
    model::SpanBlock block;
    std::string bytes;
  };
  void work();

  std::function<Expected<void>(const model::SpanBlock &)> send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Kept> waiting_; // the next one
  unsigned sending_ = 0;
  bool isOver_ = false;
  Expected<void> status_;
  std::vector<std::thread> threads_; // the last member: they use the others
};

} // namespace ada::cli
#endif // ADATRACE_FLEET_BLOCK_SENDER_H
