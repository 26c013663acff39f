// AdaPreinit.o, which ada-clang links into programs as the very first object.
//
// It registers the program's functions before anything in .preinit_array runs. A constructor can't run that early, and
// a library may not have this section. All its references are weak, so it does no harm in a program without traced
// functions.
#include <ada/abi.h>

extern "C" {
extern const ada_image __ada_image __attribute__((weak, visibility("hidden")));
extern __typeof__(__ada_register_program) __ada_register_program __attribute__((weak));
}

static void registerProgram(int, char **, char **environment) {
  if (&__ada_image && &__ada_register_program)
    __ada_register_program(&__ada_image, environment);
}

__attribute__((section(".preinit_array"), used)) static void (*const volatile first)(int, char **,
                                                                                     char **) = registerProgram;
