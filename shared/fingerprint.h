// A hash that tells programs and libraries apart, beside their build ids.
//
// It is made of the program headers and the table of functions, as docs/formats/binaries.md describes.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "ada/abi.h"
#include "shared/fnv.h"
#include "shared/text/text_piece.h"

namespace ada {

class Fingerprint {
public:
  void add(const void *bytes, size_t size) { hash_ = fnv1a(static_cast<const char *>(bytes), size, hash_); }
  void add(uint64_t number) { add(&number, sizeof number); }
  /// A missing text (null data) and an empty one give different hashes.
  void add(TextPiece text) {
    add(text.data, text.size);
    if (text.data)
      add("", 1);
  }
  /// `textAt(offset)` is the text of the entry at that distance.
  template <class TextAt> void add(const ada_function &f, TextAt &&textAt) {
    add(&f, sizeof f); // it has distances only, and nothing in it changes
    const int32_t offsets[] = {f.name_off, f.shown_off, f.file_off, f.signature_off, f.types_off};
    for (const int32_t offset : offsets)
      add(textAt(offset));
  }
  uint64_t value() const { return hash_ ? hash_ : 1; }

private:
  uint64_t hash_ = kFnvStart;
};

/// `headers`: the hash of the program headers. `distance`: from the beginning of the image to its table of `count`
/// entries. `addEntry(fingerprint, i)` adds entry i.
///
/// Build ids of linkers differ where contents do, but those that a build gives (--build-id=0x…) need not. So a part of
/// the table counts as well: reading all of it would take time that grows with the number of functions.
template <class AddEntry>
uint64_t fingerprintOf(uint64_t headers, uint64_t distance, uint64_t count, bool hasBuildId, AddEntry &&addEntry) {
  constexpr uint64_t kMaxSamples = 64;
  const uint64_t samples = hasBuildId && count > kMaxSamples ? kMaxSamples : count;
  Fingerprint of;
  of.add(headers), of.add(distance), of.add(count);
  for (uint64_t i = 0; i < samples; ++i)
    addEntry(of, samples > 1 ? i * (count - 1) / (samples - 1) : 0);
  return of.value();
}

} // namespace ada
