// The rules of filter.h, one after the other.
#include "filter.h"
#include "common/thunk_names.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "rust_futures.h"
#include "shared/select/system_path.h"
#include "source_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace ada::pass {

//===--- What the source says ---------------------------------------------===//

static constexpr const char *kEntryMark = "instrument-function-entry-inlined";
static constexpr const char *kExitMark = "instrument-function-exit-inlined";

/// Notes an annotation of FUNCTION. Returns whether that changed it.
static bool noteAnnotation(Function &function, StringRef name) {
  if (StringRef shown = name; shown.consume_front("ada_name:")) {
    const bool isNew = function.getFnAttribute(kAttrName).getValueAsString() != shown;
    function.addFnAttr(kAttrName, shown);
    return isNew;
  }
  const char *attribute = name == "ada_always" ? kAttrAlways : name == "ada_never" ? kAttrNever : nullptr;
  if (!attribute || function.hasFnAttribute(attribute))
    return false;
  function.addFnAttr(attribute);
  return true;
}

/// The annotations of attributes.h that come as assumptions, one after the other and separated by commas, because the
/// clang at hand drops annotations of constructors and destructors. Names may have commas in them.
static bool noteAssumptions(Function &function) {
  bool changed = false;
  StringRef rest = function.getFnAttribute("llvm.assume").getValueAsString();
  while (!rest.empty()) {
    const bool isName = compat::startsWith(rest, "ada_name:");
    const size_t end = isName ? rest.find(",ada_") : rest.find(',');
    changed |= noteAnnotation(function, rest.substr(0, end));
    rest = end == rest.npos ? "" : rest.drop_front(end + 1);
  }
  return changed;
}

static bool noteAnnotations(Module &module) {
  bool changed = false;
  for (Function &function : module)
    changed |= noteAssumptions(function);
  const GlobalVariable *annotations = module.getNamedGlobal("llvm.global.annotations");
  const auto *list =
      annotations && annotations->hasInitializer() ? dyn_cast<ConstantArray>(annotations->getInitializer()) : nullptr;
  if (!list)
    return changed;
  for (const Use &element : list->operands()) {
    const auto *annotation = dyn_cast<ConstantStruct>(element);
    if (!annotation || annotation->getNumOperands() < 2)
      continue;
    auto *function = dyn_cast<Function>(annotation->getOperand(0)->stripPointerCastsAndAliases());
    const auto *text = dyn_cast<GlobalVariable>(annotation->getOperand(1)->stripPointerCasts());
    const auto *data =
        text && text->hasInitializer() ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
    if (!function || !data || !data->isCString())
      continue;
    changed |= noteAnnotation(*function, data->getAsCString());
  }
  return changed;
}

/// What clang makes of a function with ADA_NEVER so that it can be called in another way is left out, too: thunks of
/// virtual functions, and the functions that lambdas become when they are converted to pointers.
static bool noteForwarders(Module &module) {
  bool changed = false;
  for (Function &function : module) {
    const StringRef name = symbolName(function);
    if (!name.contains("8__invokeE") && (!compat::startsWith(name, "_ZT") || thunkTarget(name.str()).empty()))
      continue;
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block) {
        const auto *call = dyn_cast<CallBase>(&instruction);
        const auto *callee =
            call ? dyn_cast<Function>(call->getCalledOperand()->stripPointerCastsAndAliases()) : nullptr;
        if (!callee || !callee->hasFnAttribute(kAttrNever) || function.hasFnAttribute(kAttrNever))
          continue;
        function.addFnAttr(kAttrNever);
        changed = true;
      }
  }
  return changed;
}

