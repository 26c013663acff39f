// The functions of a trace under stable numbers: they stay the same however often the trace is opened.
#pragma once

#include "ada/trace/model.h"
#include "analysis/events/trace_table.h"

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::view {

/// Each source numbers functions in its own way, in the order in which it meets them. Here, a function is identified by
/// its id and by what viewers show of it, so that a program's processes share its functions: there may be ten thousand.
/// May be used from any thread.
class FunctionList {
public:
  uint32_t numberOf(const model::Function &function);
  size_t size() const;
  /// Returns a copy, because others may be added meanwhile.
  model::Function at(uint32_t number) const;
  /// The functions from number `since` on.
  std::vector<model::Function> from(size_t since) const;

private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::deque<model::Function> functions_;
};

/// The numbers of one reader's functions, each looked up once. Not thread-safe.
class FunctionNumbers {
public:
  FunctionNumbers(const analysis::TraceTable &table, FunctionList &list) : table_(&table), list_(&list) {}

  uint32_t of(uint32_t function) {
    return function < numbers_.size() && numbers_[function] != kNone ? numbers_[function] : find(function);
  }
  FunctionList &list() const { return *list_; }

private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t find(uint32_t function);

  const analysis::TraceTable *table_;
  FunctionList *list_;
  std::vector<uint32_t> numbers_;
};

} // namespace ada::view
