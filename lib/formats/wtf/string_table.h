// The string table of a chunk: texts, each followed by a NUL, numbered from 0.
#ifndef ADA_LIB_FORMATS_WTF_STRING_TABLE_H
#define ADA_LIB_FORMATS_WTF_STRING_TABLE_H

#include <cstdint>
#include <string_view>
#include <vector>

namespace ada::wtf {

inline constexpr std::uint32_t kNullOrdinal = 0xFFFFFFFF, kEmptyOrdinal = 0xFFFFFFFE;

class StringTable {
public:
  StringTable() = default;
  /// Over the table's bytes, which stay the caller's. `complete`: none are missing at the end;
  /// then a last text may go without its NUL.
  StringTable(std::string_view bytes, bool complete) : isComplete(complete), bytes(bytes) {
    for (std::size_t begin = 0; begin < bytes.size();) {
      std::size_t end = bytes.find('\0', begin);
      if (end == bytes.npos) {
        if (!complete)
          break;
        end = bytes.size();
      }
      starts.push_back(static_cast<std::uint32_t>(begin));
      begin = end + 1;
    }
  }

  std::size_t size() const { return starts.size(); }
  /// False if the file ends in the middle of the table.
  bool complete() const { return isComplete; }
  /// Text number `ordinal`, less than size().
  std::string_view operator[](std::uint32_t ordinal) const {
    const std::string_view rest = bytes.substr(starts[ordinal]);
    return rest.substr(0, rest.find('\0'));
  }

private:
  bool isComplete = true;
  std::string_view bytes;
  std::vector<std::uint32_t> starts;
};

} // namespace ada::wtf

#endif // ADA_LIB_FORMATS_WTF_STRING_TABLE_H
