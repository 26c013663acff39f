// filter.cpp - the rules of filter.h, one after the other.
#include "filter.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace ada {

//===--- What the source says ---------------------------------------------------===//

static constexpr const char *kEntryMark = "instrument-function-entry-inlined";
static constexpr const char *kExitMark = "instrument-function-exit-inlined";

static bool noteAnnotations(Module &module) {
  const GlobalVariable *annotations = module.getNamedGlobal("llvm.global.annotations");
  const auto *list = annotations && annotations->hasInitializer()
                         ? dyn_cast<ConstantArray>(annotations->getInitializer())
                         : nullptr;
  if (!list)
    return false;
  bool changed = false;
  for (const Use &element : list->operands()) {
    const auto *annotation = dyn_cast<ConstantStruct>(element);
    if (!annotation || annotation->getNumOperands() < 2)
      continue;
    auto *function = dyn_cast<Function>(annotation->getOperand(0)->stripPointerCasts());
    const auto *text = dyn_cast<GlobalVariable>(annotation->getOperand(1)->stripPointerCasts());
    const auto *data =
        text && text->hasInitializer() ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
    if (!function || !data || !data->isCString())
      continue;
    StringRef name = data->getAsCString();
    const char *attribute = name == "ada_always" ? kAttrAlways : name == "ada_never" ? kAttrNever : nullptr;
    if (attribute && !function->hasFnAttribute(attribute)) {
      function->addFnAttr(attribute);
      changed = true;
    }
  }
  return changed;
}

bool noteSourceMarks(Module &module, bool consumeMarks) {
  bool changed = noteAnnotations(module);
  bool isMarked = false;
  for (const Function &function : module)
    isMarked |= function.getFnAttribute(kEntryMark).getValueAsString() == "__cyg_profile_func_enter";
  if (!isMarked)
    return changed;
  // clang marked every function that it compiled from source, but for those declared no_instrument_function.
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

//===--- Globs ------------------------------------------------------------------===//

std::string GlobList::add(const char *name, StringRef text) {
  SmallVector<StringRef, 8> parts;
  text.split(parts, '|', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (parts.empty())
    return std::string("-") + name + ": the list of globs is empty";
  for (StringRef part : parts) {
    texts.push_back(part.str());
    Expected<GlobPattern> glob = GlobPattern::create(part);
    if (!glob)
      return std::string("-") + name + ": '" + part.str() + "' is not a glob: " + toString(glob.takeError());
  }
  // Only now do the texts stay where they are.
  globs.clear();
  for (const std::string &kept : texts)
    globs.push_back(cantFail(GlobPattern::create(kept)));
  return "";
}

bool GlobList::matches(StringRef text) const {
  for (const GlobPattern &glob : globs)
    if (glob.match(text))
      return true;
  return false;
}

//===--- The rules --------------------------------------------------------------===//

std::unique_ptr<Filter> Filter::create(const PassOptions &options, const Module &module, std::string &error) {
  auto filter = std::make_unique<Filter>();
  filter->options = options;
  for (const std::string &globs : options.include)
    if (!(error = filter->include.add("ada-include", globs)).empty())
      return nullptr;
  for (const std::string &globs : options.exclude)
    if (!(error = filter->exclude.add("ada-exclude", globs)).empty())
      return nullptr;
  if (!options.why.empty() && !(error = filter->why.add("ada-why", options.why)).empty())
    return nullptr;
  if (!options.ignoreLists.empty()) {
    std::string wrong;
    filter->ignoreList = SpecialCaseList::create(options.ignoreLists, *vfs::getRealFileSystem(), wrong);
    if (!filter->ignoreList) {
      error = "-ada-ignorelist: " + wrong;
      return nullptr;
    }
  }
  for (const GlobalIFunc &ifunc : module.ifuncs())
    if (const Function *resolver = ifunc.getResolverFunction())
      filter->resolvers.insert(resolver);
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
  if (function.hasFnAttribute(Attribute::Naked))
    return "naked: it has no frame, and a hook would destroy its argument registers";
  if (resolvers.count(&function))
    return "an ifunc resolver: it runs before the image is relocated and registered";
  if (name == "__clang_call_terminate")
    return "made by the compiler for noexcept: never returns to the program";
  if (name.contains(".__await_suspend_wrapper__"))
    return "made by the compiler for co_await: the await_suspend that it calls is traced";
  switch (function.getCallingConv()) {
  case CallingConv::GHC:
  case CallingConv::HiPE:
    return "its calling convention has no stack frame to call a hook from";
  case CallingConv::X86_INTR:
    return "an interrupt handler: it must preserve the vector registers, which a hook does not";
  default:
    break;
  }
  if (compat::isPresplitCoroutine(function))
    return "a coroutine that will be split at link time: let the linker load the plugin too "
           "(-Wl,--load-pass-plugin=libAdaTrace.so)";
  return nullptr;
}

static bool isFromSystem(const DemangledName &name, const std::string &path) {
  if (!path.empty())
    return isSystemPath(path);
  // Without debug information nothing says which file a function is from, so the namespaces of the implementation
  // stand for its headers.
  StringRef scope = name.scope;
  for (StringRef space : {"std", "__gnu_cxx", "__cxxabiv1", "__gnu_debug", "__gnu_parallel"})
    if (scope == space || compat::startsWith(scope, (space + "::").str()))
      return true;
  return false;
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

std::string Filter::reasonAgainst(const Function &function) const {
  if (const char *reason = impossible(function))
    return reason;

  if (function.hasFnAttribute(kAttrNoInstrument))
    return "declared no_instrument_function";
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return "declared disable_sanitizer_instrumentation";
  if (function.hasFnAttribute(kAttrNever))
    return "annotated ada_never";

  StringRef symbol = symbolName(function);
  DemangledName name = demangledName(symbol);
  std::string path = debugInfoPath(function);
  std::string file = path.empty() ? function.getParent()->getSourceFileName() : path;
  auto matches = [&](const GlobList &globs) {
    return globs.matches(symbol) || globs.matches(name.full) || globs.matches(name.withoutParameters) ||
           globs.matches(file);
  };
  if (matches(exclude))
    return "-ada-exclude matches it";
  if (ignoreList && (ignoreList->inSection("ada", "fun", symbol) || ignoreList->inSection("ada", "fun", name.full) ||
                     ignoreList->inSection("ada", "src", file)))
    return "-ada-ignorelist matches it";
  if (function.hasFnAttribute(kAttrAlways))
    return "";
  if (!include.empty() && !matches(include))
    return "no glob of -ada-include matches it";
  if (!options.systemHeaders && isFromSystem(name, path))
    return "from a system header" + (path.empty() ? " (by its namespace, without -g)" : " (" + path + ")") +
           "; -ada-system-headers traces it";
  if (options.minSize && isSmall(function, options.minSize))
    return "smaller than -ada-min-size, and without a loop";
  return "";
}

bool Filter::isAskedFor(StringRef symbol) const {
  if (why.empty())
    return false;
  DemangledName name = demangledName(symbol);
  return why.matches(symbol) || why.matches(name.full) || why.matches(name.withoutParameters);
}

bool Filter::isAskedFor(const Function &function) const {
  return !why.empty() && (isAskedFor(symbolName(function)) || why.matches(sourcePath(function)));
}

} // namespace ada
