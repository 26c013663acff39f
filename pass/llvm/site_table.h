// The constant data that the pass adds to an object: ada_function entries, enable bytes, the image.
//
// An entry has one of two forms.
//
// Tied: hooks are placed after inlining, so all hooks of a function are in its own body. Entry and byte are private,
// and in the function's comdat or in a group of their own: a linker that drops the function drops them as well. They
// are not
// `!associated` with it (SHF_LINK_ORDER), because mold keeps sections of one name and other flags apart, and not every
// compiler can mark all of them.
//
// Early: hooks are placed before inlining, or in a module whose bodies will move between translation units (LTO). A
// hook may then end up where the function is not, so entry and byte are hidden linkonce_odr data in a comdat of their
// own: any object that has the hook has them, and the linker keeps one. They hold no address, because it could be that
// of a discarded copy, or keep a function alive that was inlined everywhere. Functions with local linkage have internal
// entries.
#pragma once

#include "argument_registers.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace llvm {
class Constant;
class Function;
class GlobalValue;
class GlobalVariable;
class Module;
class StructType;
} // namespace llvm

namespace ada::pass {

/// What the hooks of one function refer to.
struct Site {
  llvm::Constant *entry;        // a `ptr`: the ada_function
  llvm::GlobalVariable *enable; // its byte
};

/// Whether MODULE is or may be compiled for ThinLTO or LTO. In all versions, clang says so by module flags.
bool isForLto(const llvm::Module &module);

class SiteTable {
public:
  enum class Form { Tied, Early };

  /// POINTEES: whether types describe what pointers point to.
  SiteTable(llvm::Module &module, Form form, bool beforeInlining, bool pointees);

  /// Makes the entry of FUNCTION.
  Site add(llvm::Function &function);
  /// Completes the entry with what the detail hooks find, ADA_CARRIED_*.
  void setCarried(const Site &site, uint32_t carried);

  /// Registers what was added: the image with its constructor and destructor, and the list of what optimizers must
  /// keep. Adds nothing if no function was added.
  void finish();

private:
  llvm::Module &module_;
  Form form_;
  bool beforeInlining_, pointees_;
  llvm::StringMap<llvm::GlobalVariable *> strings_;
  llvm::SmallVector<llvm::GlobalValue *, 32> keep_;

  llvm::Constant *string(const std::string &text);
  void place(llvm::GlobalVariable &global, llvm::Function &function);
  void addImage();
};

/// How entry hooks get arguments on the stack, in each FORM.
inline StackArguments stackArguments(SiteTable::Form form) {
  return form == SiteTable::Form::Early ? StackArguments::Forwarded : StackArguments::InPlace;
}

} // namespace ada::pass
