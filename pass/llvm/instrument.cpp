// Goes through a module and gives each chosen function its hooks.
#include "instrument.h"
#include "ada/abi.h"
#include "common/special_calls.h"
#include "exits.h"
#include "filter.h"
#include "hooks.h"
#include "inlined_copies.h"
#include "library_calls.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "options.h"
#include "recorded_copy.h"
#include "site_table.h"
#include "source_text.h"
#include "type_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace ada::pass {

namespace {

/// A message of the pass; clang, opt and the linkers print it as their own, and stop after an error.
class Message : public DiagnosticInfo {
  std::string text_;

public:
  Message(DiagnosticSeverity severity, std::string text)
      : DiagnosticInfo(getNextAvailablePluginDiagnosticKind(), severity), text_(std::move(text)) {}
  void print(DiagnosticPrinter &printer) const override { printer << "AdaTrace: " << text_; }
};

/// One run of the pass over one module.
class ModuleInstrumenter {
public:
  ModuleInstrumenter(Module &module, const PassOptions &options, const Filter &filter, bool beforeInlining)
      : module_(module), options_(options), filter_(filter),
        form_(beforeInlining || isForLto(module) ? SiteTable::Form::Early : SiteTable::Form::Tied),
        sites_(module, form_, beforeInlining, options.pointees), hooks_(module, stackArguments(form_)),
        libraryCalls_(module, filter) {}

  /// Instruments the functions that the filter chooses among those that IS_CANDIDATE accepts.
  bool run(function_ref<bool(const Function &)> isCandidate);

private:
  Module &module_;
  const PassOptions &options_;
  const Filter &filter_;
  SiteTable::Form form_;
  SiteTable sites_;
  Hooks hooks_;
  LibraryCalls libraryCalls_;
  DenseMap<const Function *, Value *> enabled_; // of functions that may be jumped back to

