// Arrays that grow while they are filled, and then belong to numpy.
#pragma once

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace ada::python {

/// Grows by moving pages, not bytes: doubling an array of a gigabyte costs next to nothing, and no byte is ever copied
/// again. Large arrays get huge pages, where the system has them, because half of the time for a column of ten million
/// rows is the time for its page faults.
template <class T> class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Buffer() = default;
  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() {
    if (data_)
      munmap(data_, capacity_ * sizeof(T));
  }

  size_t size() const { return size_; }
  std::span<T> all() { return {data_, size_}; }
  /// Room for that many more values, which the caller fills.
  std::span<T> add(size_t count) {
    if (count > capacity_ - size_)
      grow(size_ + count);
    size_ += count;
    return {data_ + size_ - count, count};
  }
  void append(std::span<const T> values) {
    if (!values.empty())
      std::memcpy(add(values.size()).data(), values.data(), values.size_bytes());
  }

  /// The values as an array of `As`, which has the same size. Nothing is copied, and this is empty afterwards.
  template <class As = T> pybind11::array take() {
    static_assert(sizeof(As) == sizeof(T));
    if (!data_)
      return pybind11::array_t<As>(pybind11::ssize_t(0));
    auto *kept = new Buffer(std::move(*this));
    const pybind11::capsule owner(kept, [](void *buffer) { delete static_cast<Buffer *>(buffer); });
    return pybind11::array_t<As>(static_cast<pybind11::ssize_t>(kept->size_), reinterpret_cast<const As *>(kept->data_),
                                 owner);
  }

private:
  static constexpr size_t kLeastBytes = 64 * 1024, kHugeBytes = 4 << 20; // two huge pages
  void grow(size_t least) {
    const size_t bytes = std::max({least * sizeof(T), capacity_ * sizeof(T) * 2, kLeastBytes});
    void *to = data_ ? mremap(data_, capacity_ * sizeof(T), bytes, MREMAP_MAYMOVE)
                     : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED)
      throw std::bad_alloc();
    if (bytes >= kHugeBytes)
      madvise(to, bytes, MADV_HUGEPAGE); // only advice
    data_ = static_cast<T *>(to);
    capacity_ = bytes / sizeof(T);
  }

  T *data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

} // namespace ada::python
