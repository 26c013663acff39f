// What a check of `adatrace doctor` has found.
#pragma once

#include "trace/base/table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace ada::cli {

struct Finding {
  enum class Level {
    Ok,
    Note,    ///< something does less than it could
    Problem, ///< something does not work
  } level = Level::Ok;
  std::string about; ///< a word or two: "plugin"
  std::string text;
  std::string remedy; ///< what to do, if it is not ok
};

class Findings {
public:
  void ok(std::string about, std::string text) { add(Finding::Level::Ok, std::move(about), std::move(text), {}); }
  void note(std::string about, std::string text, std::string remedy = {}) {
    add(Finding::Level::Note, std::move(about), std::move(text), std::move(remedy));
  }
  void problem(std::string about, std::string text, std::string remedy = {}) {
    add(Finding::Level::Problem, std::move(about), std::move(text), std::move(remedy));
  }

  const std::vector<Finding> &list() const { return list_; }
  bool hasProblem() const {
    return std::ranges::any_of(list_, [](const Finding &f) { return f.level == Finding::Level::Problem; });
  }

private:
  void add(Finding::Level level, std::string about, std::string text, std::string remedy) {
    list_.push_back({level, std::move(about), std::move(text), std::move(remedy)});
  }
  std::vector<Finding> list_;
};

inline const char *levelName(Finding::Level level) {
  return level == Finding::Level::Ok ? "ok" : level == Finding::Level::Note ? "note" : "problem";
}

Columns<Finding> findingColumns();

} // namespace ada::cli