  void instrument(Function &function, Unwinding *unwinding);
  void addHooks(Function &function, const Site &site, Unwinding *unwinding, ArrayRef<CallBase *> twice,
                bool isRecorded);
  bool announceProcessEnds();
  void followFibers();
  void followCall(CallBase &call);
  void noteLeftOut(Function &function, StringRef reason);
  bool hasLeftOut_ = false;
};

/// Whether CALLEE is one of libc's functions in NAMES.
bool isLibcFunction(const Function &callee, ArrayRef<StringRef> names) {
  return callee.isDeclaration() && is_contained(names, symbolName(callee));
}

/// What a call of libc is, or of LLVM's own setjmp.
SpecialCall kindOf(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (callee && callee->getIntrinsicID() == Intrinsic::eh_sjlj_setjmp)
    return SpecialCall::SetJump;
  return callee && callee->isDeclaration() ? specialCall(symbolName(*callee).str()) : SpecialCall::None;
}

bool isReturnsTwice(const CallBase &call) {
  if (call.hasFnAttr(Attribute::ReturnsTwice))
    return true;
  // By name, for front ends that do not know them.
  const SpecialCall kind = kindOf(call);
  return kind == SpecialCall::SetJump || kind == SpecialCall::SaveStack ||
         (call.getCalledFunction() && isLibcFunction(*call.getCalledFunction(), {"vfork"}));
}

/// Whether control may come back to CALL from another stack or by a jump, which followFibers() reports.
bool savesStack(const CallBase &call) {
  const SpecialCall kind = kindOf(call);
  const Function *callee = call.getCalledFunction();
  const bool isVfork = callee && isLibcFunction(*callee, {"vfork"});
  return kind == SpecialCall::SetJump || kind == SpecialCall::SaveStack ||
         (call.hasFnAttr(Attribute::ReturnsTwice) && !isVfork);
}

/// Moves all static allocas of FUNCTION before its first other instruction, and returns that instruction. After a
/// branch, a static alloca would become a dynamic one.
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

/// The first instruction at or after START that does not store arguments, which is how a compiler that does not
/// optimize begins a function. Debuggers stop at the first instruction with a line, which will be the hook's, and read
/// the arguments from where they were stored.
Instruction *afterArgumentStores(Instruction *start) {
  Instruction *place = start;
  for (Instruction *next = start;; next = next->getNextNode()) {
    if (isa<DbgInfoIntrinsic>(next) || isa<GetElementPtrInst>(next) || isa<BitCastInst>(next))
      continue;
    auto *store = dyn_cast<StoreInst>(next);
    if (!store || !isa<AllocaInst>(store->getPointerOperand()->stripInBoundsConstantOffsets()))
      return place;
    if (isa<Argument>(store->getValueOperand()))
      place = store->getNextNode();
    else if (!isa<Constant>(store->getValueOperand())) // main's result
      return place;
  }
}

/// The place of FUNCTION's opening brace.
DebugLoc openingLocation(const Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return DebugLoc();
  unsigned line = subprogram->getScopeLine() ? subprogram->getScopeLine() : subprogram->getLine();
  return DebugLoc(DILocation::get(function.getContext(), line, 0, subprogram));
}

/// The first instruction after CALL has returned, in a block that is not reached in any other way.
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

/// Drops the attributes that the hooks make untrue.
void dropUntrueAttributes(Function &function) {
  compat::dropMemoryAttributes(function);
  for (Attribute::AttrKind kind : {Attribute::Speculatable, Attribute::NoSync, Attribute::NoFree})
    function.removeFnAttr(kind);
}

/// With -fstack-protector-strong, a variable whose address escapes asks for a protector, so each function's frame
/// would. Functions that don't need one otherwise get none: `ssp` looks for arrays of characters only.
void keepUnprotected(Function &function) {
  if (function.hasFnAttribute(Attribute::StackProtectStrong) && !compat::requiresStackProtector(function)) {
    function.removeFnAttr(Attribute::StackProtectStrong);
    function.addFnAttr(Attribute::StackProtect);
  }
}

void ModuleInstrumenter::instrument(Function &function, Unwinding *unwinding) {
  const Site site = sites_.add(function);
  SmallVector<CallBase *, 2> twice;
  for (BasicBlock &block : function)
    for (Instruction &instruction : block)
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (isReturnsTwice(*call))
          twice.push_back(call);
  if (!options_.cheapOff || form_ != SiteTable::Form::Tied || !twice.empty() || !canHaveCopy(function))
    return addHooks(function, site, unwinding, twice, /*isRecorded=*/false);
  Function &copy = makeRecordedCopy(function, *site.enable, afterStaticAllocas(function), openingLocation(function));
  dropUntrueAttributes(function); // the copy's
  function.addFnAttr(kAttrInstrumented);
  addHooks(copy, site, unwinding, {}, /*isRecorded=*/true);
}

/// Gives FUNCTION the hooks of SITE. TWICE: its calls that may return twice. ISRECORDED: it is not called otherwise.
void ModuleInstrumenter::addHooks(Function &function, const Site &site, Unwinding *unwinding,
                                  ArrayRef<CallBase *> twice, bool isRecorded) {
  keepUnprotected(function);
  Exits exits(function, unwinding);
  Instruction *start = afterArgumentStores(afterStaticAllocas(function));
  DebugLoc opening = openingLocation(function);
  IRBuilder<> builder(start);
  builder.SetCurrentDebugLocation(opening);
  // Widened to a pointer's width at once: adding it to the frame's address then costs no instruction.
  Value *wide = builder.CreateZExt(readEnabled(builder, *site.enable), builder.getInt64Ty());
  if (isRecorded) // it was; meanwhile it may have become 0
    wide = builder.CreateOr(wide, ADA_ENABLE_INDEX);
  Frame frame = hooks_.makeFrame(function, wide, exits.endOtherwise());
  frame.isRecorded = isRecorded;
  insertGuarded(frame, start, opening, [&](IRBuilder<> &inner) {
    hooks_.enter(inner, site.entry, function, frame);
    if (!twice.empty())
      hooks_.markFrame(inner);
  });
  for (CallBase *call : twice) {
    enabled_[&function] = wide;
    if (savesStack(*call))
      continue;
    DebugLoc location = call->getDebugLoc() ? call->getDebugLoc() : opening;
    insertGuarded(frame, afterCall(*call), location, [&](IRBuilder<> &inner) { hooks_.resync(inner); });
  }
  exits.instrument(hooks_, frame);
  sites_.setCarried(site, frame.carried);
  dropUntrueAttributes(function);
  function.addFnAttr(kAttrInstrumented);
}

/// Whether a call with an argument changes or saves the stack: see followFibers().
bool changesStack(SpecialCall kind) {
  return kind == SpecialCall::LeaveStack || kind == SpecialCall::SaveStack || kind == SpecialCall::MakeStack;
}

/// What the runtime has to be told before CALL; None if nothing, or if it is told already. System: the thread ends.
SpecialCall announced(const CallBase &call) {
  SpecialCall kind = kindOf(call);
  if (kind == SpecialCall::System) {
    kind = !call.hasFnAttr(kAttrMakesNoProcess) && mayMakeProcess(call) ? SpecialCall::Clone
           : ends(call, SystemCall::EndsThread)                         ? SpecialCall::System
           : ends(call, SystemCall::EndsProcess)                        ? SpecialCall::Exit
                                                                        : SpecialCall::None;
  } else if (kind == SpecialCall::Exit && (call.arg_empty() || !call.getArgOperand(0)->getType()->isIntegerTy(32))) {
    kind = SpecialCall::None; // not libc's
  }
  const auto *before = dyn_cast_or_null<CallBase>(call.getPrevNode());
  const Function *other = before ? before->getCalledFunction() : nullptr;
  const bool isTold = other && compat::startsWith(other->getName(), "__ada_before_");
  return isTold || changesStack(kind) || kind == SpecialCall::SetJump ? SpecialCall::None : kind;
}

/// exec and _exit run no destructors, and a process made without libc's fork runs no fork handlers. Functions that are
/// not traced announce these calls as well, because it is the process that ends or is copied. Calls that give the
/// thread a stack for its signal handlers are announced too.
bool ModuleInstrumenter::announceProcessEnds() {
  bool changed = false;
  for (Function &function : module_) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
        function.hasFnAttribute(Attribute::Naked) || compat::isPresplitCoroutine(function))
      continue;
    SmallVector<std::pair<CallBase *, SpecialCall>, 2> calls;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *call = dyn_cast<CallBase>(&instruction))
          if (const SpecialCall kind = announced(*call); kind != SpecialCall::None)
            calls.push_back({call, kind});
    for (auto [call, kind] : calls) {
      IRBuilder<> builder(call);
      if (kind == SpecialCall::Exec) {
        hooks_.beforeExec(builder);
        if (!call->isMustTailCall()) {
          IRBuilder<> behind(afterCall(*call));
          behind.SetCurrentDebugLocation(call->getDebugLoc());
          hooks_.afterExec(behind);
        }
      } else if (kind == SpecialCall::Exit)
        hooks_.beforeExit(builder, call->getArgOperand(call->arg_size() > 1)); // of syscall() the second
      else if (kind == SpecialCall::System)
        hooks_.beforeThreadExit(builder, call->getArgOperand(1));
      else if (kind == SpecialCall::Clone)
        hooks_.beforeClone(builder);
      else {
        hooks_.beforeSignalStack(builder);
        if (!call->isMustTailCall()) {
          IRBuilder<> after(afterCall(*call));
          after.SetCurrentDebugLocation(call->getDebugLoc());
          hooks_.afterSignalStack(after);
        }
      }
      changed = true;
    }
    if (!calls.empty())
      dropUntrueAttributes(function);
  }
  return changed;
}

