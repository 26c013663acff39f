// Makes a function and its inlined copies one function, for formats that know nothing of copies.
#ifndef ADA_LIB_FORMATS_MERGE_COPIES_H
#define ADA_LIB_FORMATS_MERGE_COPIES_H

#include "ada/trace/model.h"

#include <memory>

namespace ada::model {

/// A sink that hands on to `sink`: calls of inlined copies become calls of their function, which is announced once.
/// Copies whose arguments lie elsewhere (Function::types) stay apart, for they would be read wrong. A sink that takes
/// symbols has copies of its own, and is returned as it is.
std::unique_ptr<TraceSink> mergeCopies(std::unique_ptr<TraceSink> sink);
/// For a sink that takes no symbols and outlives the new one.
std::unique_ptr<TraceSink> mergeCopies(TraceSink &sink);

} // namespace ada::model

#endif // ADA_LIB_FORMATS_MERGE_COPIES_H
