// What the entry of a function says about it, for the manifest's description of a symbol.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

#include "ada/abi.h"
#include "shared/text/text_piece.h"

namespace ada {

/// As manifest::symbolFields() wants it.
struct FunctionFields {
  TextPiece name, displayName, file, signature, types, kindName;
  uint64_t line, address;
  bool isNoreturn, isExternal, isInlined, isCoroutine;
};

/// Not for annotations. `textAt(offset)` is the text of the entry at that distance, empty for 0.
template <class TextAt> FunctionFields fieldsOf(const ada_function &f, uint64_t address, TextAt &&textAt) {
  return {.name = textAt(f.name_off),
          .displayName = textAt(f.shown_off),
          .file = textAt(f.file_off),
          .signature = textAt(f.signature_off),
          .types = textAt(f.types_off),
          .kindName = {},
          .line = f.line,
          .address = address,
          .isNoreturn = (f.flags & ADA_FUNCTION_NORETURN) != 0,
          .isExternal = (f.flags & ADA_FUNCTION_EXTERNAL) != 0,
          .isInlined = (f.flags & ADA_FUNCTION_INLINED) != 0,
          .isCoroutine = (f.flags & ADA_FUNCTION_COROUTINE) != 0};
}

} // namespace ada
