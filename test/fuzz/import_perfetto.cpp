// Fuzzes the reader of Perfetto traces: see import.h for the properties.
#include "import.h"

#include "formats/perfetto/operations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ada::fuzz::importBytes<ada::model::PerfettoSource>(data, size);
  return 0;
}
