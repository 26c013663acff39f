// Reads info, task.txt, sid-*.map and *.sym of a data directory of uftrace.
#include "session.h"

#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/try.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <set>
#include <sys/stat.h>

namespace ada::formats::uftrace {

// A text file.
struct Text {
  FileBytes file;
  std::string_view text;
};

static Expected<Text> openText(const std::string &path) {
  auto file = ADA_TRY(FileBytes::open(path));
  const auto bytes = file.holes().before(file.bytes());
  return Text{std::move(file), {reinterpret_cast<const char *>(bytes.data()), bytes.size()}};
}

template <class Take> static void eachLine(std::string_view text, Take &&take) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    take(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

static std::optional<uint64_t> numberOf(std::string_view text, int base = 10) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), number, base);
  return error == std::errc() && end == text.end() && !text.empty() ? std::optional(number) : std::nullopt;
}

// Takes the word up to the next space, and the spaces before it.
static std::string_view takeWord(std::string_view &text) {
  while (text.starts_with(' '))
    text.remove_prefix(1);
  const size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(word.size());
  return word;
}

Expected<Header> readHeader(const std::string &directory) {
  const std::string path = directory + "/info";
  const auto file = ADA_TRY(FileBytes::open(path));
  const auto bytes = file.bytes();
  if (bytes.size() < sizeof kMagic || std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0)
    return Error{.code = "E_BAD_MAGIC", .message = "not a data directory of uftrace", .file = path};
  if (bytes.size() < 40)
    return Error{.code = "E_TRUNCATED", .message = "the header is not complete", .file = path, .offset = bytes.size()};
  if (bytes[14] != std::byte{1})
    return Error{.code = "E_BAD_ENDIAN",
                 .message = "recorded on a big-endian machine, which is not supported",
                 .file = path,
                 .offset = 14};
  Header header;
  std::memcpy(&header.version, &bytes[8], sizeof header.version);
  std::memcpy(&header.features, &bytes[16], sizeof header.features);
  if (header.version != 3 && header.version != 4)
    return Error{.code = "E_BAD_VERSION",
                 .message = "only versions 3 and 4 of uftrace's data can be read",
                 .file = path,
                 .offset = 8,
                 .field = "version",
                 .found = std::to_string(header.version)};
  return header;
}

const Symbol *Module::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::address);
  if (after == symbols.begin())
    return nullptr;
  const Symbol &symbol = *--after;
  return symbol.end && address >= symbol.end ? nullptr : &symbol;
}

const Mapping *Session::find(uint64_t address, uint64_t at) const {
  // The library that was loaded last is the one that is there.
  if (const Mapping *late = loaded.find(address, at))
    return late;
  return atStart ? atStart->find(address, at) : nullptr;
}

Directory::Running Directory::runningAt(uint64_t pid, uint64_t timeNs) const {
  Running running;
  bool isChild = false;
  constexpr unsigned kMaxGenerations = 64;
  for (unsigned generation = 0; generation < kMaxGenerations; ++generation) {
    if (const auto own = sessionsOf.find(pid); own != sessionsOf.end()) {
      const std::vector<size_t> &places = own->second;
      const auto timeOf = [&](size_t place) { return sessions[place].timeNs; };
      const auto next = std::ranges::upper_bound(places, timeNs, {}, timeOf);
      running.session = &sessions[next == places.begin() ? *next : *(next - 1)];
      if (!isChild && next != places.begin())
        running.fromNs = running.session->timeNs;
      if (!isChild && next != places.end())
        running.untilNs = timeOf(*next);
      return running;
    }
    // A child runs what its parent ran when it was forked.
    const auto fork = forkOf.find(pid);
    if (fork == forkOf.end())
      return running;
    isChild = true;
    timeNs = tasks[fork->second].timeNs;
    pid = *tasks[fork->second].parent;
  }
  return running;
}

std::vector<Symbol> symbolsOf(std::string_view text) {
  std::vector<Symbol> symbols;
  char lastType = 0;
  eachLine(text, [&](std::string_view line) {
    if (line.starts_with('#'))
      return;
    const auto address = numberOf(takeWord(line), 16);
    std::string_view type = takeWord(line);
    std::optional<uint64_t> size;
    if (type.size() > 1 || (!type.empty() && type[0] >= '0' && type[0] <= '9')) { // newer files have sizes
      size = numberOf(type, 16);
      type = takeWord(line);
    }
    if (line.starts_with(' '))
      line.remove_prefix(1);
    const std::string_view name = line.substr(0, line.find('\t'));
    constexpr std::string_view kTypes = "?TtwPKDdvu";
    if (!address || type.size() != 1 || kTypes.find(type[0]) == kTypes.npos || name.empty())
      return;
    // If one place has several names, the first counts. "?" ends the symbol before it.
    if (!symbols.empty() && symbols.back().end == 0 && *address > symbols.back().address)
      symbols.back().end = *address;
    const bool isMarker = type[0] == '?' || name == "__sym_end" || name == "__dynsym_end" || name == "__func_end";
    const bool isAgain = !symbols.empty() && symbols.back().address == *address && lastType == type[0];
    lastType = type[0];
    if (!isMarker && !isAgain)
      symbols.push_back({*address, size && *size ? *address + *size : 0, std::string(name)});
  });
  std::ranges::stable_sort(symbols, {}, &Symbol::address);
  return symbols;
}

