// The only list of trace formats: their names, how they are recognised, and everything that can be done with them.
//
// A format is a folder here with a TraceFormat in it, and one line in table.cpp. Operations that a format lacks are
// null pointers; an export has only a name, an extension and makeSink. Nothing else in lib or tools asks which format
// something is.
#pragma once

#include "ada/trace/convert.h"
#include "formats/description.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::formats {

/// A trace as the user named it: a directory, or the bytes of a file or of standard input.
struct TraceLocation {
  std::string path;
  std::optional<model::ByteInput> bytes = {}; ///< nothing: a directory
  /// "run.trc", "standard input"
  const std::string &name() const { return bytes ? bytes->name() : path; }
};

/// One way of writing a format, as users name it.
struct FormatVariant {
  std::string_view name;           ///< for --to and --from: "wtf-le"
  std::string_view title;          ///< for people: "v3-little-endian"
  std::string_view extension = {}; ///< of files in this variant: ".cff"
  std::string_view alias = {};     ///< another name
  /// Files with this extension may be of any variant: a trace that stays in its format keeps its variant.
  bool keepsVariant = false;
};

/// Where a sink writes to.
struct SinkTarget {
  model::ByteSink bytes;    ///< Shape::Stream
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
    uint64_t count = 0;
    std::string_view what = {}; ///< one of them: "event"
  };
  std::string place; ///< the file, or the session that was finally chosen
  std::vector<Count> counts = {};
};

struct TimeRange {
  uint64_t from = 0, to = ~uint64_t{0}; ///< in nanoseconds, [from, to)
  bool holds(uint64_t ns) const { return ns >= from && (ns < to || to == ~uint64_t{0}); }
};

/// Options of a raw dump, which shows everything in a file in the file's own terms.
struct RawDumpOptions {
  bool json = false;                     ///< one JSON object per line, otherwise text
  std::vector<std::string> threads = {}; ///< numbers, or globs for names
  /// The time range for events whose first one has the time `start`; empty if no range was requested.
  std::function<TimeRange(uint64_t start)> range = {};
};
struct RawDumpOutput {
  std::function<void(std::string_view)> text; ///< whole lines
  std::function<void(const Warning &)> warning;
};

/// What a format is written to.
enum class Shape : uint8_t {
  Stream,          ///< bytes in order, which can also go to a pipe
  DirectoryOrFile, ///< a directory, or one file if it has the variant's extension
  Directory,
  File, ///< a file that is not written in order
};

struct TraceFormat {
  std::string_view title;                  ///< for people: "dial9"
  std::span<const FormatVariant> variants; ///< ways of writing it
  Shape shape = Shape::Stream;
  bool isThreadwise = false; ///< its sink takes one thread after another
  bool hasThreads = false;   ///< a raw dump can be limited to some threads

  /// The variant of a file that begins with these bytes; nothing if it is not this format. 64 bytes are enough.
  std::optional<unsigned> (*recognise)(std::span<const std::byte> head) = nullptr;
  bool (*recogniseDirectory)(const std::string &path) = nullptr;

  Expected<std::unique_ptr<model::TraceSource>> (*open)(TraceLocation place) = nullptr;
  std::unique_ptr<model::TraceSink> (*makeSink)(SinkTarget target, const SinkOptions &options) = nullptr;
  /// Rewrites a trace in its own format, frame by frame.
  Expected<model::CopyResult> (*copy)(model::ByteInput &input, const model::ByteSink &bytes,
                                      unsigned variant) = nullptr;
  std::string_view copiedUnit = "event"; ///< what CopyResult::events counts

  Expected<CheckSummary> (*verify)(TraceLocation &place, const CheckReport &report) = nullptr;
  /// Times in texts are relative to the start of the trace, or, with `absolute`, on the trace's clock.
  Expected<Description> (*describe)(TraceLocation &place, bool absolute) = nullptr;
  /// Null if there is nothing to show except events.
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

/// The format of a trace; none if it is not a trace.
FormatChoice recognise(const TraceLocation &place);
/// The format with a variant's name or alias: "cff". The first function finds formats that can be written, the second
/// those that can be read.
FormatChoice formatNamed(std::string_view name);
FormatChoice readableFormatNamed(std::string_view name);
/// The format for a path's extension; without one, the format that is written as directories.
FormatChoice formatOfPath(std::string_view path);
/// "atf1, atf2, dial9, wtf, wtf-le or cff": the names of formats that can be written, and of those that can be read.
std::string formatNames();
std::string readableFormatNames();
/// ".trc, .wtf-trace, .cff or .atf"
std::string formatExtensions();
/// ".trc is dial9, .wtf-trace wtf, .cff cff, .atf one thread of atf2"
std::string formatsByExtension();

/// What to add to a message about an unknown format, which may be one that this build lacks: "" or a blank and a
/// sentence in brackets.
std::string_view leftOutFormats();

/// Opens the file, or finds the directory. Errors: E_IO.
Expected<TraceLocation> locate(const std::string &path);
Expected<std::unique_ptr<model::TraceSource>> openTrace(TraceLocation place);
/// The same, one thread after the other: see makeThreadwise().
Expected<std::unique_ptr<model::TraceSource>> openThreadwise(const std::string &path);
/// E_BAD_MAGIC: the trace does not begin like any of the formats. If it begins like an archive or a compressed file,
/// the message says which command unpacks it.
Error notATrace(TraceLocation &place);

} // namespace ada::formats
