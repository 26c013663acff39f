// The processes and threads of a trace of any format, as `adatrace info` lists them for programs.
#ifndef ADA_LIB_CONVERT_SUMMARY_H
#define ADA_LIB_CONVERT_SUMMARY_H

#include "formats/table.h"

namespace ada::model {

/// Reads the trace and adds its processes, each with its threads, to what the format says about itself.
/// Errors become problems of the description.
void describeProcesses(const TraceFormat &format, TraceLocation place, Description &description);

} // namespace ada::model

#endif // ADA_LIB_CONVERT_SUMMARY_H
