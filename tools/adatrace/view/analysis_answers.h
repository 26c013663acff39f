// Answers what a person asks about one call: /api/why and /api/outliers.
#ifndef ADATRACE_VIEW_ANALYSIS_ANSWERS_H
#define ADATRACE_VIEW_ANALYSIS_ANSWERS_H

#include "analysis_jobs.h"
#include "api_request.h"

namespace ada::cli {

class AnalysisAnswers {
public:
  /// Throw ApiError.
  HttpReply why(ApiRequest &request);
  HttpReply outliers(ApiRequest &request);

private:
  AnalysisJobs jobs_;
};

} // namespace ada::cli
#endif // ADATRACE_VIEW_ANALYSIS_ANSWERS_H
