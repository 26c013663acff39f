// The contents of ada.info records in wtf-trace files: JSON about the trace, its processes, threads and functions.
#pragma once

#include "ada/trace/model.h"

#include <string>
#include <string_view>
#include <variant>

namespace ada::formats {

/// JSON about the trace, a process, a thread or a function. Long JSON comes in parts.
inline constexpr std::string_view kInfoType = "ada.info";
/// Comes before a leave: the rest of the leave's time.
inline constexpr std::string_view kEndType = "ada.end";
/// Comes before a leave: the call was left by an exception, and the rest of the leave's time.
inline constexpr std::string_view kExceptionType = "ada.exception";
/// Comes before a leave that is only for viewers: the call has no end.
inline constexpr std::string_view kUnendedType = "ada.unended";
/// Ends without a call, ends whose kind a leave can't show (such a leave is "ada.unended"), and kinds without a name.
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

struct WtfTraceInfo {
  bool isRoot = true;
  WtfRest rest = WtfRest::Ns;
};
struct WtfThreadInfo {
  model::Thread thread;
  uint16_t zone = 0;
};
struct WtfFunctionInfo {
  model::Function function;
  std::string scope; ///< the name of its scopes in this file
};
using WtfInfo = std::variant<std::monostate, WtfTraceInfo, model::Process, WtfThreadInfo, WtfFunctionInfo>;

std::string infoText(const WtfTraceInfo &info);
std::string infoText(const model::Process &process);
std::string infoText(const WtfThreadInfo &info);
std::string infoText(WtfFunctionInfo info);

/// Nothing (monostate) if it is not one of these.
WtfInfo parseInfo(std::string_view json);

} // namespace ada::formats
