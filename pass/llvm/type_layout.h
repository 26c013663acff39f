// Types by their layout, written as docs/reference/types.md says, from debug information.
#pragma once

#include "common/type_grammar.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class DICompositeType;
class DIDerivedType;
class DIType;
} // namespace llvm

namespace ada::pass {

/// TYPE without typedefs and qualifiers; null is void.
const llvm::DIType *plain(const llvm::DIType *type);
/// Its size in bits; 0 if unknown.
uint64_t bitsOf(const llvm::DIType *type);
/// C++'s std::nullptr_t, which is described without its size.
bool isNullType(const llvm::DIType *type);
/// Which bytes of a value hold part of TYPE, which starts OFFSET bits into it: bit I stands for byte I. The others are
/// padding, or come after 64 bytes.
uint64_t dataBytes(const llvm::DIType *type, uint64_t offset = 0, unsigned depth = 0);
/// Whether an address may be OFFSET bits into a value of TYPE.
bool mayHoldAddress(const llvm::DIType *type, uint64_t offset, unsigned depth = 0);
/// The bits of a _BitInt; 0 if they are not known (its size has padding), nothing for other types.
std::optional<unsigned> bitIntWidth(const llvm::DIType *type);
/// Whether values of a struct contain this member. Static members are not part of them.
bool isMember(const llvm::DIDerivedType &member);

/// Writes types. A function has one for all its types, which limits how many enumerators are named.
class TypeLayout {
public:
  /// POINTEES: with the layout of what a pointer or a reference points to, where that is a value of its own.
  TypeLayout(bool isX86, bool pointees) : isX86_(isX86), pointees_(pointees) {}

  std::string write(const llvm::DIType *type);

private:
  struct Members {
    std::string text;
    uint64_t bytes = 0; // up to the end of the last one
    unsigned count = 0;
  };

  /// What the address in a parameter or result of type POINTER points to, if that is to be described; else "".
  std::string target(const llvm::DIDerivedType *pointer);
  /// TYPE if it is a number, an enumeration or an address, which readers can show one by one; else "".
  std::string element(const llvm::DIType *type);
  /// Adds the members of TYPE, which begins OFFSET bytes after the address that a pointer holds, as far as readers can
  /// show them. Members of its base classes count as its own.
  void addMembers(const llvm::DICompositeType *type, uint64_t offset, Members &found);
  std::string writePlain(const llvm::DIType *type);
  std::string writeComposite(const llvm::DICompositeType *type);

  bool isX86_, pointees_;
  unsigned depth_ = 0;
  size_t enumerators_ = 0;
};

} // namespace ada::pass
