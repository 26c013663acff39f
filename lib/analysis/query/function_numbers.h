// One number for each function of a trace.
#pragma once

#include "function_keys.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace ada::query {

/// All symbols and processes that have a function (function_keys.h) get the number of the first one that was added.
class FunctionNumbers {
public:
  /// `table` must have all processes whose functions are added, and outlive this.
  explicit FunctionNumbers(const analysis::TraceTable &table) : keys_(table) {}

  /// The function's number, which is new if the function is.
  uint32_t add(const model::Function &function);
  std::optional<uint32_t> find(const model::Function &function);
  /// By number: the first function that was added. They stay where they are when more are added.
  const std::deque<model::Function> &functions() const { return functions_; }
  /// Whether several processes of the trace have the function of that number.
  bool isShared(uint32_t number) { return keys_.isShared(functions_[number]); }
  /// Whether functions of the process, or of a file that it shares, were added.
  bool describes(uint32_t process);

private:
  struct PlainKey {
    uint32_t scope;
    uint64_t id;
    bool operator==(const PlainKey &) const = default;
  };
  struct PlainHash {
    size_t operator()(const PlainKey &key) const {
      return std::hash<uint64_t>()(key.id * 0x9E3779B97F4A7C15 + key.scope);
    }
  };

  FunctionKeys keys_;
  // Nearly all functions are identified by a number, and there may be a million of them.
  std::unordered_map<PlainKey, uint32_t, PlainHash> plain_;
  std::map<analysis::RowKey, uint32_t> named_;
  std::unordered_set<uint32_t> scopes_; // that have functions
  std::deque<model::Function> functions_;
};

} // namespace ada::query
