// One number for each function of a trace, as reports count functions.
#include "function_numbers.h"

namespace ada::query {

uint32_t FunctionNumbers::add(const model::Function &function) {
  const auto number = static_cast<uint32_t>(functions_.size());
  analysis::RowKey key = keys_.of(function, analysis::RowKey::kNoThread);
  const bool isPlain = key.text.empty();
  const uint32_t found = isPlain ? plain_.try_emplace({key.process, key.number}, number).first->second
                                 : named_.try_emplace(std::move(key), number).first->second;
  if (found == number) {
    functions_.push_back(function);
    functions_.back().index = number;
  }
  return found;
}

std::optional<uint32_t> FunctionNumbers::find(const model::Function &function) {
  const analysis::RowKey key = keys_.of(function, analysis::RowKey::kNoThread);
  if (key.text.empty()) {
    const auto at = plain_.find({key.process, key.number});
    return at == plain_.end() ? std::nullopt : std::optional(at->second);
  }
  const auto at = named_.find(key);
  return at == named_.end() ? std::nullopt : std::optional(at->second);
}

} // namespace ada::query
