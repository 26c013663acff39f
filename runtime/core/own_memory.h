// own_memory.h - put before every source of the runtime: what the compiler calls memcpy, memset and memmove are functions of ours.
//
// Compilers make such calls from plain code, copies of structs and zeroed arrays, whatever they are told (-ffreestanding
// does not keep them from it). The program may define these functions itself, instrumented, and the drain thread has not
// what libc's may ask for. Exporting our own under these names would give them to the whole of a static program; so the
// assembler is told to write other names instead.
#ifndef ADA_RUNTIME_CORE_OWN_MEMORY_H
#define ADA_RUNTIME_CORE_OWN_MEMORY_H

__asm__(".hidden ada_memcpy, ada_memset, ada_memmove\n"
        ".set memcpy, ada_memcpy\n"
        ".set memset, ada_memset\n"
        ".set memmove, ada_memmove");

#endif
