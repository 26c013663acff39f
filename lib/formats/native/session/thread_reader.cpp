// Joins index and detail events of a thread.
#include "ada/trace/thread_reader.h"

#include "formats/native/session/link_check.h"
#include "trace/names.h"

namespace ada::types {

Catalog::Catalog(const atf::ProcessTrace &process) : process_(&process) {
  for (const atf::ThreadTrace &thread : process.threads())
    if (thread.index) {
      machine_ = thread.index->header().arch;
      return;
    }
}

const FunctionTypes &Catalog::of(uint64_t functionId) const {
  std::lock_guard lock(mutex_);
  auto [found, isNew] = known_.try_emplace(functionId);
  if (isNew) {
    const Manifest *manifest = process_->manifest();
    const std::optional<Symbol> symbol = manifest ? manifest->find(functionId) : std::nullopt;
    FunctionTypes types;
    if (symbol && !symbol->types.empty()) {
      types = FunctionTypes::parse(symbol->types);
      types.nameFlags(manifest->displayName(functionId), machine_);
    }
    types.isExternal = symbol && symbol->isExternal;
    found->second = std::make_unique<const FunctionTypes>(std::move(types));
  }
  return *found->second;
}

} // namespace ada::types

namespace ada::atf {

types::Registers EventDetail::registers() const {
  types::Registers registers{
      .general = function.registers, .vectors = {}, .vectorBytes = 16, .stack = function.stack, .contents = contents};
  if (vectors) {
    registers.vectors = vectors->registers;
    registers.vectorBytes = vectors->bytesEach;
  }
  return registers;
}

ThreadReader::ThreadReader(const ThreadTrace &thread, const types::Catalog &types)
    : thread_(&thread), catalog_(&types) {
  if (thread.detail && *thread.detail)
    details_ = &**thread.detail;
}

const types::FunctionTypes &ThreadReader::typesOf(uint64_t functionId) const {
  auto [found, isNew] = known_.try_emplace(functionId);
  if (isNew)
    found->second = &catalog_->of(functionId);
  return *found->second;
}

std::optional<EventDetail> ThreadReader::detail(const ThreadEvent &event) const {
  if (event.detailSeq == kNoDetail || !details_)
    return std::nullopt;
  std::optional<DetailEvent> found = details_->at(event.detailSeq);
  if (!found || isAddition(found->type) || !belongTogether(index().numberOf(event.seq), event, *found))
    return std::nullopt;
  std::optional<FunctionPayload> function = found->function();
  if (!function)
    return std::nullopt;
  const types::FunctionTypes &types = typesOf(event.functionId);
  EventDetail detail{.event = *found,
                     .function = *function,
                     .vectors = std::nullopt,
                     .isReturn = event.kind == EventKind::Return,
                     .types = &types};
  for (uint64_t seq = event.detailSeq + 1; seq <= event.detailSeq + 2; ++seq) {
    std::optional<DetailEvent> next = details_->at(seq);
    if (!next || next->indexSeq != index().numberOf(event.seq))
      break;
    if (auto vectors = next->vectors(); vectors && !detail.vectors) {
      detail.vectors = vectors;
      detail.vectorsEvent = *std::move(next);
    } else if (auto contents = next->contents(); contents && detail.contents.empty()) {
      detail.contents = std::move(contents->contents);
      detail.contentsEvent = *std::move(next);
    }
  }
  return detail;
}

std::string ThreadReader::argumentsText(const EventDetail &call) const {
  return types::argumentsText(*call.types, call.registers(), arch());
}

std::string ThreadReader::resultText(const EventDetail &ret) const {
  return types::resultText(*ret.types, ret.registers(), arch());
}

} // namespace ada::atf
