// The description of a trace, in a form that can be shown to people and to programs.
#pragma once

#include "ada/trace/error.h"
#include "ada/trace/model.h"
#include "trace/base/json.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::formats {

/// One line: a label and a sentence. Programs get the numbers in `members`.
struct InfoField {
  std::string label, text;
  JsonMembers members = {};
};

/// One line of a table. `name` is the subject of the line and is shown in its own colour.
struct InfoRow {
  std::string text, name = {}, rest = {};
  JsonMembers members = {};
  bool isProblem = false; ///< the text says why there is no row
};

struct InfoTable {
  std::string key;     ///< in JSON: "threads"
  std::string what;    ///< what the rows are: "event types"
  std::string heading; ///< titles of the columns
  size_t shown = 40;   ///< number of rows that people see unless they ask for all
  std::vector<InfoRow> rows = {};
};

/// A trace, or one process of it.
struct InfoSection {
  std::string title = {};
  bool isNamed = false; ///< the title is a name, and stands alone
  JsonMembers members = {};
  std::vector<InfoField> fields = {};
  std::vector<std::string> warnings = {}, problems = {};
  std::vector<InfoTable> tables = {};
  /// The traced programs and their libraries, with their build ids, empty if they have none.
  std::set<std::pair<std::string, std::string>> binaries = {};
};

struct Description {
  InfoSection whole;
  std::vector<InfoSection> processes = {};
  /// A session may have ten thousand, which are described one after the other, instead of in `processes`: how many
  /// there are; calls a function with each of them, and returns false if something could not be read; makes a source of
  /// the session.
  size_t sessionProcesses = 0;
  std::function<bool(const std::function<void(const InfoSection &)> &)> eachOfSession = {};
  std::function<std::unique_ptr<model::TraceSource>()> sessionSource = {};
  /// Warnings from reading a file.
  std::vector<Warning> warnings = {};
  std::optional<Error> problem = {};
  bool isWhole = true; ///< false if something could not be read

  /// Calls `use` with each process; notes in `isWhole` what could not be read.
  void eachProcess(const std::function<void(const InfoSection &)> &use) {
    for (const InfoSection &process : processes)
      use(process);
    if (eachOfSession)
      isWhole &= eachOfSession(use);
  }
};

} // namespace ada::formats
