// What is installed, and what the system allows.
#include "checks.h"
#include "installed_parts.h"

#include "ada/abi.h"
#include "shared/text/memory_room.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/read_all.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <linux/perf_event.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t kLittleDiskBytes = uint64_t(1) << 30; // a busy program writes it in a few minutes

// The first line of a file; empty if it can't be read.
std::string lineOf(const std::string &path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<uint64_t> freeBytes(const std::string &directory) {
  struct statvfs place;
  if (statvfs(directory.c_str(), &place) != 0)
    return std::nullopt;
  return uint64_t(place.f_bavail) * place.f_frsize;
}

void checkCompilers(const std::optional<InstalledParts> &parts, Findings &findings) {
  if (!parts) {
    findings.problem("plugin", "no plugin (libAdaTrace-N.so) was found beside this tool",
                     "install the plugin for your clang, or build AdaTrace for it (docs/how-to/install.md)");
    return;
  }
  const std::map<unsigned, fs::path> compilers = clangs();
  bool hasPair = false;
  for (const unsigned major : parts->majors) {
    const auto at = compilers.find(major);
    const std::string plugin = fmt::format("libAdaTrace-{}.so in {}", major, parts->plugins.string());
    if (at != compilers.end())
      findings.ok("plugin", fmt::format("{} for {}", plugin, at->second.string()));
    else
      findings.note("plugin", fmt::format("{}, but there is no clang-{} in PATH", plugin, major),
                    fmt::format("install clang-{}, if you want to use it", major));
    hasPair |= at != compilers.end();
  }
  const std::optional<unsigned> standard = defaultClang();
  if (standard && !parts->majors.contains(*standard))
    findings.note(
        "compiler", fmt::format("`clang` has version {}, for which there is no plugin", *standard),
        fmt::format("use ada-clang-{}, or install the plugin for LLVM {}", *parts->majors.rbegin(), *standard));
  else if (standard)
    findings.ok("compiler", fmt::format("`clang` has version {}, for which there is a plugin", *standard));
  if (!hasPair && !(standard && parts->majors.contains(*standard)))
    findings.problem("compiler", "there is no clang that one of the plugins fits",
                     fmt::format("install clang-{}", *parts->majors.rbegin()));
}

void checkRuntime(const std::optional<InstalledParts> &parts, Findings &findings) {
  if (!parts)
    return;
  const fs::path library = parts->libraries / fmt::format("libAdaRuntime.so.{}", ADA_ABI_VERSION);
  std::error_code error;
  if (fs::exists(library, error))
    findings.ok("runtime", library.string());
  else
    findings.problem("runtime", fmt::format("there is no {}", library.string()),
                     "install the runtime of the same version as the plugins");
}

// Opens what the recorder opens for each thread: a counter of context switches.
void checkScheduling(Findings &findings) {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE, attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.context_switch = attributes.exclude_kernel = attributes.exclude_hv = 1;
  const FileDescriptor counter(static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0)));
  const int error = errno;
  const std::string paranoid = lineOf("/proc/sys/kernel/perf_event_paranoid");
  if (counter.get() >= 0)
    findings.ok("scheduling", fmt::format("context switches can be recorded (kernel.perf_event_paranoid is {})",
                                          paranoid.empty() ? "unknown" : paranoid));
  else if (paranoid.empty())
    findings.note("scheduling", "this kernel has no perf events, so traces don't show when threads were off-CPU");
  else
    findings.note("scheduling",
                  fmt::format("context switches can't be recorded ({}; kernel.perf_event_paranoid is {}), so traces "
                              "don't show when threads were off-CPU",
                              std::strerror(error), paranoid),
                  std::atoi(paranoid.c_str()) > 2 ? "sysctl kernel.perf_event_paranoid=2, or run as root"
                                                  : "allow perf_event_open in the container's seccomp profile");
}

// What a process's ring may take here, and why it is that much.
struct RingSize {
  uint64_t bytes;
  std::string why;
};

RingSize ringSize() {
  struct sysinfo machine = {};
  ::sysinfo(&machine);
  const MemoryRoom room = askMemoryRoom(readBeginning, machine);
  const uint64_t size = bufferBytesFor(room);
  const std::string_view whose = room.isOfGroup ? "this control group" : "this machine";
  return {size, size == kMaxBufferBytes ? ""
                : size == kLeastBufferBytes
                    ? fmt::format(", the least there can be, because {} has {} of memory, {} of it free", whose,
                                  formatBytes(room.limit), formatBytes(room.free))
                : size == room.limit / 16
                    ? fmt::format(", a sixteenth of the memory of {}, {}", whose, formatBytes(room.limit))
                    : fmt::format(", a quarter of the free memory of {}, {}", whose, formatBytes(room.free))};
}

