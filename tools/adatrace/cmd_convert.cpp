//===- cmd_convert.cpp - adatrace convert: one format into another --------===//
#include "command.h"
#include "convert_filter.h"
#include "convert_output.h"
#include "convert_progress.h"
#include "quantities.h"

#include "ada/trace/convert.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <filesystem>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  std::string in, out;
  std::vector<std::string> from, to; // formats and times
  ConvertFilterOptions filter;
  std::optional<TraceFormat> inFormat, outFormat;
  std::string progress = "auto";
  bool force = false, quiet = false, roundTimes = false;
};

// --from and --to are formats here and times in the other commands. No format
// looks like a time, so both may be given, each once.
int readFromAndTo(Options &options) {
  const auto read = [](const char *name, const std::vector<std::string> &values,
                       std::optional<TraceFormat> &format,
                       std::optional<TimeBound> &time) {
    for (const std::string &value : values) {
      if (const auto named = formatNamed(value); named && !format)
        format = named;
      else if (const auto bound = TimeBound::parse(value); bound && !time)
        time = bound;
      else if (named || bound)
        return fail(kWrongUsage, "convert: {} is given twice: '{}'", name,
                    value);
      else
        return fail(
            kWrongUsage,
            "convert: {}: '{}' is neither a format ({}) nor a time like 10us, "
            "1.5ms, 2s or @123456789",
            name, value, kFormatNames);
    }
    return int(kOk);
  };
  if (const int code =
          read("--from", options.from, options.inFormat, options.filter.from))
    return code;
  return read("--to", options.to, options.outFormat, options.filter.to);
}

int chooseFormat(Options &options) {
  if (options.outFormat)
    return kOk;
  if (options.out == "-")
    return fail(kWrongUsage,
                "convert: say with --to which format standard output is to "
                "have: {}",
                kFormatNames);
  options.outFormat = formatOfPath(options.out);
  if (options.outFormat)
    return kOk;
  if (options.out.ends_with(".gz"))
    return fail(kWrongUsage,
                "convert: packing is left to gzip: adatrace convert {} - "
                "--to=dial9 | gzip > {}",
                options.in, options.out);
  return fail(
      kWrongUsage,
      "convert: the name {} says nothing about the format: .trc is dial9, "
      ".wtf-trace wtf, .cff cff, .atf one thread of ATF 2, no extension a "
      "session; "
      "or choose with --to: {}",
      options.out, kFormatNames);
}

// Whether the bytes are what --from says. A directory is ATF.
std::optional<Error> checkInput(const model::ByteInput *input,
                                TraceFormat wanted) {
  const model::Format format =
      input ? model::sniff(input->head()) : model::Format::AtfIndex;
  bool fits = false;
  switch (wanted) {
  case TraceFormat::Atf1:
  case TraceFormat::Atf2:
    fits = format == model::Format::AtfIndex;
    if (fits && input && input->head().size() > 5)
      fits = int(input->head()[5]) == (wanted == TraceFormat::Atf1 ? 1 : 2);
    break;
  case TraceFormat::Dial9:
    fits = format == model::Format::Dial9 || format == model::Format::Gzip;
    break;
  case TraceFormat::Wtf:
  case TraceFormat::WtfLittle:
  case TraceFormat::Cff:
    fits = format == model::Format::Wtf;
    break;
  }
  if (fits)
    return std::nullopt;
  return Error{.code = "E_BAD_MAGIC",
               .message =
                   "the input is not of the format that --from names; without "
                   "--from it is recognised by its first bytes",
               .file = input ? input->name() : ""};
}

bool isDirectory(const std::string &path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

// An ATF session of many threads that come mixed keeps a file or two open for
// each.
void raiseFileLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
      limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
}

void sayLosses(const std::vector<model::Loss> &losses) {
  for (const model::Loss &loss : losses)
    warning("not carried over: {} {}", formatCount(loss.count), loss.what);
}

int failWith(const Error &error) {
  const bool usage = error.code == "E_EXISTS" ||
                     error.code == "E_SEVERAL_THREADS" ||
                     error.code == "E_TERMINAL";
  return fail(usage ? kWrongUsage : kCantRead, "{}", error.text());
}

