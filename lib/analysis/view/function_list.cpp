// The functions of a trace under stable numbers.
#include "function_list.h"

#include <algorithm>
#include <utility>

namespace ada::view {

static std::string identityOf(const model::Function &function) {
  std::string identity;
  for (const uint64_t number : {function.id, function.line, uint64_t{function.isExternal}, uint64_t(function.kind)})
    identity += std::to_string(number) + ' ';
  for (const std::string *text : {&function.name, &function.displayName, &function.file})
    (identity += *text) += '\0';
  return identity;
}

uint32_t FunctionList::numberOf(const model::Function &function) {
  std::string identity = identityOf(function);
  const std::lock_guard lock(mutex_);
  const auto number = static_cast<uint32_t>(functions_.size());
  const auto [at, isNew] = numbers_.try_emplace(std::move(identity), number);
  if (isNew)
    functions_.push_back(function);
  return at->second;
}

size_t FunctionList::size() const {
  const std::lock_guard lock(mutex_);
  return functions_.size();
}

model::Function FunctionList::at(uint32_t number) const {
  const std::lock_guard lock(mutex_);
  return number < functions_.size() ? functions_[number] : model::Function();
}

std::vector<model::Function> FunctionList::from(size_t since) const {
  const std::lock_guard lock(mutex_);
  since = std::min(since, functions_.size());
  return {functions_.begin() + static_cast<ptrdiff_t>(since), functions_.end()};
}

uint32_t FunctionNumbers::find(uint32_t function) {
  if (function >= numbers_.size())
    numbers_.resize(std::max<size_t>(table_->functions.size(), function + size_t{1}), kNone);
  return numbers_[function] = list_->numberOf(table_->functions[function]);
}

} // namespace ada::view
