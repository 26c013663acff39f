// Makes the answers of `adatrace view`, which docs/developers/view.md describes.
#pragma once

#include "analysis_answers.h"
#include "http_server.h"
#include "view_session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ada::cli {

class ViewApi {
public:
  explicit ViewApi(std::vector<std::unique_ptr<ViewSession>> sessions) : sessions_(std::move(sessions)) {}

  /// Answers /api/NAME. May be called by any thread.
  HttpReply answer(const std::string &name, const std::map<std::string, std::string> &query);

private:
  std::vector<std::unique_ptr<ViewSession>> sessions_;
  AnalysisAnswers analyses_; // ends before the sessions do
};

} // namespace ada::cli
