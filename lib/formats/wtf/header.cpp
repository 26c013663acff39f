// The file header, read and written.
//
// Two things that the format has no place for are noted in the metadata, where every program may put its own members:
//   "adatrace":{"text":"utf-8","timeScale":60}
// This says that `ascii` strings are UTF-8, and that a unit of time is 60 microseconds.
#include "header.h"

#include "bytes.h"
#include "context_check.h"
#include "json_text.h"
#include "text.h"
#include "trace/base/json.h"
#include "trace/base/try.h"

#include <charconv>
#include <cmath>

namespace ada::wtf {
namespace {

constexpr std::string_view kNote = "adatrace";
constexpr uint32_t kNoLength = 0xFFFF; // a reference to a string table; version 3 has none

struct HeaderText {
  std::string_view bytes;
  HeaderStrings form = HeaderStrings::UnitsAndBytes;
  size_t end = 0; // after the string; 0: more bytes are needed
};

/// Reads one of the two strings. The text shows which form it has: a length-only string has "{" two bytes after its
/// start, which the high or low byte of a count followed by "{" can't imitate. `otherwise` is the form of text that is
/// not an object.
Expected<HeaderText> readHeaderText(std::span<const std::byte> file, size_t pos, bool big, HeaderStrings otherwise,
                                    size_t &need) {
  HeaderText text;
  const auto has = [&](size_t size) {
    need = size;
    return file.size() >= size;
  };
  if (!has(pos + 2))
    return text;
  const uint32_t count = load16(file.data() + pos, big);
  if (count == 0) {
    text.form = otherwise;
    text.end = pos + 2;
    return text;
  }
  if (!has(pos + 3))
    return text;
  if (load8(file.data() + pos + 2) == '{') {
    if (!has(pos + 2 + count))
      return text;
    const std::string_view object = asText(file.data() + pos + 2, count);
    if (object.back() == '}' && json::valid(object))
      return HeaderText{object, HeaderStrings::LengthOnly, pos + 2 + count};
  } else if (otherwise == HeaderStrings::LengthOnly) {
    if (!has(pos + 2 + count))
      return text;
    return HeaderText{asText(file.data() + pos + 2, count), otherwise, pos + 2 + count};
  }
  if (count == kNoLength)
    return errorAt("E_BAD_STRING", pos, "a header string refers to a string table, which version 3 does not have");
  if (!has(pos + 4))
    return text;
  const uint32_t bytes = load16(file.data() + pos + 2, big);
  if (!has(pos + 4 + bytes))
    return text;
  return HeaderText{asText(file.data() + pos + 4, bytes), HeaderStrings::UnitsAndBytes, pos + 4 + bytes};
}

void readNote(FileHeader &header) {
  if (!json::valid(header.metadata))
    return;
  const auto note = json::member(header.metadata, kNote);
  if (!note)
    return;
  if (const auto text = json::member(*note, "text"); text && *text == "\"utf-8\"")
    header.asciiText = AsciiText::Utf8;
  if (const auto scale = json::member(*note, "timeScale")) {
    uint32_t value = 0;
    const auto read = std::from_chars(scale->data(), scale->data() + scale->size(), value);
    if (read.ec == std::errc() && read.ptr == scale->data() + scale->size() && value)
      header.timeScale = value;
  }
}

void checkMetadata(const FileHeader &header, const WarningSink &warn) {
  if (!header.metadata.empty() && !json::valid(header.metadata))
    warn("W_METADATA", "the metadata in the header is not JSON; it is passed on as it is");
}

/// Reads "1371488887123.5" without losing digits to a double.
bool readTimebase(std::string_view number, FileHeader &header) {
  const char *const end = number.data() + number.size();
  int64_t ms = 0;
  const auto whole = std::from_chars(number.data(), end, ms);
  const std::string_view rest(whole.ptr, static_cast<size_t>(end - whole.ptr));
  if (whole.ec == std::errc() && (rest.empty() || (rest[0] == '.' && rest.find_first_of("eE") == rest.npos))) {
    uint32_t ns = 0;
    for (size_t digit = 1; digit < 7; ++digit)
      ns = ns * 10 + (digit < rest.size() ? static_cast<uint32_t>(rest[digit] - '0') : 0);
    if (number[0] == '-' && ns) { // its fraction counts away from zero, ours towards later
      ns = 1'000'000 - ns;
      if (ms == INT64_MIN)
        return false;
      --ms;
    }
    header.timebaseMs = ms;
    header.timebaseNs = ns;
    return true;
  }
  double value = 0;
  const auto real = std::from_chars(number.data(), end, value);
  if (real.ec != std::errc() || real.ptr != end || !(std::fabs(value) < 9.2e18))
    return false;
  const double floor = std::floor(value);
  header.timebaseMs = static_cast<int64_t>(floor);
  header.timebaseNs = static_cast<uint32_t>((value - floor) * 1e6);
  return true;
}

std::string timebaseText(const FileHeader &header) {
  int64_t ms = header.timebaseMs;
  uint32_t ns = header.timebaseNs;
  const bool negative = ms < 0;
  if (negative && ns) {
    ++ms;
    ns = 1'000'000 - ns;
  }
  std::string text = std::to_string(ms);
  if (negative && ms == 0)
    text = "-0";
  if (ns) {
    const std::string digits = std::to_string(1'000'000 + ns);
    text += '.' + digits.substr(1, digits.find_last_not_of('0'));
  }
  return text;
}

/// Puts the note into the metadata, unless it is already there.
Expected<void> writeNote(FileHeader &header) {
  if (!header.metadata.empty() && !json::valid(header.metadata))
    return errorOf("E_BAD_METADATA", "the metadata is not JSON");
  FileHeader noted;
  noted.metadata = header.metadata;
  readNote(noted);
  const bool chunked = header.dialect == Dialect::Chunked; // all of its text is UTF-8
  if ((chunked || noted.asciiText == header.asciiText) && noted.timeScale == header.timeScale)
    return {};
  JsonMembers note;
  if (!chunked && header.asciiText == AsciiText::Utf8)
    note.text("text", "utf-8");
  if (header.timeScale != 1)
    note.number("timeScale", header.timeScale);

  if (header.metadata.empty())
    header.metadata = "{}";
  if (header.metadata.find_first_not_of(" \t\r\n") != header.metadata.find('{') ||
      header.metadata.find('{') == std::string::npos)
    return errorOf("E_BAD_METADATA", "the metadata must be a JSON object to take a note on text or time scale");
  JsonMembers members;
  json::forEachMember(header.metadata, [&](std::string_view name, std::string_view value) {
    if (name != kNote)
      members.json(name, value);
  });
  if (!note.list().empty())
    members.json(kNote, note.object());
  header.metadata = members.object();
  return {};
}

Expected<void> writeHeaderText(std::string_view utf8, const char *field, Dialect dialect, std::string &out) {
  const bool big = dialect == Dialect::BigEndian;
  std::string cesu8;
  size_t units = 0;
  if (!text::utf8ToCesu8(utf8, cesu8, units)) {
    Error error = errorOf("E_BAD_TEXT", "the header's text must be UTF-8");
    error.field = field;
    return error;
  }
  const std::string_view bytes = big ? std::string_view(cesu8) : utf8;
  if (units >= kNoLength || bytes.size() > 0xFFFF) {
    Error error = errorOf("E_RANGE", "the header of version 3 has room for 65534 characters in 65535 bytes");
    error.field = field;
    return error;
  }
  append16(out, static_cast<uint32_t>(big ? units : bytes.size()), big);
  if (big && units)
    append16(out, static_cast<uint32_t>(bytes.size()), true);
  out += bytes;
  return {};
}

struct FlagName {
  uint32_t bit;
  std::string_view name;
};
constexpr FlagName kFlagNames[] = {{kHighResolutionTimes, "has_high_resolution_times"},
                                   {kTimesAsCount, "times_as_count"}};

Expected<std::string> chunkedHeaderText(const FileHeader &header) {
  JsonMembers out;
  out.text("type", "file_header").beginArray("flags");
  uint32_t rest = header.flags;
  for (const FlagName &flag : kFlagNames)
    if (rest & flag.bit) {
      out.text({}, flag.name);
      rest &= ~flag.bit;
    }
  if (rest)
    return errorOf("E_RANGE", "file flags " + std::to_string(rest) + " have no name in the chunked dialect");
  out.endArray().json("timebase", timebaseText(header)).json("contextInfo", header.contextInfo);
  return out.json("metadata", header.metadata.empty() ? "{}" : header.metadata).object();
}

} // namespace

Expected<std::optional<size_t>> readV3Header(std::span<const std::byte> file, FileHeader &header, size_t &need,
                                             const WarningSink &warn) {
  const bool big = header.dialect == Dialect::BigEndian;
  constexpr size_t kContext = 12;
  header.wtfVersion = load32(file.data() + 4, big);
  auto context = ADA_TRY(readHeaderText(file, kContext, big, HeaderStrings::UnitsAndBytes, need));
  if (!context.end)
    return std::optional<size_t>();
  header.contextInfo = text::cesu8ToUtf8(context.bytes);
  header.strings = context.form;
  ADA_TRY(checkContext(header.contextInfo, kContext));
  const size_t numbers = context.end;
  need = numbers + 12;
  if (file.size() < need)
    return std::optional<size_t>();
  header.flags = load32(file.data() + numbers, big);
  header.timebaseMs = static_cast<int64_t>(uint64_t{load32(file.data() + numbers + 8, big)} << 32 |
                                           load32(file.data() + numbers + 4, big));
  auto metadata = ADA_TRY(readHeaderText(file, numbers + 12, big, context.form, need));
  if (!metadata.end)
    return std::optional<size_t>();
  header.metadata = text::cesu8ToUtf8(metadata.bytes);
  header.eventsOffset = metadata.end;
  checkMetadata(header, warn);
  readNote(header);
  return std::optional<size_t>(metadata.end);
}

Expected<void> readChunkedHeader(std::string_view json, uint64_t offset, FileHeader &header, const WarningSink &warn) {
  if (!json::valid(json))
    return errorAt("E_BAD_HEADER", offset, "the file header part is not JSON");
  const auto timebase = json::member(json, "timebase");
  if (!timebase || !readTimebase(*timebase, header)) {
    Error error = errorAt("E_BAD_HEADER", offset, "the file header part has no usable timebase");
    error.field = "timebase";
    error.expected = "a number of milliseconds";
    error.found = timebase ? std::string(timebase->substr(0, 40)) : "nothing";
    return error;
  }
  header.flags = 0;
  json::forEachElement(json::member(json, "flags").value_or(""), [&](std::string_view value) {
    for (const FlagName &flag : kFlagNames)
      if (json::unquote(value) == flag.name) {
        header.flags |= flag.bit;
        return;
      }
    warn("W_FLAG", "the file flag " + std::string(value.substr(0, 60)) + " is unknown and was left out");
  });
  header.contextInfo.clear();
  if (const auto context = json::member(json, "contextInfo"); context && *context != "null") {
    header.contextInfo = *context;
    ADA_TRY(checkContext(header.contextInfo, offset));
  }
  header.metadata = json::member(json, "metadata").value_or("");
  readNote(header);
  header.asciiText = AsciiText::Utf8;
  return {};
}

Expected<void> writeHeader(FileHeader &header, std::string &out, std::string &part) {
  const bool big = header.dialect == Dialect::BigEndian, chunked = header.dialect == Dialect::Chunked;
  if (header.timeScale == 0)
    return errorOf("E_RANGE", "the time scale must not be 0");
  if (header.timebaseNs >= 1'000'000 || (header.timebaseNs && !chunked))
    return errorOf("E_RANGE", chunked ? "the timebase's nanoseconds must be less than a million"
                                      : "version 3 holds a timebase of whole milliseconds: round it");
  if (header.contextInfo.empty())
    header.contextInfo = FileHeader().contextInfo;
  ADA_TRY(checkContext(header.contextInfo, std::nullopt));
  ADA_TRY(writeNote(header));
  append32(out, 0xDEADBEEF, big);
  append32(out, header.wtfVersion, big);
  append32(out, header.formatVersion(), big);
  if (chunked) {
    part = ADA_TRY(chunkedHeaderText(header));
    return {};
  }
  ADA_TRY(writeHeaderText(header.contextInfo, "context info", header.dialect, out));
  append32(out, header.flags, big);
  const auto timebase = static_cast<uint64_t>(header.timebaseMs);
  append32(out, static_cast<uint32_t>(timebase), big);
  append32(out, static_cast<uint32_t>(timebase >> 32), big);
  return writeHeaderText(header.metadata, "metadata", header.dialect, out);
}

} // namespace ada::wtf
