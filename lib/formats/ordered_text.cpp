// A queue of pieces: several threads write them, and the thread that adds them hands them on in order.
#include "formats/ordered_text.h"

#include <algorithm>
#include <system_error>

namespace ada::formats {

OrderedText::~OrderedText() {
  {
    const std::lock_guard lock(mutex_);
    isOver_ = true;
  }
  added_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

// Starts as many threads as possible, but only once there is something to write.
void OrderedText::begin() {
  isBegun_ = true;
  try {
    for (unsigned i = 1; i < std::min(std::max(1u, std::thread::hardware_concurrency()), kMaxThreads); ++i)
      threads_.emplace_back([this] { work(); });
  } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch)
    // A system limit: the threads that were started must do.
  }
}

void OrderedText::add(Write write) {
  if (!isBegun_)
    begin();
  std::unique_lock lock(mutex_);
  pieces_.push_back({.write = std::move(write), .text = {}});
  if (!spare_.empty()) {
    pieces_.back().text = std::move(spare_.back());
    spare_.pop_back();
  }
  added_.notify_one();
  handOn(lock);
  // This many pieces keep all threads busy, and memory stays bounded.
  reduceTo(threads_.empty() ? 0 : 2 * threads_.size() + 2, lock);
}

void OrderedText::finish() {
  std::unique_lock lock(mutex_);
  reduceTo(0, lock);
}

// Hands on pieces until at most `most` are left. Writes pieces itself while there are some that no thread has taken.
void OrderedText::reduceTo(size_t most, std::unique_lock<std::mutex> &lock) {
  while (pieces_.size() > most) {
    if (!writeNext(lock))
      done_.wait(lock, [this] { return pieces_.front().state == Piece::Done; });
    handOn(lock);
  }
}

void OrderedText::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    added_.wait(lock, [this] { return isOver_ || next_ < pieces_.size(); });
    if (isOver_)
      return;
    writeNext(lock);
    done_.notify_one();
  }
}

// Writes the next piece, without holding the lock. False if all are taken.
bool OrderedText::writeNext(std::unique_lock<std::mutex> &lock) {
  if (next_ == pieces_.size())
    return false;
  Piece &piece = pieces_[next_++]; // stays in place: pieces are added after it and removed before it
  piece.state = Piece::Taken;
  lock.unlock();
  piece.write(piece.text);
  piece.write = nullptr; // frees its memory here, not under the lock
  lock.lock();
  piece.state = Piece::Done;
  return true;
}

void OrderedText::handOn(std::unique_lock<std::mutex> &lock) {
  while (!pieces_.empty() && pieces_.front().state == Piece::Done) {
    std::string text = std::move(pieces_.front().text);
    pieces_.pop_front();
    --next_;
    lock.unlock();
    out_.put(text);
    text.clear();
    lock.lock();
    spare_.push_back(std::move(text));
  }
}

} // namespace ada::formats
