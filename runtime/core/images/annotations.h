// What annotations (ada/annotations.h) record, and what the manifest has about them.
//
// The arguments of an annotation are in a detail record, as if a function had been called: numbers and addresses are in
// the general registers, in order, and ADA_TEXT_BYTES of each text are in the stack window. So files, readers and
// recovery need no knowledge of annotations except for the `types` text, which describes this
// (docs/reference/types.md).
#pragma once

#include "core/base/text.h"
#include "entry.h"

namespace ada::runtime {

class JsonWriter;

inline bool isText(const ada_annotation &site, uint32_t argument) { return site.types[argument][0] == 't'; }

inline uint32_t argumentsOf(const ada_annotation &site) {
  return site.argument_count < ADA_MOST_ANNOTATION_ARGUMENTS ? site.argument_count : ADA_MOST_ANNOTATION_ARGUMENTS;
}

// The size of the texts that are recorded.
inline uint64_t textBytesOf(const ada_annotation &site) {
  uint32_t texts = 0;
  for (uint32_t i = 0; i < argumentsOf(site); ++i)
    texts += isText(site, i);
  return (texts < ADA_MOST_TEXTS ? texts : ADA_MOST_TEXTS) * ADA_TEXT_BYTES;
}

// `caller`: the return address. `textBytes` follow the detail.
inline void fillValues(ada_detail &d, const ada_annotation &site, const ada_value *values, uint64_t textBytes,
                       uint64_t caller) {
  d = {};
  d.stack_bytes = static_cast<uint16_t>(textBytes);
  d.lr = caller;
  auto *text = reinterpret_cast<char *>(&d + 1), *const end = text + textBytes;
  for (uint32_t i = 0; i < argumentsOf(site); ++i) {
    if (!isText(site, i)) {
      d.registers[d.integers++] = values[i].bits;
    } else if (text < end) {
      const char *from = values[i].bits ? reinterpret_cast<const char *>(values[i].bits) : "(null)";
      const uint64_t most = values[i].bits ? values[i].bytes : ADA_TEXT_TO_ZERO;
      uint64_t n = 0;
      for (; n < ADA_TEXT_BYTES && n < most && (most != ADA_TEXT_TO_ZERO || from[n]); ++n)
        text[n] = from[n];
      for (; n < ADA_TEXT_BYTES; ++n)
        text[n] = 0;
      text += ADA_TEXT_BYTES;
    }
  }
}

// Writes the members of its object in the manifest's `symbols`, after the ids.
void writeAnnotation(JsonWriter &json, const ada_annotation &site);

} // namespace ada::runtime
