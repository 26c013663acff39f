// The event types of our own wtf-trace files, besides the one scope type per function.
// docs/formats/model.md describes them in words.
#ifndef ADA_LIB_MODEL_CONVERT_WTF_TYPES_H
#define ADA_LIB_MODEL_CONVERT_WTF_TYPES_H

#include <string>
#include <string_view>

namespace ada::model {

/// JSON about the trace, a process, a thread or a function. Long JSON comes in parts.
inline constexpr std::string_view kInfoType = "ada.info";
/// Comes before a leave: the rest of the leave's time.
inline constexpr std::string_view kEndType = "ada.end";
/// Comes before a leave: the call was left by an exception, and the rest of the leave's time.
inline constexpr std::string_view kExceptionType = "ada.exception";
/// Comes before a leave that is only for viewers: the call has no end.
inline constexpr std::string_view kUnendedType = "ada.unended";
/// Ends without a call, and kinds without a name.
inline constexpr std::string_view kEventType = "ada.event";
/// A mark whose name can't be a type's name.
inline constexpr std::string_view kMarkType = "ada.mark";

/// A value whose time needs a rest, for which wtf.scope#appendData has no place.
inline constexpr std::string_view kValueType = "ada.value";

inline constexpr std::string_view kInfoArgs = "utf8 json, bool more";

/// Which arguments hold the rest of a time, which the file's unit of time leaves over: none, the nanoseconds below a
/// microsecond, or also the microseconds below the unit.
enum class WtfRest { None, Ns, UsAndNs };

/// `args` followed by those arguments.
std::string withRest(std::string_view args, WtfRest rest, std::string_view us = "us", std::string_view ns = "ns");

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_WTF_TYPES_H
