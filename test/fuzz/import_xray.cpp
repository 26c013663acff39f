// Fuzzes the reader of XRay's logs: see import.h for the properties.
#include "import.h"

#include "formats/xray/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ada::fuzz::importBytes<ada::model::XraySource>(data, size);
  return 0;
}
