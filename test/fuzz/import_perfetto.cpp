// Fuzzes the reader of Perfetto traces: see import.h for the properties.
#include "import.h"

#include "formats/perfetto/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ada::fuzz::importBytes<ada::formats::PerfettoSource>(data, size);
  return 0;
}
