// The only list of trace formats.
#include "formats/table.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/tar_format.h"
#include "trace/base/try.h"
#include "trace/spool.h"

#include <algorithm>
#include <cstring>

namespace ada::formats {

// Each is in its folder: lib/formats/<name>/trace_format.cpp, or sink.cpp of an export.
extern const TraceFormat kAtfFormat, kAtfDetailFormat, kDial9Format, kWtfFormat;
extern const TraceFormat kArrowFormat, kCallgrindFormat, kChromeFormat, kCsvFormat, kCtfFormat, kFirefoxFormat,
    kFoldedFormat, kLcovFormat, kOtlpFormat, kParquetFormat, kPerfettoFormat, kPprofFormat, kSpeedscopeFormat,
    kSqliteFormat, kUftraceFormat, kXrayFormat;

// ATF accepts every directory and folded stacks accept every text, so the formats before them are asked first.
static constexpr const TraceFormat *kFormats[] = {
#ifdef ADA_WITH_IMPORT
    &kUftraceFormat,
#endif
    &kAtfFormat,        &kAtfDetailFormat, &kDial9Format,  &kWtfFormat,
#ifdef ADA_WITH_IMPORT
    &kXrayFormat,       &kPerfettoFormat,  &kChromeFormat,
#endif
#ifdef ADA_WITH_EXPORT
    &kSpeedscopeFormat, &kFirefoxFormat,
#endif
#ifdef ADA_WITH_IMPORT
    &kFoldedFormat,
#endif
#ifdef ADA_WITH_EXPORT
    &kCallgrindFormat,  &kPprofFormat,     &kCtfFormat,    &kSqliteFormat,
    &kCsvFormat,        &kLcovFormat,      &kOtlpFormat,   &kParquetFormat,
#endif
#ifdef ADA_WITH_ARROW
    &kArrowFormat,
#endif
};

FormatChoice recognise(const TraceLocation &place) {
  for (const TraceFormat *format : kFormats) {
    if (!place.bytes) {
      if (format->recogniseDirectory && format->recogniseDirectory(place.path))
        return {format, 0};
    } else if (format->recognise) {
      if (const auto variant = format->recognise(place.bytes->head()))
        return {format, *variant};
    }
  }
  return {};
}

static bool canWrite(const TraceFormat &format) { return bool(format.makeSink); }
static bool canRead(const TraceFormat &format) { return bool(format.open); }

// The first variant that `fits` accepts, of all formats that can be used.
template <class Fits> static FormatChoice find(bool (*canUse)(const TraceFormat &), Fits &&fits) {
  for (const TraceFormat *format : kFormats)
    for (unsigned i = 0; i < format->variants.size(); ++i)
      if (canUse(*format) && fits(*format, format->variants[i]))
        return {format, i};
  return {};
}

static FormatChoice findNamed(bool (*canUse)(const TraceFormat &), std::string_view name) {
  return find(canUse, [&](const TraceFormat &, const FormatVariant &variant) {
    return !name.empty() && (variant.name == name || variant.alias == name);
  });
}

FormatChoice formatNamed(std::string_view name) { return findNamed(canWrite, name); }
FormatChoice readableFormatNamed(std::string_view name) { return findNamed(canRead, name); }

FormatChoice formatOfPath(std::string_view path) {
  while (path.ends_with('/'))
    path.remove_suffix(1);
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  const size_t dot = file.find_last_of('.');
  // Directories are written in the same variant as single files.
  if (dot == file.npos || dot == 0 || file == "..")
    return find(canWrite, [&](const TraceFormat &format, const FormatVariant &variant) {
      return format.shape == Shape::DirectoryOrFile && !variant.extension.empty();
    });
  // If several extensions match, like .json and .speedscope.json, the longest counts.
  std::string_view longest;
  find(canWrite, [&](const TraceFormat &, const FormatVariant &variant) {
    if (file.ends_with(variant.extension) && file.size() > variant.extension.size())
      longest = std::max(longest, variant.extension, [](auto a, auto b) { return a.size() < b.size(); });
    return false;
  });
  return find(canWrite, [&](const TraceFormat &, const FormatVariant &variant) {
    return !longest.empty() && variant.extension == longest;
  });
}

// "a, b or c": the variants of the formats that can be used.
static std::string namesOf(bool (*canUse)(const TraceFormat &)) {
  std::string list, last;
  for (const TraceFormat *format : kFormats)
    for (const FormatVariant &variant : format->variants) {
      if (!canUse(*format) || variant.name.empty())
        continue;
      if (!last.empty())
        list += (list.empty() ? "" : ", ") + last;
      last = variant.name;
    }
  return list.empty() ? last : list + " or " + last;
}

std::string formatNames() { return namesOf(canWrite); }
std::string readableFormatNames() { return namesOf(canRead); }

// Formats written as directories come last: their extension is only for one thread.
template <class Say> static void eachExtension(Say &&say) {
  for (const bool isDirectory : {false, true})
    for (const TraceFormat *format : kFormats)
      for (const FormatVariant &variant : format->variants)
        if (format->makeSink && (format->shape == Shape::DirectoryOrFile) == isDirectory && !variant.extension.empty())
          say(*format, variant);
}

std::string formatExtensions() {
  std::vector<std::string_view> all;
  eachExtension([&](const TraceFormat &, const FormatVariant &variant) { all.push_back(variant.extension); });
  std::string text;
  for (size_t i = 0; i < all.size(); ++i)
    text.append(i == 0 ? "" : i + 1 == all.size() ? " or " : ", ").append(all[i]);
  return text;
}

std::string formatsByExtension() {
  std::string text;
  eachExtension([&](const TraceFormat &format, const FormatVariant &variant) {
    text.append(text.empty() ? "" : ", ")
        .append(variant.extension)
        .append(text.find(" is ") == text.npos ? " is " : " ");
    text.append(format.shape == Shape::DirectoryOrFile ? "one thread of " : "").append(variant.name);
  });
  return text;
}

std::string_view leftOutFormats() {
#if defined(ADA_WITH_IMPORT) && defined(ADA_WITH_EXPORT)
  return "";
#elif defined(ADA_WITH_EXPORT)
  return " (this build is without chrome, perfetto, folded stacks, uftrace and XRay: ADA_WITH_IMPORT)";
#elif defined(ADA_WITH_IMPORT)
  return " (this build is without the formats that are only written, such as sqlite and pprof: ADA_WITH_EXPORT)";
#else
  return " (this build is without the formats of other tools: ADA_WITH_IMPORT, ADA_WITH_EXPORT)";
#endif
}

Expected<TraceLocation> locate(const std::string &path) {
  TraceLocation place;
  place.path = path;
  if (path != "-" && fileKind(path) == FileKind::Directory)
    return place;
  place.bytes = ADA_TRY(model::ByteInput::open(path));
  return place;
}

// What to do with files that hold a trace, perhaps, in a form that is not read in place; empty for others.
static std::string howToUnpack(TraceLocation &place) {
  if (!place.bytes)
    return {};
  const std::string name = place.name() == "standard input" ? "FILE" : place.name();
  const auto head = place.bytes->head();
  const auto begins = [&](std::string_view magic) {
    return head.size() >= magic.size() && std::memcmp(head.data(), magic.data(), magic.size()) == 0;
  };
  const auto unpack = [&](std::string_view what, std::string_view tar, std::string_view file) {
    const bool isTar = name.find(".tar") != name.npos || name.find(".t") == name.size() - 4;
    return fmt::format("it is {}: unpack it with `{} {}`, and name what was in it", what, isTar ? tar : file, name);
  };
  using namespace std::string_view_literals;
  if (begins("PK\3\4"sv))
    return unpack("a zip archive", "unzip", "unzip");
  if (begins("\x28\xb5\x2f\xfd"sv))
    return unpack("compressed with zstd", "tar --zstd -xf", "unzstd");
  if (begins("\xfd"
             "7zXZ\0"sv))
    return unpack("compressed with xz", "tar xJf", "unxz");
  if (begins("BZh"sv))
    return unpack("compressed with bzip2", "tar xjf", "bunzip2");
  if (begins("7z\xbc\xaf\x27\x1c"sv))
    return unpack("a 7z archive", "7z x", "7z x");
  if (const auto first = place.bytes->read(); first && tar::isArchive(*first))
    return place.bytes->isPacked()
               ? fmt::format("it is a tar archive compressed with gzip: unpack it with `tar xzf {}`, and name what was "
                             "in it; or decompress it with `gunzip {}`: an uncompressed archive is read as it is",
                             name, name)
               : "it is a tar archive, which can only be read from a file that is named, not from a pipe";
  return {};
}

Error notATrace(TraceLocation &place) {
  if (const std::string how = howToUnpack(place); !how.empty())
    return {.code = "E_BAD_MAGIC", .message = how, .file = place.name()};
  const bool isEmpty = place.bytes && place.bytes->head().empty();
  std::string names, last;
  for (const TraceFormat *format : kFormats)
    if (format->recognise && !format->variants.empty()) {
      names += (names.empty() || last.empty() ? "" : ", ") + last;
      last = format->title;
    }
  return {.code = "E_BAD_MAGIC",
          .message = isEmpty ? "the file is empty"
                             : "not a trace: it begins like none of " + names + " and " + last +
                                   ", packed with gzip or not" + std::string(leftOutFormats()),
          .file = place.name()};
}

Expected<std::unique_ptr<model::TraceSource>> openTrace(TraceLocation place) {
  const FormatChoice found = recognise(place);
  if (!found || !found.format->open)
    return notATrace(place);
  return found.format->open(std::move(place));
}

Expected<std::unique_ptr<model::TraceSource>> openThreadwise(const std::string &path) {
  return makeThreadwise(ADA_TRY(model::openTrace(path)));
}

} // namespace ada::formats

namespace ada::model {

Expected<std::unique_ptr<TraceSource>> openTrace(const std::string &path) {
  auto place = formats::locate(path);
  return place ? openTrace(*std::move(place)) : Expected<std::unique_ptr<TraceSource>>(place.error());
}

Expected<std::unique_ptr<TraceSource>> openTrace(ByteInput input) {
  formats::TraceLocation place;
  place.path = input.name();
  place.bytes = std::move(input);
  return openTrace(std::move(place));
}

} // namespace ada::model
