// Looks for the rings of flight recorders, which survive both kill -9 and a stack overflow.
#include "finish_flights.h"
#include "options/runtime_options.h"
#include "recover_process.h"
#include "session_place.h"
#include "terminal/terminal.h"

#include "live/recover/leftovers.h"
#include "live/recover/unfinished_dumps.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace ada::cli {

namespace fs = std::filesystem;

std::vector<std::string> canonicalPlaces(std::vector<std::string> places) {
  std::error_code ignored;
  for (std::string &place : places)
    if (const fs::path real = fs::canonical(place, ignored); !ignored)
      place = real.string();
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end()); // clang 14 cannot compile ranges::unique
  return places;
}

std::vector<std::string> ringPlaces(std::string_view ring) {
  std::vector<std::string> places = recover::usualRingPlaces();
  if (!ring.empty())
    places.emplace_back(ring);
  return canonicalPlaces(std::move(places));
}

std::vector<std::string> ringPlaces() {
  std::string problem;
  const char *environment = std::getenv("ADA_OPTIONS");
  const auto list = parseOptions(environment ? environment : "", problem);
  const std::string *ring = list ? findOption(*list, "ring") : nullptr;
  return ringPlaces(ring ? *ring : "");
}

static void finishFlight(const recover::RingFile &ring, const std::string &session, bool isProgram, const EndOf &endOf,
                         bool quiet) {
  RecoverOptions options = endOf(ring.directory);
  options.ring = ring.path;
  const bool isWanted = options.exitCode != 0;
  RecoverTotals totals;
  recoverAndTell(ring.directory, options, true, totals);
  if (totals.failed || totals.running)
    return;
  if (!isWanted) {
    recover::removeFlight(ring.directory);
    return;
  }
  const Expected<std::string> saved = recover::saveFlight(ring.directory, session);
  if (!saved)
    complain(fmt::format("{}; the flight recorder's events are in {}", saved.error().text(), ring.directory));
  else if (!quiet && !isProgram)
    complain(fmt::format("the flight recorder's events of process {} are in {}", ring.pid, *saved));
}

void finishFlights(const std::string &session, const std::vector<std::string> &places, pid_t program,
                   const EndOf &endOf, bool quiet) {
  const auto isProgram = [&](const recover::RingFile &ring) { return ring.pid == static_cast<unsigned>(program); };
  std::vector<recover::RingFile> rings = recover::findRings(places);
  std::erase_if(rings, [&](const recover::RingFile &ring) {
    return !ring.isFlight || recover::flightSession(ring.directory) != session;
  });
  // The program's own ring comes last, so that its session gets the highest number.
  std::ranges::stable_sort(rings, {}, isProgram);
  for (const recover::RingFile &ring : rings) {
    if (ring.state == recover::RingFile::State::Unfinished)
      finishFlight(ring, session, isProgram(ring), endOf, quiet);
    else if (ring.state == recover::RingFile::State::Answered)
      (void)recover::removeRing(ring);
    else if (ring.state == recover::RingFile::State::Recording && !quiet)
      complain(fmt::format("process {} is still running and recording", ring.pid));
  }
  recover::removeUnfinishedDumps(fs::path(session).parent_path().string(),
                                 std::nullopt); // of those whose memory is gone: the machine was restarted
}

std::string lastDump(const std::string &session, pid_t pid) {
  const auto hasProcess = [&](const std::string &path) {
    return std::ranges::any_of(processDirectories(path), [&](const std::string &directory) {
      return processId(directory) == static_cast<unsigned>(pid);
    });
  };
  std::string last = session;
  std::error_code ignored;
  for (unsigned number = 2;; ++number) {
    const std::string next = session + '_' + std::to_string(number);
    if (!fs::is_directory(next, ignored))
      return last;
    if (hasProcess(next))
      last = next;
  }
}

} // namespace ada::cli
