// The wtf-trace interface, all of it. Each header is the manual of its part.
//
//   wtf/format.h       dialects, header, event types, argument values
//   wtf/context.h      which program was traced (part of the header)
//   wtf/decoder.h      bytes to records, pushed in pieces of any size
//   wtf/timeline.h     records to zones and scopes, as they come
//   wtf/encoder.h      records to bytes
#ifndef ADA_TRACE_WTF_H
#define ADA_TRACE_WTF_H

#include "ada/trace/wtf/context.h"
#include "ada/trace/wtf/decoder.h"
#include "ada/trace/wtf/encoder.h"
#include "ada/trace/wtf/format.h"
#include "ada/trace/wtf/timeline.h"

#endif // ADA_TRACE_WTF_H
