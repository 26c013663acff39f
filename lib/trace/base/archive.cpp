// Finds the members of a tar archive.
#include "trace/base/archive.h"

#include "trace/base/format.h"
#include "trace/base/tar_format.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace ada {

struct Archive::Parser {
  Parser(std::span<const std::byte> bytes, const std::string &file, const Holes &holes)
      : bytes(bytes), file(file), holes(holes) {}

  std::span<const std::byte> bytes;
  const std::string &file;
  const Holes &holes;
  Archive archive;
  uint64_t at = 0, start = 0; // where to go on, and the header of the member that is taken
  // What a header of pax or GNU tar says about the member that follows.
  std::optional<std::string> name;
  std::optional<uint64_t> size;

  Expected<Archive> run();
  Expected<void> take(const tar::Header &header);
  Expected<void> add(const std::string &whole, Member member);
  Expected<void> takeRecords(std::string_view text);
  Expected<void> checkDirectories() const;
  void stripTop();
  void skipDamage();
  bool isEnd() const;

  const tar::Header *headerAt(uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < tar::kBlockBytes)
      return nullptr;
    const auto *header = reinterpret_cast<const tar::Header *>(bytes.data() + offset);
    return tar::isArchive(bytes.subspan(offset, tar::kBlockBytes)) &&
                   tar::numberOf(header->checksum) == tar::checksumOf(*header)
               ? header
               : nullptr;
  }
  std::string_view contents(uint64_t count) const {
    return {reinterpret_cast<const char *>(bytes.data()) + at, std::min<uint64_t>(count, bytes.size() - at)};
  }
  Error refuse(std::string_view member, std::string_view why) const {
    return {.code = "E_BAD_ARCHIVE",
            .message = fmt::format("the member '{}' {}; the archive is not read", oneLine(member), why),
            .file = file,
            .offset = start};
  }
  void damaged(const char *code, uint64_t offset, std::string message) {
    if (!archive.damage_)
      archive.damage_ = {.code = code, .message = std::move(message), .file = file, .offset = offset};
  }
};

// Only zeros are left, at least a block of them.
bool Archive::Parser::isEnd() const {
  for (uint64_t offset = at; (offset = holes.skip(offset)) < bytes.size(); ++offset)
    if (bytes[offset] != std::byte{0})
      return false;
  return bytes.size() - at >= tar::kBlockBytes;
}

// Goes on to the next header after one that is damaged.
void Archive::Parser::skipDamage() {
  damaged("E_BAD_ARCHIVE", at, "a header is damaged; its file is missing from what is shown, and perhaps others");
  name.reset(), size.reset();
  do
    at = tar::padded(holes.skip(at + tar::kBlockBytes));
  while (at < bytes.size() && !headerAt(at));
}

Expected<Archive> Archive::Parser::run() {
  bool hasEnd = false;
  while (at < bytes.size()) {
    if (const tar::Header *header = headerAt(at)) {
      start = std::exchange(at, at + tar::kBlockBytes);
      ADA_TRY(take(*header));
    } else if (isEnd()) {
      hasEnd = true;
      break;
    } else {
      skipDamage();
    }
  }
  if (!hasEnd)
    damaged("E_TRUNCATED", bytes.size(), "the archive ends too early; everything before that is shown");
  ADA_TRY(checkDirectories());
  stripTop();
  return std::move(archive);
}

