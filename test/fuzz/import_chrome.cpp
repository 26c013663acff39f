// Fuzzes the reader of Chrome's trace JSON: see import.h for the properties.
#include "import.h"

#include "formats/chrome/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ada::fuzz::importBytes<ada::formats::ChromeSource>(data, size);
  return 0;
}
