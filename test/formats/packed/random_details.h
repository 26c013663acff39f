// Random detail events, both realistic and impossible ones.
#pragma once

#include "shared/encode/packed_detail.h"

#include <vector>

namespace ada::packed {

struct RandomDetail {
  atf::DetailHead head;
  std::vector<std::byte> payload;
};

/// `wild`: events of any kind and size as well, belonging to any index event, at any time. Otherwise calls and returns
/// of a program that uses its stack, some with vector registers.
std::vector<RandomDetail> randomDetails(size_t count, unsigned seed, bool wild);

} // namespace ada::packed
