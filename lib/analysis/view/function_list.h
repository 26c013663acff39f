// The functions of a trace under stable numbers: they stay the same however often the trace is opened.
#pragma once

#include "ada/trace/model.h"
#include "analysis/events/trace_table.h"

#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ada::view {

/// Each source numbers functions in its own way, in the order in which it meets them. Here, a function is identified by
/// its id and the name of its process. May be used from any thread.
class FunctionList {
public:
  uint32_t numberOf(const std::string &process, const model::Function &function);
  size_t size() const;
  /// Returns a copy, because others may be added meanwhile.
  model::Function at(uint32_t number) const;
  struct Entry {
    std::string process;
    model::Function function;
  };
  /// The functions from number `since` on.
  std::vector<Entry> from(size_t since) const;

private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, uint64_t>, uint32_t> numbers_;
  std::deque<Entry> functions_;
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
