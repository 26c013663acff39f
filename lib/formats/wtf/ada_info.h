// The contents of ada.info records in wtf-trace files: JSON about the trace, its processes, threads and functions.
#ifndef ADA_LIB_MODEL_CONVERT_WTF_INFO_H
#define ADA_LIB_MODEL_CONVERT_WTF_INFO_H

#include "ada/trace/model.h"
#include "ada_types.h"

#include <variant>

namespace ada::model {

struct WtfTraceInfo {
  bool isRoot = true;
  WtfRest rest = WtfRest::Ns;
};
struct WtfThreadInfo {
  Thread thread;
  uint16_t zone = 0;
};
struct WtfFunctionInfo {
  Function function;
  std::string scope; ///< the name of its scopes in this file
};
using WtfInfo = std::variant<std::monostate, WtfTraceInfo, Process, WtfThreadInfo, WtfFunctionInfo>;

std::string infoText(const WtfTraceInfo &info);
std::string infoText(const Process &process);
std::string infoText(const WtfThreadInfo &info);
std::string infoText(WtfFunctionInfo info);

/// Nothing (monostate) if it is not one of these.
WtfInfo parseInfo(std::string_view json);

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_WTF_INFO_H
