// adatrace open: opens a trace in another project's viewer.
#include "command.h"
#include "input/chosen_calls.h"
#include "input/trace_input.h"
#include "options/filter_options.h"
#include "trace/base/quantities.h"
#include "view/http_server.h"
#include "view/serve.h"

#include "ada/trace/convert.h"
#include "formats/merge_copies.h"
#include "formats/table.h"
#include "trace/base/temporary_file.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace ada::cli {

namespace open_command {
namespace {

// A viewer that runs as a page of its makers' site. The trace goes from this machine to the browser, and the page does
// not send it anywhere.
struct Viewer {
  const char *name, *title, *origin, *format, *file;
  int port; // 0: any. The page's own rules may allow only one port
  // The page's address, to which the trace's address is appended.
  const char *address;
  bool isEscaped; // the trace's address is appended with %-escapes
};
constexpr Viewer kViewers[] = {
    {"perfetto", "Perfetto UI", "https://ui.perfetto.dev", "perfetto", "trace.perfetto-trace", 9001,
     "https://ui.perfetto.dev/#!/?url=", false},
    {"speedscope", "speedscope", "https://www.speedscope.app", "speedscope", "trace.speedscope.json", 0,
     "https://www.speedscope.app/#profileURL=", true},
    {"firefox", "Firefox Profiler", "https://profiler.firefox.com", "firefox", "trace.json", 0,
     "https://profiler.firefox.com/from-url/", true},
};

struct Options {
  InputOptions input;
  FilterArguments filter;
  std::string viewer;
  std::optional<int> port;
  bool noBrowser = false;
};

// Escapes all but the unreserved characters of RFC 3986.
std::string escaped(const std::string &text) {
  std::string safe;
  for (const char c : text)
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_')
      safe += c;
    else
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return safe;
}

// The trace in the viewer's format. `unmatched`: the exit status for globs that match nothing.
Expected<TemporaryFile> convertFor(const Viewer &viewer, TraceInput &input, const Options &options, int &unmatched) {
  TemporaryFile file;
  std::optional<Error> failure;
  const model::ByteSink bytes = [&](std::span<const std::byte> data) {
    if (const auto done = file.append(data); !done)
      failure = done.error();
    return !failure;
  };
  const formats::FormatChoice format = formats::formatNamed(viewer.format);
  const std::unique_ptr<model::TraceSink> sink =
      formats::mergeCopies(format.format->makeSink({.bytes = bytes}, {format.variant, /*exactTimes=*/true}));
  analysis::PartOptions part{.calls = options.filter.options, .threads = options.input.threads, .from = {}, .to = {}};
  const uint64_t minDurationNs = std::exchange(part.calls.minDurationNs, 0);
  if (input.fromNs() != 0)
    part.from = analysis::TimeBound{true, input.fromNs()};
  if (input.toNs() != ~uint64_t(0))
    part.to = analysis::TimeBound{true, input.toNs()};
  ChosenCalls chosen(part, minDurationNs, *sink);
  if (auto done = model::convert(input.source(), chosen.sink()); !done)
    return failure ? *failure : done.error();
  if (chosen.part())
    unmatched = warnAboutUnmatched(part.calls, chosen.part()->functions());
  for (const model::Loss &loss : sink->losses())
    warning("not carried over: {} {}", formatCount(loss.count), loss.what);
  return file;
}

int run(Options &options, const Invocation &) {
  options.filter.settle("open");
  const Viewer &viewer = *std::ranges::find(kViewers, options.viewer, &Viewer::name);
  const ServerSignals signals;
  TraceInput input = TraceInput::open(options.input);
  if (input.eventCount() == 0)
    return fail(kCantRead, "there are no events in {}", input.name());
  int unmatched = kOk;
  auto file = need(convertFor(viewer, input, options, unmatched));
  const int exitCode = std::max(unmatched, input.close());
  HttpServer server(options.port.value_or(viewer.port), SharedFile{viewer.file, viewer.origin, &file});
  if (const auto bound = server.bind(); !bound)
    return fail(kCantRead, "open: {}", bound.error().message);
  const std::string trace = server.sharedAddress();
  const std::string address = viewer.address + (viewer.isEscaped ? escaped(trace) : trace);
  signals.serve();
  Output out;
  out.print("{}\n", address);
  out.print(
      "If no browser has opened, open this address in one on this machine: {} loads the trace ({}) from\n{}\nand shows "
      "it. Its page comes from the network; the trace stays on this machine. Press Ctrl-C once the trace is shown.\n",
      viewer.title, formatBytes(file.size()), trace);
  out.flush();
  serveUntilEnd(server, signals, options.noBrowser ? std::string() : address);
  return exitCode;
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  std::vector<std::string> names;
  for (const Viewer &viewer : kViewers)
    if (formats::formatNamed(viewer.format)) // adatrace may have been built without the format
      names.push_back(viewer.name);
  line.option("--in", options.viewer, "The viewer: perfetto, speedscope or firefox")
      .type("VIEWER")
      .required()
      .oneOf(names);
  line.option("--port", options.port,
              "Listen on this port of 127.0.0.1 [9001 for perfetto, which allows no other; otherwise any free port]")
      .type("N")
      .between(0, 65535);
  line.flag("--no-browser", options.noBrowser, "Only print the address; do not open a browser");
}

} // namespace
} // namespace open_command

const Command kOpen = {
    "open",
    "Show a trace in Perfetto, speedscope or the Firefox Profiler",
    "adatrace open --in=perfetto\n"
    "adatrace open --in=speedscope --thread=main --from=1s --to=2s ada-traces/session_20261121_101500",
    withOptions<open_command::declare, open_command::run>,
};

} // namespace ada::cli
