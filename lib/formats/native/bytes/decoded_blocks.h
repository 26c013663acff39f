// What readers of packed files have decoded and keep for the next question, and how much memory that may take.
#pragma once

#include "ada/trace/error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

namespace ada::atf {

/// Bounds the memory that decoded blocks take in a session of many files.
class DecodedBlocks {
public:
  virtual ~DecodedBlocks() = default;

  /// To be called when `file` has kept a block. At most 64 files keep theirs: that of the file which has kept some
  /// longest are let go. Any thread may call it, without holding the file's lock.
  static void keep(const std::shared_ptr<DecodedBlocks> &file);

protected:
  /// Lets all blocks go that nobody uses. Any thread may call it.
  virtual void letGo() noexcept = 0;

private:
  std::atomic<bool> areKept_ = false;
};

/// The last few blocks of a file, and the first damage that was found in one. `Block` has the numbers of its events:
/// [first, last). Any thread may call the functions.
template <class Block> class LastBlocks : public DecodedBlocks {
public:
  /// The block with event number `seq`, or null.
  std::shared_ptr<const Block> find(uint64_t seq) {
    const std::lock_guard lock(mutex_);
    for (const auto &known : decoded_)
      if (known && seq >= known->first && seq < known->last)
        return known;
    return nullptr;
  }
  void noteDamage(const Error &error) {
    const std::lock_guard lock(mutex_);
    if (!damage_)
      damage_ = error;
  }
  std::optional<Error> damage() {
    const std::lock_guard lock(mutex_);
    return damage_;
  }

protected:
  void letGo() noexcept override {
    const std::lock_guard lock(mutex_);
    decoded_ = {};
  }
  // The caller holds the lock.
  void add(std::shared_ptr<const Block> block) { decoded_[next_++ % decoded_.size()] = std::move(block); }

  std::mutex mutex_; // protects everything below, and what the reader adds
  std::array<std::shared_ptr<const Block>, 4> decoded_;

private:
  unsigned next_ = 0;
  std::optional<Error> damage_;
};

} // namespace ada::atf