/// The same for calls that save the stack, or switch to another one: each stack is recorded as a row of its own. See
/// include/ada/abi.h.
void ModuleInstrumenter::followFibers() {
  constexpr const char *kFollowed = "ada-fiber";
  for (Function &function : module_) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
        function.hasFnAttribute(Attribute::Naked) || compat::isPresplitCoroutine(function))
      continue;
    SmallVector<CallBase *, 2> calls;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *call = dyn_cast<CallBase>(&instruction);
        if (!call || call->hasFnAttr(kFollowed) || call->isMustTailCall())
          continue;
        const bool isOfContext =
            !call->arg_empty() && call->getArgOperand(0)->getType()->isPointerTy() && changesStack(kindOf(*call));
        if (isOfContext || savesStack(*call))
          calls.push_back(call);
      }
    for (CallBase *call : calls) {
      compat::addAttribute(*call, Attribute::get(module_.getContext(), kFollowed));
      followCall(*call);
    }
    if (!calls.empty())
      dropUntrueAttributes(function);
  }
}

void ModuleInstrumenter::followCall(CallBase &call) {
  const SpecialCall kind = kindOf(call);
  IRBuilder<> before(&call);
  if (kind == SpecialCall::MakeStack)
    return hooks_.fiberMake(before, call.getArgOperand(0));
  const bool isOfContext = changesStack(kind);
  Value *token = hooks_.fiberToken(before, /*leaves=*/kind == SpecialCall::LeaveStack);
  Instruction *next = afterCall(call);
  const auto write = [&](IRBuilder<> &after) {
    hooks_.fiberResume(after, token, /*byJump=*/!isOfContext);
    if (kind != SpecialCall::LeaveStack)
      hooks_.landed(after, enabled_.lookup(call.getFunction()));
  };
  if (kind == SpecialCall::SetJump && call.getType()->isIntegerTy())
    return insertSeldom(&call, next, call.getDebugLoc(), write);
  IRBuilder<> after(next);
  after.SetCurrentDebugLocation(call.getDebugLoc());
  write(after);
}

