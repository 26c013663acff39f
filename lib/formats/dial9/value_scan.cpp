// Scanners for single values and for containers.
#include "value_scan.h"

namespace ada::dial9 {

Scan scanLeaf(FieldType type, const uint8_t *frame, size_t size, ScanState &state) {
  const size_t left = size - state.position;
  const uint8_t *p = frame + state.position;
  size_t need = 0;
  switch (type) {
  case FieldType::Bool:
  case FieldType::U8:
    need = 1;
    break;
  case FieldType::U16:
    need = 2;
    break;
  case FieldType::U32:
  case FieldType::PooledString:
  case FieldType::PooledStackFrames:
    need = 4;
    break;
  case FieldType::I64:
  case FieldType::F64:
    need = 8;
    break;
  case FieldType::Varint: {
    uint64_t value;
    const uint8_t *at = p;
    switch (readVarintBounded(at, p + left, value)) {
    case VarintEnd::Short:
      return state.lacks(1);
    case VarintEnd::Overflow:
      return state.wrong(DecodeError::VarintOverflow);
    case VarintEnd::Ok:
      need = size_t(at - p);
    }
    break;
  }
  case FieldType::String:
  case FieldType::Bytes:
  case FieldType::StackFrames: {
    need = sizeof(uint32_t);
    if (left >= need)
      need += size_t(load<uint32_t>(p)) * (type == FieldType::StackFrames ? sizeof(uint64_t) : 1);
    break;
  }
  default: // containers are not leaves; types were checked
    return state.wrong(DecodeError::BadFieldType);
  }
  if (left < need)
    return state.lacks(need - left);
  state.position += need;
  return Scan::Done;
}

// The fewest bytes that an element can take: two length prefixes for a string map, a tag and a byte for a list, and two
// of those for a map.
static size_t smallestElement(FieldType container) {
  switch (container) {
  case FieldType::StringMap:
    return 8;
  case FieldType::DynamicMap:
    return 4;
  default:
    return 2;
  }
}

Scan ContainerScan::run(const uint8_t *frame, size_t size, ScanState &state) {
  while (levels_ > 0) {
    Level &level = stack_[levels_ - 1];
    const size_t left = size - state.position;
    const uint8_t *p = frame + state.position;

    if (!level.counted) {
      if (left < sizeof(uint32_t))
        return state.lacks(sizeof(uint32_t) - left);
      uint64_t count = load<uint32_t>(p);
      size_t room = left - sizeof(uint32_t);
      // If there are not enough bytes yet for the count, wait before looking at any element.
      if (count > room / smallestElement(level.type))
        return state.lacks(size_t(count) * smallestElement(level.type) - room);
      level.left = level.type == FieldType::DynamicList ? count : count * 2;
      level.counted = true;
      state.position += sizeof(uint32_t);
      continue;
    }
    if (level.left == 0) {
      --levels_;
      continue;
    }
    if (level.type == FieldType::StringMap) {
      Scan answer = scanLeaf(FieldType::String, frame, size, state);
      if (answer != Scan::Done)
        return answer;
      --level.left;
      continue;
    }

    if (left == 0)
      return state.lacks(1);
    if (!isFieldType(*p, Dialect::Extended)) // containers exist in this dialect
                                             // only; no optional bit in here
      return state.wrong(DecodeError::BadFieldType);
    FieldType type{*p};
    if (handles(type)) {
      if (type != FieldType::StringMap && levels_ == kMaxNesting)
        return state.wrong(DecodeError::Depth);
      ++state.position;
      --level.left;
      push(type);
      continue;
    }
    ++state.position;
    Scan answer = scanLeaf(type, frame, size, state);
    if (answer != Scan::Done) {
      --state.position; // tag and value are read together, so that
                        // no state is needed between them
      return answer;
    }
    --level.left;
  }
  return Scan::Done;
}

} // namespace ada::dial9
