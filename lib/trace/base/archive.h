// What is in a tar archive: the names of its members, and where their bytes are.
//
// Archives are never trusted. Members that would lie outside of the directory they are unpacked into, that have the
// name of another one, or that are links or devices make the archive unreadable as a whole: nobody packs these by
// mistake. Damage does not: whatever can still be found counts, and damage() says what is missing.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/holes.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada {

class Archive {
public:
  struct Member {
    uint64_t offset = 0, bytes = 0; ///< of its contents in the archive
    int64_t modifiedSeconds = 0;
    bool isDirectory = false;
    bool isCompressed = false; ///< its contents are a zstd frame; NAME.zst in the archive, and NAME here
    bool isCut = false;        ///< the archive ends before it does
  };
  using Members = std::map<std::string, Member, std::less<>>;

  /// A file that is compressed in an archive is unpacked in memory. This is the most that a reader accepts, and at most
  /// kMaxRatio times the size of the frame. Writers store larger files as they are.
  static constexpr uint64_t kMaxUnpackedBytes = uint64_t{64} << 20, kMaxRatio = 1000;

  /// Finds the members of the archive that `bytes` are, which must begin with one (tar::isArchive). `file` is for
  /// messages. Holes are not searched for members. Errors: E_BAD_ARCHIVE (a member that is refused).
  static Expected<Archive> parse(std::span<const std::byte> bytes, const std::string &file, const Holes &holes = {});

  /// By name: "pid_1/manifest.json". If everything is in one directory, names begin below it, so an archive of a
  /// directory looks like the directory.
  const Members &members() const { return members_; }
  /// That directory, or empty.
  const std::string &top() const { return top_; }
  /// Null if there is none. A directory may be there without a member of its own: see isDirectory().
  const Member *find(std::string_view name) const;
  bool isDirectory(std::string_view name) const;
  struct Entry {
    std::string name;
    bool isDirectory = false;
  };
  /// The names in a directory; "" is the archive itself.
  std::vector<Entry> entries(std::string_view directory) const;

  /// Where the first damage was found, and what it means.
  const std::optional<Error> &damage() const { return damage_; }

private:
  struct Parser;
  Members members_;
  std::string top_;
  std::optional<Error> damage_;
};

} // namespace ada
