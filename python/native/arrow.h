// Hands columns to other libraries without a copy: Arrow's C data interface and its capsules.
// https://arrow.apache.org/docs/format/CDataInterface.html
// https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html
#pragma once

#include <pybind11/pybind11.h>

namespace ada::python {

/// Each column is a tuple:
///   (name, format, rows, nulls, buffers, dictionary)
/// `format` is Arrow's, `nulls` is how many values are null, `buffers` are objects that have bytes (the first is the
/// validity bitmap), or None, and `dictionary` is a column for words, otherwise None. The buffers must not change.
///
/// A capsule "arrow_schema", and a capsule "arrow_array" with a struct of all columns.
pybind11::tuple arrowArray(const pybind11::list &columns);
/// A capsule "arrow_schema".
pybind11::capsule arrowSchema(const pybind11::list &columns);
/// A capsule "arrow_array_stream" with all rows in one batch.
pybind11::capsule arrowStream(const pybind11::list &columns);

} // namespace ada::python
