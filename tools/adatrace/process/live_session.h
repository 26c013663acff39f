// A session that is being recorded: where it is, and whether any process still records into it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

class LiveSession {
public:
  /// The session into which a process records; of that, only its own directories count. Ends the command if it records
  /// nothing, or keeps its trace in memory.
  static LiveSession ofProcess(uint32_t pid);
  /// A session, or a process's directory in one; empty: the newest one.
  static LiveSession at(const std::string &path);

  /// A process by its number, unless a file has that name; everything else as at().
  static LiveSession named(const std::string &target);

  const std::string &path() const { return path_; }
  /// For people: the path, or if only one process counts, its directory.
  std::string name() const;
  /// The number in the names of the directories that count; 0: all count.
  unsigned pid() const { return pid_.value_or(0); }
  /// Whether the process directory of that name ("pid_4711", "pid_4711_2") counts.
  bool has(const std::string &name) const;
  /// Whether a process records whose directory counts. One that was stopped does not, though it may be started again.
  bool isLive() const;
  /// Ends the command if the events that a process keeps are only its newest ones (max_size, max_time): they can be
  /// gone before they are read.
  void needEverything(const char *command) const;

private:
  std::vector<std::string> directories() const;

  std::string path_;
  std::optional<unsigned> pid_; // in the directory's name
  uint32_t process_ = 0;        // the number by which we know it, or 0
};

} // namespace ada::cli
