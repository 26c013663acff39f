// Matches the functions and threads of one session with those of another.
#pragma once

#include "trace_table.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ada::analysis {

struct JoinedFunctions {
  /// Sorted by name.
  std::vector<model::Function> functions;
  /// For each list, the numbers of its functions in `functions`.
  std::vector<std::vector<uint32_t>> numbers;
};

/// Functions are the same if their keys are. `functions` is sorted by key.
template <class KeyOf>
JoinedFunctions joinFunctions(std::span<const std::vector<model::Function> *const> lists, const KeyOf &keyOf) {
  std::map<decltype(keyOf(std::declval<const model::Function &>())), uint32_t> numbers;
  for (const std::vector<model::Function> *list : lists)
    for (const model::Function &function : *list)
      numbers.try_emplace(keyOf(function), 0);
  JoinedFunctions joined;
  for (uint32_t next = 0; auto &[key, number] : numbers)
    number = next++;
  joined.functions.resize(numbers.size());
  std::vector<bool> isKnown(numbers.size());
  for (const std::vector<model::Function> *list : lists) {
    std::vector<uint32_t> &mine = joined.numbers.emplace_back();
    for (const model::Function &function : *list) {
      const uint32_t number = numbers.at(keyOf(function));
      mine.push_back(number);
      if (isKnown[number])
        continue;
      isKnown[number] = true;
      joined.functions[number] = function;
      joined.functions[number].index = number;
    }
  }
  return joined;
}

/// Functions are the same if their names are. If a list has functions of the same name in several files (`static` ones,
/// the `main` of several programs), the file's name counts, too, without its directory, because builds have different
/// directories.
JoinedFunctions joinFunctions(std::span<const std::vector<model::Function> *const> lists);

/// For each thread, by number, its name in all sessions: "worker-1 #2" for the second thread of that name, " #1" for
/// the first without a name, "main thread #1" for the one whose id is the process's. Several processes in a trace are
/// not distinguished.
std::vector<std::string> threadKeys(const TraceTable &table);

} // namespace ada::analysis
