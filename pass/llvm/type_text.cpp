// Writes types by their layout, and finds the registers that carry each parameter.
#include "type_text.h"
#include "argument_registers.h"
#include "common/thunk_names.h"
#include "coroutines.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "parameter_matcher.h"
#include "rust_futures.h"
#include "rust_values.h"
#include "source_text.h"
#include "type_layout.h"
#include "type_names.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;

namespace ada::pass {

namespace {

using Where = ValuePiece::Where;

//===--- Signatures that the optimizer changes ----------------------------===//

/// Where the source's parameters 1 to COUNT - 1 of a numbered FUNCTION are. Sets UNREAD for those that point to memory
/// that callers need not have stored.
SmallVector<std::string, 8> placesOfNumbered(const Function &function, unsigned count, StackArguments stack,
                                             SmallVectorImpl<bool> &unread) {
  struct Part {
    SmallVector<ValuePiece, 2> pieces;
    unsigned bytes;
    bool isShort;        // less than its general register holds
    unsigned target = 0; // not 0: the value is at an address, and has that many bytes
    bool hasPlace = true;
  };
  SmallVector<SmallVector<Part, 2>, 8> parts(count);
  SmallVector<StringRef, 8> known;
  function.getFnAttribute(kAttrNumbered).getValueAsString().split(known, ',', -1, false);
  for (StringRef text : known) { // parts count as left out by callers until they are found
    auto [number, sizes] = text.split(':');
    unsigned k = 0, bytes = 0;
    if (number.getAsInteger(10, k) || k >= count)
      continue;
    while (!sizes.empty() && !sizes.consumeInteger(10, bytes)) {
      parts[k].push_back({{{Where::LeftOut, 0, bytes}}, bytes, sizes.consume_front("s")});
      if (sizes.consume_front("@"))
        sizes.consumeInteger(10, parts[k].back().target);
      sizes.consume_front("+");
    }
  }
  ArgumentRegisters registers(function, stack);
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    SmallVector<ValuePiece, 4> pieces;
    ArgumentPlace place = takeNext(registers, function, i, pieces);
    auto [parameter, part] =
        compat::parameterAttributes(function, i).getAttribute(kAttrParameter).getValueAsString().split('/');
    unsigned k = 0, at = 0;
    if (parameter.getAsInteger(10, k) || part.getAsInteger(10, at) || k >= count || at >= parts[k].size())
      continue;
    unsigned bytes = 0;
    for (const ValuePiece &piece : pieces)
      bytes += piece.bytes;
    // Is it something else now, such as a pointer to what was on the stack?
    Part &found = parts[k][at];
    if (found.isShort && pieces.size() == 1 && pieces[0].where == Where::General)
      pieces[0].bytes = bytes = found.bytes;
    found.hasPlace = hasPieces(place) && bytes == found.bytes;
    if (found.target && found.hasPlace) {
      found.hasPlace = pieces[0].where == Where::General || pieces[0].where == Where::LeftOut;
      if (isUnusedObject(function, i))
        pieces[0].where = Where::LeftOut;
      else if (isUnread(function, i))
        found.hasPlace = false;
      else if (pieces[0].where == Where::General)
        pieces[0] = {Where::Memory, pieces[0].number, found.target};
    }
    found.pieces.assign(pieces.begin(), pieces.end());
    unread[k] |= isUnread(function, i);
  }
  SmallVector<std::string, 8> places;
  for (unsigned k = 1; k < count; ++k) {
    SmallVector<ValuePiece, 4> pieces;
    bool hasPlace = true;
    for (const Part &part : parts[k]) {
      pieces.append(part.pieces.begin(), part.pieces.end());
      hasPlace &= part.hasPlace;
    }
    places.push_back(hasPlace ? placeText(pieces) : "-");
  }
  return places;
}

/// Whether a numbered FUNCTION returns no meaningful value, because no caller uses its result.
bool isResultLeftOut(const Function &function) {
  if (function.getReturnType()->isVoidTy())
    return compat::startsWith(function.getFnAttribute(kAttrNumbered).getValueAsString(), "0"); // it had a result
  bool returns = false;
  for (const BasicBlock &block : function)
    if (const auto *ret = dyn_cast<ReturnInst>(block.getTerminator())) {
      if (!isa<UndefValue>(ret->getReturnValue()))
        return false;
      returns = true;
    }
  return returns;
}

//===--- Wrappers of library calls ----------------------------------------===//

/// The code of a type as Prototype writes it.
std::string codeOf(StringRef type) {
  if (type == "function")
    return "p(function)";
  if (type == "va_list")
    return "p(va_list)";
  if (type.consume_back("*")) {
    type = type.rtrim(' ');
    if (type.consume_back("*const"))
      return "p(" + escaped((type.rtrim(' ') + " *").str()) + ")";
    return "p(" + escaped(type.rtrim(' ')) + ")";
  }
  return StringSwitch<const char *>(type)
      .Case("void", "v")
      .Case("int", "s32")
      .Case("pid_t", "s32")
      .Case("unsigned", "u32")
      .Case("mode_t", "u32")
      .Case("socklen_t", "u32")
      .Case("long", "s64")
      .Case("long long", "s64")
      .Case("ssize_t", "s64")
      .Case("off_t", "s64")
      .Case("double", "f64")
      .Default("u64");
}

/// The code of an argument that a variadic function gets after its parameters. C's promotions leave few types.
std::string codeOf(Type *lowered) {
  if (lowered->isIntegerTy(32) || lowered->isIntegerTy(64))
    return "s" + std::to_string(lowered->getIntegerBitWidth());
  return lowered->isPointerTy() ? "p(void)" : lowered->isDoubleTy() ? "f64" : "";
}

/// The types of lowered parameters from FIRST on, which have no names.
std::string furtherTypes(const Function &wrapper, unsigned first, StackArguments stack) {
  ArgumentRegisters registers(wrapper, stack);
  std::string text;
  for (unsigned i = 0; i < wrapper.arg_size(); ++i) {
    SmallVector<ValuePiece, 4> pieces;
    Type *type = wrapper.getArg(i)->getType();
    bool hasPlace = hasPieces(registers.place(type, compat::parameterAttributes(wrapper, i), &pieces));
    if (i < first)
      continue;
    std::string code = codeOf(type);
    if (code.empty())
      return text + ";...:-:v";
    text += ";:" + (hasPlace ? placeText(pieces) : "-") + ":" + code;
  }
  return text;
}

/// The text for a WRAPPER of a function that has no debug information.
std::string typesByPrototype(const Function &wrapper, const Prototype &prototype, StackArguments stack) {
  auto placeOf = [](ArgumentPlace place, ArrayRef<ValuePiece> pieces) {
    return hasPieces(place) ? placeText(pieces) : "-";
  };
  SmallVector<ValuePiece, 4> pieces;
  std::string text = "-";
  if (prototype.result != "void") {
    ArgumentPlace place = ArgumentRegisters(wrapper).place(wrapper.getReturnType(), AttributeSet(), &pieces);
    text = placeOf(place, pieces);
  }
  text += ":" + codeOf(prototype.result);
  ArgumentRegisters registers(wrapper, stack);
  for (unsigned i = 0; i < prototype.parameters.size(); ++i) {
    pieces.clear();
    ArgumentPlace place =
        registers.place(wrapper.getArg(i)->getType(), compat::parameterAttributes(wrapper, i), &pieces);
    text += ";" + escaped(prototype.parameters[i].name) + ":" + placeOf(place, pieces) + ":" +
            codeOf(prototype.parameters[i].type);
  }
  return text + (prototype.isVariadic ? furtherTypes(wrapper, prototype.parameters.size(), stack) : "");
}

/// Constructors of classes with virtual bases get a table of where these are, as a parameter that no source has.
constexpr StringRef kHiddenTable = "(vtt)";

/// The names of FUNCTION's parameters, by number from 1.
SmallVector<StringRef, 8> parameterNames(const Function &function, const DISubprogram &subprogram) {
  SmallVector<StringRef, 8> names;
  auto note = [&](const DILocalVariable *variable) {
    if (!variable || !variable->getArg() || variable->getScope() != &subprogram)
      return;
    if (names.size() <= variable->getArg())
      names.resize(variable->getArg() + 1);
    const bool isHidden = variable->isArtificial() && variable->getName() == "vtt";
    names[variable->getArg()] = isHidden ? kHiddenTable : variable->getName();
  };
  for (const DINode *node : subprogram.getRetainedNodes())
    note(dyn_cast<DILocalVariable>(node));
  for (const Instruction &instruction : instructions(function)) {
    if (const auto *intrinsic = dyn_cast<DbgVariableIntrinsic>(&instruction))
      note(intrinsic->getVariable());
    compat::forEachDebugRecord(instruction, note);
  }
  return names;
}

/// The function that FUNCTION jumps to after it has moved `this`, if it is a thunk of C++ (_ZTh, _ZTv, _ZTc) and has
/// the same parameters; else null. Debug information says nothing about thunks.
const Function *targetOfThunk(const Function &function) {
  const std::string symbol = thunkTarget(symbolName(function).str());
  const Function *target = symbol.empty() ? nullptr : function.getParent()->getFunction(symbol);
  return target && target->getFunctionType() == function.getFunctionType() &&
                 target->getCallingConv() == function.getCallingConv() && !target->hasLocalLinkage()
             ? target
             : nullptr;
}

} // namespace

