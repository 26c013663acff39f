// What the table of formats says about dial9.
#pragma once

#include "formats/table.h"

#include "ada/trace/dial9/decoder.h"

namespace ada::formats {

/// Decodes the input to its end, or until `goesOn` returns false. Errors: E_IO.
Expected<ReadOutcome> readDial9(model::ByteInput &input, dial9::Visitor &visitor,
                                const std::function<bool()> &goesOn = {});

Expected<CheckSummary> verifyDial9(TraceLocation &place, const CheckReport &report);
Expected<Description> describeDial9(TraceLocation &place, bool absolute);
Expected<ReadOutcome> dumpDial9(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out);

} // namespace ada::formats
