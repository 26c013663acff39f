// Names of objects that are, or are in, variables with static storage: "store", "store.rows.lock".
//
// A session has the modules of each process: where they were loaded, their files and build ids. If the file is still
// there, with the same build id, its symbols say which variable holds an address, and its debug information which
// member.
#pragma once

#include "analysis/events/trace_table.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ada::analysis {

/// For several threads at once. Files are read when the first address of a process is asked for.
class ObjectNames {
public:
  explicit ObjectNames(const TraceTable &table);
  ~ObjectNames();

  /// "store.rows.lock"; "store (+8)" if it is not known what is there in the variable; empty if no variable is known.
  std::string at(uint32_t process, uint64_t address) const;

private:
  struct File;
  struct Module {
    uint64_t base = 0, size = 0;
    std::shared_ptr<File> file;
  };
  std::shared_ptr<File> fileOf(const std::string &path, const std::string &buildId) const;
  const std::vector<Module> &modulesOf(uint32_t process) const;

  const TraceTable &table_;
  struct Known;
  std::unique_ptr<Known> known_;
};

} // namespace ada::analysis
