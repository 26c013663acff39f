// A queue between threads: requests for the workers, tables for the compactor, replies for a client.
#ifndef STORE_QUEUE_H
#define STORE_QUEUE_H

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

template <class Item> class Queue {
public:
  void push(Item item) {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    changed_.notify_one();
  }

  /// Waits for the next item; none once the queue is closed and empty.
  std::optional<Item> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty())
      return std::nullopt;
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool closed_ = false;
};

#endif // STORE_QUEUE_H
