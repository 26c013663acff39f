// The library that storm loads and unloads.
void countedInLibrary(void) { __asm__ volatile("" : : : "memory"); }
