// Functions of the source, of a header, and of the compiler (the initialiser).
#include HEADER
extern "C" int open(const char *, int, ...);
int opened = open("/dev/null", 0);
int global(int x) { return inHeader(x) + open("/", x); }
