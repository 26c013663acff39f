// Makes ada_function entries, enable bytes and the image descriptor.
#include "site_table.h"
#include "ada/abi.h"
#include "coroutines.h"
#include "filter.h"
#include "library_functions.h"
#include "llvm_compat.h"
#include "rust_futures.h"
#include "source_text.h"
#include "type_text.h"

#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace ada::pass {

static constexpr const char *kImageName = "__ada_image";

bool isForLto(const Module &module) {
  return module.getModuleFlag("ThinLTO") || module.getModuleFlag("EnableSplitLTOUnit") ||
         // rustc sets no flag, and unless told otherwise it optimizes all modules of a crate together.
         any_of(module, [](const Function &function) {
           return !function.isDeclaration() && manglingOf(symbolName(function)) == Mangling::Rust;
         });
}

SiteTable::SiteTable(Module &module, Form form, bool beforeInlining, bool pointees)
    : module_(module), form_(form), beforeInlining_(beforeInlining), pointees_(pointees) {}

/// Private and unnamed_addr, so that the linker merges equal texts of all objects (.rodata.str1.1).
Constant *SiteTable::string(const std::string &text) {
  GlobalVariable *&global = strings_[text];
  if (!global) {
    Constant *data = ConstantDataArray::getString(module_.getContext(), text);
    global = new GlobalVariable(module_, data->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, data,
                                "__ada_text");
    global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    global->setAlignment(Align(1));
    compat::excludeFromSanitizers(*global);
    compat::keepNearCode(*global);
  }
  return global;
}

/// The group of the data of FUNCTION, which is kept or dropped as a whole: the function's own, or one that has its name
/// and is not merged with others. So each function's data is in sections of its own.
static Comdat *groupOf(Function &function) {
  if (Comdat *comdat = function.getComdat())
    return comdat;
  Module &module = *function.getParent();
  const StringRef symbol = symbolName(function);
  const auto &known = module.getComdatSymbolTable();
  const auto found = known.find(symbol);
  const bool isFree = found == known.end() || found->second.getSelectionKind() == Comdat::NoDeduplicate;
  Comdat *comdat = module.getOrInsertComdat(isFree ? symbol : ("__ada_fn." + symbol).str());
  comdat->setSelectionKind(Comdat::NoDeduplicate);
  return comdat;
}

/// Gives GLOBAL, which belongs to FUNCTION, the linkage that the form asks for.
void SiteTable::place(GlobalVariable &global, Function &function) {
  compat::excludeFromSanitizers(global);
  compat::keepNearCode(global);
  if (form_ == Form::Tied) {
    global.setLinkage(GlobalValue::PrivateLinkage);
    global.setComdat(groupOf(function));
    return;
  }
  // A definition that the linker may replace by a different one (weak, not ODR) must not share its entry with that one.
  if (function.hasLocalLinkage() || function.isInterposable()) {
    global.setLinkage(GlobalValue::InternalLinkage);
    return;
  }
  global.setLinkage(GlobalValue::LinkOnceODRLinkage);
  global.setVisibility(GlobalValue::HiddenVisibility);
  global.setDSOLocal(true);
  global.setComdat(module_.getOrInsertComdat(("__ada_fn." + symbolName(function)).str()));
}