void numberParameters(Function &function) {
  const DISubprogram *subprogram = function.getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  if (!type || !function.hasLocalLinkage() || function.hasFnAttribute(kAttrNumbered))
    return;
  DITypeRefArray types = type->getTypeArray();
  ParameterMatcher matcher(function, StackArguments::InPlace);
  const SmallVector<StringRef, 8> names = parameterNames(function, *subprogram);
  std::string known = function.getReturnType()->isVoidTy() ? "" : "0"; // the parameters, and the result as 0
  for (unsigned k = 1; k < types.size() && types[k]; ++k) {
    if (matcher.parameter(types[k]) == "-")
      continue;
    known += (known.empty() ? "" : ",") + std::to_string(k);
    for (unsigned i = 0; i < matcher.parts().size(); ++i) {
      const ParameterMatcher::Part part = matcher.parts()[i];
      if (part.number != ParameterMatcher::kPadding)
        function.addParamAttr(part.number, Attribute::get(function.getContext(), kAttrParameter,
                                                          std::to_string(k) + "/" + std::to_string(i)));
      known += (i == 0 ? ":" : "+") + std::to_string(part.bytes) + (part.isShort ? "s" : "") +
               (part.target ? "@" + std::to_string(part.target) : "");
    }
    if (k == 1 && names.size() > 2 && names[2] == kHiddenTable)
      matcher.skipHidden();
  }
  matcher.skipLocation();
  if (matcher.isComplete())
    function.addFnAttr(kAttrNumbered, known);
}