namespace {

// The modules of the directory, each read once.
class Modules {
public:
  explicit Modules(const std::string &directory) : directory_(directory) {}

  std::shared_ptr<const Module> get(const std::string &path, std::string_view buildId) {
    auto &known = known_[path];
    if (!known) {
      known = std::make_shared<Module>(Module{.path = path});
      read(*known, buildId);
    }
    return known;
  }

private:
  void read(Module &module, std::string_view buildId) {
    const std::string name = directory_ + "/" + module.path.substr(module.path.find_last_of('/') + 1);
    if (take(name + ".sym", module, buildId))
      return;
    // Otherwise, two modules have the same file name.
    uint16_t sum = 0;
    for (const char c : module.path)
      sum = static_cast<uint16_t>(sum + c);
    if (!buildId.empty())
      take(name + "-" + std::string(buildId.substr(0, 4)) + ".sym", module, buildId);
    else
      take(fmt::format("{}-{:04x}.sym", name, sum), module, buildId);
  }
  // Reads the symbols in `path`. False if they are not this module's.
  bool take(const std::string &path, Module &module, std::string_view buildId) {
    const auto file = openText(path);
    if (!file)
      return false;
    bool isOther = false;
    eachLine(file->text.substr(0, 1 << 14), [&](std::string_view line) {
      constexpr std::string_view kPath = "# path name: ", kId = "# build-id: ";
      if (line.starts_with(kPath))
        isOther |= line.substr(kPath.size()) != module.path;
      else if (line.starts_with(kId))
        isOther |= !buildId.empty() && line.substr(kId.size()) != buildId;
    });
    if (isOther)
      return false;
    module.symbols = symbolsOf(file->text);
    return true;
  }