// Takes the member whose header ends at `at`, and goes to the next one.
Expected<void> Archive::Parser::take(const tar::Header &header) {
  const std::string prefix = tar::textOf(header.prefix);
  std::string own = (prefix.empty() ? "" : prefix + "/") + tar::textOf(header.name);
  const std::optional<uint64_t> number = tar::numberOf(header.size);
  const bool describesNext = header.type == tar::kPax || header.type == tar::kGnuLongName;
  const bool isIgnored = header.type == tar::kGlobalPax || header.type == tar::kGnuLongLink;
  if (!number)
    return refuse(own, "has a size that is not a number");
  const uint64_t count = describesNext || isIgnored ? *number : size.value_or(*number);
  const uint64_t here = std::min<uint64_t>(count, bytes.size() - at);
  if (here < count)
    damaged("E_TRUNCATED", bytes.size(),
            fmt::format("the archive ends within {}, which should have {} bytes and has {}; everything before that is "
                        "shown",
                        oneLine(name.value_or(own)), count, here));
  const std::string_view text = contents(here);
  if (header.type == tar::kPax)
    ADA_TRY(takeRecords(text));
  else if (header.type == tar::kGnuLongName)
    name = std::string(text.substr(0, text.find('\0')));
  else if (!isIgnored)
    switch (header.type) {
    case tar::kFile:
    case tar::kOldFile:
    case tar::kContiguousFile:
    case tar::kDirectory: {
      const bool isDirectory = header.type == tar::kDirectory || (header.type == tar::kOldFile && own.ends_with('/'));
      ADA_TRY(add(name.value_or(std::move(own)),
                  {.offset = at,
                   .bytes = isDirectory ? 0 : here,
                   .modifiedSeconds = static_cast<int64_t>(tar::numberOf(header.modified).value_or(0)),
                   .isDirectory = isDirectory,
                   .isCut = here < count}));
      break;
    }
    case tar::kHardLink:
    case tar::kSymbolicLink:
      return refuse(name.value_or(own), "is a link");
    case tar::kGnuSparse:
      return refuse(name.value_or(own), "is a sparse file in a form that only tar reads");
    default:
      return refuse(name.value_or(own), "is neither a file nor a directory");
    }
  if (!describesNext)
    name.reset(), size.reset();
  at = here < count ? bytes.size() : std::min<uint64_t>(at + tar::padded(count), bytes.size());
  return {};
}

