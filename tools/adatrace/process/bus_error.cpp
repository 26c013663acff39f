// Handles SIGBUS, which a read from a mapped file raises past the file's end.
//
// The readers map files so that finding event n takes one address calculation. They check every offset against the
// size that the file had when it was opened. The file may shrink after that: a disk is cleaned up, a copy is started
// again, or a program records into the same place again.
//
// pread would not help. Data could change between check and use, so every use would have to check again. The scan of
// an index file, now one load per field, would have to copy each byte first. So the files stay mapped, and this handler
// turns the signal into a message. It belongs to the tool, because a library must not take a signal from the program
// that uses it (include/ada/trace/atf_index.h describes what that program must expect).
//
// The fault is synchronous, at a load from the mapping, and no libc code reads from the mapping while it holds a lock.
// So the handler may do anything that an ordinary function may do.
#include "bus_error.h"
#include "exit_codes.h"
#include "terminal/terminal.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::cli {

namespace {

std::function<void()> cleanup;

struct MappedPlace {
  std::string path;
  uint64_t offset = 0; // in the file
};

// The file that is mapped at an address in this process.
std::optional<MappedPlace> placeOf(uintptr_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, offset = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %*s %llx %*s %*s %n", &begin, &end, &offset, &path) < 3 ||
        address < begin || address >= end)
      continue;
    if (path == 0 || line.size() <= static_cast<size_t>(path) || line[static_cast<size_t>(path)] != '/')
      return std::nullopt;
    return MappedPlace{line.substr(static_cast<size_t>(path)), offset + (address - begin)};
  }
  return std::nullopt;
}

void endWithMessage(int number, siginfo_t *info, void *) {
  static std::atomic_flag busy;
  while (busy.test_and_set()) // another thread is about to end the program
    pause();
  const auto place = info->si_code == BUS_ADRERR ? placeOf(reinterpret_cast<uintptr_t>(info->si_addr)) : std::nullopt;
  if (!place) {
    signal(number, SIG_DFL);
    busy.clear();
    return; // the fault happens again and ends the program as usual
  }
  if (cleanup)
    cleanup();
  // Erase the live line of `convert`, and reset the colours of a half-printed report.
  if (isTerminal(STDERR_FILENO))
    if (write(STDERR_FILENO, "\r\x1b[K\x1b[0m", 8) < 0)
      _exit(kCantRead);
  struct stat now;
  const bool isShorter = stat(place->path.c_str(), &now) != 0 || static_cast<uint64_t>(now.st_size) <= place->offset;
  complain(fmt::format("{}: {}", place->path,
                       isShorter ? "was truncated while it was being read; try again when nothing writes to it"
                                 : fmt::format("can't be read at byte {}: input/output error", place->offset)));
  _exit(kCantRead);
}

} // namespace

void handleBusErrors() {
  struct sigaction action = {};
  action.sa_sigaction = endWithMessage;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

void setBusErrorCleanup(std::function<void()> cleanUp) { cleanup = std::move(cleanUp); }

} // namespace ada::cli
