// Finds what to ship: the process directories below a directory of sessions.
#include "units.h"
#include "process/session_place.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <sys/stat.h>

namespace ada::cli {

namespace fs = std::filesystem;

namespace {

uint64_t nsOf(const timespec &time) { return uint64_t(time.tv_sec) * 1'000'000'000 + uint64_t(time.tv_nsec); }

uint64_t markOf(const std::string &path) {
  struct stat info;
  return ::stat((path + "/manifest.json").c_str(), &info) == 0 ? nsOf(info.st_mtim) : 0;
}

using Known = std::map<std::string_view, const Unit *>; // by name

void addUnits(const std::string &session, const std::string &prefix, const Known &known, std::vector<Unit> &units) {
  for (const std::string &path : processDirectories(session)) {
    Unit unit;
    unit.name = prefix + fs::path(path).filename().string();
    if (const auto found = known.find(unit.name); found != known.end() && found->second->mark == markOf(path)) {
      units.push_back(*found->second);
      continue;
    }
    unit.path = path;
    unit.state = stateOf(path);
    unit.measure();
    units.push_back(std::move(unit));
  }
}

} // namespace

void Unit::measure() {
  bytes = writtenNs = 0;
  mark = markOf(path);
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(path, error); !error && at != fs::recursive_directory_iterator();
       at.increment(error)) {
    struct stat info;
    if (::lstat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    bytes += static_cast<uint64_t>(info.st_size);
    writtenNs = std::max(writtenNs, nsOf(info.st_mtim));
  }
}

std::vector<Unit> findUnits(const std::string &directory, const std::vector<Unit> &before) {
  Known known;
  for (const Unit &unit : before)
    if (unit.state == ProcessState::Finished)
      known[unit.name] = &unit;
  std::vector<Unit> units;
  addUnits(directory, "", known, units);
  std::error_code error;
  for (auto at = fs::directory_iterator(directory, error); !error && at != fs::directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (!name.starts_with('.') && !name.starts_with("pid_") && !at->is_symlink(ignored) && at->is_directory(ignored))
      addUnits(at->path().string(), name + "/", known, units);
  }
  std::ranges::sort(units, [](const Unit &a, const Unit &b) {
    return a.writtenNs != b.writtenNs ? a.writtenNs < b.writtenNs : a.name < b.name;
  });
  return units;
}

bool removeUnit(const std::string &directory, const Unit &unit) {
  std::error_code error;
  fs::remove_all(unit.path, error);
  if (error)
    return false;
  std::error_code ignored; // fails if this was not the last unit: the session stays
  const fs::path session = fs::path(unit.path).parent_path();
  if (!fs::equivalent(session, directory, ignored))
    fs::remove(session, ignored);
  return true;
}

} // namespace ada::cli
