// Which processes of a session still record, and which have left their files unfinished.
#pragma once

#include "ada/trace/session.h"

#include <vector>

namespace ada::atf {

/// Asks the kernel once, when it is made: a lock on each directory whose manifest says that its process runs.
class Living {
public:
  explicit Living(const Session &session);

  /// By number in Session::processes().
  bool isRecording(uint32_t process) const { return areRecording_[process]; }
  /// What finishes the files of those that are gone: one warning for all, or none.
  const std::vector<Warning> &warnings() const { return warnings_; }

private:
  std::vector<bool> areRecording_;
  std::vector<Warning> warnings_;
};

} // namespace ada::atf
