// What the table of formats says about wtf-trace.
#pragma once

#include "formats/table.h"

#include "ada/trace/wtf/decoder.h"

namespace ada::formats {

/// Options for a decoder of this input. Packed input could make it collect a record or chunk of any size from a few
/// bytes.
wtf::DecoderOptions wtfOptions(const model::ByteInput &input);
/// Decodes the input to its end, or until `goesOn` returns false. Errors: E_IO.
Expected<ReadOutcome> readWtf(model::ByteInput &input, wtf::Decoder &decoder, const std::function<bool()> &goesOn = {});

Expected<CheckSummary> verifyWtf(TraceLocation &place, const CheckReport &report);
Expected<Description> describeWtf(TraceLocation &place, bool absolute);
Expected<ReadOutcome> dumpWtf(TraceLocation &place, const RawDumpOptions &options, const RawDumpOutput &out);

} // namespace ada::formats