bool noteSourceMarks(Module &module, bool consumeMarks) {
  bool changed = noteAnnotations(module);
  changed |= noteForwarders(module);
  bool isMarked = false;
  for (const Function &function : module)
    isMarked |= function.getFnAttribute(kEntryMark).getValueAsString() == "__cyg_profile_func_enter";
  if (!isMarked)
    return changed;
  // clang marked every function that it compiled from source, except those declared no_instrument_function.
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!function.hasFnAttribute(kEntryMark)) {
      function.addFnAttr(kAttrNoInstrument);
    } else if (consumeMarks) {
      function.removeFnAttr(kEntryMark);
      function.removeFnAttr(kExitMark);
    }
  }
  return true;
}

//===--- Globs ------------------------------------------------------------===//

FunctionNames namesOf(const Function &function) {
  const std::string symbol = symbolName(function).str();
  DemangledName name = function.isDeclaration() ? demangledName(sourceName(function)) : demangledName(function);
  return {symbol, name.full, name.scope, function.isDeclaration() ? debugInfoPath(function) : sourcePath(function)};
}

//===--- The rules --------------------------------------------------------===//

std::unique_ptr<Filter> Filter::create(const PassOptions &options, const Module &module, std::string &error) {
  auto filter = std::make_unique<Filter>();
  filter->options_ = options;
  auto addAll = [&](GlobList &list, const std::vector<std::string> &texts) {
    return all_of(texts, [&](const std::string &text) { return (error = list.add(text)).empty(); });
  };
  if (!addAll(filter->include_, options.include) || !addAll(filter->exclude_, options.exclude) ||
      !addAll(filter->why_, options.why))
    return nullptr;
  for (const std::string &text : options.calls)
    if (!(error = filter->calls_.add(text)).empty())
      return nullptr;
  if (!options.ignoreLists.empty()) {
    std::string wrong;
    filter->ignoreList_ = SpecialCaseList::create(options.ignoreLists, *vfs::getRealFileSystem(), wrong);
    if (!filter->ignoreList_) {
      error = "-ada-ignorelist: " + wrong;
      return nullptr;
    }
  }
  for (const GlobalIFunc &ifunc : module.ifuncs())
    if (const auto *resolver = dyn_cast<Function>(ifunc.getResolver()->stripPointerCastsAndAliases()))
      filter->resolvers_.insert(resolver);
  return filter;
}

/// Rule 1.
const char *Filter::impossible(const Function &function) const {
  if (function.isDeclaration())
    return "only declared in this translation unit";
  if (function.hasAvailableExternallyLinkage())
    return "a copy for inlining only (available_externally): the definition is in another translation unit";
  StringRef name = symbolName(function);
  if (compat::startsWith(name, "__ada_"))
    return "part of AdaTrace";
  if (name == "_start")
    return "where the system enters the program: its stack is not aligned as that of a function";
  if (name == "__rust_try")
    return "generated by rustc for catch_unwind: std calls it";
  if (name == "__clang_call_terminate")
    return "generated by the compiler for noexcept: never returns to the program";
  if (name.contains(".__await_suspend_wrapper__"))
    return "generated by the compiler for co_await: the await_suspend that it calls is traced";
  return reasonWithoutHooks(function);
}

const char *Filter::reasonWithoutHooks(const Function &function) const {
  if (function.hasFnAttribute(Attribute::Naked))
    return "naked: it has no frame, and a hook would destroy its argument registers";
  if (resolvers_.count(&function))
    return "an ifunc resolver: it runs before the image is relocated and registered";
  switch (function.getCallingConv()) {
  case CallingConv::GHC:
  case CallingConv::HiPE:
    return "its calling convention has no stack frame to call a hook from";
  case CallingConv::X86_INTR:
    return "an interrupt handler: it must preserve the vector registers, which a hook does not";
  case CallingConv::PreserveAll:
    if (compat::targetTriple(*function.getParent()).isAArch64())
      return "preserve_all on AArch64: with a hook it saves all registers, which LLVM puts back wrongly";
    break;
  default:
    break;
  }
  if (compat::isPresplitCoroutine(function))
    return "a coroutine that will be split at link time: let the linker load the plugin too "
           "(-Wl,--load-pass-plugin=libAdaTrace.so)";
  return nullptr;
}

