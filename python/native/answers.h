// What the commands of adatrace compute, as JSON: the same rows with the same keys.
#pragma once

#include "trace.h"

#include "analysis/check/rules.h"
#include "analysis/events/function_names.h"
#include "analysis/outliers/outlier_question.h"
#include "analysis/report/report_parts.h"
#include "analysis/waits/waits.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::python {

/// Which calls, of which threads; and how their functions are called.
struct Choice {
  analysis::FilterOptions filter;
  std::optional<std::vector<uint32_t>> threads; ///< numbers; nothing: all
  analysis::NameStyle names = analysis::NameStyle::Short;
};

struct Answer {
  std::string text;                ///< JSON, or a page
  std::vector<std::string> advice; ///< about what was asked for: globs that match nothing
  Damage damage;
};

struct ReportWish {
  analysis::ReportBy by = analysis::ReportBy::Function;
  bool arguments = false;
  bool selfDurations = false; ///< see ReportOptions; no column of report() shows them
  std::string sort = "self";  ///< a heading of the table, or "name"
};
/// The words that ReportWish::sort may be.
std::vector<std::string> reportSortWords();
Expected<Answer> report(const Trace &trace, const Choice &choice, const ReportWish &wish, const StopFlag &stop);

struct TreeWish {
  bool fold = true, values = false;
  uint64_t most = ~uint64_t(0); ///< lines
};
Expected<Answer> tree(const Trace &trace, const Choice &choice, const TreeWish &wish, const StopFlag &stop);

Expected<Answer> waits(const Trace &trace, const Choice &choice, analysis::WaitsBy by, const StopFlag &stop);

/// What is wrong: an object.
Expected<Answer> findings(const Trace &trace, const StopFlag &stop);
/// Where the time of the call went that begins with event `seq` of the thread, or of the longest one that is chosen: an
/// object, or nothing if there is no such call.
Expected<Answer> whyCall(const Trace &trace, const Choice &choice, std::optional<std::pair<uint32_t, uint64_t>> call,
                         const StopFlag &stop);
/// The same for a process; without a number, for the session. Nothing if there is no such process.
Expected<Answer> whyProcess(const Trace &trace, std::optional<uint64_t> pid, const StopFlag &stop);

/// Functions by the time that their calls took beyond the median.
Expected<Answer> tails(const Trace &trace, const Choice &choice, const StopFlag &stop);
Expected<Answer> outliers(const Trace &trace, const Choice &choice, const analysis::OutlierQuestion &question,
                          const StopFlag &stop);

/// Which of the rules the trace keeps.
Expected<Answer> check(const Trace &trace, const Choice &choice, const std::vector<analysis::Rule> &rules,
                       const StopFlag &stop);

/// Compares two groups of runs.
Expected<Answer> diff(const std::vector<const Trace *> &before, const std::vector<const Trace *> &after,
                      const Choice &choice, bool byPath, const StopFlag &stop);

/// The flame page, of which at most `most` paths are shown. `before` may be null.
Expected<Answer> flame(const Trace &trace, const Trace *before, const Choice &choice, size_t most,
                       const StopFlag &stop);

} // namespace ada::python
