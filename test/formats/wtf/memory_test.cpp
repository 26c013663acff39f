// A count in a file never makes the decoder allocate: its memory is bounded by the bytes pushed.
#include "content.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

namespace {

std::size_t live, peak; // of operator new, while counting
bool counting;

} // namespace

// Counted by a size in front of each block.
void *operator new(std::size_t size) {
  auto *block = static_cast<std::size_t *>(std::malloc(size + 16));
  if (!block)
    throw std::bad_alloc();
  block[0] = counting ? size : 0;
  if (counting && (live += size) > peak)
    peak = live;
  return block + 2;
}
void operator delete(void *p) noexcept {
  if (!p)
    return;
  auto *block = static_cast<std::size_t *>(p) - 2;
  live -= block[0] < live ? block[0] : live;
  std::free(block);
}
void operator delete(void *p, std::size_t) noexcept { operator delete(p); }

namespace {

using namespace ada::wtf;
using namespace wtftest;

std::size_t peakOf(const std::string &file) {
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
    for (std::uint32_t count : {0xFFFFFFFFu, 0x10000000u, 0x0FFFFF00u, 0xFFFEFFFEu})
      files.push_back(HandMade().header().define(20, 0, 0, "x", type).record(20, 1).u32(count).u8(1).str());
  files.push_back(HandMade(false).u32(0xDEADBEEF).u32(1).u32(10).u32(1).u32(1).u32(0x3FFFFFFC).u32(0).u32(0).u32(1).str());
  files.push_back(HandMade(false).u32(0xDEADBEEF).u32(1).u32(10).u32(1).u32(2).u32(0xFFFFFFFC).u32(0).u32(0).u32(0x15555554).str());
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
