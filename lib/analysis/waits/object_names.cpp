// Finds variables in the files of a process's modules.
#include "object_names.h"

#include "shared/manifest_keys.h"
#include "trace/base/format.h"
#include "trace/base/json_document.h"
#include "trace/elf/debug_info.h"
#include "trace/elf/elf_file.h"
#include "trace/names.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace ada::analysis {

struct ObjectNames::File {
  ElfFile elf;
  std::vector<ElfFile::Variable> variables; ///< by address
  std::optional<DebugInfo> debug;
  std::map<uint64_t, std::string> named; ///< by address in the image

  // The variable that holds an address of the image.
  const ElfFile::Variable *variableAt(uint64_t address) const {
    auto next = std::ranges::upper_bound(variables, address, {}, &ElfFile::Variable::address);
    // Variables that overlap are members of none; the nearest one before the address is the innermost.
    while (next != variables.begin()) {
      --next;
      if (address - next->address < next->size)
        return &*next;
      if (address - next->address > kLargest)
        break;
    }
    return nullptr;
  }
  std::string nameAt(uint64_t address) {
    const ElfFile::Variable *variable = variableAt(address);
    if (!variable)
      return {};
    if (!debug)
      debug.emplace(elf);
    const uint64_t offset = address - variable->address;
    const std::string name = shortName(demangle(std::string(variable->name)));
    const auto member = debug->memberAt(variable->address, offset);
    return member ? name + *member : fmt::format("{} (+{})", name, offset);
  }

  static constexpr uint64_t kLargest = 64 << 20;
};

struct ObjectNames::Known {
  std::mutex mutex;
  std::map<uint32_t, std::vector<Module>> modules;                            ///< by process
  std::map<std::pair<std::string, std::string>, std::shared_ptr<File>> files; ///< by path and build id
};

ObjectNames::ObjectNames(const TraceTable &table) : table_(table), known_(std::make_unique<Known>()) {}
ObjectNames::~ObjectNames() = default;

// Null if the file is not the one that ran.
std::shared_ptr<ObjectNames::File> ObjectNames::fileOf(const std::string &path, const std::string &buildId) const {
  const auto [at, isNew] = known_->files.try_emplace({path, buildId});
  if (isNew && !buildId.empty()) {
    auto file = std::make_shared<File>();
    std::string problem;
    if (ElfFile::open(path, file->elf, problem) == ElfFile::Status::Ok && file->elf.buildId() == buildId) {
      file->variables = file->elf.variables();
      at->second = std::move(file);
    }
  }
  return at->second;
}

const std::vector<ObjectNames::Module> &ObjectNames::modulesOf(uint32_t process) const {
  if (const auto known = known_->modules.find(process); known != known_->modules.end())
    return known->second;
  std::vector<Module> &modules = known_->modules[process];
  const JsonDocument description(table_.processes[process].description.get());
  if (description.object())
    eachObject(*description.object(), manifest::kModules, [&](const dom::object &entry) {
      Module module;
      std::string path, buildId;
      const auto get = [&](std::string_view key, auto &to) {
        dom::element value;
        return !entry[key].get(value) && take(value, to);
      };
      if (get(manifest::kBaseAddress, module.base) && get(manifest::kSize, module.size) && get(manifest::kPath, path) &&
          get(manifest::kBuildId, buildId) && (module.file = fileOf(path, buildId)))
        modules.push_back(std::move(module));
    });
  return modules;
}

std::string ObjectNames::at(uint32_t process, uint64_t address) const {
  const std::scoped_lock lock(known_->mutex);
  std::string found;
  for (const Module &module : modulesOf(process)) {
    if (address < module.base || address - module.base >= module.size)
      continue;
    const uint64_t inImage = module.file->elf.base() + (address - module.base);
    const auto [named, isNew] = module.file->named.try_emplace(inImage);
    if (isNew)
      named->second = module.file->nameAt(inImage);
    // If libraries were loaded at the same place one after the other, it is not known which is meant.
    if (!found.empty() && named->second != found)
      return {};
    found = named->second;
  }
  return found;
}

} // namespace ada::analysis
