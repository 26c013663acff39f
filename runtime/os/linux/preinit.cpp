// AdaPreinit.o, which ada-clang links into programs as the first of all objects.
//
// It registers their functions before anything in .preinit_array runs. A constructor can't come that early, and in a
// library the section is not allowed. It refers to all that it uses weakly, so it does no harm in a program without a
// traced function.
#include <ada/abi.h>

extern "C" {
extern const ada_image __ada_image __attribute__((weak, visibility("hidden")));
extern __typeof__(__ada_register_image) __ada_register_image __attribute__((weak));
}

static void registerProgram() {
  if (&__ada_image && &__ada_register_image)
    __ada_register_image(&__ada_image);
}

__attribute__((section(".preinit_array"), used)) static void (*const volatile first)() = registerProgram;
