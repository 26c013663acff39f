// The rules of filter.h, one after the other.
#include "filter.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "shared/select/system_path.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace llvm;

namespace ada {

//===--- What the source says ---------------------------------------------===//

static constexpr const char *kEntryMark = "instrument-function-entry-inlined";
static constexpr const char *kExitMark = "instrument-function-exit-inlined";

static bool noteAnnotations(Module &module) {
  const GlobalVariable *annotations = module.getNamedGlobal("llvm.global.annotations");
  const auto *list =
      annotations && annotations->hasInitializer() ? dyn_cast<ConstantArray>(annotations->getInitializer()) : nullptr;
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
    if (StringRef shown = name; shown.consume_front("ada_name:")) {
      changed |= function->getFnAttribute(kAttrName).getValueAsString() != shown;
      function->addFnAttr(kAttrName, shown);
      continue;
    }
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

FunctionNames::FunctionNames(const Function &function)
    : symbol_(symbolName(function)),
      demangled_(demangledName(function.isDeclaration() ? sourceName(function) : symbol_)),
      file_(function.isDeclaration() ? debugInfoPath(function) : sourcePath(function)),
      texts_({symbol_.c_str(), demangled_.full.c_str(), file_.c_str()}) {}

std::string GlobList::add(StringRef text) {
  if (text.empty() || text == "|")
    return std::string("-") + option_ + ": the list of globs is empty";
  TextPiece wrong;
  if (const char *fault = select::faultOf(text, &wrong))
    return std::string("-") + option_ + ": '" + std::string(wrong.data, wrong.size) + "' " + fault;
  texts_.push_back(text.str());
  return "";
}

bool GlobList::match(const select::FunctionTexts &function) const {
  return any_of(texts_, [&](const std::string &globs) { return function.match(globs); });
}

std::vector<std::string> GlobList::unmatched(const Module &module, bool defined, bool declared) const {
  std::vector<std::string> globs;
  for (const std::string &text : texts_)
    select::anyGlob(text, [&](TextPiece glob) {
      globs.emplace_back(glob.data, glob.size);
      return false;
    });
  for (const Function &function : module)
    if ((function.isDeclaration() ? declared : defined) && !function.isIntrinsic()) {
      FunctionNames names(function);
      erase_if(globs, [&](const std::string &glob) { return names.texts().match(glob); });
    }
  return globs;
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
    if (!(error = filter->addCalls(text)).empty())
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
    if (const Function *resolver = ifunc.getResolverFunction())
      filter->resolvers_.insert(resolver);
  return filter;
}

/// The globs of -ada-calls may be separated by commas too, because library functions are mostly C functions. Only
/// commas outside of brackets separate: those inside have another meaning, as in "{a,b}" and "f(int, int)".
std::string Filter::addCalls(StringRef text) {
  auto add = [&](StringRef glob) -> std::string {
    if (glob != "default")
      return calls_.add(glob);
    hasDefaultCalls_ = true;
    return "";
  };
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (StringRef("([{<").contains(text[i]))
      ++depth;
    else if (StringRef(")]}>").contains(text[i]))
      --depth;
    else if (text[i] == '|' || (text[i] == ',' && depth <= 0)) {
      std::string wrong = add(text.slice(begin, i));
      if (!wrong.empty())
        return wrong;
      begin = i + 1;
    }
  }
  return add(text.drop_front(begin));
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
  if (resolvers_.count(&function))
    return "an ifunc resolver: it runs before the image is relocated and registered";
  if (name == "__clang_call_terminate")
    return "generated by the compiler for noexcept: never returns to the program";
  if (name.contains(".__await_suspend_wrapper__"))
    return "generated by the compiler for co_await: the await_suspend that it calls is traced";
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

static bool isFromSystem(StringRef scope, const std::string &path) {
  if (!path.empty())
    return select::isSystemPath({path.data(), path.size()});
  // Without debug information the file of a function is unknown, so the implementation's namespaces stand for its
  // headers.
  for (StringRef space : {"std", "__gnu_cxx", "__cxxabiv1", "__gnu_debug", "__gnu_parallel"})
    if (scope == space || compat::startsWith(scope, (space + "::").str()))
      return true;
  return false;
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
  FunctionNames names(function);
  if (!calls_.match(names.texts()) &&
      !(hasDefaultCalls_ && isInDefaultCalls(symbolName(function), sourceName(function))))
    return "only declared in this translation unit; -ada-calls traces calls of such functions";
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
  if (function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation))
    return "declared disable_sanitizer_instrumentation";
  if (function.hasFnAttribute(kAttrNever))
    return "annotated ada_never";

  FunctionNames names(function);
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
    if (isFromSystem(names.scope(), path))
      return "from a system header" + (path.empty() ? " (by its namespace, without -g)" : " (" + path + ")") +
             "; -ada-system-headers traces it";
  }
  if (options_.minSize && isSmall(function, options_.minSize))
    return "smaller than -ada-min-size, and without a loop";
  return "";
}

bool Filter::isAskedFor(const Function &function) const {
  return !why_.empty() && why_.match(FunctionNames(function).texts());
}

std::vector<std::string> Filter::unmatchedGlobs(const Module &module) const {
  std::vector<std::string> sentences;
  if (!why_.empty()) {
    for (const GlobList *list : {&include_, &exclude_})
      for (const std::string &glob : list->unmatched(module, /*defined=*/true, list == &exclude_ && hasCalls()))
        sentences.push_back(module.getSourceFileName() + ": no function here matches -" + list->option() + "='" + glob +
                            "'");
    for (const std::string &glob : calls_.unmatched(module, /*defined=*/false, /*declared=*/true))
      sentences.push_back(module.getSourceFileName() + ": no function that is only declared here matches -ada-calls='" +
                          glob + "'");
  }
  return sentences;
}

} // namespace ada
