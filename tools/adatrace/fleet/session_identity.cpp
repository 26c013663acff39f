// Identifies a session independently of the location of its files.
#include "session_identity.h"
#include "process/session_place.h"

#include "formats/clickhouse/schema.h"
#include "formats/clickhouse/sip_hash.h"
#include "shared/manifest_keys.h"
#include "trace/base/json_object.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <vector>

namespace ada::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = 1 << 20;

std::string hashed(std::string_view text) { return std::to_string(formats::sipHash64(text)) + "\n"; }

// When a process began according to its manifest; empty without a manifest.
std::string beginOf(const model::Process &process) {
  const JsonObject manifest(process.description.get());
  const std::string *const begin = manifest.find(manifest::kTimeStartNs);
  return begin ? formats::placeOf(process).host + "\n" + *begin : std::string();
}

uint64_t writtenNs(const fs::path &path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0)
    return 0;
  return uint64_t(info.st_mtim.tv_sec) * 1'000'000'000 + uint64_t(info.st_mtim.tv_nsec);
}

} // namespace

Expected<SessionIdentity> identify(const std::string &path, const analysis::TraceTable &table) {
  SessionIdentity identity;
  std::vector<std::string> files;
  std::error_code error;
  const auto add = [&](const fs::path &file, const std::string &name) {
    files.push_back(name + "\n" + std::to_string(fs::file_size(file, error)));
    identity.lastWrittenNs = std::max(identity.lastWrittenNs, writtenNs(file));
  };
  if (fs::is_directory(path, error)) {
    for (auto at = fs::recursive_directory_iterator(path, error); !error && at != fs::recursive_directory_iterator();
         at.increment(error))
      if (at->is_regular_file(error) && !isKeptFile(at->path().filename().string()))
        add(at->path(), at->path().lexically_relative(path).string());
  } else {
    add(path, {});
  }
  if (error)
    return Error{.code = "E_IO", .message = error.message(), .file = path};
  std::ranges::sort(files);
  std::string content;
  for (const std::string &file : files)
    content += hashed(file);
  identity.content = formats::sipHash64(content);

  std::string session;
  bool hasBegins = !table.processes.empty();
  for (const model::Process &process : table.processes) {
    const std::string begin = beginOf(process);
    hasBegins &= !begin.empty();
    session += hashed(process.name) + hashed(process.executable) + hashed(begin);
  }
  if (!hasBegins) {
    std::string head(kHeadBytes, '\0');
    std::ifstream in(path, std::ios::binary);
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<size_t>(std::max<std::streamsize>(in.gcount(), 0)));
    session += hashed(head) + content;
  }
  identity.session = formats::sipHash64(session);
  return identity;
}

} // namespace ada::cli
