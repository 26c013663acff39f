// Reads /proc/PID.
#include "live/control/process_files.h"

#include "trace/base/same_file.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace ada::control {

namespace fs = std::filesystem;

std::string named(pid_t pid) { return "process " + std::to_string(pid); }
std::string placeOf(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::optional<ProcessFacts> factsOf(pid_t pid) {
  std::ifstream status(placeOf(pid) + "/status");
  if (pid <= 0 || !status)
    return std::nullopt;
  ProcessFacts facts;
  facts.pid = facts.ownPid = pid;
  for (std::string line; std::getline(status, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    const std::string key = line.substr(0, colon);
    const size_t from = line.find_first_not_of(" \t", colon + 1);
    const std::string value = from == std::string::npos ? "" : line.substr(from);
    if (key == "Name")
      facts.name = value;
    else if (key == "State" && !value.empty())
      facts.state = value[0];
    else if (key == "Tgid" && value != std::to_string(pid))
      return std::nullopt; // the number of a thread
    else if (unsigned real = 0, effective = 0;
             key == "Uid" && std::sscanf(value.c_str(), "%u %u", &real, &effective) == 2)
      facts.owner = effective;
    else if (unsigned inherited = 0, own = 0;
             key == "Gid" && std::sscanf(value.c_str(), "%u %u", &inherited, &own) == 2)
      facts.group = own;
    else if (key == "Groups")
      for (std::istringstream groups(value); groups >> own;)
        facts.groups.push_back(own);
    else if (key == "NSpid") // in our namespace, …, in its own
      facts.ownPid = static_cast<pid_t>(std::atoi(value.substr(value.find_last_of(" \t") + 1).c_str()));
  }
  return facts;
}

std::vector<pid_t> allProcesses() {
  std::vector<pid_t> found;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (wrong == std::errc() && end == name.data() + name.size())
      found.push_back(pid);
  }
  std::ranges::sort(found);
  return found;
}

// Parses lines such as
//   7f1c… -7f1d… rw-s 00000000 00:1b 4711    /dev/shm/adatrace…
std::vector<Mapping> mappingsOf(pid_t pid, int &error) {
  std::vector<Mapping> found;
  errno = 0;
  std::ifstream maps(placeOf(pid) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    char rights[8] = {};
    unsigned major = 0, minor = 0;
    unsigned long long begin = 0, end = 0, inode = 0;
    int path = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %*x %x:%x %llu %n", &begin, &end, rights, &major, &minor, &inode,
                    &path) < 6)
      continue;
    mapping.begin = begin, mapping.end = end;
    mapping.isWritable = rights[1] == 'w', mapping.isShared = rights[3] == 's';
    mapping.device = makedev(major, minor), mapping.inode = inode;
    if (path > 0 && static_cast<size_t>(path) < line.size())
      mapping.path = line.substr(static_cast<size_t>(path));
    found.push_back(std::move(mapping));
  }
  error = found.empty() ? errno : 0;
  return found;
}

std::string reachable(pid_t pid, const std::string &path) {
  struct stat ours, its;
  const std::string root = placeOf(pid) + "/root";
  const bool isSame = stat("/", &ours) != 0 || stat((root + "/").c_str(), &its) != 0 || isSameFile(ours, its);
  return isSame ? path : root + path;
}

std::string mountsOf(pid_t pid) {
  std::error_code error;
  return fs::read_symlink(placeOf(pid) + "/ns/mnt", error).string();
}

} // namespace ada::control
