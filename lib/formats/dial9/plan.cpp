// Compiles a schema into runs.
#include "plan.h"

namespace ada::dial9 {

static RunKind runKind(FieldType type) {
  switch (type) {
  case FieldType::I64:
  case FieldType::F64:
    return RunKind::Bytes8;
  case FieldType::Bool:
    return RunKind::Bool;
  case FieldType::String:
  case FieldType::Bytes:
    return RunKind::Text;
  case FieldType::StackFrames:
    return RunKind::Stack;
  case FieldType::Varint:
    return RunKind::Varint;
  case FieldType::U8:
    return RunKind::Bytes1;
  case FieldType::U16:
    return RunKind::Bytes2;
  case FieldType::U32:
  case FieldType::PooledString:
  case FieldType::PooledStackFrames:
    return RunKind::Bytes4;
  default:
    return RunKind::Container;
  }
}

static size_t boundedBytes(RunKind kind) {
  switch (kind) {
  case RunKind::Bytes8:
    return 8;
  case RunKind::Varint:
    return kMaxVarintBytes;
  case RunKind::Bool:
  case RunKind::Bytes1:
    return 1;
  case RunKind::Bytes2:
    return 2;
  default: // a count, a length, an id
    return 4;
  }
}

Plan::Plan(std::shared_ptr<const Schema> source)
    : schema(std::move(source)), head(uint64_t(FrameTag::Event) | uint64_t(schema->typeId()) << 8),
      fieldCount(schema->fields().size()), hasTimestamp(schema->hasTimestamp()) {
  boundedBytes = hasTimestamp ? kTimedEventBytes : kUntimedEventBytes;
  for (const Field &field : schema->fields()) {
    RunKind kind = runKind(field.type);
    boundedBytes += ::ada::dial9::boundedBytes(kind) + field.optional;
    if (field.optional)
      kind = RunKind::Optional;
    if (runs.empty() && kind == RunKind::Varint) {
      ++leadingVarints;
      continue;
    }
    if (runs.empty() || runs.back().type != field.type || runs.back().kind != kind)
      runs.push_back({kind, field.type, 0});
    ++runs.back().count;
  }
  runs.shrink_to_fit();
}

} // namespace ada::dial9
