// The number of late events, as text in the manifest.
#include "late_events.h"
#include "core/base/os.h"
#include "core/base/text.h"

namespace ada::runtime {

constinit LateEvents lateEvents;

namespace {

constexpr uint64_t kMax = 99999999; // no more digits

uint64_t numberIn(uint64_t text) {
  uint64_t n = 0;
  for (unsigned i = 0; i < LateEvents::kDigits; ++i)
    if (const unsigned char c = text >> 8 * i & 255; c >= '0' && c <= '9')
      n = n * 10 + (c - '0');
  return n;
}

uint64_t textOf(uint64_t n) {
  uint64_t text = 0;
  for (unsigned i = LateEvents::kDigits; i-- > 0; n /= 10)
    text |= (n > 0 || i + 1 == LateEvents::kDigits ? '0' + n % 10 : uint64_t{' '}) << 8 * i;
  return text;
}

} // namespace

void LateEvents::count() {
  const uint64_t count = __atomic_add_fetch(&count_, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&shown_, __ATOMIC_SEQ_CST))
    show(count); // otherwise showIn() does
  else if (__atomic_load_n(&isWritten_, __ATOMIC_SEQ_CST))
    write();
}

void LateEvents::showIn(int manifest, const char *path) {
  constexpr size_t kPage = 4096;
  auto *page = static_cast<char *>(sys::map(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, manifest));
  if (!page) { // its file system can't map: each event writes the number
    __builtin_memcpy(path_, path, length(path) + 1);
    __atomic_store_n(&isWritten_, true, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&count_, __ATOMIC_SEQ_CST) > 0)
      write();
    return;
  }
  // Some file systems need free space for the first store. Without it, a store would raise SIGBUS; a system call that
  // writes there fails.
  char *const at = page + sizeof kBegin - 1;
  if (sys::readAll(manifest, at, kDigits, sizeof kBegin - 1) != 0)
    return sys::unmap(page, kPage);
  __atomic_store_n(&shown_, reinterpret_cast<uint64_t *>(at), __ATOMIC_SEQ_CST);
  if (const uint64_t count = __atomic_load_n(&count_, __ATOMIC_SEQ_CST))
    show(count);
}

void LateEvents::show(uint64_t count) {
  const uint64_t wanted = count < kMax ? count : kMax, text = textOf(wanted);
  uint64_t *const at = __atomic_load_n(&shown_, __ATOMIC_SEQ_CST);
  uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (numberIn(old) < wanted &&
         !__atomic_compare_exchange_n(at, &old, text, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// Several threads may write at once: the last one to do so writes the newest number.
void LateEvents::write() {
  const int fd = sys::open(path_, O_WRONLY | O_NOFOLLOW);
  if (fd < 0)
    return;
  uint64_t written = 0;
  for (uint64_t count; written != (count = __atomic_load_n(&count_, __ATOMIC_SEQ_CST)); written = count) {
    const uint64_t text = textOf(count < kMax ? count : kMax);
    sys::writeAll(fd, &text, sizeof text, sizeof kBegin - 1);
  }
  sys::close(fd);
}

} // namespace ada::runtime
