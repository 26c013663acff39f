// The functions of a trace under stable numbers.
#include "function_list.h"

#include <algorithm>

namespace ada::view {

uint32_t FunctionList::numberOf(const std::string &process, const model::Function &function) {
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<uint32_t>(functions_.size());
  const auto [at, isNew] = numbers_.try_emplace({process, function.id}, number);
  if (isNew)
    functions_.push_back({process, function});
  return at->second;
}

size_t FunctionList::size() const {
  const std::lock_guard lock(mutex_);
  return functions_.size();
}

model::Function FunctionList::at(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number < functions_.size() ? functions_[number].function : model::Function();
}

std::vector<FunctionList::Entry> FunctionList::from(size_t since) const {
  const std::lock_guard lock(mutex_);
  since = std::min(since, functions_.size());
  return {functions_.begin() + static_cast<ptrdiff_t>(since), functions_.end()};
}

uint32_t FunctionNumbers::find(uint32_t function) {
  if (function >= numbers_.size())
    numbers_.resize(std::max<size_t>(table_->functions.size(), function + size_t{1}), kNone);
  const model::Function &about = table_->functions[function];
  return numbers_[function] = list_->numberOf(table_->processes[about.process].name, about);
}

} // namespace ada::view
