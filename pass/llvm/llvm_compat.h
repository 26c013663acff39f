// Every difference between LLVM 13 to 22 that matters to the pass, each in one place.
//
// No other file depends on the version, except that host_version.cpp compares it with the compiler's. Each piece says
// which version makes it superfluous.
#pragma once

#include "llvm/Config/llvm-config.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif
#if LLVM_VERSION_MAJOR >= 19
#include "llvm/CodeGen/StackProtector.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/EHPersonalities.h"
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#include "llvm/Analysis/EHPersonalities.h"
#endif
#if LLVM_VERSION_MAJOR >= 16
#include "llvm/Support/ModRef.h"
#endif

namespace ada::pass::compat {

/// `ptr`; i8* where pointers have types (until 14 is dropped).
inline llvm::PointerType *pointerType(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::getUnqual(context);
#else
  return llvm::Type::getInt8PtrTy(context);
#endif
}

/// `ptr`; TYPE* where pointers have types.
inline llvm::PointerType *pointerTo(llvm::Type *type) {
#if LLVM_VERSION_MAJOR >= 17
  return llvm::PointerType::getUnqual(type->getContext());
#else
  return llvm::PointerType::getUnqual(type);
#endif
}

/// CONSTANT as a `ptr`.
inline llvm::Constant *asPointer(llvm::Constant *constant) {
  return llvm::ConstantExpr::getPointerCast(constant, pointerType(constant->getContext()));
}

/// FUNCTION, to be called as a function of TYPE. The call is direct in machine code whatever the declared type is.
inline llvm::FunctionCallee calleeOfType(llvm::Function *function, llvm::FunctionType *type) {
#if LLVM_VERSION_MAJOR >= 17
  return {type, function};
#else
  return {type, llvm::ConstantExpr::getPointerCast(function, llvm::PointerType::getUnqual(type))};
#endif
}

#if LLVM_VERSION_MAJOR >= 14
using llvm::OptimizationLevel;
#else
using OptimizationLevel = llvm::PassBuilder::OptimizationLevel;
#endif

/// Calls CALLBACK(ModulePassManager &) at the end of a pipeline. LLVM 20 and later also say in which phase of LTO that
/// is; the pass gets that from the module's flags in all versions (isForLto). These LLVMs leave coroutines whole for
/// the back end of ThinLTO, which runs in linkers and compilers that load no plugin. So they are split before, as by
/// older ones. The names are those of `opt -passes`.
template <typename Callback> void registerOptimizerLast(llvm::PassBuilder &builder, Callback callback) {
#if LLVM_VERSION_MAJOR >= 20
  builder.registerOptimizerLastEPCallback(
      [callback, &builder](llvm::ModulePassManager &passes, OptimizationLevel, llvm::ThinOrFullLTOPhase phase) {
        if (phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink)
          llvm::cantFail(builder.parsePassPipeline(passes, "cgscc(coro-split<reuse-storage>),coro-cleanup"));
        callback(passes);
      });
#else
  builder.registerOptimizerLastEPCallback(
      [callback](llvm::ModulePassManager &passes, OptimizationLevel) { callback(passes); });
#endif
}

inline llvm::AttributeSet parameterAttributes(const llvm::Function &function, unsigned number) {
  return function.getAttributes().getAttributes(llvm::AttributeList::FirstArgIndex + number);
}

/// (In 13 a list in braces could be another thing.)
inline llvm::AttributeSet attributeSet(llvm::LLVMContext &context, llvm::ArrayRef<llvm::Attribute> attributes) {
  return llvm::AttributeSet::get(context, attributes);
}

/// Attributes of a call as such.
inline void addAttribute(llvm::CallBase &call, llvm::Attribute attribute) {
#if LLVM_VERSION_MAJOR >= 14
  call.addFnAttr(attribute);
#else
  call.addAttribute(llvm::AttributeList::FunctionIndex, attribute);
#endif
}

inline void removeAttribute(llvm::CallBase &call, llvm::Attribute::AttrKind kind) {
#if LLVM_VERSION_MAJOR >= 14
  call.removeFnAttr(kind);
#else
  call.removeAttribute(llvm::AttributeList::FunctionIndex, kind);
#endif
}

inline bool isLeftOutBySanitizers(const llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 14
  return function.hasFnAttribute(llvm::Attribute::DisableSanitizerInstrumentation);
#else
  (void)function;
  return false;
#endif
}

/// For a pointer parameter: the function keeps no part of it.
inline llvm::Attribute noCapture(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none());
#else
  return llvm::Attribute::get(context, llvm::Attribute::NoCapture);
#endif
}

