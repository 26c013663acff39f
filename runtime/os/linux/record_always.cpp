// AdaRecordAlways.o: `ada-clang --ada-record-always` links it into a program, which then records whenever it runs.
#include <ada/trace.h>

ADA_DEFAULT_OPTIONS("enabled=1");
