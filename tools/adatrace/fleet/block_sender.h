// Sends blocks of rows, several at a time, while the rest of the trace is read.
#pragma once

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

/// Memory: a block for each thread, one that is waiting, and the one that is being made.
class BlockSender {
public:
  /// `send` is called by `threads` threads at a time, each with its own block, and must be thread-safe.
  BlockSender(unsigned threads, std::function<Expected<void>(const formats::SpanBlock &)> send);
  /// Drops blocks whose sending has not begun, and waits for the rest.
  ~BlockSender();
  BlockSender(const BlockSender &) = delete;
  BlockSender &operator=(const BlockSender &) = delete;

  /// Keeps a copy of the block, and returns when there is room for another one. Errors: the first error of `send`,
  /// after which nothing more is sent.
  Expected<void> take(const formats::SpanBlock &block);
  /// Returns when all blocks have been sent. Errors: the same.
  Expected<void> finish();

private:
  struct Kept {
    formats::SpanBlock block;
    std::string bytes;
  };
  void work();

  std::function<Expected<void>(const formats::SpanBlock &)> send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Kept> waiting_; // the next block to send
  unsigned sending_ = 0;
  bool isOver_ = false;
  Expected<void> status_;
  std::vector<std::thread> threads_; // must be the last member, because the threads use the others
};

} // namespace ada::cli
