// Files that commands keep in a session so that they need not compute the same again.
//
// They are not part of the trace, and may be removed at any time.
#pragma once

#include <string_view>

namespace ada {

/// Kept by `adatrace view`, in the session.
inline constexpr char kViewIndex[] = "view.index";
/// Kept by `adatrace report`, in each process's directory.
inline constexpr char kReportSummary[] = "report.summary";

/// Whether a file of that name is one of these, or is to become one.
inline bool isKeptFile(std::string_view name) {
  return name.starts_with(kViewIndex) || name.starts_with(kReportSummary);
}

} // namespace ada
