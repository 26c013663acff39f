// Asks common/known_functions.h about LLVM's declarations.
#include "library_functions.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/IR/InstrTypes.h"

#include <optional>

using namespace llvm;

namespace ada::pass {

namespace {

/// Whether LOWERED is how a parameter of C's TYPE is passed.
bool fits(const Type *lowered, std::string_view type) {
  if (type == "void")
    return lowered->isVoidTy();
  if (type.find('*') != type.npos || type == "function")
    return lowered->isPointerTy();
  if (type == "double")
    return lowered->isDoubleTy();
  if (type == "va_list") // x86-64: decays to a pointer; AArch64: a struct, in memory
    return lowered->isPointerTy();
  bool isInt = type == "int" || type == "unsigned" || type == "mode_t" || type == "pid_t" || type == "socklen_t";
  return lowered->isIntegerTy(isInt ? 32 : 64);
}

} // namespace

constexpr const char *kAttrExternal = "ada-external";

const Function *wrappedCallee(const Function &function) {
  if (!function.hasFnAttribute(kAttrExternal))
    return nullptr;
  return function.getParent()->getFunction(function.getFnAttribute(kAttrExternal).getValueAsString());
}

void setWrappedCallee(Function &function, const Function &callee) {
  function.addFnAttr(kAttrExternal, callee.getName());
}

std::string sourceName(const Function &declared) {
  StringRef symbol = symbolName(declared);
  if (compat::startsWith(symbol, "_Z"))
    return symbol.str();
  std::string plain = plainName(symbol.str());
  if (plain != symbol || isKnownFunction(symbol.str()))
    return plain;
  // The program itself gave the function another symbol: `int f(void) __asm__("g")`.
  const DISubprogram *subprogram = declared.getSubprogram();
  if (subprogram && subprogram->getLinkageName() == symbol && !subprogram->getName().empty() &&
      !compat::startsWith(subprogram->getName(), "__"))
    return subprogram->getName().str();
  return symbol.str();
}

const char *whyNotWrapped(const Function &declared) {
  return declared.hasFnAttribute(Attribute::ReturnsTwice) ? "it returns twice"
                                                          : whyNotWrapped(symbolName(declared).str());
}

bool isInDefaultCalls(const Function &declared) {
  const std::string symbol = symbolName(declared).str();
  return isInDefaultCalls(symbol, sourceName(declared), demangledName(symbol).full);
}

const Prototype *findPrototype(const Function &declared) {
  const Prototype *candidate = findPrototype(symbolName(declared).str());
  const FunctionType *type = declared.getFunctionType();
  if (!candidate || type->isVarArg() != candidate->isVariadic || type->getNumParams() != candidate->parameters.size() ||
      !fits(type->getReturnType(), candidate->result))
    return nullptr;
  for (unsigned i = 0; i < type->getNumParams(); ++i)
    if (!fits(type->getParamType(i), candidate->parameters[i].type))
      return nullptr;
  return candidate;
}

/// What the system call of CALL, of libc's `syscall`, does, if its number is known.
static std::optional<SystemCall> systemCallOf(const CallBase &call) {
  const auto *number = call.arg_empty() ? nullptr : dyn_cast<ConstantInt>(call.getArgOperand(0));
  if (!number)
    return std::nullopt;
  return systemCall(number->getZExtValue(), compat::targetTriple(*call.getModule()).isAArch64());
}

bool mayMakeProcess(const CallBase &call) {
  return systemCallOf(call).value_or(SystemCall::MakesProcess) == SystemCall::MakesProcess;
}

bool ends(const CallBase &call, SystemCall how) {
  return systemCallOf(call) == how && call.arg_size() >= 2 && call.getArgOperand(1)->getType()->isIntegerTy();
}

} // namespace ada::pass
