// The procedure call standard for AArch64.
#include "target.h"

#include <cstdlib>

namespace ada::pass::target {

namespace {

rtx (*otherArgument)(cumulative_args_t, const function_arg_info &) = nullptr;
void (*otherAdvance)(cumulative_args_t, const function_arg_info &) = nullptr;

/// Makes a call of a hook look like one of a C function, as long as it lives.
class AsOrdinary {
public:
  explicit AsOrdinary(cumulative_args_t arguments)
      : arguments_(get_cumulative_args(arguments)), isHook_(arguments_->pcs_variant == static_cast<arm_pcs>(kHookAbi)) {
    if (isHook_)
      arguments_->pcs_variant = ARM_PCS_AAPCS64;
  }
  ~AsOrdinary() {
    if (isHook_)
      arguments_->pcs_variant = static_cast<arm_pcs>(kHookAbi);
  }
  bool isHook() const { return isHook_; }

private:
  CUMULATIVE_ARGS *arguments_;
  bool isHook_;
};

/// A call instruction has the number of its convention, which is what GCC asks for as the place of an argument after
/// the last. GCC's own function accepts conventions of its own only.
rtx argumentPlace(cumulative_args_t arguments, const function_arg_info &argument) {
  const AsOrdinary as(arguments);
  return as.isHook() && argument.end_marker_p() ? GEN_INT(kHookAbi) : otherArgument(arguments, argument);
}

void advance(cumulative_args_t arguments, const function_arg_info &argument) {
  const AsOrdinary as(arguments);
  otherAdvance(arguments, argument);
}

} // namespace

const bool kIsAArch64 = true;
const unsigned kReturnAddressBytes = 0;

bool isArgumentRegister(unsigned regno, bool &isVector, unsigned &number) {
  const char *name = reg_names[regno];
  isVector = name[0] == 'v';
  number = static_cast<unsigned>(std::atoi(name + 1));
  return (isVector || name[0] == 'x') && ISDIGIT(name[1]) && number < 8;
}

const char *whyNoHooks() {
  return POINTER_SIZE != 64                ? "hooks exist for 64-bit code only"
         : fixed_regs[STATIC_CHAIN_REGNUM] ? "hooks are called with x18, which -ffixed-x18 reserves"
                                           : nullptr;
}

void setUp() {
  otherArgument = targetm.calls.function_arg;
  targetm.calls.function_arg = argumentPlace;
  if (targetm.calls.function_incoming_arg == otherArgument)
    targetm.calls.function_incoming_arg = argumentPlace;
  otherAdvance = targetm.calls.function_arg_advance;
  targetm.calls.function_arg_advance = advance;
}

bool isPreservedByHooks(unsigned regno) {
  const char *name = reg_names[regno];
  const int number = std::atoi(name + 1);
  return name[0] == 'x' && number >= 9 && number <= 15;
}

bool ignoresNoPlt() { return !flag_pic; }

std::string loadFromGot(const std::string &symbol) {
  return "adrp\t%0, :got:" + symbol + "\n\tldr\t%0, [%0, :got_lo12:" + symbol + "]";
}

bool isOrdinary(tree) { return true; } // others differ in what they preserve only

bool isScalable(tree type) {
  if (lookup_attribute("SVE type", TYPE_ATTRIBUTES(type)))
    return true;
  if (TREE_CODE(type) == ARRAY_TYPE)
    return isScalable(TREE_TYPE(type));
  if (TREE_CODE(type) == RECORD_TYPE)
    for (tree field = TYPE_FIELDS(type); field; field = DECL_CHAIN(field))
      if (TREE_CODE(field) == FIELD_DECL && isScalable(TREE_TYPE(field)))
        return true;
  return false;
}

std::string instructionSet() { return std::to_string(aarch64_isa_flags); }

void beginAssembly(FILE *) {}
void endAssembly(FILE *) {}

void writeCalls(FILE *file, const std::vector<const char *> &symbols) {
  fputs("\thint\t34\n\tstp\tx29, x30, [sp, -16]!\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 29, -16\n"
        "\t.cfi_offset 30, -8\n\tmov\tx29, sp\n",
        file); // bti c
  for (const char *symbol : symbols)
    fprintf(file, "\tadrp\tx0, __ada_image\n\tadd\tx0, x0, :lo12:__ada_image\n\tbl\t%s\n", symbol);
  fputs("\tldp\tx29, x30, [sp], 16\n\t.cfi_restore 30\n\t.cfi_restore 29\n\t.cfi_def_cfa_offset 0\n\tret\n", file);
}

} // namespace ada::pass::target
