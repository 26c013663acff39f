// Merges a function and its inlined copies into one function, for formats that don't know copies.
#pragma once

#include "ada/trace/model.h"

#include <memory>

namespace ada::formats {

/// Returns a sink that passes everything on to `sink`. Calls of inlined copies become calls of their function, which is
/// announced once. Copies whose arguments lie elsewhere (Function::types) stay separate, because their arguments would
/// be misread. A sink that takes symbols has its own copies and is returned unchanged.
std::unique_ptr<model::TraceSink> mergeCopies(std::unique_ptr<model::TraceSink> sink);
/// For a sink that takes no symbols and that outlives the new one.
std::unique_ptr<model::TraceSink> mergeCopies(model::TraceSink &sink);

} // namespace ada::formats
