// Writes the functions of a program's own table as the runtime would.
#include "formats/native/manifest/program_binary.h"

#include "shared/function_fields.h"
#include "shared/manifest_keys.h"
#include "shared/text/json_fields.h"
#include "trace/base/json.h"
#include "trace/elf/function_table.h"

#include <algorithm>

namespace ada::atf {

static std::string describe(const FunctionTable &table) {
  std::string text;
  JsonText json(text);
  json.beginObject().number(manifest::kFunctions, table.size()).beginArray(manifest::kSymbols);
  for (uint64_t i = 0; i < table.size(); ++i) {
    json.beginObject();
    FieldWriter writer(json);
    const FunctionFields fields =
        fieldsOf(table.at(i), table.address(i), [&](int32_t offset) { return table.text(i, offset); });
    manifest::symbolFields(writer, fields);
    json.endObject();
  }
  json.endArray().endObject();
  return text;
}

Expected<std::string> binaryOfProgram(const ManifestModule &module) {
  const auto refused = [&](std::string why) {
    return Error{.code = "E_OTHER_PROGRAM", .message = std::move(why), .file = module.path};
  };
  if (!module.path.starts_with('/'))
    return refused("the path is not absolute");
  ElfFile file;
  std::string problem;
  switch (ElfFile::open(module.path, file, problem)) {
  case ElfFile::Status::Ok:
    break;
  case ElfFile::Status::NotElf:
    return refused("this is not an ELF file");
  case ElfFile::Status::CantRead:
  case ElfFile::Status::Broken:
    return refused(problem);
  }
  if (file.buildId() != module.buildId)
    return refused("it has " + (file.buildId().empty() ? "no build id" : "the build id " + file.buildId()) +
                   " instead of " + (module.buildId.empty() ? "none" : module.buildId));
  const std::vector<FunctionTable> tables = FunctionTable::of(file);
  const auto same = std::ranges::find(tables, module.binary, &FunctionTable::binaryName);
  if (same == tables.end())
    return refused("it has no such table of functions");
  return describe(*same);
}

} // namespace ada::atf
