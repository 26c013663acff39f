// Fuzzes the reader of XRay's logs: see import.h for the properties.
#include "import.h"

#include "formats/xray/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ada::fuzz::importBytes<ada::formats::XraySource>(data, size);
  return 0;
}
