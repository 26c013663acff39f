// Included first in every source of the runtime: maps memcpy, memset and memmove to functions of ours.
//
// Compilers generate such calls for plain code (copies of structs, zeroed arrays), even with -ffreestanding. The
// program may define these functions itself, with hooks in them, and libc's may need what the drain thread does not
// have. If we exported ours under these names, a static program would use them everywhere. So the assembler gives them
// other names.
#pragma once

__asm__(".hidden ada_memcpy, ada_memset, ada_memmove\n"
        ".set memcpy, ada_memcpy\n"
        ".set memset, ada_memset\n"
        ".set memmove, ada_memmove");