static bool isFromSystem(const std::string &scope, const std::string &path) {
  if (!path.empty())
    return select::isSystemPath({path.data(), path.size()});
  return isLibraryNamespace(scope);
}

/// Whether FUNCTION is one of the intrinsics in clang's own headers (_mm_add_ps), which have no debug information even
/// with -g.
static bool isHeaderIntrinsic(const Function &function) {
  if (!function.hasFnAttribute(Attribute::AlwaysInline) || !function.hasLocalLinkage() || function.getSubprogram())
    return false;
  return function.getParent()->getNamedMetadata("llvm.dbg.cu") || compat::startsWith(function.getName(), "_mm");
}

static bool isSmall(const Function &function, unsigned minSize) {
  unsigned size = 0;
  for (const BasicBlock &block : function)
    for (const Instruction &instruction : block)
      size += !isa<DbgInfoIntrinsic>(instruction);
  if (size >= minSize)
    return false;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> backEdges;
  FindFunctionBackedges(function, backEdges);
  return backEdges.empty();
}

/// Rule 4.
const char *Filter::unwanted(const FunctionNames &names) const {
  if (exclude_.match(names.texts()))
    return "-ada-exclude matches it";
  if (ignoreList_ &&
      (ignoreList_->inSection("ada", "fun", names.symbol()) || ignoreList_->inSection("ada", "fun", names.full()) ||
       ignoreList_->inSection("ada", "src", names.file())))
    return "-ada-ignorelist matches it";
  return nullptr;
}

std::string Filter::reasonAgainstCallsOf(const Function &function) const {
  const FunctionNames names = namesOf(function);
  if (!calls_.globs().match(names.texts()) && !(calls_.hasDefault() && isInDefaultCalls(function)))
    return kOnlyDeclared;
  if (const char *reason = whyNotWrapped(function))
    return reason;
  const char *reason = unwanted(names);
  return reason ? reason : "";
}

std::string Filter::reasonAgainst(const Function &function) const {
  if (const char *reason = impossible(function))
    return reason;

  if (function.hasFnAttribute(kAttrNoInstrument))
    return "declared no_instrument_function";
  if (compat::isLeftOutBySanitizers(function))
    return "declared disable_sanitizer_instrumentation";
  if (function.hasFnAttribute(kAttrNever))
    return "annotated ada_never";

  const FunctionNames names = namesOf(function);
  if (const char *reason = unwanted(names))
    return reason;
  if (function.hasFnAttribute(kAttrAlways))
    return "";
  if (!include_.empty() && !include_.match(names.texts()))
    return "no glob of -ada-include matches it";
  if (!options_.systemHeaders) {
    if (isHeaderIntrinsic(function))
      return "an intrinsic of the compiler's headers (always_inline and nodebug); -ada-system-headers traces it";
    std::string path = debugInfoPath(function);
    if (isFromSystem(names.scope(), path) && !rustFuture(function))
      return "from a system header" + (path.empty() ? " (by its namespace, without -g)" : " (" + path + ")") +
             "; -ada-system-headers traces it";
  }
  if (options_.minSize && isSmall(function, options_.minSize))
    return "smaller than -ada-min-size, and without a loop";
  return "";
}

bool Filter::isAskedFor(const Function &function) const {
  return !why_.empty() && why_.match(namesOf(function).texts());
}

std::vector<std::string> Filter::unmatchedGlobs(const Module &module) const {
  if (why_.empty())
    return {};
  NamesOfAll defined, declared;
  for (const Function &function : module)
    if (!function.isIntrinsic())
      (function.isDeclaration() ? declared : defined).emplace_back(new FunctionNames(namesOf(function)));
  return ada::pass::unmatchedGlobs(module.getSourceFileName(), include_, exclude_, calls_, defined, declared);
}

} // namespace ada::pass
