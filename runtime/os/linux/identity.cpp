// Reads /proc/PID/task/TID/status, which every thread may read.
#include "identity.h"
#include "core/base/os.h"
#include "core/base/text.h"
#include "core/facts/process_info.h"
#include "shared/options/numbers.h"

#include <linux/capability.h>
#include <sys/prctl.h>

namespace ada::runtime {
namespace {

constexpr uint64_t kLookNs = 90000000; // less than the drain's longest sleep

// The text after `key` at the beginning of a line, up to the end of `text`; empty if there is no such line.
TextPiece lineOf(TextPiece text, TextPiece key) {
  while (!text.empty() && !text.startsWith(key)) {
    size_t n = 0;
    while (n < text.size && text[n] != '\n')
      ++n;
    text = text.from(n < text.size ? n + 1 : n);
  }
  return text.empty() ? text : text.from(key.size);
}

bool take(TextPiece &text, uint64_t &number) {
  while (text.startsWith(" ") || text.startsWith("\t"))
    text = text.from(1);
  return options::takeNumber(text, number);
}

bool numbers(TextPiece line, uint32_t (&values)[4]) {
  uint64_t n;
  for (uint32_t &value : values) {
    if (!take(line, n))
      return false;
    value = static_cast<uint32_t>(n);
  }
  return true;
}

// A capability set: a tab and 16 hexadecimal digits.
bool set(TextPiece line, uint64_t &value) {
  value = 0;
  for (size_t i = 1; i <= 16; ++i) {
    const char c = i < line.size ? line[i] : 0;
    if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
      return false;
    value = value << 4 | static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return true;
}

uint64_t lastExit; // (atomic) of the last thread that ended: process, status in the lower half; or 0

} // namespace

bool Identity::read(uint32_t thread, Rights &rights) {
  static char buffer[8192]; // the drain is one thread
  int fd = sys::open((Text<64>("/proc/self/task/") << thread << "/status").c_str(), O_RDONLY);
  if (fd < 0)
    return false;
  long n = sys::read(fd, buffer, sizeof buffer);
  sys::close(fd);
  if (n <= 0)
    return false;
  const TextPiece text(buffer, static_cast<size_t>(n));
  TextPiece groups = lineOf(text, "Groups:");
  uint64_t value;
  rights.moreCount = 0;
  while (rights.moreCount < kMaxGroups && take(groups, value))
    rights.more[rights.moreCount++] = static_cast<uint32_t>(value);
  rights.mainHasEnded = lineOf(text, "State:").startsWith("\tZ");
  TextPiece line = lineOf(text, "Threads:");
  rights.threads = take(line, value) ? static_cast<uint32_t>(value) : 0;
  line = lineOf(text, "NoNewPrivs:");
  rights.noNewPrivileges = take(line, value) && value != 0;
  return numbers(lineOf(text, "Uid:"), rights.users) && numbers(lineOf(text, "Gid:"), rights.groups) &&
         set(lineOf(text, "CapInh:"), rights.inheritable) && set(lineOf(text, "CapPrm:"), rights.permitted) &&
         set(lineOf(text, "CapEff:"), rights.effective);
}

void Identity::start() {
  isOn_ = true, isKnown_ = false, self_ = sys::threadId();
  lookedNs_ = sys::nowNs();
}

bool Identity::hasChanged() {
  uint64_t now = isOn_ ? sys::nowNs() : 0;
  if (!isOn_ || now - lookedNs_ < kLookNs)
    return false;
  lookedNs_ = now;
  if (!isKnown_)
    isOn_ = isKnown_ = read(self_, own_);
  now_ = {};
  if (!read(sys::processId(), now_))
    return false;
  return !isSameUser() || now_.noNewPrivileges != own_.noNewPrivileges;
}

bool Identity::isSameUser() const {
  const auto isSame = [](const uint32_t *a, const uint32_t *b, unsigned n) {
    for (unsigned i = 0; i < n; ++i)
      if (a[i] != b[i])
        return false;
    return true;
  };
  return isSame(now_.users, own_.users, 4) && isSame(now_.groups, own_.groups, 4) && now_.moreCount == own_.moreCount &&
         isSame(now_.more, own_.more, now_.moreCount) && now_.inheritable == own_.inheritable &&
         now_.permitted == own_.permitted && now_.effective == own_.effective;
}

void Identity::noteThreadExit(uint32_t process, int status) {
  __atomic_store_n(&lastExit, static_cast<uint64_t>(process) << 32 | (static_cast<uint32_t>(status) & 255),
                   __ATOMIC_RELAXED);
}

uint32_t Identity::exitCode() {
  constexpr uint64_t kLastOneCounts = 6;
  if (const uint64_t last = __atomic_load_n(&lastExit, __ATOMIC_RELAXED);
      last >> 32 == sys::processId() && kernelMajor() >= kLastOneCounts)
    return static_cast<uint32_t>(last & 255) << 8;
  char buffer[1024];
  int fd = sys::open((Text<64>("/proc/self/task/") << sys::processId() << "/stat").c_str(), O_RDONLY);
  long n = fd < 0 ? 0 : sys::read(fd, buffer, sizeof buffer);
  if (fd >= 0)
    sys::close(fd);
  while (n > 0 && (buffer[n - 1] < '0' || buffer[n - 1] > '9'))
    --n;
  long from = n; // the last number
  while (from > 0 && buffer[from - 1] >= '0' && buffer[from - 1] <= '9')
    --from;
  TextPiece last(buffer + from, static_cast<size_t>(n - from));
  uint64_t code;
  return options::takeNumber(last, code) ? static_cast<uint32_t>(code) : 0;
}

void Identity::endLike(uint32_t code) {
  if (code & 127)
    sys::call(SYS_kill, sys::processId(), static_cast<long>(code & 127));
}

void Identity::apply() const {
  // For a program that installs a seccomp filter only this changes, and the filter may allow no other call.
  if (isSameUser()) {
    sys::call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
    return;
  }
  // Groups first, capabilities last: each step may take away the right to the later ones.
  sys::call(SYS_setgroups, now_.moreCount, now_.more);
  sys::call(SYS_setresgid, now_.groups[0], now_.groups[1], now_.groups[2]);
  sys::call(SYS_setresuid, now_.users[0], now_.users[1], now_.users[2]);
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2];
  for (unsigned i = 0; i < 2; ++i)
    data[i] = {static_cast<uint32_t>(now_.effective >> 32 * i), static_cast<uint32_t>(now_.permitted >> 32 * i),
               static_cast<uint32_t>(now_.inheritable >> 32 * i)};
  sys::call(SYS_capset, &header, data);
  if (now_.noNewPrivileges)
    sys::call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
}

} // namespace ada::runtime
