// One number for each function of a trace.
#include "function_numbers.h"

#include <algorithm>
#include <utility>

namespace ada::query {

uint32_t FunctionNumbers::add(const model::Function &function) {
  const auto number = static_cast<uint32_t>(functions_.size());
  analysis::RowKey key = keys_.of(function);
  const uint32_t scope = key.process;
  const bool isPlain = key.text.empty();
  const uint32_t found = isPlain ? plain_.try_emplace({scope, key.number}, number).first->second
                                 : named_.try_emplace(std::move(key), number).first->second;
  if (found == number) {
    functions_.push_back(function);
    functions_.back().index = number;
    scopes_.insert(scope);
  }
  return found;
}

std::optional<uint32_t> FunctionNumbers::find(const model::Function &function) {
  const analysis::RowKey key = keys_.of(function);
  if (key.text.empty()) {
    const auto at = plain_.find({key.process, key.number});
    return at == plain_.end() ? std::nullopt : std::optional(at->second);
  }
  const auto at = named_.find(key);
  return at == named_.end() ? std::nullopt : std::optional(at->second);
}

bool FunctionNumbers::describes(uint32_t process) {
  return std::ranges::any_of(keys_.scopesOf(process), [&](uint32_t scope) { return scopes_.contains(scope); });
}

} // namespace ada::query
