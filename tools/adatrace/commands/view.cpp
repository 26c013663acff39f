// adatrace view: a viewer for the browser, served on this machine only.
#include "command.h"
#include "elf/elf_instrumentation.h"
#include "options/option_values.h"
#include "process/session_place.h"
#include "view/api.h"
#include "view/http_server.h"
#include "view/serve.h"

#include <memory>

namespace ada::cli {

namespace view_command {
namespace {

struct Options {
  std::vector<std::string> sessions;
  int port = 0;
  bool noBrowser = false;
  std::string at;
  std::string assets;
  std::vector<std::string> sourceRoots;
  uint64_t eventsForFile = ViewSession::kEventsForFile;
};

int run(const Options &options, const Invocation &) {
  std::vector<std::string> paths = options.sessions;
  if (paths.empty())
    paths.push_back(sessionOrNewest(""));
  const ServerSignals signals;
  std::vector<std::unique_ptr<ViewSession>> sessions;
  for (const std::string &path : paths) {
    auto session = std::make_unique<ViewSession>(
        static_cast<uint32_t>(sessions.size()), path,
        formats::SourceFiles::Rule{.roots = options.sourceRoots, .namedBy = addSourceFiles}, options.eventsForFile);
    need(session->open());
    for (const std::string &text :
         session->status().isLive ? std::vector<std::string>() : session->opened()->view->warnings())
      warning("{}", text);
    sessions.push_back(std::move(session));
  }

  ViewApi api(std::move(sessions));
  HttpServer server({.port = options.port, .assets = options.assets},
                    [&](const std::string &name, const std::map<std::string, std::string> &query) {
                      return api.answer(name, query);
                    });
  if (const auto bound = server.bind(); !bound)
    return fail(kCantRead, "view: {}", bound.error().message);
  const std::string address = server.address() + (options.at.empty() ? "" : "#" + options.at);
  signals.serve();
  Output out;
  out.print("{}\n", address);
  out.flush();
  serveUntilEnd(server, signals, options.noBrowser ? std::string() : address);
  return kOk;
}

void declare(CommandLine &line, Options &options) {
  line.option("session", options.sessions, "Sessions, or files of any format [the newest session under ./ada-traces]")
      .type("");
  line.option("--port", options.port, "Listen on this port of 127.0.0.1 [any free port]").type("N").between(0, 65535);
  line.flag("--no-browser", options.noBrowser, "Only print the address; do not open a browser");
  line.option("--at", options.at, "Open at this place: the part after # of an address of an earlier run").type("PLACE");
  addSourceRoots(line, options.sourceRoots);
  // For developers of the page: serves the files of this directory instead of the built-in ones.
  line.option("--assets", options.assets, "").hidden();
  // For tests: number of events from which on a trace has its index in a file.
  line.option("--index-events", options.eventsForFile, "").hidden();
}

} // namespace
} // namespace view_command

const Command kView = {
    "view",
    "View sessions in a browser: timelines, calls, statistics",
    "adatrace view\n"
    "adatrace view --no-browser --port=8080 ada-traces/session_20261121_101500",
    withOptions<view_command::declare, view_command::run>,
};

} // namespace ada::cli
