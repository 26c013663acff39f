// Builds a manifest.json from the model.
#pragma once

#include "ada/trace/model.h"
#include "trace/base/json.h"

#include <set>
#include <string>
#include <vector>

namespace ada::formats {

class ManifestText {
public:
  explicit ManifestText(const model::Process &process);
  void addSymbol(const model::Function &function);
  /// The names of the files that its modules refer to.
  std::vector<std::string> binaries() const;
  /// Takes the symbols from these files, so that it needs none of them.
  void takeBinaries(const std::string &folder);
  /// `sched`: the bytes of its scheduling record; empty if they are in a file, or there are none.
  void addThread(const model::Thread &thread, std::string_view sched, uint64_t events, uint64_t details,
                 uint64_t inferred, uint64_t minTimeNs, uint64_t maxTimeNs);
  Expected<void> write(const std::string &path) const;

private:
  std::string description_;
  std::string allSymbols_; // the array, if the process came with one
  JsonMembers symbols_, threads_;
  std::set<uint64_t> modules_; // of the symbols
  uint64_t inferred_ = 0;
  uint64_t startNs_ = ~uint64_t{0}, endNs_ = 0;
  std::optional<uint64_t> pid_;
  std::string executable_;
  uint8_t clockType_;
};

} // namespace ada::formats
