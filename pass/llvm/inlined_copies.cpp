// Finds hooks outside of their function, and makes entries for them.
#include "inlined_copies.h"
#include "ada/abi.h"
#include "llvm_compat.h"
#include "source_text.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace ada::pass {

namespace {

constexpr size_t kFlags = offsetof(ada_function, flags) / sizeof(int32_t);

/// The flags of ENTRY; 0 if it does not belong to a function that got its hooks before inlining.
uint64_t earlyFlags(const GlobalVariable &entry) {
  if (!entry.hasInitializer() || entry.getSection() != ADA_SECTION_FUNCTIONS)
    return 0;
  const auto *flags = dyn_cast<ConstantInt>(entry.getInitializer()->getOperand(kFlags));
  const uint64_t value = flags ? flags->getZExtValue() : 0;
  return (value & (ADA_FUNCTION_EARLY | ADA_FUNCTION_EXTERNAL | ADA_FUNCTION_INLINED)) == ADA_FUNCTION_EARLY ? value
                                                                                                             : 0;
}

/// Whether CODE is FUNCTION's own, or a part or variant that the optimizer made of it ("f.cold", "f.specialized.1").
bool isBodyOf(const Function &code, StringRef function) {
  StringRef name = symbolName(code);
  return name == function || (compat::startsWith(name, function) && name[function.size()] == '.');
}

/// The uses of ENTRY by instructions outside of FUNCTION.
SmallVector<Use *, 8> usesOutside(GlobalVariable &entry, StringRef function) {
  SmallVector<Use *, 8> found;
  const auto look = [&](Use &use) {
    if (auto *instruction = dyn_cast<Instruction>(use.getUser()))
      if (!isBodyOf(*instruction->getFunction(), function))
        found.push_back(&use);
  };
  for (Use &use : entry.uses()) {
    look(use);
    if (auto *cast = dyn_cast<ConstantExpr>(use.getUser()); cast && cast->isCast())
      for (Use &outer : cast->uses())
        look(outer);
  }
  return found;
}

GlobalVariable *copyOf(Module &module, GlobalVariable &entry, uint64_t flags) {
  const std::string name = (entry.getName() + ".inlined").str();
  if (GlobalVariable *made = module.getNamedGlobal(name))
    return made;
  auto *copy = new GlobalVariable(module, entry.getValueType(), /*isConstant=*/true, entry.getLinkage(), nullptr, name);
  copy->copyAttributesFrom(&entry);
  // Not every object that has the function has a copy of it.
  if (entry.hasComdat())
    copy->setComdat(module.getOrInsertComdat(name));
  ValueToValueMapTy map;
  map[&entry] = copy; // distances start at the copy
  SmallVector<Constant *, 12> fields;
  for (const Value *field : entry.getInitializer()->operands())
    fields.push_back(MapValue(cast<Constant>(field), map));
  fields[kFlags] = ConstantInt::get(fields[kFlags]->getType(), flags | ADA_FUNCTION_INLINED);
  copy->setInitializer(ConstantStruct::get(cast<StructType>(entry.getValueType()), fields));
  return copy;
}

} // namespace

bool markInlinedCopies(Module &module) {
  constexpr const char *kPrefix = "__ada_fn.";
  SmallVector<GlobalVariable *, 32> entries;
  for (GlobalVariable &global : module.globals())
    if (compat::startsWith(global.getName(), kPrefix) && earlyFlags(global))
      entries.push_back(&global);
  bool changed = false;
  for (GlobalVariable *entry : entries) {
    const SmallVector<Use *, 8> uses = usesOutside(*entry, entry->getName().drop_front(StringRef(kPrefix).size()));
    for (Use *use : uses)
      use->set(ConstantExpr::getPointerCast(copyOf(module, *entry, earlyFlags(*entry)), use->get()->getType()));
    changed |= !uses.empty();
  }
  return changed;
}

} // namespace ada::pass
