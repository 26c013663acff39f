// Calls of libc that the runtime has to know of, because they end or copy the process or change the stack.
#pragma once

#include <string>

namespace ada::pass {

enum class SpecialCall {
  None,
  Exec,        ///< __ada_before_exec, and __ada_after_exec if it returns
  Exit,        ///< __ada_before_exit with its status
  Clone,       ///< __ada_before_clone
  System,      ///< of syscall(): its number decides, see SystemCall
  SignalStack, ///< __ada_before_signal_stack, and __ada_after_signal_stack
  LeaveStack,  ///< __ada_fiber_leave, and __ada_fiber_resume after it
  SaveStack,   ///< __ada_fiber_current, and __ada_fiber_resume and __ada_landed after it
  SetJump,     ///< __ada_fiber_current, and where it returns by a jump (not 0) __ada_fiber_land and __ada_landed
  MakeStack,   ///< __ada_fiber_make with its first argument
};

/// What a call of libc's function NAME is.
SpecialCall specialCall(const std::string &name);

enum class SystemCall { Other, MakesProcess, EndsThread, EndsProcess };

/// What the system call NUMBER does.
SystemCall systemCall(unsigned long long number, bool isAArch64);

} // namespace ada::pass