Site SiteTable::add(Function &function) {
  LLVMContext &context = module_.getContext();
  Type *word = Type::getInt32Ty(context);
  Type *distance = Type::getInt64Ty(context);
  StringRef symbol = symbolName(function);

  auto *enable =
      new GlobalVariable(module_, Type::getInt8Ty(context), /*isConstant=*/false, GlobalValue::InternalLinkage,
                         ConstantInt::get(Type::getInt8Ty(context), 0), "__ada_on." + symbol);
  enable->setSection(ADA_SECTION_ENABLED);
  enable->setAlignment(Align(1));
  place(*enable, function);

  SmallVector<Type *, 12> fields(sizeof(ada_function) / sizeof(int32_t), word);
  StructType *type = StructType::get(context, fields);
  auto *entry = new GlobalVariable(module_, type, /*isConstant=*/true, GlobalValue::InternalLinkage, nullptr,
                                   "__ada_fn." + symbol);
  entry->setSection(ADA_SECTION_FUNCTIONS);
  entry->setAlignment(Align(16));
  place(*entry, function);

  auto to = [&](Constant *target) -> Constant * {
    return ConstantExpr::getTrunc(
        ConstantExpr::getSub(ConstantExpr::getPtrToInt(target, distance), ConstantExpr::getPtrToInt(entry, distance)),
        word);
  };
  Constant *none = ConstantInt::get(word, 0);

  const Function *callee = wrappedCallee(function);
  Constant *address = none;
  if (form_ == Form::Tied && !callee && !compat::mayBeFarFromData(module_))
    // The function's own symbol may be preempted in a shared object, and a distance to such a symbol does not link.
    address = to(GlobalAlias::create(function.getValueType(), function.getAddressSpace(), GlobalValue::PrivateLinkage,
                                     "__ada_at." + symbol, &function, &module_));

  std::string name = callee ? sourceName(*callee) : symbol.str();
  std::string signature = signatureText(function);
  std::string types = typesText(function, pointees_, stackArguments(form_));
  std::string pretty = (callee ? demangledName(name) : demangledName(function)).full;
  StringRef shown = function.getFnAttribute(kAttrName).getValueAsString();
  if (shown.empty() && isObjectiveCName(pretty)) // readers can't tell it from the symbol
    shown = pretty;
  std::string file = callee ? debugInfoPath(*callee) : sourcePath(function);
  uint32_t flags =
      (function.doesNotReturn() ? ADA_FUNCTION_NORETURN : 0) |
      (function.hasLocalLinkage() ? ADA_FUNCTION_INTERNAL : 0) | (beforeInlining_ ? ADA_FUNCTION_EARLY : 0) |
      (callee ? ADA_FUNCTION_EXTERNAL : 0) |
      (isCoroutinePart(function) || makesCoroutine(function) || rustFuture(function) ? ADA_FUNCTION_COROUTINE : 0);
  entry->setInitializer(
      ConstantStruct::get(type, {
                                    to(string(name)),                                                // name_off
                                    file.empty() ? none : to(string(file)),                          // file_off
                                    ConstantInt::get(word, sourceLine(callee ? *callee : function)), // line
                                    address,                                                         // address_off
                                    signature.empty() ? none : to(string(signature)),                // signature_off
                                    to(enable),                                                      // enable_off
                                    ConstantInt::get(word, flags),                                   // flags
                                    pretty == name ? none : to(string(pretty)),                      // pretty_off
                                    types.empty() ? none : to(string(types)),                        // types_off
                                    none,                                           // carried: setCarried
                                    shown.empty() ? none : to(string(shown.str())), // shown_off
                                    none,                                           // reserved
                                }));

  // Only the runtime writes the byte: nothing in the module shows that it is not constant.
  keep_.push_back(enable);
  if (form_ == Form::Tied)
    keep_.push_back(entry);
  return {compat::asPointer(entry), enable};
}

void SiteTable::setCarried(const Site &site, uint32_t carried) {
  auto *entry = cast<GlobalVariable>(site.entry->stripPointerCasts());
  SmallVector<Constant *, 12> fields;
  for (Value *field : entry->getInitializer()->operands())
    fields.push_back(cast<Constant>(field));
  constexpr size_t kField = offsetof(ada_function, carried) / sizeof(int32_t);
  fields[kField] = ConstantInt::get(fields[kField]->getType(), carried);
  entry->setInitializer(ConstantStruct::get(cast<StructType>(entry->getValueType()), fields));
}

