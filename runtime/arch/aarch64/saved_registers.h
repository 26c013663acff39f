// Offsets at which the detail hooks save registers on AArch64, for the assembler and the compiler: see SavedRegisters.
#pragma once

#define SAVED_X29 64
#define SAVED_VECTORS 80
#define SAVED_BYTES 208