// The records of a pax header that matter here: "27 path=a/long/name/of/a/file\n".
Expected<void> Archive::Parser::takeRecords(std::string_view text) {
  while (!text.empty() && text[0] != '\0') {
    size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const auto digits = static_cast<size_t>(end - text.data());
    if (error != std::errc() || length > text.size() || length < digits + 2 || text[digits] != ' ' ||
        text[length - 1] != '\n') {
      damaged("E_BAD_ARCHIVE", at, "a header with a long name is damaged; files may have other names, or be missing");
      return {};
    }
    const std::string_view record = text.substr(digits + 1, length - digits - 2);
    const std::string_view key = record.substr(0, record.find('='));
    const std::string_view value = record.substr(std::min(key.size() + 1, record.size()));
    if (key == "path") {
      name = std::string(value);
    } else if (key == "size") {
      uint64_t number = 0;
      const auto [stop, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
      if (problem != std::errc() || stop != value.data() + value.size() || number > ~uint64_t{0} / 2)
        return refuse(name.value_or("?"), "has a size that is not a number");
      size = number;
    } else if (key.starts_with("GNU.sparse.")) {
      return refuse(name.value_or("?"), "is a sparse file in a form that only tar reads");
    }
    text.remove_prefix(length);
  }
  return {};
}

Expected<void> Archive::Parser::add(const std::string &whole, Member member) {
  if (whole.starts_with('/'))
    return refuse(whole, "has an absolute path");
  constexpr size_t kMaxNameBytes = 4096; // no system call takes a longer path
  if (whole.size() > kMaxNameBytes)
    return refuse(whole.substr(0, 100) + "…", "has too long a name");
  if (std::ranges::any_of(whole, [](unsigned char c) { return c < ' ' || c == 0x7f; }))
    return refuse(whole, "has a control character in its name");
  std::string clean;
  for (const std::string_view part : partsOf(whole, '/')) {
    if (part == "..")
      return refuse(whole, "leads out of the archive");
    if (part != ".")
      clean.append(clean.empty() ? "" : "/").append(part);
  }
  if (clean.empty())
    return member.isDirectory ? Expected<void>() : refuse(whole, "has no name");
  constexpr std::string_view kCompressed = ".zst";
  if (!member.isDirectory && clean.ends_with(kCompressed) && clean.size() > kCompressed.size() &&
      clean[clean.size() - kCompressed.size() - 1] != '/') {
    clean.resize(clean.size() - kCompressed.size());
    member.isCompressed = true;
  }
  const auto [place, isNew] = archive.members_.try_emplace(std::move(clean), member);
  if (!isNew && !(member.isDirectory && place->second.isDirectory))
    return refuse(whole, "is there twice");
  return {};
}

// If everything is in one directory, that is what the archive stands for.
void Archive::Parser::stripTop() {
  Members &all = archive.members_;
  if (all.empty())
    return;
  const std::string top = all.begin()->first.substr(0, all.begin()->first.find('/'));
  const auto isTop = [&](const auto &member) { return member.first == top && member.second.isDirectory; };
  const auto isBelow = [&](const auto &member) {
    return member.first.starts_with(top) && member.first.size() > top.size() && member.first[top.size()] == '/';
  };
  if (!std::ranges::all_of(all, [&](const auto &member) { return isTop(member) || isBelow(member); }))
    return;
  Members below;
  for (auto &member : all)
    if (isBelow(member))
      below.emplace(member.first.substr(top.size() + 1), member.second);
  all = std::move(below);
  archive.top_ = top;
}

Expected<void> Archive::Parser::checkDirectories() const {
  for (const auto &[member, about] : archive.members_)
    for (size_t slash = member.find('/'); slash != member.npos; slash = member.find('/', slash + 1))
      if (const Member *parent = archive.find(std::string_view(member).substr(0, slash));
          parent && !parent->isDirectory)
        return refuse(member, "lies in a file");
  return {};
}

Expected<Archive> Archive::parse(std::span<const std::byte> bytes, const std::string &file, const Holes &holes) {
  return Parser(bytes, file, holes).run();
}

const Archive::Member *Archive::find(std::string_view name) const {
  const auto found = members_.find(name);
  return found == members_.end() ? nullptr : &found->second;
}

// The first member of a directory, if `at` is one.
static bool liesIn(const Archive::Members &members, Archive::Members::const_iterator at, std::string_view directory) {
  return at != members.end() &&
         (directory.empty() || (at->first.starts_with(directory) && at->first[directory.size()] == '/'));
}

bool Archive::isDirectory(std::string_view name) const {
  if (name.empty())
    return true;
  if (const Member *member = find(name))
    return member->isDirectory;
  return liesIn(members_, members_.lower_bound(std::string(name) + "/"), name);
}

std::vector<Archive::Entry> Archive::entries(std::string_view directory) const {
  std::vector<Entry> entries;
  const size_t skipped = directory.empty() ? 0 : directory.size() + 1;
  auto at = members_.lower_bound(directory.empty() ? std::string() : std::string(directory) + "/");
  while (liesIn(members_, at, directory)) {
    const std::string_view rest = std::string_view(at->first).substr(skipped);
    const std::string_view name = rest.substr(0, rest.find('/'));
    const bool isDirectory = name.size() < rest.size() || at->second.isDirectory;
    // Between a directory's own member and those in it may be others: "a", "a-b", "a/c".
    if (entries.empty() || entries.back().name != name)
      entries.push_back({std::string(name), isDirectory});
    // '0' follows '/'.
    at = name.size() < rest.size() ? members_.lower_bound(at->first.substr(0, skipped + name.size()) + '0') : ++at;
  }
  std::ranges::sort(entries, {}, &Entry::name);
  const auto isSame = [](const Entry &one, const Entry &other) { return one.name == other.name; };
  entries.erase(std::unique(entries.begin(), entries.end(), isSame), entries.end());
  return entries;
}

} // namespace ada
