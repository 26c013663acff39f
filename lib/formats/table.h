// The one list of trace formats: what each is called, how it is recognised, and everything that can be done with it.
//
// A format is a folder here with a TraceFormat in it, and one line in table.cpp. What a format can't do is a null
// pointer; an export has a name, an extension and makeSink, and that is all. Nothing else in lib or tools asks which
// format something is.
#ifndef ADA_LIB_FORMATS_TABLE_H
#define ADA_LIB_FORMATS_TABLE_H

#include "ada/trace/convert.h"
#include "formats/description.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::model {

/// A trace as it was named: a directory, or the bytes of a file or of standard input.
struct TraceLocation {
  std::string path;
  std::optional<ByteInput> bytes = {}; ///< nothing: a directory
  /// "run.trc", "standard input"
  const std::string &name() const { return bytes ? bytes->name() : path; }
};

/// One way of writing a format, as users name it.
struct FormatVariant {
  std::string_view name;           ///< for --to and --from: "wtf-le"
  std::string_view title;          ///< for people: "v3-little-endian"
  std::string_view extension = {}; ///< of files that are written so: ".cff"
  std::string_view alias = {};     ///< another name
  /// Files with this extension may be of any variant: what stays in its format keeps its own.
  bool keepsVariant = false;
};

/// Where a sink writes to.
struct SinkTarget {
  ByteSink bytes;           ///< Shape::Stream
  std::string path = {};    ///< other shapes
  bool isDirectory = false; ///< `path` is a directory, else a single file
};
struct SinkOptions {
  unsigned variant = 0;   ///< in TraceFormat::variants
  bool exactTimes = true; ///< see WtfSinkOptions
};

/// How reading a file to its end went.
struct ReadOutcome {
  std::optional<Error> problem = {};
  bool isUsable = true; ///< false: nothing came before the problem
};

/// Receives what a check finds.
struct CheckReport {
  std::function<void(const std::string &)> problem;
  std::function<void(const std::string &)> note; ///< worth knowing, but not wrong
};
/// What was checked.
struct CheckSummary {
  struct Count {
    std::uint64_t count = 0;
    std::string_view what = {}; ///< one of them: "event"
  };
  std::string place; ///< the file, or the session that was taken in the end
  std::vector<Count> counts = {};
};

struct TimeRange {
  std::uint64_t from = 0, to = ~std::uint64_t{0}; ///< in nanoseconds, [from, to)
  bool holds(std::uint64_t ns) const { return ns >= from && (ns < to || to == ~std::uint64_t{0}); }
};

/// What a raw dump shows: everything in a file, in its own terms.
struct RawDumpOptions {
  bool json = false;                     ///< one JSON object per line, else text
  std::vector<std::string> threads = {}; ///< numbers, or globs for names
  /// Range of time for events whose first one has the time `start`; nothing if no range was asked for.
  std::function<TimeRange(std::uint64_t start)> range = {};
};
struct RawDumpOutput {
  std::function<void(std::string_view)> text; ///< whole lines
  std::function<void(const Warning &)> warning;
};

/// What a format is written as.
enum class Shape : std::uint8_t {
  Stream,          ///< bytes in order, which a pipe takes as well
  DirectoryOrFile, ///< a directory, or with the variant's extension one file
  Directory,
  File, ///< one that is not written in order
};

struct TraceFormat {
  std::string_view title;                  ///< for people: "dial9"
  std::span<const FormatVariant> variants; ///< ways of writing it
  Shape shape = Shape::Stream;
  bool isThreadwise = false; ///< its sink takes one thread after the other
  bool hasThreads = false;   ///< a raw dump can be of some threads only

  /// Which variant begins so, if it is this format at all. 64 bytes are enough.
  std::optional<unsigned> (*recognise)(std::span<const std::byte> head) = nullptr;
  bool (*recogniseDirectory)(const std::string &path) = nullptr;

  Expected<std::unique_ptr<TraceSource>> (*open)(TraceLocation place) = nullptr;
  std::unique_ptr<TraceSink> (*makeSink)(SinkTarget target, const SinkOptions &options) = nullptr;
  /// Writes a trace again in its own format, frame by frame.
  Expected<CopyResult> (*copy)(ByteInput &input, const ByteSink &bytes, unsigned variant) = nullptr;
  std::string_view copiedUnit = "event"; ///< what CopyResult::events counts

  Expected<CheckSummary> (*verify)(TraceLocation &place, const CheckReport &report) = nullptr;
  /// Texts have times after the start of the trace, or `absolute` on its clock.
  Expected<Description> (*describe)(TraceLocation &place, bool absolute) = nullptr;
  /// Null where the events are all there is to show.
  Expected<ReadOutcome> (*dumpRaw)(TraceLocation &place, const RawDumpOptions &options,
                                   const RawDumpOutput &out) = nullptr;
};

/// A format and one of its variants.
struct FormatChoice {
  const TraceFormat *format = nullptr;
  unsigned variant = 0;
  const FormatVariant &named() const { return format->variants[variant]; }
  explicit operator bool() const { return format != nullptr; }
};

/// What the trace is; nothing if it is none.
FormatChoice recognise(const TraceLocation &place);
/// By a variant's name or alias: "cff". One that can be written, one that can be read.
FormatChoice formatNamed(std::string_view name);
FormatChoice readableFormatNamed(std::string_view name);
/// By the extension; without one, the format that is written as directories.
FormatChoice formatOfPath(std::string_view path);
/// "atf1, atf2, dial9, wtf, wtf-le or cff": those that can be written, those that can be read.
std::string formatNames();
std::string readableFormatNames();
/// ".trc, .wtf-trace, .cff or .atf"
std::string formatExtensions();
/// ".trc is dial9, .wtf-trace wtf, .cff cff, .atf one thread of atf2"
std::string formatsByExtension();

/// What to say where a format is not known, for it may be one that the build is without: "" or a sentence in brackets
/// that follows a blank.
std::string_view leftOutFormats();

/// Opens the file, or finds the directory. Errors: E_IO.
Expected<TraceLocation> locate(const std::string &path);
Expected<std::unique_ptr<TraceSource>> openTrace(TraceLocation place);
/// E_BAD_MAGIC: it begins like none of the formats.
Error notATrace(const TraceLocation &place);

} // namespace ada::model

#endif // ADA_LIB_FORMATS_TABLE_H
