// What a data directory of uftrace holds besides its records: tasks, programs, and symbols of the modules they mapped.
#pragma once

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ada::formats::uftrace {

struct Module;

struct Mapping {
  uint64_t begin = 0, end = 0;
  std::shared_ptr<const Module> module = {};
  uint64_t sinceNs = 0; ///< for a library that was loaded later
};

/// Any number of mappings. If they overlap, the one that was added last counts.
class Mappings {
public:
  void add(Mapping mapping) { all_.push_back(std::move(mapping)); }
  bool empty() const { return all_.empty(); }
  Mapping &back() { return all_.back(); }
  /// Call after the last mapping was added. Takes n log n steps; find() takes log² n.
  void settle();
  const Mapping *find(uint64_t address, uint64_t timeNs) const;

private:
  std::vector<Mapping> all_;
  // A segment tree. Its leaves are the ranges between bounds_, and each node has the mappings that cover all of it, as
  // their places in all_. The later one of two mappings also begins later, or the first would never count.
  std::vector<uint64_t> bounds_;
  std::vector<std::vector<uint32_t>> nodes_;
};

constexpr char kMagic[8] = {'F', 't', 'r', 'a', 'c', 'e', '!', '\0'};
/// Bits of Header::features.
enum Feature : uint64_t { kRelativeSymbols = 1 << 5, kEstimatedReturns = 1 << 11 };

/// The header of the file `info`.
struct Header {
  uint32_t version = 0;
  uint64_t features = 0;
};
/// Errors: E_IO, E_BAD_MAGIC, E_BAD_VERSION, E_BAD_ENDIAN, E_TRUNCATED.
Expected<Header> readHeader(const std::string &directory);

struct Symbol {
  uint64_t address = 0, end = 0; ///< from the start of the module on; `end` 0: up to the next symbol
  std::string name = {};
};
/// A program or library.
struct Module {
  std::string path;
  std::vector<Symbol> symbols = {}; ///< by address
  const Symbol *find(uint64_t address) const;
};

/// A program from its start (or exec) on.
struct Session {
  uint64_t timeNs = 0, pid = 0;
  std::string executable = {};
  std::shared_ptr<const Mappings> atStart = {}; ///< several sessions may share it; null if there is no map
  Mappings loaded = {};                         ///< libraries that were loaded later
  const Mapping *find(uint64_t address, uint64_t timeNs) const;
  bool hasMappings() const { return !loaded.empty() || (atStart && !atStart->empty()); }
};

struct Task {
  uint64_t tid = 0, pid = 0;
  uint64_t timeNs = 0;
  std::optional<uint64_t> parent = {}; ///< the process that forked this one
};

struct Directory {
  Header header;
  std::vector<Task> tasks;       ///< in the order of task.txt
  std::vector<Session> sessions; ///< likewise
  std::vector<Warning> flaws = {};

  /// The program that a process ran, and from when until when it did.
  struct Running {
    const Session *session = nullptr; ///< null if nothing is known about it
    uint64_t fromNs = 0, untilNs = ~uint64_t{0};
  };
  Running runningAt(uint64_t pid, uint64_t timeNs) const;

  // By pid: places in `sessions` in order of time, and the place in `tasks` that says which process forked it.
  std::unordered_map<uint64_t, std::vector<size_t>> sessionsOf = {};
  std::unordered_map<uint64_t, size_t> forkOf = {};
};
/// Errors: those of readHeader(), and E_IO if there is no task.txt.
Expected<Directory> readDirectory(const std::string &path);

/// Reads the file of symbols that uftrace saves for a module.
std::vector<Symbol> symbolsOf(std::string_view text);

} // namespace ada::formats::uftrace
