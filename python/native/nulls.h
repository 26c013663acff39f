// Whether the values of a column are null, for columns of which few or none are.
#pragma once

#include "buffer.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>

namespace ada::python {

class Nulls {
public:
  void add(size_t rows) { rows_ += rows; }
  /// The last rows that were added, for marks.
  std::span<bool> last(size_t rows) {
    flags_.add(rows_ - flags_.size()); // new pages are zero
    return flags_.all().last(rows);
  }
  bool has(size_t row) { return row < flags_.size() && flags_.all()[row]; }
  /// An array, or None if no value is null.
  pybind11::object take() {
    if (flags_.size() == 0)
      return pybind11::none();
    flags_.add(rows_ - flags_.size());
    return flags_.take();
  }

private:
  size_t rows_ = 0;
  Buffer<bool> flags_;
};

} // namespace ada::python
