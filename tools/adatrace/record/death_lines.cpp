// Puts the causes of signals into words.
#include "death_lines.h"

#include <algorithm>
#include <csignal>

namespace ada::cli {

namespace {

struct Cause {
  int signal, code;
  const char *name, *meaning; ///< "{}" in it is the address
};
constexpr Cause kCauses[] = {
    {SIGSEGV, SEGV_MAPERR, "SEGV_MAPERR", "no memory is mapped at {}"},
    {SIGSEGV, SEGV_ACCERR, "SEGV_ACCERR", "the memory at {} does not allow the access"},
    {SIGSEGV, SI_KERNEL, "SI_KERNEL", "an address that can't exist; the processor does not say which"},
    {SIGBUS, BUS_ADRALN, "BUS_ADRALN", "{} is not aligned"},
    {SIGBUS, BUS_ADRERR, "BUS_ADRERR", "there is nothing at {}, such as after the end of a mapped file"},
    {SIGBUS, BUS_OBJERR, "BUS_OBJERR", "a hardware error at {}"},
    {SIGILL, ILL_ILLOPC, "ILL_ILLOPC", "an illegal instruction at {}"},
    {SIGILL, ILL_ILLOPN, "ILL_ILLOPN", "an illegal instruction at {}"},
    {SIGFPE, FPE_INTDIV, "FPE_INTDIV", "an integer was divided by zero at {}"},
    {SIGFPE, FPE_INTOVF, "FPE_INTOVF", "an integer overflowed at {}"},
    {SIGFPE, FPE_FLTDIV, "FPE_FLTDIV", "a floating-point number was divided by zero at {}"},
    {SIGFPE, FPE_FLTINV, "FPE_FLTINV", "an invalid floating-point operation at {}"},
};

} // namespace

std::string causeOf(const Manifest &manifest) {
  const ManifestDeath &death = *manifest.exit.death;
  const auto signal = static_cast<int>(manifest.exit.value.value_or(0));
  if (death.cause <= 0)
    return death.senderPid == manifest.pid
               ? "sent by the program itself"
               : fmt::format("sent by process {} of user {}", death.senderPid, death.senderUser);
  if (death.readForbiddenCounter)
    return "the program had forbidden itself to read the CPU's counter (PR_SET_TSC), which recording does; record it "
           "with "
           "--clock=system or --clock=none";
  const auto known = std::ranges::find_if(
      kCauses, [&](const Cause &cause) { return cause.signal == signal && cause.code == death.cause; });
  const std::string address = fmt::format("{:#x}", death.address);
  if (known == std::end(kCauses))
    return signal == SIGTRAP ? "a breakpoint" : fmt::format("a fault at {} (cause {})", address, death.cause);
  return fmt::format("{} ({})", fmt::format(fmt::runtime(known->meaning), address), known->name);
}

void printDeath(Output &out, const Palette &palette, const Manifest &manifest) {
  if (!manifest.exit.death)
    return;
  const ManifestDeath &death = *manifest.exit.death;
  out.print("{}{}{}, in the thread with tid {}\n", palette.error, causeOf(manifest), palette.reset, death.tid);
  constexpr size_t kInLine = 3;
  for (size_t i = 0; i < death.registers.size(); ++i) {
    const auto &[name, value] = death.registers[i];
    out.print("{}{:<6} {}{:#018x}{}", i % kInLine ? "   " : "  ", name, palette.number, value, palette.reset);
    if (i % kInLine == kInLine - 1 || i + 1 == death.registers.size())
      out.write("\n");
  }
}

} // namespace ada::cli
