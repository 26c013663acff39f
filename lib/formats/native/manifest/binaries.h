// What a session says about its programs and libraries: the files of its folder `binaries` (docs/formats/binaries.md).
#pragma once

#include "ada/trace/error.h"
#include "ada/trace/manifest.h"
#include "formats/native/manifest/symbol_names.h"
#include "trace/base/json_document.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::atf {

/// The functions of one program or library, by symbol_index. Any thread may ask.
class Binary {
public:
  /// Elements that are no objects, or have no name, are functions without a name.
  /// E_BAD_BINARY if it is not a JSON object, or has no array `symbols`.
  static Expected<std::shared_ptr<const Binary>> parse(std::string_view json, const std::string &name);

  /// Addresses are relative to the module; ids are indices.
  const std::vector<Symbol> &symbols() const { return symbols_; }
  /// Null if the function is not there or has no name.
  const Symbol *at(uint64_t index) const {
    return index < symbols_.size() && !symbols_[index].name.empty() ? &symbols_[index] : nullptr;
  }
  /// As Manifest::displayName(), for functions that are there. Made once for all processes.
  std::string_view displayName(uint64_t index) const;
  std::string_view shortDisplayName(uint64_t index) const;
  bool hasAnnotatedValues() const { return hasAnnotatedValues_; }
  /// How many functions the file says that there are.
  uint64_t claimedFunctions() const { return claimedFunctions_; }
  /// Why the session's file could not be used, if this is made from the program itself.
  const std::optional<Error> &flaw() const { return flaw_; }

private:
  friend class Binaries;
  Binary() = default;
  static Expected<std::shared_ptr<Binary>> make(std::string_view json, const std::string &name);

  JsonDocument document_; // owns the texts
  std::vector<Symbol> symbols_;
  SymbolNames names_;
  bool hasAnnotatedValues_ = false;
  uint64_t claimedFunctions_ = 0;
  std::optional<Error> flaw_;
};

/// The folder of a session. Files are read when they are first asked for, and stay as long as anybody has the folder.
class Binaries {
public:
  /// The folder beside a process's directory. Callers that ask for the same one get the same object, as long as one
  /// of them has it; the one that was used last stays.
  static std::shared_ptr<Binaries> beside(const std::string &processDirectory);

  explicit Binaries(std::string folder) : folder_(std::move(folder)) {}

  /// A name that refers to a file: 0 to 9, a to f and '-' only.
  static bool isName(std::string_view name);
  /// The file that a module names. If it is missing or damaged, what the program at the module's path says about
  /// itself, if that is still the same program. Errors: E_IO, E_BAD_BINARY, those of archives. Any thread may ask.
  Expected<std::shared_ptr<const Binary>> get(const ManifestModule &module);
  std::string pathOf(const std::string &name) const { return folder_ + "/" + name + ".json"; }
  const std::string &folder() const { return folder_; }

private:
  Expected<std::shared_ptr<const Binary>> read(const std::string &name) const;
  static Expected<std::shared_ptr<const Binary>> fromProgram(const ManifestModule &module, Error flaw);

  struct Entry {
    std::mutex mutex;
    std::shared_ptr<const Binary> binary; // null until it was read
    std::optional<Error> damage;          // of the file; not if it could not be opened, because it may come yet
  };

  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

} // namespace ada::atf
