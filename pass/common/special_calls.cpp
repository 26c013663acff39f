// The names and numbers of special_calls.h.
#include "special_calls.h"

#include "shared/exec_functions.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace ada::pass {

SpecialCall specialCall(const std::string &name) {
  static const std::map<std::string, SpecialCall> known = {
      {"_exit", SpecialCall::Exit},
      {"_Exit", SpecialCall::Exit},
      {"_Fork", SpecialCall::Clone},
      {"clone", SpecialCall::Clone},
      {"__clone", SpecialCall::Clone},
      {"syscall", SpecialCall::System},
      {"sigaltstack", SpecialCall::SignalStack},
      {"swapcontext", SpecialCall::LeaveStack},
      {"setcontext", SpecialCall::LeaveStack},
      {"getcontext", SpecialCall::SaveStack},
      {"makecontext", SpecialCall::MakeStack},
      {"setjmp", SpecialCall::SetJump},
      {"_setjmp", SpecialCall::SetJump},
      {"sigsetjmp", SpecialCall::SetJump},
      {"__sigsetjmp", SpecialCall::SetJump},
      {"savectx", SpecialCall::SetJump},
  };
  if (std::find(std::begin(kExecFunctions), std::end(kExecFunctions), name) != std::end(kExecFunctions))
    return SpecialCall::Exec;
  const auto found = known.find(name);
  return found == known.end() ? SpecialCall::None : found->second;
}

SystemCall systemCall(unsigned long long number, bool isAArch64) {
  constexpr unsigned long long kClone3 = 435; // on all architectures
  if (number == (isAArch64 ? 93 : 60))
    return SystemCall::EndsThread;
  if (number == (isAArch64 ? 94 : 231))
    return SystemCall::EndsProcess;
  const bool makesProcess =
      number == kClone3 ||
      (isAArch64 ? number == 220 /* clone */ : number == 56 /* clone */ || number == 57 /* fork */);
  return makesProcess ? SystemCall::MakesProcess : SystemCall::Other;
}

} // namespace ada::pass
