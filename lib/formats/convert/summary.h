// The processes and threads of a trace of any format, as `adatrace info` lists them for programs.
#pragma once

#include "formats/table.h"

namespace ada::formats {

/// Reads the trace and adds its processes, each with its threads, to what the format says about itself.
/// Errors become problems of the description.
void describeProcesses(const TraceFormat &format, TraceLocation place, Description &description);

} // namespace ada::formats