void checkSharedMemory(Findings &findings) {
  const std::string place = "/dev/shm";
  const std::optional<uint64_t> space = freeBytes(place);
  const RingSize ring = ringSize();
  const char *const elsewhere = "ring=DIR in ADA_OPTIONS, or `record --ring DIR`, puts rings elsewhere";
  const std::string room = fmt::format("{} has {} left; each recording process takes up to {}{}", place,
                                       formatBytes(space.value_or(0)), formatBytes(ring.bytes), ring.why);
  if (!space || access(place.c_str(), W_OK | X_OK) != 0)
    findings.note("memory",
                  fmt::format("{} {}, so rings are files beside the traces, or in /tmp, which may be slower", place,
                              space ? "can't be written to" : "does not exist"),
                  elsewhere);
  else if (*space < ring.bytes)
    findings.note("memory", room,
                  fmt::format("remove what is not needed there (`adatrace recover --clean` removes rings of dead "
                              "programs), give a container more (--shm-size), or use a smaller buffer=; {}",
                              elsewhere));
  else
    findings.ok("memory", room);
}

void checkControl(Findings &findings) {
  const std::string scope = lineOf("/proc/sys/kernel/yama/ptrace_scope");
  const int level = scope.empty() ? 0 : std::atoi(scope.c_str());
  const char *const remedy = "start programs with ADA_OPTIONS=control=1; those can be controlled by their own user";
  if (level == 0 || (level < 3 && geteuid() == 0))
    findings.ok("control", "programs that wait for `adatrace start PID` can be reached");
  else
    findings.note(
        "control",
        fmt::format("kernel.yama.ptrace_scope is {}, so {} can't reach programs that wait for `adatrace start PID`",
                    level, level < 3 ? "only root" : "even root"),
        level < 3 ? fmt::format("use root, or sysctl kernel.yama.ptrace_scope=0, or {}", remedy) : remedy);
}

void checkClock(Findings &findings) {
  const std::string source = lineOf("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (source == "tsc" || source == "arch_sys_counter")
    findings.ok("clock", fmt::format("the processor's own counter ({})", source));
  else
    findings.note(
        "clock",
        source.empty() ? "the system does not say which clock it uses"
                       : fmt::format("the system's clock is {}, not the processor's counter: either the counter is not "
                                     "invariant, and each event costs a system call, or the system does not trust it",
                                     source),
        "compare `adatrace info SESSION`, which names the clock of a trace; clock=tick records cheaply with any clock");
}

} // namespace

void checkDisk(const std::string &directory, uint64_t bytesPerHour, Findings &findings) {
  const std::optional<uint64_t> space = freeBytes(directory);
  const char *const remedy = "write elsewhere (--output), keep less (--max-size, --rotate), or make room";
  if (!space || access(directory.c_str(), W_OK | X_OK) != 0) {
    findings.problem("disk", fmt::format("{} {}", directory, space ? "can't be written to" : "does not exist"),
                     "write elsewhere (--output)");
    return;
  }
  std::string text = fmt::format("{} left in {}", formatBytes(*space), directory);
  if (bytesPerHour > 0)
    text += fmt::format(", which is full in {} at this rate",
                        formatDuration(static_cast<uint64_t>(static_cast<double>(*space) /
                                                             static_cast<double>(bytesPerHour) * 3.6e12)));
  if (*space < kLittleDiskBytes || (bytesPerHour > 0 && *space < bytesPerHour))
    findings.note("disk", text, remedy);
  else
    findings.ok("disk", text);
}

void checkSystem(Findings &findings) {
  const std::optional<InstalledParts> parts = InstalledParts::find();
  checkCompilers(parts, findings);
  checkRuntime(parts, findings);
  checkScheduling(findings);
  checkSharedMemory(findings);
  std::error_code error;
  checkDisk(fs::is_directory("ada-traces", error) ? "ada-traces" : ".", 0, findings);
  checkControl(findings);
  checkClock(findings);
}

} // namespace ada::cli
