// The string table of a chunk: texts, each followed by a NUL, numbered from 0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ada::wtf {

inline constexpr uint32_t kNullOrdinal = 0xFFFFFFFF, kEmptyOrdinal = 0xFFFFFFFE;

class StringTable {
public:
  StringTable() = default;
  /// Reads the table's bytes, which stay the caller's. `complete` means that no bytes are missing at the end; the last
  /// text may lack its NUL then.
  StringTable(std::string_view bytes, bool complete) : isComplete_(complete), bytes_(bytes) {
    for (size_t begin = 0; begin < bytes.size();) {
      size_t end = bytes.find('\0', begin);
      if (end == bytes.npos) {
        if (!complete)
          break;
        end = bytes.size();
      }
      starts_.push_back(static_cast<uint32_t>(begin));
      begin = end + 1;
    }
  }

  size_t size() const { return starts_.size(); }
  /// False if the file ends in the middle of the table.
  bool complete() const { return isComplete_; }
  /// Text number `ordinal`, less than size().
  std::string_view operator[](uint32_t ordinal) const {
    const std::string_view rest = bytes_.substr(starts_[ordinal]);
    return rest.substr(0, rest.find('\0'));
  }

private:
  bool isComplete_ = true;
  std::string_view bytes_;
  std::vector<uint32_t> starts_;
};

} // namespace ada::wtf