/// Puts the last entry of LIST, llvm.global_ctors or llvm.global_dtors, before the others. For equal priorities the
/// linker keeps a module's order, which is that of the list.
static void moveLastToFront(Module &module, StringRef list) {
  GlobalVariable *global = module.getNamedGlobal(list);
  auto *entries = cast<ConstantArray>(global->getInitializer());
  SmallVector<Constant *, 8> ordered = {entries->getOperand(entries->getNumOperands() - 1)};
  for (unsigned i = 0; i + 1 < entries->getNumOperands(); ++i)
    ordered.push_back(entries->getOperand(i));
  global->setInitializer(ConstantArray::get(entries->getType(), ordered));
}

/// The descriptor, its constructor and its destructor share one comdat, so an image has each of them once.
void SiteTable::addImage() {
  if (module_.getNamedGlobal(kImageName))
    return;
  LLVMContext &context = module_.getContext();
  PointerType *pointer = compat::pointerType(context);
  Type *word = Type::getInt32Ty(context);
  Comdat *comdat = module_.getOrInsertComdat(kImageName);

  // Weak, because the linker may have dropped every instrumented function, and with them the sections.
  auto bound = [&](const char *name) -> Constant * {
    auto *global =
        new GlobalVariable(module_, Type::getInt8Ty(context), false, GlobalValue::ExternalWeakLinkage, nullptr, name);
    global->setVisibility(GlobalValue::HiddenVisibility);
    return compat::asPointer(global);
  };
  StructType *type = StructType::get(word, word, pointer, pointer, pointer, pointer);
  Constant *value =
      ConstantStruct::get(type, {ConstantInt::get(word, ADA_ABI_VERSION), ConstantInt::get(word, sizeof(ada_function)),
                                 bound("__start_" ADA_SECTION_FUNCTIONS), bound("__stop_" ADA_SECTION_FUNCTIONS),
                                 bound("__start_" ADA_SECTION_ENABLED), bound("__stop_" ADA_SECTION_ENABLED)});
  auto *image =
      new GlobalVariable(module_, type, /*isConstant=*/true, GlobalValue::LinkOnceODRLinkage, value, kImageName);
  image->setVisibility(GlobalValue::HiddenVisibility);
  image->setDSOLocal(true);
  image->setComdat(comdat);
  compat::excludeFromSanitizers(*image);
  compat::keepNearCode(*image);

  auto caller = [&](const char *name, const char *callee, const char *before = nullptr) {
    FunctionType *nothing = FunctionType::get(Type::getVoidTy(context), false);
    // With the frame pointer, unwind table and branch protection that the module asks for.
    auto *function = Function::createWithDefaultAttr(nothing, GlobalValue::LinkOnceODRLinkage,
                                                     module_.getDataLayout().getProgramAddressSpace(), name, &module_);
    function->setVisibility(GlobalValue::HiddenVisibility);
    function->setDSOLocal(true);
    function->setComdat(comdat);
    function->addFnAttr(Attribute::NoUnwind);
    function->addFnAttr(Attribute::NoInline);
    IRBuilder<> builder(BasicBlock::Create(context, "", function));
    if (before)
      builder.CreateCall(module_.getOrInsertFunction(before, nothing));
    FunctionCallee hook =
        module_.getOrInsertFunction(callee, FunctionType::get(Type::getVoidTy(context), {pointer}, false));
    builder.CreateCall(hook, {compat::asPointer(image)});
    builder.CreateRetVoid();
    return function;
  };
  constexpr const char *kIsMissing = "__ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags";
  // Priority 0, and first within it: this is the first constructor of the image, so that its static constructors are
  // traced, and the last destructor. Functions registered with atexit run before either kind of destructor.
  appendToGlobalCtors(module_, caller("__ada_image_ctor", "__ada_register_image", kIsMissing), 0, image);
  appendToGlobalDtors(module_, caller("__ada_image_dtor", "__ada_unregister_image"), 0, image);
  moveLastToFront(module_, "llvm.global_ctors");
  moveLastToFront(module_, "llvm.global_dtors");
}

void SiteTable::finish() {
  if (keep_.empty())
    return;
  addImage();
  appendToCompilerUsed(module_, keep_);
}

} // namespace ada::pass
