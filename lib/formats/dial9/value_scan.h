// Checks values in bytes that may end anywhere, with a small state machine that can continue where it stopped.
#pragma once

#include "value_access.h"

namespace ada::dial9 {

/// The answer of a scan. `Short` is never final: with more bytes the same scan continues. `Wrong` is final: it depends
/// only on bytes that are there, in file order, so no further byte can change it. That is why cutting the data into
/// chunks can't change an answer.
enum class Scan : uint8_t { Done, Short, Wrong };

/// What a scan reports besides `Scan`.
struct ScanState {
  size_t position = 0; ///< from the frame's tag
  size_t missing = 0;  ///< on Short: at least this many more bytes are needed
  DecodeError error = DecodeError::None;

  Scan lacks(size_t bytes) {
    missing = bytes;
    return Scan::Short;
  }
  Scan wrong(DecodeError why) {
    error = why;
    return Scan::Wrong;
  }
};

/// Scans a value without containers in it, all or nothing: on Done, the position is after it.
Scan scanLeaf(FieldType type, const uint8_t *frame, size_t size, ScanState &state);

/// Scans StringMap, DynamicList and DynamicMap, with everything in them.
class ContainerScan {
public:
  static constexpr bool handles(FieldType type) {
    return type == FieldType::StringMap || type == FieldType::DynamicList || type == FieldType::DynamicMap;
  }
  /// The next byte is the container's count.
  void begin(FieldType type) {
    levels_ = 0;
    push(type);
  }
  /// Continues from `state.position`. Each byte is looked at once, however often this is called.
  Scan run(const uint8_t *frame, size_t size, ScanState &state);

private:
  struct Level {
    uint64_t left; // strings of a StringMap; elements of a list; keys
                   // and values of a map
    FieldType type;
    bool counted;
  };
  void push(FieldType type) { stack_[levels_++] = {0, type, false}; }

  int levels_ = 0;
  Level stack_[kMaxNesting + 1]; // a StringMap can be innermost
};

} // namespace ada::dial9
