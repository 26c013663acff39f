// A text that is made on first use.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

namespace ada {

/// If several threads make it, the first one to finish wins.
class LazyText {
public:
  LazyText() = default;
  LazyText(LazyText &&other) noexcept : made_(other.made_.exchange(nullptr)) {}
  ~LazyText() { delete made_.load(); }

  template <class Make> std::string_view get(Make make) const {
    const std::string *text = made_.load(std::memory_order_acquire);
    if (!text) {
      auto *fresh = new std::string(make());
      if (made_.compare_exchange_strong(text, fresh, std::memory_order_acq_rel))
        text = fresh;
      else
        delete fresh;
    }
    return *text;
  }

private:
  mutable std::atomic<const std::string *> made_{nullptr};
};

} // namespace ada
