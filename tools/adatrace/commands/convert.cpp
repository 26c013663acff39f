// adatrace convert: converts a trace to another format.
#include "command.h"
#include "input/chosen_calls.h"
#include "options/anchor_times.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/convert_output.h"
#include "output/convert_progress.h"
#include "terminal/folded_messages.h"
#include "trace/base/quantities.h"

#include "formats/convert/budget.h"
#include "formats/merge_copies.h"
#include "formats/table.h"
#include "shared/options/numbers.h"
#include "trace/spool.h"

#include <memory>
#include <sys/resource.h>

namespace ada::cli {

namespace convert_command {
namespace {

struct Options {
  std::string in, out;
  std::vector<std::string> from, to; // formats and times
  std::string fromAnchor, toAnchor;  // "@label", if a time is given that way
  analysis::PartOptions part;
  FilterArguments filter; // becomes part.calls
  formats::FormatChoice inFormat, outFormat;
  bool isVariantOpen = false; // the name determines only the format
  uint64_t minDurationNs = 0;
  std::optional<uint64_t> budget; // bytes
  When progress = When::Auto;
  bool force = false, quiet = false, roundTimes = false;
};

// --from and --to are formats here, and times in the other commands. No format looks like a time, so each option may be
// given once as a format and once as a time.
int readFromAndTo(Options &options) {
  struct Direction {
    const char *option;
    formats::FormatChoice (*named)(std::string_view), (*otherwise)(std::string_view);
    const char *only; // what the other formats can be used for
    std::string (*names)();
  };
  const auto read = [](const Direction &way, const std::vector<std::string> &values, formats::FormatChoice &format,
                       std::optional<analysis::TimeBound> &time, std::string &anchor) {
    for (const std::string &value : values) {
      if (const auto named = way.named(value); named && !format)
        format = named;
      else if (isAnchorTime(value) && anchor.empty() && !time)
        anchor = value;
      else if (const auto bound = parseTime(value); bound && !time && anchor.empty())
        time = bound;
      else if (named || bound)
        return fail(kWrongUsage, "convert: {} is given twice: '{}'", way.option, value);
      else if (way.otherwise(value))
        return fail(kWrongUsage, "convert: {}: '{}' can only be {}; use one of {}", way.option, value, way.only,
                    way.names());
      else
        return fail(kWrongUsage,
                    "convert: {}: '{}' is neither a format ({}) nor a time like 10us, 1.5ms, 2s or @123456789{}",
                    way.option, value, way.names(), formats::leftOutFormats());
    }
    return int(kOk);
  };
  using namespace formats;
  if (const int code = read({"--from", readableFormatNamed, formatNamed, "written", readableFormatNames}, options.from,
                            options.inFormat, options.part.from, options.fromAnchor))
    return code;
  return read({"--to", formatNamed, readableFormatNamed, "read", formatNames}, options.to, options.outFormat,
              options.part.to, options.toAnchor);
}

// Looks up the times of timing anchors, which only the trace knows.
void findAnchors(Options &options, model::TraceSource &source) {
  if (options.fromAnchor.empty() && options.toAnchor.empty())
    return;
  analysis::TraceTable table;
  analysis::TableSink sink(table);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  if (source.isThreadwise()) // other formats have no anchors
    (void)source.readPart(sink, nothing);
  const auto find = [&](const char *option, const std::string &anchor, std::optional<analysis::TimeBound> &time) {
    if (!anchor.empty())
      time = anchorTime(option, anchor, table.processes);
  };
  find("convert: --from", options.fromAnchor, options.part.from);
  find("convert: --to", options.toAnchor, options.part.to);
}

// Chooses the output format from --to or the name.
int chooseFormat(Options &options) {
  if (options.outFormat)
    return kOk;
  if (options.out == "-")
    return fail(kWrongUsage, "convert: choose the format of standard output with --to: {}", formats::formatNames());
  options.outFormat = formats::formatOfPath(options.out);
  if (options.outFormat) {
    options.isVariantOpen = options.outFormat.named().keepsVariant;
    return kOk;
  }
  if (options.out.ends_with(".gz"))
    return fail(kWrongUsage, "convert: compress the output with gzip: adatrace convert {} - --to=dial9 | gzip > {}",
                pathForShell(options.in), pathForShell(options.out));
  return fail(kWrongUsage,
              "convert: the name {} does not show the format: {}, no extension is a session; or choose the format with "
              "--to: {}{}",
              options.out, formats::formatsByExtension(), formats::formatNames(), formats::leftOutFormats());
}

// Whether the input has the format that --from names. Every variant of a format fits, except that an ATF file must have
// the version that is named.
bool isAsked(const formats::TraceLocation &place, const formats::FormatChoice &input,
             const formats::FormatChoice &asked) {
  return input.format == asked.format &&
         (!place.bytes || asked.format->shape != formats::Shape::DirectoryOrFile || input.variant == asked.variant);
}

// Writing an ATF session with interleaved threads keeps a file or two open for each thread.
void raiseFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void sayLosses(const std::vector<model::Loss> &losses) {
  for (const model::Loss &loss : losses)
    warning("not carried over: {} {}", formatCount(loss.count), loss.what);
}

int failWith(const Error &error) {
  const bool usage = error.code == "E_EXISTS" || error.code == "E_SEVERAL_THREADS" || error.code == "E_TERMINAL";
  return fail(usage ? kWrongUsage : kCantRead, "{}", error.text());
}

int failWith(const ConvertOutput &out, const Error &error) {
  Error told = out.failure() ? *out.failure() : error;
  if (told.file.empty())
    told.file = out.name();
  return failWith(told);
}

// `what`: "1,234 events"; the rate covers everything that was read.
void sayResult(const Options &options, const std::string &what, uint64_t count, uint64_t nanoseconds,
               const ConvertOutput &out) {
  if (!options.quiet)
    complain(fmt::format("{} in {} ({}), {} in {}", what, formatDuration(nanoseconds), formatRate(count, nanoseconds),
                         formatBytes(out.size()), out.name()));
}

// A whole trace that keeps its format is copied, so that nothing is lost, whichever tool wrote it.
bool canCopy(const formats::TraceLocation &place, const formats::FormatChoice &input, const Options &options) {
  return place.bytes && options.part.isEverything() && options.fromAnchor.empty() && options.toAnchor.empty() &&
         !options.roundTimes && !options.minDurationNs && !options.budget && input.format == options.outFormat.format &&
         input.format->copy;
}

void sayVariant(const formats::FormatChoice &input, const Options &options) {
  if (!options.quiet && input.format == options.outFormat.format && input.variant != options.outFormat.variant)
    complain(fmt::format("note: the input is {}, the output {}", input.named().title, options.outFormat.named().title));
}

int copy(model::ByteInput &input, const Options &options) {
  auto opened = ConvertOutput::open(options.out, options.outFormat, options.force);
  if (!opened)
    return failWith(opened.error());
  std::optional<ConvertOutput> out = std::move(*opened);
  ConvertLine line(options.quiet ? When::Never : options.progress);
  const model::ByteSink bytes = [&, write = out->bytes()](std::span<const std::byte> data) {
    line.update([&] { return formatBytes(out->size()) + " written"; },
                input.size() ? std::optional(double(input.position()) / double(*input.size())) : std::nullopt);
    return !ConvertLine::interruption() && write(data);
  };
  const auto copied = options.outFormat.format->copy(input, bytes, options.outFormat.variant);
  line.clear();
  if (ConvertLine::interruption())
    ConvertLine::endInterrupted(out);
  if (!copied)
    return failWith(*out, copied.error());
  if (auto committed = out->commit(); !committed)
    return failWith(committed.error());
  FoldedMessages warnings(verifyEach(options.in), complain);
  for (const Warning &flaw : copied->warnings)
    warnings.add(fmt::format("warning: {}: {}", input.name(), flaw.message));
  warnings.finish();
  if (copied->problem)
    warning("{}; everything before it was converted", copied->problem->text());
  sayLosses(copied->losses);
  sayResult(options, formatCount(copied->events, options.outFormat.format->copiedUnit), copied->events,
            line.nanoseconds(), *out);
  return copied->problem ? kProblemsFound : kOk;
}

// The minimum duration of calls, from --min-duration and --budget.
Expected<uint64_t> minDuration(const Options &options, model::TraceSource &source, ConvertLine &line) {
  if (!options.budget)
    return options.minDurationNs;
  if (auto ready = source.makeRepeatable(); !ready)
    return ready.error();
  const formats::BudgetUse use = {
      .makeSink =
          [&](model::ByteSink bytes) {
            return formats::mergeCopies(options.outFormat.format->makeSink(
                {.bytes = std::move(bytes)}, {options.outFormat.variant, !options.roundTimes}));
          },
      .read =
          [&](model::TraceSink &sink) {
            ChosenCalls chosen(options.part, 0, sink);
            ConvertProgress progress(source, chosen.sink(), line);
            return model::convert(source, progress);
          },
      .minDurationNs = options.minDurationNs,
  };
  return formats::minDurationFor(*options.budget, use);
}

// Reports the calls that were left out at the user's request. With a budget, they are reported even with --quiet,
// because the user did not choose which calls.
void sayTooShort(const Options &options, uint64_t calls, uint64_t minDurationNs) {
  if (calls && (options.budget || !options.quiet))
    complain(fmt::format("left out: {} shorter than {} ({})", formatCount(calls, "call"), formatDuration(minDurationNs),
                         options.budget ? "--budget" : "--min-duration"));
}

int run(Options &options, const Invocation &) {
  if (const int code = readFromAndTo(options))
    return code;
  // Before the input is opened, because that may wait for a pipe.
  if (const int code = chooseFormat(options))
    return code;
  options.filter.settle("convert");
  options.part.calls = options.filter.options;
  options.minDurationNs = std::exchange(options.part.calls.minDurationNs, 0);
  if (options.budget && options.outFormat.format->shape != formats::Shape::Stream)
    return fail(kWrongUsage,
                "convert: --budget does not work for {}, which is not a single stream of bytes; use --min-duration",
                options.outFormat.named().name);
  raiseFileLimit();
  auto place = formats::locate(options.in);
  if (!place)
    return failWith(place.error());
  const formats::FormatChoice input = formats::recognise(*place);
  if (options.inFormat && !isAsked(*place, input, options.inFormat))
    return failWith(Error{.code = "E_BAD_MAGIC",
                          .message = "the input does not have the format that --from names; without --from, its first "
                                     "bytes determine the format",
                          .file = place->name()});
  // A trace that keeps its format keeps its dialect, too, unless the name or --to asks for another.
  if (options.isVariantOpen && input.format == options.outFormat.format)
    options.outFormat = input;
  if (place->bytes)
    sayVariant(input, options);
  if (canCopy(*place, input, options))
    return copy(*place->bytes, options);

  auto source = formats::openTrace(std::move(*place));
  if (source && options.outFormat.format->isThreadwise)
    source = model::makeThreadwise(*std::move(source));
  if (!source)
    return failWith(source.error());
  findAnchors(options, **source);
  auto opened = ConvertOutput::open(options.out, options.outFormat, options.force);
  if (!opened)
    return failWith(opened.error());
  std::optional<ConvertOutput> out = std::move(*opened);

  std::unique_ptr<model::TraceSink> sink = out->makeSink(!options.roundTimes);
  model::EventCounter written(*sink);
  ConvertLine line(options.quiet ? When::Never : options.progress);
  const Expected<uint64_t> minDurationNs = minDuration(options, **source, line);
  ChosenCalls chosen(options.part, minDurationNs ? *minDurationNs : 0, written);
  const std::optional<analysis::PartSink> &filter = chosen.part();
  ConvertProgress progress(**source, chosen.sink(), line);
  const Expected<void> done = minDurationNs ? model::convert(**source, progress) : minDurationNs.error();
  line.clear();
  if (ConvertLine::interruption()) {
    sink.reset(); // closes its files before they are removed
    ConvertLine::endInterrupted(out);
  }
  if (!done)
    return failWith(*out, done.error());
  if (filter && !filter->anyThread())
    return fail(kWrongUsage, "--thread matches no thread of {}; `adatrace info {}` lists the threads", options.in,
                pathForShell(options.in));
  if (auto committed = out->commit(); !committed)
    return failWith(committed.error());

  const int unmatched = filter ? warnAboutUnmatched(options.part.calls, filter->functions()) : kOk;
  FoldedMessages warnings(verifyEach(options.in), complain);
  for (const Warning &flaw : (*source)->warnings())
    warnings.add("warning: " + flaw.message);
  for (const Error &problem : (*source)->problems())
    warnings.add("warning: " + problem.text() + "; everything before it was converted");
  warnings.finish();
  sayLosses((*source)->losses());
  sayLosses(sink->losses());
  sayTooShort(options, chosen.tooShort(), *minDurationNs);
  std::string what = formatCount(progress.eventCount(), "event");
  if (chosen.isPart())
    what = formatCount(written.count()) + " of " + what;
  sayResult(options, what, progress.eventCount(), line.nanoseconds(), *out);
  return (*source)->problems().empty() ? unmatched : kProblemsFound;
}

void declare(CommandLine &line, Options &options) {
  line.option("in", options.in, "A session, a part of one, or a file of any format; - is standard input")
      .type("")
      .required();
  line.option(
          "out", options.out,
          fmt::format("A file ({}) or a directory for a session; - is standard output", formats::formatExtensions()))
      .type("")
      .required();
  line.option("--to", options.to,
              fmt::format("Format of the output, if its name does not show it: {} (wtf-le follows the format's "
                          "description, but no viewer opens it). Or a time: only calls that begin before it",
                          formats::formatNames()))
      .type("FORMAT|TIME")
      .repeatable();
  line.option("--from", options.from,
              fmt::format("Format that the input must have: {}. Or a time since the start of the trace (10us, 1.5ms, "
                          "2s; @N: on its clock): only calls that are active then or later",
                          formats::readableFormatNames()))
      .type("FORMAT|TIME")
      .repeatable();
  addThreads(line, options.part.threads);
  declareFilter(line, options.filter);
  line.parsed(
          "--budget",
          [&options](const std::string &value) {
            uint64_t bytes = 0;
            if (!options::parseSize(value, bytes))
              return "'" + value + "' is not a size like 500K, 200M or 1G";
            options.budget = bytes;
            return std::string();
          },
          "Upper limit for the size of the output (200M): leave out the shortest calls until it fits, and report how "
          "many; reads the trace several times")
      .type("SIZE");
  line.flag("--round-times", options.roundTimes,
            "wtf and cff: drop fractions of a microsecond, which take half of the bytes");
  line.flag("--force", options.force, "Replace the output if it exists");
  addQuiet(line, options.quiet, "No closing line and no progress");
  addWhen(line, "--progress", options.progress);
}

} // namespace
} // namespace convert_command

const Command kConvert = {
    "convert",
    "Convert a trace, or a part of it, to another format",
    "adatrace convert ada-traces/session_20261121_101500 run.wtf-trace\n"
    "adatrace convert --thread=3 --from=1s --to=2s run.trc part.trc\n"
    "gunzip < run.trc.gz | adatrace convert - session --to=atf1",
    withOptions<convert_command::declare, convert_command::run>,
};

} // namespace ada::cli
