// The context info of a wtf-trace header: which program was traced.
#ifndef ADA_TRACE_WTF_CONTEXT_H
#define ADA_TRACE_WTF_CONTEXT_H

#include "ada/trace/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::wtf {

/// Member "userAgent".
struct UserAgent {
  std::string value;
  std::string type = "unknown";   ///< nodejs, opera, ie, gecko, webkit
  std::string platform = "other"; ///< mac, windows, linux
  std::string platformVersion;
  std::string device = "desktop"; ///< server, chrome, iphone, ipad, android, mobile
};

/// The members of the JSON object, all text UTF-8. The only context type, "script", is implied.
struct ContextInfo {
  std::string uri;
  std::optional<std::string> title;
  std::optional<std::string> iconUri;
  std::optional<std::string> taskId; ///< process id, say
  std::vector<std::string> args;     ///< command line; always written, because old tools need it
  std::optional<UserAgent> userAgent;

  /// The JSON text for FileHeader::contextInfo, in ASCII.
  std::string toJson() const;

  /// Reads JSON text. Members of other types than expected are left out, as are
  /// unknown ones. E_BAD_CONTEXT if it is not an object or its contextType is not "script".
  static Expected<ContextInfo> parse(std::string_view json);
};

} // namespace ada::wtf

#endif // ADA_TRACE_WTF_CONTEXT_H
