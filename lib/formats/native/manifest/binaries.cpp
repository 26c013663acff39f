// Reads the files that describe a session's programs and libraries.
#include "formats/native/manifest/binaries.h"

#include "formats/native/directories.h"
#include "formats/native/manifest/program_binary.h"
#include "formats/native/manifest/symbol_entries.h"
#include "shared/manifest_keys.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/safe_file.h"

#include <algorithm>

namespace ada::atf {

//===--- a file -----------------------------------------------------------===//

Expected<std::shared_ptr<Binary>> Binary::make(std::string_view json, const std::string &name) {
  const auto bad = [&](std::string message) {
    return Error{.code = "E_BAD_BINARY", .message = std::move(message), .file = name};
  };
  std::shared_ptr<Binary> binary(new Binary);
  if (const auto error = binary->document_.parse(json))
    return bad(json.empty() ? "the file is empty" : std::string("this is not JSON: ") + simdjson::error_message(error));
  dom::array entries;
  if (!binary->document_.object() || (*binary->document_.object())[manifest::kSymbols].get(entries))
    return bad("a JSON object with an array `symbols` was expected");
  if (dom::element count; !(*binary->document_.object())[manifest::kFunctions].get(count))
    (void)take(count, binary->claimedFunctions_);
  // size() saturates at 2^24-1 and is bounded by the length of the text.
  binary->symbols_.reserve(entries.size());
  bool hasInlined = false;
  for (const dom::element element : entries) {
    SymbolEntry entry;
    if (dom::object object; !element.get(object))
      (void)FieldReader::read(object, entry, [](auto &f, auto &to) { manifest::symbolFields(f, to); });
    entry.functionId = binary->symbols_.size();
    entry.kind = symbolKindOf(entry.kindName);
    hasInlined |= entry.isInlined;
    binary->hasAnnotatedValues_ |= entry.kind != SymbolKind::Function && !entry.types.empty();
    binary->symbols_.push_back(entry);
  }
  if (hasInlined)
    findOriginals(binary->symbols_);
  binary->names_.resize(binary->symbols_.size());
  return binary;
}

Expected<std::shared_ptr<const Binary>> Binary::parse(std::string_view json, const std::string &name) {
  auto binary = make(json, name);
  if (!binary)
    return binary.error();
  return std::shared_ptr<const Binary>(std::move(*binary));
}

std::string_view Binary::displayName(uint64_t index) const { return names_.displayName(symbols_, index); }

std::string_view Binary::shortDisplayName(uint64_t index) const { return names_.shortDisplayName(symbols_, index); }

//===--- a folder ---------------------------------------------------------===//

bool Binaries::isName(std::string_view name) {
  constexpr size_t kLongest = 250; // with ".json", a file name has room for it
  return !name.empty() && name.size() <= kLongest &&
         std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; });
}

// Without a name of its own, or reached by a link, a directory has another parent than its path says.
static std::string folderBeside(const std::string &directory) {
  const std::string_view name = baseName(directory);
  std::string folder = joinPath(parentPath(directory), manifest::kBinariesFolder);
  if (name != "." && name != ".." && name != "/" && isDirectory(folder))
    return folder;
  const auto real = canonicalPath(directory);
  return real ? joinPath(parentPath(*real), manifest::kBinariesFolder) : folder;
}

std::shared_ptr<Binaries> Binaries::beside(const std::string &processDirectory) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Binaries>> known;
  static std::shared_ptr<Binaries> last;
  std::string folder = folderBeside(processDirectory);
  std::lock_guard lock(mutex);
  std::weak_ptr<Binaries> &found = known[folder];
  std::shared_ptr<Binaries> binaries = found.lock();
  if (!binaries)
    found = binaries = std::make_shared<Binaries>(std::move(folder));
  if (last != binaries) {
    last = binaries;
    std::erase_if(known, [](const auto &entry) { return entry.second.expired(); });
  }
  return binaries;
}

Expected<std::shared_ptr<const Binary>> Binaries::read(const std::string &name) const {
  const auto file = FileBytes::open(pathOf(name));
  if (!file)
    return file.error();
  const auto bytes = file->holes().before(file->bytes());
  return Binary::parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, pathOf(name));
}

Expected<std::shared_ptr<const Binary>> Binaries::fromProgram(const ManifestModule &module, Error flaw) {
  const auto json = binaryOfProgram(module);
  auto binary = json ? Binary::make(*json, module.path) : json.error();
  if (!binary) {
    flaw.message += "; its functions have no names, which can't be taken from " + module.path +
                    " either: " + binary.error().message;
    return flaw;
  }
  flaw.message += "; names of functions are taken from " + module.path;
  (*binary)->flaw_ = std::move(flaw);
  return std::shared_ptr<const Binary>(std::move(*binary));
}

Expected<std::shared_ptr<const Binary>> Binaries::get(const ManifestModule &module) {
  if (!isName(module.binary))
    return Error{.code = "E_BAD_BINARY", .message = "this is not the name of a file in it", .file = folder_};
  std::shared_ptr<Entry> entry;
  {
    std::lock_guard lock(mutex_);
    std::shared_ptr<Entry> &place = entries_[module.binary];
    if (!place)
      place = std::make_shared<Entry>();
    entry = place;
  }
  std::lock_guard lock(entry->mutex);
  if (entry->binary)
    return entry->binary;
  auto binary = entry->damage ? *entry->damage : read(module.binary);
  if (!binary && binary.error().code == "E_BAD_BINARY")
    entry->damage = binary.error();
  if (!binary)
    binary = fromProgram(module, binary.error());
  if (binary) // otherwise asked for again: another process may have found the program elsewhere
    entry->binary = *binary;
  return binary;
}

} // namespace ada::atf
