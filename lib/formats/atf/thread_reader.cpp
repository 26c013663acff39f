// Joins index and detail events of a thread.
#include "ada/trace/thread_reader.h"

#include "ada/trace/names.h"
#include "select/function_glob.h"

namespace ada::types {

Catalog::Catalog(const atf::ProcessTrace &process) : process(&process) {
  for (const atf::ThreadTrace &thread : process.threads())
    if (thread.index) {
      machine = thread.index->header().arch;
      return;
    }
}

const FunctionTypes &Catalog::of(std::uint64_t functionId) const {
  std::lock_guard lock(mutex);
  auto [found, isNew] = known.try_emplace(functionId);
  if (isNew) {
    const Manifest *manifest = process->manifest();
    const Symbol *symbol = manifest ? manifest->find(functionId) : nullptr;
    FunctionTypes types;
    if (symbol && !symbol->types.empty()) {
      types = FunctionTypes::parse(symbol->types);
      std::string_view name = manifest->displayName(functionId);
      types.nameFlags(name.substr(0, select::lengthWithoutParameters(
                                         {name.data(), name.size()})),
                      machine);
    }
    found->second = std::make_unique<const FunctionTypes>(std::move(types));
  }
  return *found->second;
}

} // namespace ada::types

namespace ada::atf {

types::Registers EventDetail::registers() const {
  types::Registers registers{.general = function.registers,
                             .vectors = {},
                             .vectorBytes = 16,
                             .stack = function.stack};
  if (vectors) {
    registers.vectors = vectors->registers;
    registers.vectorBytes = vectors->bytesEach;
  }
  return registers;
}

ThreadReader::ThreadReader(const ThreadTrace &thread,
                           const types::Catalog &types)
    : thread(&thread), catalog(&types) {
  if (thread.detail && *thread.detail)
    details = &**thread.detail;
}

const types::FunctionTypes &
ThreadReader::typesOf(std::uint64_t functionId) const {
  auto [found, isNew] = known.try_emplace(functionId);
  if (isNew)
    found->second = &catalog->of(functionId);
  return *found->second;
}

std::optional<EventDetail>
ThreadReader::detail(const ThreadEvent &event) const {
  static const types::FunctionTypes nothing;
  if (event.detailSeq == kNoDetail || !details)
    return std::nullopt;
  std::optional<DetailEvent> found = details->at(event.detailSeq);
  if (!found || found->indexSeq != event.seq ||
      found->type == kDetailVectors)
    return std::nullopt;
  std::optional<FunctionPayload> function = found->function();
  if (!function)
    return std::nullopt;
  EventDetail detail{.event = *found,
                     .function = *function,
                     .vectors = std::nullopt,
                     .isReturn = event.kind == EventKind::Return,
                     .types = &nothing};
  if (function->functionId == event.functionId)
    detail.types = &typesOf(event.functionId);
  if (std::optional<DetailEvent> next = details->at(event.detailSeq + 1))
    if (next->indexSeq == event.seq)
      detail.vectors = next->vectors();
  return detail;
}

std::string ThreadReader::argumentsText(const EventDetail &call) const {
  return types::argumentsText(*call.types, call.registers(), arch());
}

std::string ThreadReader::resultText(const EventDetail &ret) const {
  return types::resultText(*ret.types, ret.registers(), arch());
}

} // namespace ada::atf