std::string typesText(const Function &function, bool pointees, StackArguments stack) {
  if (isCoroutinePart(function))
    return "i0:p(void);frame:i0:p(void)"; // nextCoroutine()
  if (const std::optional<RustFuture> future = rustFuture(function))
    return typesText(function, *future, stack);
  const Function *callee = wrappedCallee(function), *target = targetOfThunk(function);
  const DISubprogram *subprogram = (callee ? callee : target ? target : &function)->getSubprogram();
  const DISubroutineType *type = subprogram ? subprogram->getType() : nullptr;
  const Prototype *prototype = callee ? findPrototype(*callee) : nullptr;
  if (!type || !type->getTypeArray().size())
    return prototype && function.arg_size() >= prototype->parameters.size()
               ? typesByPrototype(function, *prototype, stack)
               : "";
  bool isAArch64 = compat::targetTriple(*function.getParent()).isAArch64();
  DITypeRefArray types = type->getTypeArray();
  SmallVector<StringRef, 8> names = parameterNames(target ? *target : function, *subprogram);
  if (prototype) { // declarations are described without the names of parameters
    names.assign(1, "");
    for (const Prototype::Parameter &parameter : prototype->parameters)
      names.push_back({parameter.name.data(), parameter.name.size()});
  }
  ParameterMatcher matcher(function, stack);
  TypeLayout layout(!isAArch64, pointees);
  SmallVector<std::string, 8> places;
  unsigned count = 1;
  SmallVector<bool, 8> unread(1, false);
  for (; count < types.size() && types[count]; ++count) {
    places.push_back(matcher.parameter(types[count]));
    unread.push_back(matcher.hasUnread());
    if (count == 1 && names.size() > 2 && names[2] == kHiddenTable) {
      matcher.skipHidden();
      names.erase(names.begin() + 2);
    }
  }
  matcher.skipLocation();
  bool isNumbered = function.hasLocalLinkage() && function.hasFnAttribute(kAttrNumbered);
  if (isNumbered)
    places = placesOfNumbered(function, count, stack, unread);
  else if (function.hasLocalLinkage() ? !matcher.isComplete() : !callee && matcher.isOther())
    places.assign(places.size(), "-"); // the optimizer may have changed the signature, or it is not one that we know
  std::string result = !types[0] ? "-" : isNumbered && isResultLeftOut(function) ? "!" : matcher.result(types[0]);
  // In a thunk, `this` and a result that it moves are addresses of other objects.
  const bool isMoved = target && types[0] && movesResult(symbolName(function).str());
  std::string text = result + ":" + (isMoved ? "p(void)" : layout.write(types[0]));
  for (unsigned i = 1; i < count; ++i) {
    if (target && i == 1) {
      text += ";this:" + places[0] + ":p(void)";
      continue;
    }
    if (isRust(function) && bitsOf(types[i]) == 0) // "()" and the like have only one value
      continue;
    // The place of a std::string by value holds its address.
    const bool isString = places[i - 1] != "-" && isKnownString(plain(types[i]));
    const std::string written = isString ? "r(" + escaped(stringName(plain(types[i]))) + ")" : layout.write(types[i]);
    text += ";" + escaped(i < names.size() ? names[i] : StringRef()) + ":" + places[i - 1] + ":" +
            (unread[i] ? withoutContents(written) : written);
  }
  if (count < types.size() && callee && matcher.hasPassedAll())
    return text + furtherTypes(function, matcher.next(), stack);
  if (count < types.size()) // a null type
    text += ";...:-:v";
  return text;
}

} // namespace ada::pass
