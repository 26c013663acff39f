// Fuzzes the reader of folded stacks: see import.h for the properties.
#include "import.h"

#include "formats/folded/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ada::fuzz::importBytes<ada::formats::FoldedSource>(data, size);
  return 0;
}