  const std::string &directory_;
  std::map<std::string, std::shared_ptr<Module>> known_;
};

// Converts "12.000000345" to nanoseconds.
uint64_t timeOf(std::string_view text) {
  const size_t point = text.find('.');
  const auto seconds = numberOf(text.substr(0, point)),
             rest = numberOf(point == text.npos ? "0" : text.substr(point + 1));
  uint64_t ns = 0;
  if (!seconds || !rest || __builtin_mul_overflow(*seconds, uint64_t{1'000'000'000}, &ns) ||
      __builtin_add_overflow(ns, *rest, &ns))
    return 0;
  return ns;
}

// The value of `key` in "TASK timestamp=12.5 tid=1 pid=1"; values may be in quotes.
std::string_view valueOf(std::string_view line, std::string_view key) {
  for (size_t at = line.find(key); at != line.npos; at = line.find(key, at + 1)) {
    if (at == 0 || line[at - 1] != ' ' || line.substr(at + key.size()).substr(0, 1) != "=")
      continue;
    std::string_view value = line.substr(at + key.size() + 1);
    if (value.starts_with('"')) {
      value.remove_prefix(1);
      return value.substr(0, value.rfind('"'));
    }
    return value.substr(0, value.find(' '));
  }
  return {};
}

// The files sid-*.map, each read once, because links may make one file the map of many sessions.
class Maps {
public:
  Maps(const std::string &directory, Modules &modules) : directory_(directory), modules_(modules) {}

  // Null if there is no such file.
  std::shared_ptr<const Mappings> get(std::string_view sid) {
    const std::string path = fmt::format("{}/sid-{}.map", directory_, sid);
    struct stat info;
    if (sid.find('/') != sid.npos || !fileExists(path))
      return nullptr;
    const bool isInArchive = ::stat(path.c_str(), &info) != 0; // where there are no links
    const auto [at, isNew] = known_.try_emplace(isInArchive ? path : fmt::format("{} {}", info.st_dev, info.st_ino));
    if (!isNew)
      return at->second;
    if (const auto file = openText(path))
      at->second = read(file->text);
    return at->second;
  }

private:
  std::shared_ptr<const Mappings> read(std::string_view text);

  const std::string &directory_;
  Modules &modules_;
  std::map<std::string, std::shared_ptr<const Mappings>> known_;
};

std::shared_ptr<const Mappings> Maps::read(std::string_view text) {
  auto mappings = std::make_shared<Mappings>();
  eachLine(text, [&](std::string_view line) {
    const std::string_view range = takeWord(line);
    const size_t dash = range.find('-');
    const auto begin = numberOf(range.substr(0, dash), 16);
    const auto end = dash == range.npos ? std::nullopt : numberOf(range.substr(dash + 1), 16);
    for (int i = 0; i < 4; ++i) // permissions, offset, device, inode
      takeWord(line);
    while (line.starts_with(' '))
      line.remove_prefix(1);
    std::string_view path = line, buildId;
    if (const size_t at = line.rfind(" build-id:"); at != line.npos) {
      path = line.substr(0, at);
      buildId = line.substr(at + 10);
    }
    if (!begin || !end || *end <= *begin || path.empty() || path.starts_with('['))
      return;
    if (!mappings->empty() && mappings->back().module->path == path)
      mappings->back().end = std::max(mappings->back().end, *end);
    else
      mappings->add({*begin, *end, modules_.get(std::string(path), buildId)});
  });
  mappings->settle();
  return mappings;
}

} // namespace

Expected<Directory> readDirectory(const std::string &path) {
  Directory directory;
  directory.header = ADA_TRY(readHeader(path));
  const auto file = ADA_TRY(openText(path + "/task.txt"));
  Modules modules(path);
  Maps maps(path, modules);
  std::map<std::string, size_t, std::less<>> bySid;
  std::set<std::string> withoutMap; // programs
  std::set<uint64_t> known;
  const auto isNew = [&](uint64_t tid) { return known.insert(tid).second; };
  eachLine(file.text, [&](std::string_view line) {
    const auto number = [&](std::string_view key) { return numberOf(valueOf(line, key)).value_or(0); };
    const uint64_t timeNs = timeOf(valueOf(line, "timestamp"));
    if (line.starts_with("SESS ")) {
      Session session{.timeNs = timeNs, .pid = number("pid"), .executable = std::string(valueOf(line, "exename"))};
      const std::string_view sid = valueOf(line, "sid");
      session.atStart = maps.get(sid);
      if (!session.atStart)
        withoutMap.insert(session.executable.empty() ? "a program" : session.executable);
      bySid.insert_or_assign(std::string(sid), directory.sessions.size());
      directory.sessionsOf[session.pid].push_back(directory.sessions.size());
      directory.sessions.push_back(std::move(session));
    } else if (line.starts_with("TASK ")) {
      if (isNew(number("tid"))) // exec() gives a task another line
        directory.tasks.push_back({.tid = number("tid"), .pid = number("pid"), .timeNs = timeNs});
    } else if (line.starts_with("FORK ")) {
      const uint64_t pid = number("pid");
      if (isNew(pid)) {
        directory.forkOf[pid] = directory.tasks.size();
        directory.tasks.push_back({.tid = pid, .pid = pid, .timeNs = timeNs, .parent = number("ppid")});
      }
    } else if (line.starts_with("DLOP ")) {
      const auto session = bySid.find(valueOf(line, "sid"));
      const std::string_view baseText = valueOf(line, "base");
      const auto base = numberOf(baseText.starts_with("0x") ? baseText.substr(2) : baseText, 16);
      if (session == bySid.end() || !base)
        return;
      auto module = modules.get(std::string(valueOf(line, "libname")), {});
      const uint64_t size = module->symbols.empty() ? 0 : module->symbols.back().address + 4096;
      directory.sessions[session->second].loaded.add({*base, *base + size, std::move(module), timeNs});
    }
  });
  for (Session &session : directory.sessions)
    session.loaded.settle();
  for (auto &[pid, places] : directory.sessionsOf)
    std::ranges::stable_sort(places, {}, [&](size_t place) { return directory.sessions[place].timeNs; });
  for (const std::string &program : withoutMap)
    directory.flaws.push_back(
        {"W_NO_MAP", fmt::format("there is no memory map of {}: addresses have no names", program)});
  return directory;
}

void Mappings::settle() {
  bounds_.clear();
  for (const Mapping &mapping : all_)
    bounds_.insert(bounds_.end(), {mapping.begin, mapping.end});
  std::ranges::sort(bounds_);
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  nodes_.assign(2 * bounds_.size(), {});
  const auto leafOf = [&](uint64_t bound) {
    return bounds_.size() + static_cast<size_t>(std::ranges::lower_bound(bounds_, bound) - bounds_.begin());
  };
  for (uint32_t place = 0; place < all_.size(); ++place) {
    const auto cover = [&](std::vector<uint32_t> &node) {
      while (!node.empty() && all_[node.back()].sinceNs >= all_[place].sinceNs)
        node.pop_back();
      node.push_back(place);
    };
    for (size_t from = leafOf(all_[place].begin), to = leafOf(all_[place].end); from < to; from /= 2, to /= 2) {
      if (from % 2)
        cover(nodes_[from++]);
      if (to % 2)
        cover(nodes_[--to]);
    }
  }
}

const Mapping *Mappings::find(uint64_t address, uint64_t timeNs) const {
  const auto after = std::ranges::upper_bound(bounds_, address);
  if (after == bounds_.begin())
    return nullptr;
  size_t found = 0; // its place + 1
  for (size_t at = bounds_.size() + static_cast<size_t>(after - bounds_.begin()) - 1; at > 0; at /= 2) {
    const auto later =
        std::ranges::upper_bound(nodes_[at], timeNs, {}, [&](uint32_t place) { return all_[place].sinceNs; });
    if (later != nodes_[at].begin())
      found = std::max<size_t>(found, *(later - 1) + 1);
  }
  return found == 0 ? nullptr : &all_[found - 1];
}

} // namespace ada::formats::uftrace