/// For a call: it touches memory that the program can reach only through its arguments.
inline llvm::Attribute onlyArgumentMemory(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR >= 16
  return llvm::Attribute::getWithMemoryEffects(context, llvm::MemoryEffects::inaccessibleOrArgMemOnly());
#else
  return llvm::Attribute::get(context, llvm::Attribute::InaccessibleMemOrArgMemOnly);
#endif
}

/// For a call: it may read all memory that the program can reach, but changes it only through its arguments. Before 16
/// there is no way to say that, and the set is empty.
inline llvm::AttributeSet changesOnlyArgumentMemory(llvm::LLVMContext &context) {
#if LLVM_VERSION_MAJOR >= 16
  const llvm::MemoryEffects effects = llvm::MemoryEffects::readOnly() | llvm::MemoryEffects::inaccessibleOrArgMemOnly();
  return llvm::AttributeSet::get(context, {llvm::Attribute::getWithMemoryEffects(context, effects)});
#else
  (void)context;
  return {};
#endif
}

/// Removes every attribute that says which memory FUNCTION touches.
inline void dropMemoryAttributes(llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 16
  function.removeFnAttr(llvm::Attribute::Memory);
#else
  for (auto kind :
       {llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly, llvm::Attribute::ArgMemOnly,
        llvm::Attribute::InaccessibleMemOnly, llvm::Attribute::InaccessibleMemOrArgMemOnly})
    function.removeFnAttr(kind);
#endif
}

/// Whether FUNCTION is known to read nothing that its arguments point to.
inline bool readsNoArgumentMemory(const llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 16
  return !llvm::isRefSet(function.getMemoryEffects().getModRef(llvm::MemoryEffects::Location::ArgMem));
#else
  return function.doesNotAccessMemory() || function.hasFnAttribute(llvm::Attribute::WriteOnly) ||
         function.onlyAccessesInaccessibleMemory();
#endif
}

/// Whether ARGUMENT's function is known to write some of what it points to before it reads it (from 20 on).
inline bool isInitialized(const llvm::Argument &argument) {
#if LLVM_VERSION_MAJOR >= 20
  return argument.hasAttribute(llvm::Attribute::Initializes);
#else
  (void)argument;
  return false;
#endif
}

/// Whether code generation would give FUNCTION, as it is, a stack protector; true where LLVM has no way to ask.
inline bool requiresStackProtector(llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 19
  return llvm::SSPLayoutAnalysis::requiresStackProtector(&function);
#else
  (void)function;
  return true;
#endif
}

/// True before coroutine splitting.
inline bool isPresplitCoroutine(const llvm::Function &function) {
#if LLVM_VERSION_MAJOR >= 15
  return function.isPresplitCoroutine();
#else
  return function.hasFnAttribute("coroutine.presplit");
#endif
}

/// Keeps AddressSanitizer from padding or watching GLOBAL. (In 14 the section name must suffice: named sections are
/// left alone.)
inline void excludeFromSanitizers(llvm::GlobalVariable &global) {
#if LLVM_VERSION_MAJOR >= 15
  llvm::GlobalValue::SanitizerMetadata metadata;
  metadata.NoAddress = true;
  metadata.NoHWAddress = true;
  global.setSanitizerMetadata(metadata);
#else
  (void)global;
#endif
}

/// Keeps GLOBAL within 2 GiB of other data that stays near code. (From 18 on, models with large data would put it
/// elsewhere; before, they know only where to look for it.)
inline void keepNearCode(llvm::GlobalVariable &global) {
#if LLVM_VERSION_MAJOR >= 18
  global.setCodeModel(llvm::CodeModel::Small);
#else
  (void)global;
#endif
}

inline llvm::Triple targetTriple(const llvm::Module &module) { return llvm::Triple(module.getTargetTriple()); }

/// Whether functions of MODULE may be placed more than 2 GiB from data that is kept near code (`.ltext`).
inline bool mayBeFarFromData(const llvm::Module &module) {
  return LLVM_VERSION_MAJOR >= 18 && targetTriple(module).getArch() == llvm::Triple::x86_64 &&
         module.getCodeModel() == llvm::CodeModel::Large;
}

