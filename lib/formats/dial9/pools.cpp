// Interners: each new text or stack gets an id, which a separate frame defines before it is used.
#include "ada/trace/dial9/pools.h"

namespace ada::dial9 {

// The id for `key`, or a new one if `define` wrote its frame.
template <class Ids, class Key, class Define>
static EncodeError idFor(Ids &ids, const Key &key, uint32_t first, uint32_t &id, Define define) {
  if (auto known = ids.find(key); known != ids.end()) {
    id = known->second;
    return EncodeError::None;
  }
  if (ids.size() > UINT32_MAX - first)
    return EncodeError::LengthTooLarge;
  id = first + uint32_t(ids.size());
  EncodeError error = define(id);
  if (error == EncodeError::None)
    ids.emplace(key, id);
  return error;
}

StringInterner::StringInterner(Encoder &target, uint32_t firstId)
    : encoder_(target), first_(firstId), segment_(target.segmentNumber()) {}

EncodeError StringInterner::intern(std::string_view text, uint32_t &id) {
  if (segment_ != encoder_.segmentNumber())
    ids_.clear();
  segment_ = encoder_.segmentNumber();
  return idFor(ids_, text, first_, id, [&](uint32_t fresh) {
    StringPoolEntry entry = {fresh, text};
    return encoder_.stringPool({&entry, 1});
  });
}

StackInterner::StackInterner(Encoder &target, uint32_t firstId)
    : encoder_(target), first_(firstId), segment_(target.segmentNumber()) {}

EncodeError StackInterner::intern(std::span<const uint64_t> addresses, uint32_t &id) {
  if (segment_ != encoder_.segmentNumber())
    ids_.clear();
  segment_ = encoder_.segmentNumber();
  return idFor(ids_, std::vector<uint64_t>(addresses.begin(), addresses.end()), first_, id, [&](uint32_t fresh) {
    StackPoolEntry entry = {fresh, addresses};
    return encoder_.stackPool({&entry, 1});
  });
}

} // namespace ada::dial9
