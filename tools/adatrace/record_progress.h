//===- record_progress.h - the live line of adatrace record ---------------===//
#ifndef ADATRACE_RECORD_PROGRESS_H
#define ADATRACE_RECORD_PROGRESS_H

#include "record_statistics.h"

#include <chrono>
#include <string>

namespace ada::cli {

/// One line on standard error that rewrites itself, below the one that the program
/// writes to: the cursor stays where the program left it.
class RecordProgress {
public:
  RecordProgress(const std::string &session, const std::string &mode, bool quiet);

  bool isWanted() const { return wanted; }
  void draw();
  void clear();

private:
  bool mayDraw() const;

  RecordWatch watch;
  bool wanted = false, forced = false, drawn = false;
  std::chrono::steady_clock::time_point start, last;
  uint64_t lastEvents = 0;
};

} // namespace ada::cli
#endif // ADATRACE_RECORD_PROGRESS_H
