// A count in a file never makes the decoder allocate: its memory is bounded by the bytes pushed.
#include "content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

namespace {

size_t live, peak; // of operator new, while counting
bool counting;

} // namespace

void *operator new(size_t size, const std::nothrow_t &) noexcept {
  void *block = std::malloc(size);
  if (counting && (live += malloc_usable_size(block)) > peak)
    peak = live;
  return block;
}
void *operator new(size_t size) {
  if (void *block = operator new(size, std::nothrow))
    return block;
  throw std::bad_alloc();
}
void operator delete(void *block) noexcept {
  if (counting)
    live -= std::min(live, malloc_usable_size(block)); // the block may be older than the counting
  std::free(block);
}
void operator delete(void *block, size_t) noexcept { operator delete(block); }

namespace {

using namespace ada::wtf;
using namespace wtftest;

size_t peakOf(const std::string &file) {
  struct Quiet : Visitor {
  } quiet;
  live = peak = 0;
  counting = true;
  {
    Decoder decoder(quiet);
    if (decoder.push(bytesOf(file)))
      (void)decoder.finish();
  }
  (void)readTree(bytesOf(file));
  counting = false;
  return peak;
}

TEST(WtfMemory, countsInTheFileAreNotBelieved) {
  std::vector<std::string> files;
  for (const char *type : {"uint8[] a", "float32[] a", "utf8 a", "ascii a"})
    for (uint32_t count : {0xFFFFFFFFu, 0x10000000u, 0x0FFFFF00u, 0xFFFEFFFEu})
      files.push_back(HandMade().header().define(20, 0, 0, "x", type).record(20, 1).u32(count).u8(1).str());
  files.push_back(
      HandMade(false).u32(0xDEADBEEF).u32(1).u32(10).u32(1).u32(1).u32(0x3FFFFFFC).u32(0).u32(0).u32(1).str());
  files.push_back(
      HandMade(false).u32(0xDEADBEEF).u32(1).u32(10).u32(1).u32(2).u32(0xFFFFFFFC).u32(0).u32(0).u32(0x15555554).str());
  files.push_back(HandMade().u32(0xDEADBEEF).u32(1).u32(3).u16(0xFFFE).u16(0xFFFF).str());
  for (const std::string &file : files)
    EXPECT_LT(peakOf(file), 20000u + 40 * file.size());
}

TEST(WtfMemory, staysASmallMultipleOfTheInput) {
  HandMade deep = HandMade().header().builtIns().define(20, 1, 0, "f");
  for (int i = 0; i < 20000; ++i)
    deep.record(20, 1);
  EXPECT_LT(peakOf(deep.str()), 60 * deep.size());
  HandMade types = HandMade().header();
  for (unsigned i = 0; i < 5000; ++i)
    types.define(i * 13 + 2, 0, 0, std::to_string(i));
  EXPECT_LT(peakOf(types.str()), 60 * types.size());
}

} // namespace
