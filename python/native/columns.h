// Calls of a trace as numpy arrays.
#pragma once

#include "trace.h"

#include "ada/trace/columns.h"
#include "analysis/query/shared_trace.h"

#include <pybind11/pybind11.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ada::python {

/// Filled with chunks of calls and finished without Python's lock, then taken as what Python gets.
class SpanArrays {
public:
  virtual ~SpanArrays();
  /// `keys` are columns of the table `spans`; other words are left out.
  static std::unique_ptr<SpanArrays> make(const std::vector<std::string> &keys);

  virtual query::SpanColumns columns() const = 0;
  /// False if there is no memory; then take() throws.
  virtual bool add(const query::SpanChunk &chunk) noexcept = 0;
  /// After the last chunk. `functions` are those of the trace.
  virtual void finish(const std::deque<model::Function> &functions) = 0;
  /// A dict with the columns, by key; each is a tuple:
  ///   ("numbers", array, nulls)           nulls: an array of bool, or None if no value is null
  ///   ("words", codes, words)             words[codes[i]]
  ///   ("texts", ends, bytes, nulls)       text i is the UTF-8 in bytes[ends[i]:ends[i + 1]]
  /// Needs Python's lock.
  virtual pybind11::dict take() = 0;
};

/// The keys of all columns of the table `spans`, in its order.
std::vector<std::string> spanKeys();
/// The numbers of the functions that one of the globs means.
std::vector<uint32_t> functionsCalled(const std::deque<model::Function> &functions,
                                      const std::vector<std::string> &globs);

} // namespace ada::python
