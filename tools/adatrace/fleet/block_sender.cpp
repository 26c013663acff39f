// Sends blocks of rows while the rest of the trace is read.
#include "block_sender.h"

#include <utility>

namespace ada::cli {

BlockSender::BlockSender(unsigned threads, std::function<Expected<void>(const formats::SpanBlock &)> send)
    : send_(std::move(send)) {
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this] { work(); });
}

BlockSender::~BlockSender() {
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
    waiting_.reset();
  }
  changed_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void BlockSender::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return isOver_ || waiting_; });
    if (!waiting_)
      return;
    Kept kept = *std::exchange(waiting_, std::nullopt);
    ++sending_;
    lock.unlock();
    changed_.notify_all();
    kept.block.bytes = kept.bytes;
    Expected<void> sent = send_(kept.block);
    lock.lock();
    --sending_;
    if (!sent && status_) {
      status_ = std::move(sent);
      waiting_.reset();
    }
    changed_.notify_all();
  }
}

Expected<void> BlockSender::take(const formats::SpanBlock &block) {
  Kept kept{block, std::string(block.bytes)};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !waiting_ || !status_; });
  if (!status_)
    return status_;
  waiting_ = std::move(kept);
  lock.unlock();
  changed_.notify_all();
  return {};
}

Expected<void> BlockSender::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sending_ == 0 && (!waiting_ || !status_); });
  return status_;
}

} // namespace ada::cli
