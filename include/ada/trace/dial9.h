// The dial9 interface: the first page of its manual, and all of it in one include.
// Reads and writes dial9-trace-format 1.
//
// A stream is self-describing: schema frames say which fields an event type
// has, event frames carry the values, string pool frames hold text that events
// refer to by number. docs/formats/dial9.md has the bytes.
//
//   reading                   Decoder + Visitor            decoder.h; no allocation per event
//   writing                   Encoder                      encoder.h
//   values, schemas, errors   Value, Schema, DecodeStatus  value.h, schema.h, format.h
//
// Only the standard library throws here, when memory runs out. Errors are
// values: `DecodeStatus` says what is wrong and at which byte, after all frames
// before it were delivered; `EncodeError` says why an operation was refused.
#ifndef ADA_TRACE_DIAL9_H
#define ADA_TRACE_DIAL9_H

#include "ada/trace/dial9/decoder.h"
#include "ada/trace/dial9/encoder.h"
#include "ada/trace/dial9/format.h"
#include "ada/trace/dial9/schema.h"
#include "ada/trace/dial9/value.h"

#endif // ADA_TRACE_DIAL9_H
