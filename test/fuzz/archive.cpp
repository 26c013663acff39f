// Fuzzes archives, and sessions in them.
//
// Properties: members lie in the archive, under names that lead nowhere else, each once; a refusal names a member; a
// shorter archive has the first members; memory is bounded by the input; and whatever is in it, a session is read or is
// an error. If the first byte of the input is odd, checksums of headers are made right, which no mutation would be.
#include "memory_file.h"
#include "require.h"

#include "ada/trace/session.h"
#include "trace/base/archive.h"
#include "trace/base/file_bytes.h"
#include "trace/base/tar_format.h"

#include <cstdio>
#include <cstring>

using namespace ada;
using ada::fuzz::require;

static void repair(std::span<std::byte> bytes) {
  for (size_t at = 0; at + tar::kBlockBytes <= bytes.size(); at += tar::kBlockBytes) {
    if (!tar::isArchive(bytes.subspan(at)))
      continue;
    tar::Header header;
    std::memcpy(&header, &bytes[at], sizeof header);
    std::snprintf(header.checksum, sizeof header.checksum, "%06o", tar::checksumOf(header));
    std::memcpy(&bytes[at], &header, sizeof header);
  }
}

static void checkMembers(const Archive &archive, size_t size) {
  for (const auto &[name, member] : archive.members()) {
    require(member.offset <= size && member.bytes <= size - member.offset, "members lie in the archive");
    require(!name.empty() && name[0] != '/' && !name.ends_with('/'), "names are relative paths");
    for (std::string_view rest = name; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find('/'));
      require(!part.empty() && part != "." && part != "..", "names lead nowhere else");
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    const size_t slash = name.rfind('/');
    require(archive.isDirectory(slash == name.npos ? std::string() : name.substr(0, slash)),
            "members lie in directories");
  }
}

static void checkShorter(const Archive &whole, std::span<const std::byte> bytes, size_t size) {
  const auto cut = Archive::parse(bytes.first(size), "archive");
  if (!cut || cut->top() != whole.top())
    return; // what follows may be in another directory
  for (const auto &[name, member] : cut->members()) {
    const Archive::Member *same = whole.find(name);
    require(same && same->offset == member.offset && same->bytes >= member.bytes, "a part has the first members");
  }
}

static void readSession(std::span<const std::byte> bytes) {
  const fuzz::MemoryFile file;
  require(file.write(bytes.data(), bytes.size()), "a file in memory can be written");
  const auto session = atf::Session::open(file.path());
  if (!session)
    return require(!session.error().message.empty(), "errors say what they are");
  uint64_t count = 0;
  for (const atf::ProcessTrace &process : session->processes())
    for (const atf::ThreadTrace &thread : process.threads())
      if (thread.index)
        thread.index->forEach([&](uint64_t, const atf::IndexEvent &) { ++count; });
  require(count <= session->eventCount(), "no more events than there are");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  std::vector<std::byte> bytes(size - 1);
  std::memcpy(bytes.data(), data + 1, bytes.size());
  if (data[0] % 2)
    repair(bytes);
  if (!tar::isArchive(bytes))
    return 0;
  std::optional<Archive> archive;
  require(fuzz::peakOf([&] {
            auto parsed = Archive::parse(bytes, "archive");
            if (parsed)
              archive = *std::move(parsed);
            else
              require(parsed.error().code == "E_BAD_ARCHIVE" && parsed.error().message.starts_with("the member '"),
                      "a refusal names the member");
          }) <= 40 * size + (64 << 10),
          "memory is bounded by the input");
  if (archive) {
    checkMembers(*archive, bytes.size());
    checkShorter(*archive, bytes, bytes.size() * data[size / 2] / 256);
  }
  readSession(bytes);
  return 0;
}
