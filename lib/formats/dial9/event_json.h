// Values of dial9 events as JSON.
#pragma once

#include "ada/trace/dial9/decoder.h"

#include <functional>
#include <string>

namespace ada::formats {

/// Look-ups of what ids of the two pools mean at this point, or null.
struct Dial9Pools {
  std::function<const std::string *(uint32_t)> text;
  std::function<const std::vector<uint64_t> *(uint32_t)> stack;
};

/// Writes numbers (NaN and infinities as text), text (bytes that are not UTF-8 as U+FFFD), bytes as {"hex":"…"}, and
/// stacks as lists of "0x…". String maps are objects or, if a key comes twice, lists of pairs; dynamic maps are lists
/// of pairs. Pool ids become what they mean, or {"pool":7} or {"stack":7}. Absent values are null.
void appendJson(std::string &out, const dial9::Value &value, const Dial9Pools &pools);
/// Writes the fields of an event as an object, in the schema's order.
void appendFields(std::string &out, const dial9::EventView &event, const Dial9Pools &pools);

} // namespace ada::formats