/// Moves INSTRUCTION before PLACE, which is in the same block.
inline void moveBefore(llvm::Instruction *instruction, llvm::Instruction *place) {
#if LLVM_VERSION_MAJOR >= 20
  instruction->moveBefore(place->getIterator());
#else
  instruction->moveBefore(place);
#endif
}

/// `llvm.NAME` of MODULE, overloaded on TYPES.
inline llvm::Function *intrinsic(llvm::Module &module, llvm::Intrinsic::ID id,
                                 llvm::ArrayRef<llvm::Type *> types = {}) {
#if LLVM_VERSION_MAJOR >= 20
  return llvm::Intrinsic::getOrInsertDeclaration(&module, id, types);
#else
  return llvm::Intrinsic::getDeclaration(&module, id, types);
#endif
}

/// llvm.va_start or llvm.va_end, which are overloaded from 19 on.
inline llvm::Function *variadicIntrinsic(llvm::Module &module, llvm::Intrinsic::ID id) {
#if LLVM_VERSION_MAJOR >= 19
  return intrinsic(module, id, {pointerType(module.getContext())});
#else
  return intrinsic(module, id);
#endif
}

/// The number of elements in an array's dimension; null if it is not a constant.
inline const llvm::ConstantInt *constantCount(const llvm::DISubrange &range) {
#if LLVM_VERSION_MAJOR >= 16
  return llvm::dyn_cast_if_present<llvm::ConstantInt *>(range.getCount());
#else
  return range.getCount().dyn_cast<llvm::ConstantInt *>();
#endif
}

/// Calls CALLBACK(const DILocalVariable *) for each variable that a debug record at INSTRUCTION describes. Before 19
/// there are only intrinsics.
template <typename Callback> void forEachDebugRecord(const llvm::Instruction &instruction, Callback callback) {
#if LLVM_VERSION_MAJOR >= 19
  for (const llvm::DbgVariableRecord &record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
    callback(record.getVariable());
#else
  (void)instruction;
  (void)callback;
#endif
}

/// The DWARF number of a compile unit's language. (22 has a class for languages with versions.)
inline unsigned sourceLanguage(const llvm::DICompileUnit &unit) {
#if LLVM_VERSION_MAJOR >= 22
  return unit.getSourceLanguage().getName();
#else
  return unit.getSourceLanguage();
#endif
}

/// Whether what ARGUMENT points to is not read if the call unwinds. rustc marks a result in memory so.
inline bool isDeadOnUnwind(const llvm::Argument &argument) {
#if LLVM_VERSION_MAJOR >= 18
  return argument.hasAttribute(llvm::Attribute::DeadOnUnwind);
#else
  (void)argument;
  return false;
#endif
}

inline bool startsWith(llvm::StringRef text, llvm::StringRef prefix) {
  return text.size() >= prefix.size() && text.substr(0, prefix.size()) == prefix;
}

/// The hooks' symbol suffix for the register that `nest` uses on AArch64: x18 up to 19, x15 in 22 (20 and 21 carry the
/// change in some releases only, and are not supported). The hooks have an entry symbol for each.
inline llvm::StringRef aarch64HookSuffix() {
#if LLVM_VERSION_MAJOR >= 22
  return "_x15";
#else
  return "";
#endif
}

/// Whether the code generator ignores `nonlazybind`, as it does for AArch64 up to 16, and in x86-64's large model for
/// code that depends on its position.
inline bool ignoresNonLazyBind(const llvm::Module &module) {
  if (targetTriple(module).isAArch64())
    return LLVM_VERSION_MAJOR < 19;
  return module.getCodeModel() == llvm::CodeModel::Large && module.getPICLevel() == llvm::PICLevel::NotPIC;
}

/// Half precision moved from general to vector registers on x86-64 with LLVM 15. LLVM 19 loses some bfloats on the way
/// to a hook.
constexpr bool kX86HasHalfInVectors = LLVM_VERSION_MAJOR >= 15;
constexpr bool kX86HasBfloatInVectors = LLVM_VERSION_MAJOR >= 22;

/// On the stack of x86-64, LLVM 18 and later align 128-bit integers to 16 bytes. Earlier ones pass two of 64 bits.
constexpr bool kX86AlignsInt128 = LLVM_VERSION_MAJOR >= 18;

/// With one register left for a 128-bit integer, LLVM 14 splits it, 19 leaves the register unused, and 22 gives the
/// register to the next argument.
constexpr bool kX86GivesLastRegisterOn = LLVM_VERSION_MAJOR >= 22;

} // namespace ada::pass::compat
