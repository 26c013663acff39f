// Finds the files and directories of a recording.
#include "formats/native/directories.h"

#include "shared/encode/thread_files.h"
#include "trace/base/file_tree.h"
#include "trace/base/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <tuple>

namespace ada::atf {

bool isDirectory(const std::string &path) { return fileKind(path) == FileKind::Directory; }

bool exists(const std::string &path) { return fileExists(path); }

std::string joinPath(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty() && !path.ends_with('/'))
    path += '/';
  path += name;
  return path;
}

static std::string_view trimSlashes(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.remove_suffix(1);
  return path;
}

std::string_view baseName(std::string_view path) {
  path = trimSlashes(path);
  size_t slash = path.rfind('/');
  return slash == path.npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::string parentPath(std::string_view path) {
  path = trimSlashes(path);
  size_t slash = path.rfind('/');
  if (slash == path.npos)
    return ".";
  return std::string(trimSlashes(path.substr(0, slash ? slash : 1)));
}

static std::optional<uint64_t> decimal(std::string_view text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> threadNumber(std::string_view name) {
  if (!name.starts_with("thread_"))
    return std::nullopt;
  return decimal(name.substr(7));
}

std::optional<uint64_t> processNumber(std::string_view name) {
  if (!name.starts_with("pid_"))
    return std::nullopt;
  name.remove_prefix(4);
  return decimal(name.substr(0, name.find('_')));
}

// Runs of digits compare as numbers, so that pid_9 comes before pid_10.
static bool naturalLess(std::string_view a, std::string_view b) {
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (isDigit(a[0]) && isDigit(b[0])) {
      auto take = [&](std::string_view &text) {
        size_t end = 0;
        while (end < text.size() && isDigit(text[end]))
          ++end;
        std::string_view run = text.substr(0, end);
        text.remove_prefix(end);
        run.remove_prefix(std::min(run.find_first_not_of('0'), run.size()));
        return run;
      };
      std::string_view x = take(a), y = take(b);
      if (x.size() != y.size())
        return x.size() < y.size();
      if (x != y)
        return x < y;
      continue;
    }
    if (a[0] != b[0])
      return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

std::vector<std::string> directoriesNamed(const std::string &directory, std::string_view prefix) {
  std::vector<std::string> names;
  for (Archive::Entry &entry : directoryEntries(directory))
    if (entry.isDirectory && entry.name.starts_with(prefix))
      names.push_back(std::move(entry.name));
  std::sort(names.begin(), names.end(),
            [](const auto &a, const auto &b) { return naturalLess(a, b) || (!naturalLess(b, a) && a < b); });
  return names;
}

//===--- the files of a thread --------------------------------------------===//

using namespace thread_files;

// "thread_3" of "thread_3.index.atp"; empty if it is not the name of such a file.
static std::string_view threadOfFile(std::string_view name) {
  const std::string_view thread = name.substr(0, name.find('.')), rest = name.substr(thread.size());
  const bool isFile = rest == kPackedIndex || rest == kPackedDetail || rest == kPackedSched ||
                      (rest.ends_with(kNewer) && rest.substr(0, rest.size() - std::strlen(kNewer)) == kPackedSched);
  return isFile && threadNumber(thread) ? thread : std::string_view();
}

bool isOfThread(std::string_view name, bool isDirectory) {
  return isDirectory ? threadNumber(name).has_value() : !threadOfFile(name).empty();
}

std::string threadPlaceOf(const std::string &file) {
  const std::string_view name = baseName(file), thread = threadOfFile(name);
  return thread.empty() ? parentPath(file) : file.substr(0, file.size() - (name.size() - thread.size()));
}

bool isIndexName(std::string_view name) {
  return name == kAtfIndex + 1 || name == kOldPackedIndex + 1 ||
         (name.ends_with(kPackedIndex) && !threadOfFile(name).empty());
}

static std::string inDirectory(const std::string &place, const char *file) { return joinPath(place, file + 1); }

std::string indexPathIn(const std::string &place) {
  if (!isDirectory(place))
    return place + kPackedIndex;
  const std::string plain = inDirectory(place, kAtfIndex), packed = inDirectory(place, kOldPackedIndex);
  return !exists(plain) && exists(packed) ? packed : plain;
}

std::string detailPathIn(const std::string &place) {
  if (!isDirectory(place))
    return place + kPackedDetail;
  const std::string plain = inDirectory(place, kAtfDetail), packed = inDirectory(place, kOldPackedDetail);
  if (exists(plain))
    return plain;
  return exists(packed) || indexPathIn(place).ends_with(kOldPackedIndex) ? packed : plain;
}

std::vector<NumberedThread> threadsIn(const std::string &directory) {
  std::vector<NumberedThread> found;
  for (const Archive::Entry &entry : directoryEntries(directory)) {
    const std::string_view name = entry.isDirectory ? std::string_view(entry.name) : threadOfFile(entry.name);
    if (const auto number = threadNumber(name))
      found.push_back({std::string(name), *number});
  }
  std::ranges::sort(found, {}, [](const NumberedThread &thread) { return std::tie(thread.number, thread.name); });
  const auto isSame = [](const NumberedThread &a, const NumberedThread &b) { return a.name == b.name; };
  found.erase(std::unique(found.begin(), found.end(), isSame), found.end());
  return found;
}

std::string recoveryOf(const std::string &process) {
  for (std::string path = process; path != "." && path != "/"; path = parentPath(path))
    if (isArchiveFile(path))
      return "recovery after `adatrace unpack " + pathForShell(path) + "`";
  return "`adatrace recover " + pathForShell(process) + "`";
}

} // namespace ada::atf
