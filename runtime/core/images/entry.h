// Reads an entry of an image's table: a function or an annotation.
#pragma once

#include <ada/abi.h>

namespace ada::runtime {

inline const char *textAt(const ada_function &f, int32_t offset) {
  return offset ? reinterpret_cast<const char *>(&f) + offset : nullptr;
}

// Null if the entry is a function's.
inline const ada_annotation *annotationOf(const ada_function &f) {
  return f.flags & ADA_FUNCTION_ANNOTATION ? reinterpret_cast<const ada_annotation *>(&f) : nullptr;
}

inline const char *nameOf(const ada_function &f) {
  const ada_annotation *a = annotationOf(f);
  return a ? a->name : textAt(f, f.name_off);
}
inline const char *fileOf(const ada_function &f) {
  const ada_annotation *a = annotationOf(f);
  return a ? a->file : textAt(f, f.file_off);
}
inline uint8_t *enableByteOf(const ada_function &f) {
  const ada_annotation *a = annotationOf(f);
  return a ? const_cast<uint8_t *>(&a->enabled)
           : const_cast<uint8_t *>(reinterpret_cast<const uint8_t *>(&f)) + f.enable_off;
}

} // namespace ada::runtime