int failWith(const ConvertOutput &out, const Error &error) {
  Error told = out.failure() ? *out.failure() : error;
  if (told.file.empty())
    told.file = out.name();
  return failWith(told);
}

// As the signal would have ended the program, but with nothing half left
// behind.
[[noreturn]] void endInterrupted(std::optional<ConvertOutput> &out) {
  const int number = ConvertLine::interruption();
  out.reset();
  signal(number, SIG_DFL);
  raise(number);
  _exit(kSignalBase + number);
}

void sayResult(const Options &options, const char *what, uint64_t count,
               uint64_t nanoseconds, const ConvertOutput &out) {
  if (!options.quiet)
    complain(fmt::format("{} {} in {} ({}), {} in {}", formatCount(count), what,
                         formatDuration(nanoseconds),
                         formatRate(count, nanoseconds),
                         formatBytes(out.size()), out.name()));
}

std::optional<wtf::Dialect> dialectOf(TraceFormat format) {
  switch (format) {
  case TraceFormat::Wtf:
    return wtf::Dialect::BigEndian;
  case TraceFormat::WtfLittle:
    return wtf::Dialect::LittleEndian;
  case TraceFormat::Cff:
    return wtf::Dialect::Chunked;
  default:
    return std::nullopt;
  }
}

// A whole trace that stays in its format is copied, so that nothing of it is
// lost whoever wrote it.
bool canCopy(const model::ByteInput &input, const Options &options) {
  if (!options.filter.passesAll() || options.roundTimes)
    return false;
  const model::Format format = model::sniff(input.head());
  if (*options.outFormat == TraceFormat::Dial9)
    return format == model::Format::Dial9 || format == model::Format::Gzip;
  return format == model::Format::Wtf && dialectOf(*options.outFormat);
}

int copy(model::ByteInput &input, const Options &options) {
  auto opened =
      ConvertOutput::open(options.out, *options.outFormat, options.force);
  if (!opened)
    return failWith(opened.error());
  std::optional<ConvertOutput> out = std::move(*opened);
  ConvertLine line(options.quiet ? "never" : options.progress);
  const model::ByteSink bytes =
      [&, write = out->bytes()](std::span<const std::byte> data) {
        line.update([&] { return formatBytes(out->size()) + " written"; },
                    input.size() ? std::optional(double(input.position()) /
                                                 double(*input.size()))
                                 : std::nullopt);
        return !ConvertLine::interruption() && write(data);
      };
  const auto dialect = dialectOf(*options.outFormat);
  const auto copied = dialect ? model::copyWtf(input, bytes, *dialect)
                              : model::copyDial9(input, bytes);
  line.clear();
  if (ConvertLine::interruption())
    endInterrupted(out);
  if (!copied)
    return failWith(*out, copied.error());
  if (auto committed = out->commit(); !committed)
    return failWith(committed.error());
  for (const Warning &flaw : copied->warnings)
    warning("{}: {}", input.name(), flaw.message);
  if (copied->problem)
    warning("{}; what was read before it is converted",
            copied->problem->text());
  sayLosses(copied->losses);
  sayResult(options, dialect ? "records" : "events", copied->events,
            line.nanoseconds(), *out);
  return copied->problem ? kProblemsFound : kOk;
}

