// One number for each function of a trace, as reports count functions.
#pragma once

#include "analysis/report/report_parts.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace ada::query {

/// Sources may have several symbols for what a report shows as one function: loads of one library, inlined copies,
/// calls of a library function from several modules. All of them get the number of the first one that was added.
class FunctionNumbers {
public:
  /// `table` must have all processes, and outlive this.
  explicit FunctionNumbers(const analysis::TraceTable &table) : keys_(table, analysis::ReportBy::Function) {}

  /// The function's number, which is new if the function is.
  uint32_t add(const model::Function &function);
  std::optional<uint32_t> find(const model::Function &function);
  /// By number: the first function that was added. They stay where they are when more are added.
  const std::deque<model::Function> &functions() const { return functions_; }

private:
  struct PlainKey {
    uint32_t process;
    uint64_t id;
    bool operator==(const PlainKey &) const = default;
  };
  struct PlainHash {
    size_t operator()(const PlainKey &key) const {
      return std::hash<uint64_t>()(key.id * 0x9E3779B97F4A7C15 + key.process);
    }
  };

  analysis::RowKeys keys_;
  // Nearly all functions are identified by a number, and there may be a million of them.
  std::unordered_map<PlainKey, uint32_t, PlainHash> plain_;
  std::map<analysis::RowKey, uint32_t> named_;
  std::deque<model::Function> functions_;
};

} // namespace ada::query
