// Command line, executable and machine, from /proc and uname.
#include "core/facts/process_info.h"
#include "loaded_object.h"
#include "shared/manifest_keys.h"
#include "shared/options/numbers.h"
#include "shared/ring/death.h"
#include "start_block.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/utsname.h>

namespace ada::runtime {
namespace {

struct Info {
  Path executable, directory;
  char arguments[8192];
  size_t argumentBytes;
  utsname system;
  uint32_t cores;
  uint32_t process, parent, parentIsOf;
  Text<64> pipes[3]; // standard input, output and error; empty if one is something else
};
constinit Info info = {};

} // namespace

uint32_t processInfoIsOf() { return info.process; }

uint32_t noteFork(uint32_t parent) {
  const bool isInSameNamespace = sys::parentId() != 0;
  info.parent = isInSameNamespace ? parent : 0;
  return info.parentIsOf = sys::processId();
}

void gatherProcessInfo() {
  info.process = sys::processId();
  if (info.parentIsOf != info.process)
    info.parent = sys::parentId(), info.parentIsOf = info.process;
  info.executable = executablePath();
  char here[4096];
  long n = sys::currentDirectory(here, sizeof here);
  info.directory = Path(n > 0 ? here : "");
  info.argumentBytes = startArguments(info.arguments, sizeof info.arguments - 1);
  info.arguments[info.argumentBytes] = 0;
}

// Processes with the same text have the same pipe. Pipes without a name are called as /proc calls them, others as a
// file.
void findPipes() {
  for (int fd = 0; fd < 3; ++fd) {
    Text<64> &pipe = info.pipes[fd];
    pipe.clear();
    struct stat s = {};
    if (sys::call(SYS_newfstatat, fd, "", &s, AT_EMPTY_PATH) < 0 || !S_ISFIFO(s.st_mode))
      continue;
    Text<64> path("/proc/self/fd/");
    path << static_cast<uint64_t>(fd);
    char link[6] = {};
    const bool isNamed = sys::call(SYS_readlinkat, AT_FDCWD, path.c_str(), link, sizeof link) != sizeof link ||
                         !TextPiece(link, sizeof link).startsWith(TextPiece("pipe:["));
    if (isNamed)
      pipe << "fifo:[" << static_cast<uint64_t>(s.st_dev) << ":" << static_cast<uint64_t>(s.st_ino) << "]";
    else
      pipe << "pipe:[" << static_cast<uint64_t>(s.st_ino) << "]";
  }
}

void gatherHostInfo() {
  if (info.argumentBytes == 0) {
    info.argumentBytes = sys::readFile("/proc/self/cmdline", info.arguments, sizeof info.arguments - 1);
    info.arguments[info.argumentBytes] = 0;
  }
  sys::call(SYS_uname, &info.system);
  info.cores = sys::usableProcessors();
}

uint64_t kernelMajor() {
  TextPiece release(info.system.release);
  uint64_t major;
  return options::takeNumber(release, major) ? major : 0;
}

void readThreadName(uint32_t tid, char (&name)[16]) {
  Text<64> path("/proc/self/task/");
  path << tid << "/comm";
  char comm[sizeof name] = {};
  const size_t n = sys::readFile(path.c_str(), comm, sizeof comm - 1);
  if (n == 0)
    return;
  comm[comm[n - 1] == '\n' ? n - 1 : n] = 0;
  __builtin_memcpy(name, comm, sizeof name);
}

void writeProcess(JsonWriter &json, const ada_ring_header *ring, Ending ending, int status) {
  json.line().beginObject(manifest::kProcess);
  json.number(manifest::kPid, sys::processId()).number(manifest::kPpid, info.parent);
  json.text(manifest::kExecutable, info.executable.c_str()).beginArray(manifest::kArgv);
  for (size_t i = 0; i < info.argumentBytes; i += length(info.arguments + i) + 1)
    json.text(nullptr, info.arguments + i);
  json.endArray().text(manifest::kCwd, info.directory.c_str());
  for (size_t fd = 0; fd < 3; ++fd)
    if (info.pipes[fd].size())
      json.text(manifest::kPipes[fd], info.pipes[fd].c_str());
  json.beginObject(manifest::kExit);
  switch (ending) {
  case Ending::Running:
    json.text(manifest::kHow, manifest::kRunning);
    break;
  case Ending::Exit:
    json.text(manifest::kHow, manifest::kCode).number(manifest::kCode, static_cast<uint64_t>(status & 255));
    break;
  case Ending::Signal:
    json.text(manifest::kHow, manifest::kSignal).number(manifest::kSignal, static_cast<uint64_t>(status));
    putDeath(json, *ring, static_cast<uint32_t>(status));
    break;
  case Ending::Exec:
    json.text(manifest::kHow, manifest::kExec);
    break;
  case Ending::Dump:
    json.text(manifest::kHow, manifest::kDump);
    break;
  case Ending::Rotated:
    json.text(manifest::kHow, manifest::kRotated);
    break;
  case Ending::Stopped:
    json.text(manifest::kHow, manifest::kStopped);
    break;
  case Ending::Untraced:
    json.text(manifest::kHow, manifest::kUntraced);
    break;
  case Ending::Unknown:
    json.text(manifest::kHow, manifest::kUnknown);
    break;
  }
  json.endObject().endObject();
}

void writeHost(JsonWriter &json) {
  json.line().beginObject(manifest::kHost);
  json.text(manifest::kName, info.system.nodename).text(manifest::kOs, info.system.sysname);
  json.text(manifest::kKernel, info.system.release).number(manifest::kCores, info.cores);
  json.endObject();
}

} // namespace ada::runtime
