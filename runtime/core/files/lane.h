// A file of one thread in the format that the process records: ATF or packed.
#pragma once

#include <stdint.h>

namespace ada::runtime {

// Two files with the same operations, of which one is in use. The other may never have begun: its descriptor would be
// 0.
template <class Atf, class Packed> class Lane {
public:
  // Calls do(file) for the file that is in use.
  template <class Do> decltype(auto) with(Do &&what) { return isPacked_ ? what(packed_) : what(atf_); }
  template <class Do> decltype(auto) with(Do &&what) const { return isPacked_ ? what(packed_) : what(atf_); }

  void closeDescriptor() {
    with([](auto &file) { file.closeDescriptor(); });
  }
  bool exists() const {
    return with([](const auto &file) { return file.exists(); });
  }
  uint64_t events() const {
    return with([](const auto &file) { return file.events(); });
  }

protected:
  bool isPacked_ = false;
  Atf atf_;
  Packed packed_;
};

} // namespace ada::runtime
