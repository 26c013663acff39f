// Checks a session for every problem that it can have.
#pragma once

#include "ada/trace/session.h"
#include "formats/native/session/link_check.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

namespace ada::atf {

/// Checks a session and reports each problem in one sentence, with its file and, where that makes sense, the offset.
/// A problem that occurs many times in a file is reported once, with its count.
class SessionCheck {
public:
  using Report = std::function<void(const std::string &problem)>;
  /// `note` receives facts that are worth knowing but not wrong (events that were dropped as overflow=drop allows).
  SessionCheck(Report problem, Report note) : report_(std::move(problem)), note_(std::move(note)) {}

  /// Closes each process after its check.
  void check(Session &session);

  uint64_t problems() const { return problemCount_; }
  uint64_t events() const { return eventCount_; }
  uint64_t details() const { return detailCount_; }
  uint64_t threads() const { return threadCount_; }

private:
  void problem(const std::string &file, const std::string &text);
  void checkProcess(const ProcessTrace &process, bool isWhole);
  void checkThread(const ProcessTrace &process, const ThreadTrace &thread);
  void checkSchedRecord(const ProcessTrace &process, const ThreadTrace &thread);
  void checkEnds(const IndexReader &index, const ThreadTrace &thread);
  bool checkEvents(const ProcessTrace &process, const IndexReader &index);
  void checkLinks(const ProcessTrace &process, const ThreadTrace &thread, bool hasLinks);
  void checkDetailEnds(const ThreadTrace &thread, const LinkSummary &seen);
  void checkWindows(const Manifest &manifest, const DetailReader &details);
  void checkManifest(const ProcessTrace &process);

  Report report_, note_;
  std::unordered_set<std::string> binariesTold_; // files of the session's binaries
  uint64_t problemCount_ = 0, eventCount_ = 0, detailCount_ = 0, threadCount_ = 0;
};

} // namespace ada::atf
