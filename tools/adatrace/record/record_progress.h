// The live line of adatrace record.
#pragma once

#include "record_statistics.h"
#include "terminal/terminal.h"

#include <chrono>
#include <string>

namespace ada::cli {

/// A line on standard error that rewrites itself, below the line to which the program writes. The cursor stays where
/// the program left it.
class RecordProgress {
public:
  RecordProgress(const std::string &session, When when, bool quiet);

  bool isWanted() const { return wanted_; }
  void draw();
  void clear();

private:
  bool mayDraw() const;

  RecordWatch watch_;
  bool wanted_ = false, forced_ = false, drawn_ = false;
  std::chrono::steady_clock::time_point start_, last_;
  uint64_t lastEvents_ = 0;
};

} // namespace ada::cli
