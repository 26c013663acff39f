// instrument.cpp - goes through a module and gives each chosen function its hooks.
#include "instrument.h"
#include "exits.h"
#include "filter.h"
#include "hooks.h"
#include "llvm_compat.h"
#include "options.h"
#include "site_table.h"
#include "source_text.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace ada {

namespace {

/// A message of the pass; clang, opt and the linkers print it as their own, and stop after an error.
class Message : public DiagnosticInfo {
  std::string text;

public:
  Message(DiagnosticSeverity severity, std::string text)
      : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), severity), text(std::move(text)) {}
  void print(DiagnosticPrinter &printer) const override { printer << "AdaTrace: " << text; }
};

/// One run of the pass over one module.
class ModuleInstrumenter {
public:
  ModuleInstrumenter(Module &module, const PassOptions &options, const Filter &filter, bool beforeInlining)
      : module(module), options(options), filter(filter),
        sites(module, beforeInlining || isForLto(module) ? SiteTable::Form::Early : SiteTable::Form::Tied,
              beforeInlining),
        hooks(module) {}

  /// Instruments the functions among which the filter chooses, of those that IS_CANDIDATE accepts.
  bool run(function_ref<bool(const Function &)> isCandidate);

private:
  Module &module;
  const PassOptions &options;
  const Filter &filter;
  SiteTable sites;
  Hooks hooks;

  void instrument(Function &function, Unwinding *unwinding);
  bool announceProcessEnds();
};

/// Whether CALLEE is one of libc's functions in NAMES.
bool isLibcFunction(const Function &callee, ArrayRef<StringRef> names) {
  return callee.isDeclaration() && is_contained(names, symbolName(callee));
}

bool isReturnsTwice(const CallBase &call) {
  if (call.hasFnAttr(Attribute::ReturnsTwice))
    return true;
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return false;
  if (callee->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp)
    return true;
  // By name, for front ends that do not know them.
  return isLibcFunction(*callee,
                        {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "getcontext", "savectx"});
}

/// The first instruction of FUNCTION that is no alloca, all its static allocas being before it: a static alloca behind a
/// branch would turn into a dynamic one.
Instruction *afterStaticAllocas(Function &function) {
  BasicBlock &entry = function.getEntryBlock();
  Instruction *place = &*entry.begin();
  while (isa<AllocaInst>(place))
    place = place->getNextNode();
  SmallVector<Instruction *, 4> late;
  for (Instruction &instruction : make_range(place->getIterator(), entry.end()))
    if (auto *alloca = dyn_cast<AllocaInst>(&instruction))
      if (alloca->isStaticAlloca())
        late.push_back(alloca);
  for (Instruction *alloca : late)
    compat::moveBefore(alloca, place);
  return place;
}

/// The place of FUNCTION's opening brace.
DebugLoc openingLocation(const Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return DebugLoc();
  unsigned line = subprogram->getScopeLine() ? subprogram->getScopeLine() : subprogram->getLine();
  return DebugLoc(DILocation::get(function.getContext(), line, 0, subprogram));
}

/// Where control is after CALL returned, in a block that is reached in no other way.
Instruction *afterCall(CallBase &call) {
  auto *invoke = dyn_cast<InvokeInst>(&call);
  if (!invoke)
    return call.getNextNode();
  BasicBlock *normal = invoke->getNormalDest();
  if (!normal->getSinglePredecessor()) {
    BasicBlock *landing = BasicBlock::Create(call.getContext(), "", call.getFunction(), normal);
    BranchInst::Create(normal, landing)->setDebugLoc(call.getDebugLoc());
    invoke->setNormalDest(landing);
    normal->replacePhiUsesWith(invoke->getParent(), landing);
    normal = landing;
  }
  return &*normal->getFirstInsertionPt();
}

/// What the hooks make untrue of a function.
void dropUntrueAttributes(Function &function) {
  compat::dropMemoryAttributes(function);
  for (Attribute::AttrKind kind : {Attribute::Speculatable, Attribute::NoSync, Attribute::NoFree})
    function.removeFnAttr(kind);
}

void ModuleInstrumenter::instrument(Function &function, Unwinding *unwinding) {
  Exits exits(function, unwinding);
  SmallVector<CallBase *, 2> twice;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (isReturnsTwice(*call))
          twice.push_back(call);

  Site site = sites.add(function);
  Instruction *start = afterStaticAllocas(function);
  DebugLoc opening = openingLocation(function);
  IRBuilder<> builder(start);
  builder.SetCurrentDebugLocation(opening);
  // Read once: a call is recorded with both its ends or not at all, whenever the runtime writes the byte.
  LoadInst *enabled = builder.CreateAlignedLoad(builder.getInt8Ty(), site.enable, Align(1), "ada.on");
  enabled->setAtomic(AtomicOrdering::Monotonic);
  enabled->setMetadata("nosanitize", MDNode::get(function.getContext(), {}));
  DetailFrame detail = hooks.makeDetailFrame(function, enabled);
  insertGuarded(enabled, start, opening, [&](IRBuilder<> &inner) {
    hooks.enter(inner, site.entry, function, &detail);
    if (!twice.empty())
      hooks.markFrame(inner);
  });
  for (CallBase *call : twice) {
    DebugLoc location = call->getDebugLoc() ? call->getDebugLoc() : opening;
    insertGuarded(enabled, afterCall(*call), location, [&](IRBuilder<> &inner) { hooks.resync(inner); });
  }
  exits.instrument(hooks, site, enabled, detail);
  dropUntrueAttributes(function);
  function.addFnAttr(kAttrInstrumented);
}

