// The functions of a session that a source has announced, with their numbers.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/session.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::atf {

/// A list for each process, or, if they are shared, for each binary that has a file in the session's `binaries`. A
/// session with ten thousand processes has some ten of these.
class FunctionLists {
public:
  struct List {
    FunctionIndex local;
    std::vector<uint32_t> numbers; // in the model, by local number
  };

  FunctionLists() = default;
  FunctionLists(size_t processes, bool areShared) : areShared_(areShared), lists_(processes) {}

  bool areShared() const { return areShared_; }
  List &ofProcess(uint32_t process) { return lists_[process]; }
  /// The list that has the function. Libraries may have other numbers in other processes; then a shared list has the
  /// function under each of its ids.
  List &of(const Session &session, uint32_t process, uint64_t functionId) {
    return lists_[areShared_ ? numberOf(session, process, functionId) : process];
  }

  /// The functions of the process's own list, and those of the binaries that no process before it has used.
  std::vector<uint64_t> usedBy(uint32_t process) const {
    const auto own = lists_[process].local.ids();
    std::vector<uint64_t> ids(own.begin(), own.end());
    for (const auto &[name, binary] : binaries_)
      if (binary.process == process)
        for (const uint64_t id : lists_[binary.list].local.ids())
          ids.push_back(makeFunctionId(binary.module, symbolOf(id)));
    return ids;
  }

private:
  uint32_t numberOf(const Session &session, uint32_t process, uint64_t functionId) {
    const uint32_t module = moduleOf(functionId);
    if (last_.process == process && last_.module == module)
      return last_.list;
    const Manifest *manifest = session.processes()[process].manifest();
    const ManifestModule *about = manifest ? manifest->moduleOfFunction(functionId) : nullptr;
    uint32_t list = process;
    if (about && !about->binary.empty()) {
      const Binary unknown = {static_cast<uint32_t>(lists_.size()), process, module};
      list = binaries_.try_emplace(about->binary, unknown).first->second.list;
      if (list == lists_.size())
        lists_.emplace_back();
    }
    last_ = {process, module, list};
    return list;
  }

  bool areShared_ = false;
  std::vector<List> lists_; // by process; after them those of shared binaries
  struct Binary {
    uint32_t list;
    uint32_t process, module; // the first that it is known from
  };
  std::unordered_map<std::string, Binary> binaries_;
  struct {
    uint32_t process = ~uint32_t{0}, module = 0, list = 0;
  } last_;
};

} // namespace ada::atf
