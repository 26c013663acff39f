// process_info.cpp - command line, executable and machine, from /proc and uname.
#include "core/process_info.h"
#include "loaded_object.h"

#include <sys/utsname.h>

namespace ada {
namespace {

struct Info {
  Path executable, directory;
  char arguments[8192];
  size_t argumentBytes;
  utsname system;
  char cpu[128];
  uint32_t cores;
};
Info info;

// At most `n` bytes of a file.
size_t readFile(const char *path, char *to, size_t n) {
  int fd = sys::open(path, O_RDONLY);
  if (fd < 0)
    return 0;
  size_t used = 0;
  while (used < n) {
    long r = sys::read(fd, to + used, n - used);
    if (r <= 0)
      break;
    used += (size_t)r;
  }
  sys::close(fd);
  return used;
}

void readCpuModel() {
  char text[4096];
  size_t n = readFile("/proc/cpuinfo", text, sizeof text - 1);
  text[n] = 0;
  for (const char *line = text; *line;) {
    const char *key = "model name", *p = line;
    while (*key && *p == *key)
      ++p, ++key;
    if (!*key) {
      while (*p == ' ' || *p == '\t' || *p == ':')
        ++p;
      size_t i = 0;
      while (*p && *p != '\n' && i + 1 < sizeof info.cpu)
        info.cpu[i++] = *p++;
      return;
    }
    while (*line && *line++ != '\n') {
    }
  }
}

} // namespace

void gatherProcessInfo() {
  info.executable = executablePath();
  char here[4096];
  long n = sys::currentDirectory(here, sizeof here);
  info.directory = Path(n > 0 ? here : "");
  info.argumentBytes = readFile("/proc/self/cmdline", info.arguments, sizeof info.arguments - 1);
  info.arguments[info.argumentBytes] = 0;
  sys::call(SYS_uname, &info.system);
  readCpuModel();
  unsigned long mask[128] = {};
  long bytes = sys::call(SYS_sched_getaffinity, 0, sizeof mask, mask);
  info.cores = 0;
  for (long i = 0; i < bytes / 8; ++i)
    info.cores += (uint32_t)__builtin_popcountl(mask[i]);
}

void writeProcess(JsonWriter &json, Ending ending, int status) {
  json.line().beginObject("process");
  json.number("pid", sys::processId()).number("ppid", sys::parentId());
  json.text("executable", info.executable.c_str()).beginArray("argv");
  for (size_t i = 0; i < info.argumentBytes; i += length(info.arguments + i) + 1)
    json.text(nullptr, info.arguments + i);
  json.endArray().text("cwd", info.directory.c_str());
  json.beginObject("exit");
  switch (ending) {
  case Ending::Running: json.text("how", "running"); break;
  case Ending::Exit: json.text("how", "code").number("code", (uint64_t)(status & 255)); break;
  case Ending::Exec: json.text("how", "exec"); break;
  case Ending::Unknown: json.text("how", "unknown"); break;
  }
  json.endObject().endObject();
}

void writeHost(JsonWriter &json) {
  json.line().beginObject("host");
  json.text("name", info.system.nodename).text("os", info.system.sysname);
  json.text("kernel", info.system.release).text("cpu", info.cpu).number("cores", info.cores);
  json.endObject();
}

} // namespace ada
