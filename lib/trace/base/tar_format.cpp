// Writes the headers of a tar archive.
#include "trace/base/tar_format.h"

#include "trace/base/format.h"

#include <cstring>

namespace ada::tar {

static constexpr uint64_t kMaxOctal = (uint64_t{1} << 33) - 1; // eleven digits

template <size_t size> static void put(char (&field)[size], std::string_view text) { text.copy(field, size); }
template <size_t size> static void putOctal(char (&field)[size], uint64_t number) {
  put(field, fmt::format("{:0{}o}", number, size - 1));
}

static std::string headerOf(std::string_view prefix, std::string_view name, char type, uint64_t bytes,
                            uint64_t modified) {
  Header header = {};
  put(header.name, name);
  put(header.prefix, prefix);
  // Neither user nor rights: whoever unpacks the archive owns the files.
  putOctal(header.mode, type == kDirectory ? 0755 : 0644);
  putOctal(header.uid, 0), putOctal(header.gid, 0);
  putOctal(header.size, bytes <= kMaxOctal ? bytes : 0);
  putOctal(header.modified, modified);
  header.type = type;
  std::memcpy(header.magic, "ustar", 6);
  std::memcpy(header.version, "00", 2);
  put(header.checksum, fmt::format("{:06o}", checksumOf(header)));
  header.checksum[7] = ' ';
  return {reinterpret_cast<const char *>(&header), sizeof header};
}

// "27 path=a/long/name/of/a/file\n": the number counts all bytes of the record.
static std::string recordOf(std::string_view key, std::string_view value) {
  const size_t rest = key.size() + value.size() + 3;
  size_t all = rest + 1;
  while (std::to_string(all).size() + rest != all)
    ++all;
  return fmt::format("{} {}={}\n", all, key, value);
}

std::string headersOf(const std::string &name, uint64_t bytes, int64_t modifiedSeconds) {
  const char type = name.ends_with('/') ? kDirectory : kFile;
  const uint64_t modified = std::min(static_cast<uint64_t>(std::max<int64_t>(modifiedSeconds, 0)), kMaxOctal);
  std::string_view prefix, rest = name;
  std::string records;
  if (rest.size() > sizeof(Header::name)) {
    const size_t slash = name.find('/', name.size() - sizeof(Header::name) - 1);
    if (slash != name.npos && slash > 0 && slash <= sizeof(Header::prefix) && slash + 1 < name.size()) {
      prefix = rest.substr(0, slash), rest.remove_prefix(slash + 1);
    } else {
      records += recordOf("path", name);
      rest = rest.substr(0, sizeof(Header::name));
    }
  }
  if (bytes > kMaxOctal)
    records += recordOf("size", std::to_string(bytes));
  std::string headers;
  if (!records.empty()) {
    headers = headerOf({}, "pax_header", kPax, records.size(), modified) + records;
    headers.resize(padded(headers.size()));
  }
  return headers + headerOf(prefix, rest, type, bytes, modified);
}

} // namespace ada::tar
