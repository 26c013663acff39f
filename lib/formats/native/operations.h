// The functions of ATF that the table of formats refers to.
#pragma once

#include "formats/table.h"

namespace ada::formats {

Expected<CheckSummary> verifyAtf(TraceLocation &place, const CheckReport &report);
Expected<Description> describeAtf(TraceLocation &place, bool absolute);

// Detail files without their index.
Expected<CheckSummary> verifyAtfDetail(TraceLocation &place, const CheckReport &report);
Expected<Description> describeAtfDetail(TraceLocation &place, bool absolute);
Expected<ReadOutcome> dumpAtfDetail(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out);

/// Opens the session, process, thread or index file at a place. Files that come through a pipe or are packed are kept
/// in a temporary file for as long as `place` lives.
Expected<atf::Session> openAtf(TraceLocation &place, const atf::OpenOptions &options);

} // namespace ada::formats
