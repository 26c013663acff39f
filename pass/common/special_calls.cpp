// The names and numbers of special_calls.h.
#include "special_calls.h"

#include <map>

namespace ada::pass {

SpecialCall specialCall(const std::string &name) {
  static const std::map<std::string, SpecialCall> known = {
      {"execl", SpecialCall::Exec},
      {"execle", SpecialCall::Exec},
      {"execlp", SpecialCall::Exec},
      {"execv", SpecialCall::Exec},
      {"execve", SpecialCall::Exec},
      {"execvp", SpecialCall::Exec},
      {"execvpe", SpecialCall::Exec},
      {"fexecve", SpecialCall::Exec},
      {"execveat", SpecialCall::Exec},
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
