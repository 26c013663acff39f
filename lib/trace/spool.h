// Turns a trace whose threads come mixed, or that can be read once only, into one that can be read thread by thread.
#pragma once

#include "ada/trace/model.h"

#include <memory>

namespace ada::model {

/// A source that isThreadwise(): `source` itself if it is, else one that reads `source` once, now, and keeps its
/// events in a temporary file without a name. Memory: what was announced, and some megabytes.
///
/// An error comes from the source, if nothing of use was there, or from the temporary file.
/// Other problems are in problems() of the result.
Expected<std::unique_ptr<TraceSource>> makeThreadwise(std::unique_ptr<TraceSource> source);

} // namespace ada::model
