// The event types of our own wtf-trace files, besides the one scope type per function.
// docs/formats/model.md describes them in words.
#ifndef ADA_LIB_MODEL_CONVERT_WTF_TYPES_H
#define ADA_LIB_MODEL_CONVERT_WTF_TYPES_H

#include <string>
#include <string_view>

namespace ada::model {

/// JSON about trace, process, thread or function, in parts where it is long.
inline constexpr std::string_view kInfoType = "ada.info";
/// Before a leave: the rest of its time.
inline constexpr std::string_view kEndType = "ada.end";
/// Before a leave: left by exception, and the rest of its time.
inline constexpr std::string_view kExceptionType = "ada.exception";
/// Before a leave that is there for viewers only: the call has no end.
inline constexpr std::string_view kUnendedType = "ada.unended";
/// Ends without a call, and kinds without a name.
inline constexpr std::string_view kEventType = "ada.event";
/// A mark whose name can't be that of a type.
inline constexpr std::string_view kMarkType = "ada.mark";

/// A value whose time needs a rest, which wtf.scope#appendData has not.
inline constexpr std::string_view kValueType = "ada.value";

inline constexpr std::string_view kInfoArgs = "utf8 json, bool more";

/// Which arguments hold what the file's unit of time leaves over: none, the
/// nanoseconds below a microsecond, or also the microseconds below the unit.
enum class WtfRest { None, Ns, UsAndNs };

/// `args` with those arguments behind them.
std::string withRest(std::string_view args, WtfRest rest, std::string_view us = "us", std::string_view ns = "ns");

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_WTF_TYPES_H
