//===- session_check.h - everything that can be wrong with a session ------===//
#ifndef ADATRACE_SESSION_CHECK_H
#define ADATRACE_SESSION_CHECK_H

#include "ada/trace/link_check.h"
#include "ada/trace/session.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

namespace ada::cli {

/// Checks a session and hands out one sentence a problem, with the file it is in and,
/// where that makes sense, the offset. The same thing going wrong many times in a file
/// is one problem that says how often.
class SessionCheck {
public:
  using Report = std::function<void(const std::string &problem)>;
  /// `note` gets what is worth knowing but not wrong (events that were dropped as
  /// overflow=drop allows).
  SessionCheck(Report problem, Report note)
      : report(std::move(problem)), note(std::move(note)) {}

  void check(const atf::Session &session);

  uint64_t problems() const { return problemCount; }
  uint64_t events() const { return eventCount; }
  uint64_t details() const { return detailCount; }
  uint64_t threads() const { return threadCount; }

private:
  void problem(const std::string &file, const std::string &text);
  void checkProcess(const atf::ProcessTrace &process, bool isWhole);
  void checkThread(const atf::ProcessTrace &process, const atf::ThreadTrace &thread);
  void checkEnds(const atf::IndexReader &index, const atf::ThreadTrace &thread);
  void checkEvents(const atf::ProcessTrace &process, const atf::IndexReader &index);
  void checkLinks(const atf::ProcessTrace &process, const atf::ThreadTrace &thread);
  void checkDetailEnds(const atf::ThreadTrace &thread, const atf::LinkSummary &seen);
  void checkWindows(const Manifest &manifest, const atf::DetailReader &details);
  void checkManifest(const atf::ProcessTrace &process);

  Report report, note;
  uint64_t problemCount = 0, eventCount = 0, detailCount = 0, threadCount = 0;
};

} // namespace ada::cli
#endif // ADATRACE_SESSION_CHECK_H
