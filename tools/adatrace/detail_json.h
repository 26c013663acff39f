//===- detail_json.h - an event's detail as fields of a JSON object -------===//
#ifndef ADATRACE_DETAIL_JSON_H
#define ADATRACE_DETAIL_JSON_H

#include "ada/trace/thread_reader.h"

#include <string>

namespace ada::cli {

/// What the event has of these, each with a comma before it:
///   "args":{"n":10},"arg_types":{"n":"int32"}  of a call,
///   "return":55,"return_type":"int32"          of a return, if the types are
///   known "registers":{"rdi":"0xa",…}, "vectors":{"xmm0":"0x…",…}
///   "lr":"0x…","fp":"0x…","sp":"0x…"
///   "stack":"0011…"  its bytes from sp upwards
std::string detailJson(const atf::EventDetail &detail, std::uint8_t arch);

} // namespace ada::cli
#endif // ADATRACE_DETAIL_JSON_H
