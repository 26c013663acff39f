// Offsets at which the detail hooks save registers on x86-64, for the assembler and the compiler: see SavedRegisters.
#pragma once

#define SAVED_RBP 56
#define SAVED_VECTORS 64
#define SAVED_FRAME 192
#define SAVED_BYTES 208 // with the return address above them