/// Names FUNCTION in the object, which `adatrace info` and `doctor` show: a trace lacks it without a word.
void ModuleInstrumenter::noteLeftOut(Function &function, StringRef reason) {
  std::string text = "\t.pushsection\t" ADA_SECTION_LEFT_OUT ",\"\",@progbits\n";
  for (const StringRef part : {symbolName(function), reason}) {
    text += "\t.ascii\t\"";
    for (const char c : part) // digits for what has a meaning in a string, or could have one
      if (isAlnum(c))
        text += c;
      else
        for (const int shift : {9, 6, 3, 0})
          text += shift == 9 ? '\\' : static_cast<char>('0' + (static_cast<unsigned char>(c) >> shift & 7));
    text += "\\000\"\n";
  }
  module_.appendModuleInlineAsm(text + "\t.popsection");
  if (!compat::isPresplitCoroutine(function))
    function.addFnAttr(kAttrInstrumented); // is not looked at again
  hasLeftOut_ = true;
}

bool ModuleInstrumenter::run(function_ref<bool(const Function &)> isCandidate) {
  SmallVector<Function *, 64> chosen;
  for (Function &function : module_) {
    if (function.isIntrinsic() || function.hasFnAttribute(kAttrInstrumented) || !isCandidate(function))
      continue;
    if (function.isDeclaration())
      continue; // libraryCalls_.explain()
    std::string reason = filter_.reasonAgainst(function);
    if (filter_.isAskedFor(function) && !compat::startsWith(function.getName(), "__ada_"))
      errs() << "AdaTrace: " << demangledName(function).full
             << (reason.empty() ? ": traced" : ": not traced: " + reason) << "\n";
    if (reason.empty())
      chosen.push_back(&function);
    else if (const char *why = filter_.reasonWithoutHooks(function); why && reason == why)
      noteLeftOut(function, why);
  }
  const SmallVector<Function *, 16> wrappers = libraryCalls_.wrap(chosen);
  libraryCalls_.explain(isCandidate);
  if (chosen.empty())
    return hasLeftOut_;
  chosen.append(wrappers.begin(), wrappers.end());
  announceProcessEnds(); // in wrappers, between their hooks and the call
  Unwinding unwinding(module_);
  for (Function *function : chosen)
    instrument(*function, options_.unwind ? &unwinding : nullptr);
  followFibers();
  sites_.finish();
  return true;
}

//===--- Explaining what is gone ------------------------------------------===//

constexpr const char *kDefinedList = "ada.defined";

/// Prints which globs match nothing, before the optimizer has removed any function.
void explainGlobs(const Module &module, const Filter &filter) {
  for (const std::string &sentence : filter.unmatchedGlobs(module))
    errs() << "AdaTrace: " << sentence << "\n";
}

/// At the start of the pipeline: remembers which functions -ada-why asks for.
void rememberDefined(Module &module, const Filter &filter) {
  for (const Function &function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() && filter.isAskedFor(function)) {
      LLVMContext &context = module.getContext();
      module.getOrInsertNamedMetadata(kDefinedList)
          ->addOperand(MDNode::get(context, MDString::get(context, function.getName())));
    }
}

/// At the end of the pipeline: prints what became of those that no longer exist.
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
    if (place_ != Place::PipelineStart)
      context.diagnose(
          Message(DS_Warning, "nothing is traced: hooks exist for x86_64 and aarch64 ELF, not for " + triple.str()));
    return PreservedAnalyses::all();
  }

  if (place_ != Place::PipelineStart && triple.isMusl())
    context.diagnose(Message(DS_Warning, "the runtime needs glibc: this will not link or not start with musl "
                                         "(docs/reference/pass.md, Targets)"));
  if (place_ != Place::PipelineEnd)
    explainGlobs(module, *filter);
  bool changed = noteSourceMarks(module, options.consumeMarks);
  if (place_ == Place::PipelineStart && !options.beforeInlining) {
    for (Function &function : module)
      if (!function.isDeclaration())
        numberParameters(function);
    rememberDefined(module, *filter);
    return PreservedAnalyses::none();
  }

  ModuleInstrumenter instrumenter(module, options, *filter, options.beforeInlining && place_ != Place::PipelineEnd);
  if (place_ == Place::PipelineStart) {
    // A coroutine's body becomes several functions and gets its hooks after that. Until then no coroutine may be
    // inlined, or the call that creates it would be gone.
    for (Function &function : module)
      if (!function.isDeclaration() && compat::isPresplitCoroutine(function)) {
        function.addFnAttr(kAttrAfterSplit);
        if (!function.hasFnAttribute(Attribute::AlwaysInline))
          function.addFnAttr(Attribute::NoInline);
      }
    changed |= instrumenter.run([](const Function &function) { return !function.hasFnAttribute(kAttrAfterSplit); });
  } else if (place_ == Place::PipelineEnd && options.beforeInlining) {
    changed |= instrumenter.run([](const Function &function) { return function.hasFnAttribute(kAttrAfterSplit); });
  } else {
    changed |= instrumenter.run([](const Function &) { return true; });
    changed |= explainGone(module);
  }
  if (place_ == Place::PipelineEnd)
    changed |= markInlinedCopies(module);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace ada::pass