/// exec and _exit run no destructors. Functions that are not traced announce them as well: it is the process that ends.
bool ModuleInstrumenter::announceProcessEnds() {
  enum Kind { None, Exec, Exit };
  bool changed = false;
  for (Function &function : module) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
        function.hasFnAttribute(Attribute::Naked) || compat::isPresplitCoroutine(function))
      continue;
    SmallVector<std::pair<CallBase *, Kind>, 2> calls;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        const Function *callee = call ? call->getCalledFunction() : nullptr;
        if (!callee)
          continue;
        Kind kind = isLibcFunction(*callee, {"execl", "execle", "execlp", "execv", "execve", "execvp", "execvpe",
                                             "fexecve", "execveat"})
                        ? Exec
                    : isLibcFunction(*callee, {"_exit", "_Exit", "quick_exit"}) ? Exit
                                                                                : None;
        if (kind == Exit && (call->arg_empty() || !call->getArgOperand(0)->getType()->isIntegerTy(32)))
          kind = None; // not libc's
        const auto *before = dyn_cast_or_null<CallBase>(instruction.getPrevNode());
        const Function *announced = before ? before->getCalledFunction() : nullptr;
        if (kind != None && !(announced && compat::startsWith(announced->getName(), "__ada_before_ex")))
          calls.push_back({call, kind});
      }
    for (auto [call, kind] : calls) {
      IRBuilder<> builder(call);
      if (kind == Exec)
        hooks.beforeExec(builder);
      else
        hooks.beforeExit(builder, call->getArgOperand(0));
      changed = true;
    }
    if (!calls.empty())
      dropUntrueAttributes(function);
  }
  return changed;
}

bool ModuleInstrumenter::run(function_ref<bool(const Function &)> isCandidate) {
  SmallVector<Function *, 64> chosen;
  for (Function &function : module) {
    if (function.isIntrinsic() || function.hasFnAttribute(kAttrInstrumented) || !isCandidate(function))
      continue;
    std::string reason = filter.reasonAgainst(function);
    if (filter.isAskedFor(function) && !compat::startsWith(function.getName(), "__ada_"))
      errs() << "AdaTrace: " << demangledName(symbolName(function)).full
             << (reason.empty() ? ": traced" : ": not traced: " + reason) << "\n";
    if (reason.empty())
      chosen.push_back(&function);
  }
  if (chosen.empty())
    return false;
  announceProcessEnds();
  Unwinding unwinding(module);
  for (Function *function : chosen)
    instrument(*function, options.unwind ? &unwinding : nullptr);
  sites.finish();
  return true;
}

//===--- Explaining what is gone ------------------------------------------------===//

constexpr const char *kDefinedList = "ada.defined";

/// At the start of the pipeline: remembers which functions -ada-why asks for.
bool rememberDefined(Module &module, const Filter &filter) {
  bool changed = false;
  for (const Function &function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() && filter.isAskedFor(function)) {
      LLVMContext &context = module.getContext();
      module.getOrInsertNamedMetadata(kDefinedList)
          ->addOperand(MDNode::get(context, MDString::get(context, function.getName())));
      changed = true;
    }
  return changed;
}

/// At its end: says what became of those that are no more.
bool explainGone(Module &module) {
  NamedMDNode *list = module.getNamedMetadata(kDefinedList);
  if (!list)
    return false;
  for (const MDNode *node : list->operands()) {
    StringRef name = cast<MDString>(node->getOperand(0))->getString();
    const Function *function = module.getFunction(name);
    if (!function || function->isDeclaration())
      errs() << "AdaTrace: " << demangledName(GlobalValue::dropLLVMManglingEscape(name)).full
             << ": not traced: inlined into its callers or removed as unused; -ada-before-inlining traces inlined "
                "functions\n";
  }
  list->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses AdaTracePass::run(Module &module, ModuleAnalysisManager &) {
  LLVMContext &context = module.getContext();
  std::string error;
  PassOptions options = readOptions(error);
  std::unique_ptr<Filter> filter = error.empty() ? Filter::create(options, module, error) : nullptr;
  if (!filter) {
    context.diagnose(Message(DS_Error, error));
    return PreservedAnalyses::all();
  }
  Triple triple = compat::targetTriple(module);
  if (!triple.isOSBinFormatELF() || !(triple.getArch() == Triple::x86_64 || triple.getArch() == Triple::aarch64) ||
      triple.isX32()) {
    if (place != Place::PipelineStart)
      context.diagnose(Message(DS_Warning, "nothing is traced: hooks exist for x86_64 and aarch64 ELF, not for " +
                                               triple.str()));
    return PreservedAnalyses::all();
  }

  bool changed = noteSourceMarks(module, options.consumeMarks);
  if (place == Place::PipelineStart && !options.beforeInlining) {
    changed |= rememberDefined(module, *filter);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }

  ModuleInstrumenter instrumenter(module, options, *filter,
                                  options.beforeInlining && place != Place::PipelineEnd);
  if (place == Place::PipelineStart) {
    // A coroutine's body becomes several functions; hooks come when it has.
    for (Function &function : module)
      if (!function.isDeclaration() && compat::isPresplitCoroutine(function))
        function.addFnAttr(kAttrAfterSplit);
    changed |= instrumenter.run([](const Function &function) { return !function.hasFnAttribute(kAttrAfterSplit); });
  } else if (place == Place::PipelineEnd && options.beforeInlining) {
    changed |= instrumenter.run([](const Function &function) { return function.hasFnAttribute(kAttrAfterSplit); });
  } else {
    changed |= instrumenter.run([](const Function &) { return true; });
    changed |= explainGone(module);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace ada