int run(Options &options) {
  if (const int code = readFromAndTo(options))
    return code;
  if (const int code = chooseFormat(options))
    return code;
  if (options.filter.calls.only && options.filter.calls.functions.empty())
    return fail(kWrongUsage, "convert: --only needs --function");
  raiseFileLimit();

  std::optional<model::ByteInput> input;
  if (!isDirectory(options.in)) {
    auto opened = model::ByteInput::open(options.in);
    if (!opened)
      return failWith(opened.error());
    input = std::move(*opened);
  }
  if (options.inFormat)
    if (auto error = checkInput(input ? &*input : nullptr, *options.inFormat)) {
      error->file = input ? input->name() : options.in;
      return failWith(*error);
    }
  if (input && canCopy(*input, options))
    return copy(*input, options);

  auto source = input ? model::openTrace(std::move(*input))
                      : model::openTrace(options.in);
  if (!source)
    return failWith(source.error());
  auto opened =
      ConvertOutput::open(options.out, *options.outFormat, options.force);
  if (!opened)
    return failWith(opened.error());
  std::optional<ConvertOutput> out = std::move(*opened);

  std::unique_ptr<model::TraceSink> sink = out->makeSink(!options.roundTimes);
  std::optional<ConvertFilter> filter;
  if (!options.filter.passesAll())
    filter.emplace(options.filter, *sink);
  ConvertLine line(options.quiet ? "never" : options.progress);
  ConvertProgress progress(
      **source, filter ? static_cast<model::TraceSink &>(*filter) : *sink,
      line);
  const Expected<void> done = model::convert(**source, progress);
  line.clear();
  if (ConvertLine::interruption()) {
    sink.reset(); // its files, before they are removed
    endInterrupted(out);
  }
  if (!done)
    return failWith(*out, done.error());
  if (filter && !filter->anyThread())
    return fail(
        kWrongUsage,
        "no thread of {} is named by --thread; `adatrace info` lists them",
        options.in);
  if (auto committed = out->commit(); !committed)
    return failWith(committed.error());

  for (const Warning &flaw : (*source)->warnings())
    warning("{}", flaw.message);
  for (const Error &problem : (*source)->problems())
    warning("{}; what was read before it is converted", problem.text());
  sayLosses((*source)->losses());
  sayLosses(sink->losses());
  sayResult(options, "events", progress.eventCount(), line.nanoseconds(), *out);
  return (*source)->problems().empty() ? kOk : kProblemsFound;
}

std::function<int()> declare(CLI::App &app, const Invocation &) {
  auto options = std::make_shared<Options>();
  app.add_option("in", options->in,
                 "A session or a part of it, or a file of any format; - is "
                 "standard input")
      ->type_name("")
      ->required();
  app.add_option(
         "out", options->out,
         "A file (.trc, .wtf-trace, .cff, .atf) or a session's directory; - is "
         "standard output")
      ->type_name("")
      ->required();
  app.add_option("--to", options->to,
                 "Format of the output, where its name does not say it: atf1, "
                 "atf2, dial9, "
                 "wtf, wtf-le (as the description reads, no viewer opens it), "
                 "cff. Or a "
                 "time: only calls that begin before it")
      ->type_name("FORMAT|TIME")
      ->allow_extra_args(false);
  app.add_option("--from", options->from,
                 "Format that the input must have. Or a time since the start "
                 "of the trace "
                 "(10us, 1.5ms, 2s; @N: on its clock): only calls that go on "
                 "then or later")
      ->type_name("FORMAT|TIME")
      ->allow_extra_args(false);
  app.add_option("--thread", options->filter.threads,
                 "Only this thread: its number, else its system thread id, or "
                 "a glob for its "
                 "name; may be repeated")
      ->type_name("N|TID|NAME")
      ->allow_extra_args(false);
  declareFilter(app, options->filter.calls, /*durations=*/false);
  app.add_flag("--round-times", options->roundTimes,
               "wtf and cff: leave out what is below a microsecond, which "
               "takes half of the "
               "bytes");
  app.add_flag("--force", options->force, "Replace the output if it exists");
  app.add_flag("-q,--quiet", options->quiet, "No closing line and no progress");
  app.add_option("--progress", options->progress,
                 "A line of numbers while it takes long: auto (on a terminal), "
                 "always, never "
                 "[auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  return [options] { return run(*options); };
}

} // namespace

const Command kConvert = {
    "convert",
    "Write a trace in another format, or a part of it",
    "adatrace convert ada-traces/session_20261121_101500 run.wtf-trace\n"
    "adatrace convert --thread=3 --from=1s --to=2s run.trc part.trc\n"
    "gunzip < run.trc.gz | adatrace convert - session --to=atf1",
    declare,
};

} // namespace ada::cli
