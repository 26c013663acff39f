// Answers what a person asks about a session and about one call: /api/findings, /api/why and /api/outliers.
#pragma once

#include "analysis_jobs.h"
#include "api_request.h"

namespace ada::cli {

class AnalysisAnswers {
public:
  /// Throw ApiError.
  HttpReply findings(ApiRequest &request);
  HttpReply why(ApiRequest &request);
  HttpReply outliers(ApiRequest &request);

private:
  template <class Analyse>
  HttpReply answer(const char *what, ApiRequest &request, uint64_t mostEvents, std::chrono::seconds mostTime,
                   const Analyse &analyse);

  AnalysisJobs jobs_;
};

} // namespace ada::cli
