// The hash FNV-1a, for what has to be equal in each run and on each machine.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada {

constexpr uint64_t kFnvStart = 0xcbf29ce484222325;

/// The hash of what BEFORE is the hash of, followed by SIZE bytes.
constexpr uint64_t fnv1a(const char *bytes, size_t size, uint64_t before = kFnvStart) {
  uint64_t hash = before;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  return hash;
}

} // namespace ada
