// Turns a producer that calls back into one that is asked: hands pieces from one thread to another, one at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace ada::query {

/// The consumer's thread makes it, and asks for pieces; the producer runs in a thread of its own.
template <class Piece> class Handover {
public:
  /// `produce` calls give() for each piece, and ends when that returns false.
  template <class Produce> explicit Handover(Produce produce) {
    producer_ = std::thread([this, produce = std::move(produce)]() mutable {
      produce(*this);
      const std::lock_guard lock(mutex_);
      isOver_ = true;
      changed_.notify_all();
    });
  }
  Handover(const Handover &) = delete;
  ~Handover() {
    {
      const std::lock_guard lock(mutex_);
      isCancelled_ = true;
      changed_.notify_all();
    }
    producer_.join();
  }

  /// For the producer: returns when the consumer is done with the piece. False if no more pieces are wanted.
  bool give(Piece &piece) {
    std::unique_lock lock(mutex_);
    piece_ = &piece;
    changed_.notify_all();
    changed_.wait(lock, [&] { return piece_ == nullptr || isCancelled_; });
    return !isCancelled_;
  }
  /// For the consumer: the next piece, which stays until the next call; null after the last one, or if `isStopped`
  /// becomes true meanwhile.
  Piece *next(const std::function<bool()> &isStopped) {
    std::unique_lock lock(mutex_);
    if (std::exchange(hasPiece_, false)) {
      piece_ = nullptr;
      changed_.notify_all();
    }
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), [&] { return piece_ || isOver_; }))
      if (isStopped())
        return nullptr;
    hasPiece_ = piece_ != nullptr;
    return piece_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Piece *piece_ = nullptr;
  bool hasPiece_ = false, isOver_ = false, isCancelled_ = false;
  std::thread producer_;
};

} // namespace ada::query
