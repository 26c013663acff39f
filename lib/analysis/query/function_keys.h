// What identifies a function of a trace, whichever process calls it.
#pragma once

#include "analysis/report/report_parts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::query {

/// Sources may have several symbols for what a report shows as one function: loads of one library, inlined copies,
/// calls of a library function from several modules. All of them have one key.
///
/// Ten thousand processes of one program have its functions in common: those of a file in the session's folder
/// `binaries` have the same keys in all processes. Functions that go by their names have the same ones in all processes
/// of a program.
class FunctionKeys {
public:
  /// `table` must have all processes whose functions are asked for, and outlive this.
  explicit FunctionKeys(const analysis::TraceTable &table)
      : table_(table), keys_(table, analysis::ReportBy::Function) {}

  /// `process` of the key is a scope: the number of a process, or that of a file that processes have in common.
  analysis::RowKey of(const model::Function &function);
  /// Whether several processes of the trace have the function.
  bool isShared(const model::Function &function);
  /// The scopes of the functions of a process.
  std::vector<uint32_t> scopesOf(uint32_t process);

private:
  struct Module {
    uint32_t number = 0, scope = 0;
    uint32_t load = 0; // which of the process's modules with this scope that are not the same load
  };
  struct Process {
    std::vector<Module> modules;     // those with a file, by number
    std::optional<uint32_t> program; // the scope of its executable, or if that is not traced, of its first module
  };
  // How many processes have a file, and of how many it is the program.
  struct Users {
    uint32_t processes = 0, programs = 0;
  };

  const Process &modulesOf(uint32_t process);

  const analysis::TraceTable &table_;
  analysis::RowKeys keys_;
  std::vector<Process> processes_;
  std::unordered_map<std::string, uint32_t> scopes_; // of files
  std::unordered_map<uint32_t, Users> users_;        // by scope
};

} // namespace ada::query
