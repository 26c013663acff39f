// System V's convention for x86-64.
#include "target.h"

#include <cstdlib>
#include <cstring>

namespace ada::pass::target {

const bool kIsAArch64 = false;
const unsigned kReturnAddressBytes = 8;

bool isArgumentRegister(unsigned regno, bool &isVector, unsigned &number) {
  constexpr const char *kGeneral[] = {"di", "si", "dx", "cx", "r8", "r9"};
  const char *name = reg_names[regno];
  isVector = std::strncmp(name, "xmm", 3) == 0;
  if (isVector) {
    number = static_cast<unsigned>(std::atoi(name + 3));
    return number < 8;
  }
  for (number = 0; number < 6; ++number)
    if (std::strcmp(name, kGeneral[number]) == 0)
      return true;
  return false;
}

const char *whyNoHooks() {
  return POINTER_SIZE != 64   ? "hooks exist for 64-bit code only"
         : ix86_abi == MS_ABI ? "hooks are called by System V's convention, not by that of -mabi=ms"
                              : nullptr;
}

void setUp() {}

bool isPreservedByHooks(unsigned regno) {
  for (const char *name : {"ax", "dx", "cx", "si", "di", "r8", "r9", "r10"})
    if (std::strcmp(reg_names[regno], name) == 0)
      return true;
  return false;
}

bool ignoresNoPlt() { return ix86_cmodel == CM_LARGE || ix86_cmodel == CM_LARGE_PIC; }

std::string loadFromGot(const std::string &symbol) {
  return "{movq\t" + symbol + "@GOTPCREL(%%rip), %0|mov\t%0, QWORD PTR " + symbol + "@GOTPCREL[rip]}";
}

bool isOrdinary(tree type) { return ix86_function_type_abi(type) == SYSV_ABI; }

bool isScalable(tree) { return false; }

std::string instructionSet() { return std::to_string(ix86_isa_flags) + "," + std::to_string(ix86_isa_flags2); }

void beginAssembly(FILE *file) {
  if (ix86_asm_dialect == ASM_INTEL)
    fputs("\t.att_syntax\n", file);
}

void endAssembly(FILE *file) {
  if (ix86_asm_dialect == ASM_INTEL)
    fputs("\t.intel_syntax noprefix\n", file);
}

void writeCalls(FILE *file, const std::vector<const char *> &symbols) {
  fputs("\tendbr64\n\tpushq\t%rax\n\t.cfi_def_cfa_offset 16\n", file);
  for (const char *symbol : symbols)
    fprintf(file, "\tleaq\t__ada_image(%%rip), %%rdi\n\tcall\t*%s@GOTPCREL(%%rip)\n", symbol);
  fputs("\tpopq\t%rax\n\t.cfi_def_cfa_offset 8\n\tret\n", file);
}

} // namespace ada::pass::target
