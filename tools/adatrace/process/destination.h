// Where a running process is to record.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::cli {

struct Destination {
  std::string session; ///< absolute, as the process sees it
  std::string shown;   ///< as we see it
  bool isOurs = false; ///< the directory was made now
};

/// A new session under `output`, or the given one. It is made here; if the process has another user, with that user's
/// rights or for that user (user_rights.h), by default in /tmp if the user can't reach the usual place. In a container
/// that has other mounts than we have, the process makes it, by default in /tmp. Returns nothing, with a sentence in
/// `problem`, if it can't be made.
std::optional<Destination> destinationFor(pid_t pid, const std::string &session, const std::string &output,
                                          std::string &problem);

/// Removes a directory that was made and that nothing was recorded into.
void removeIfEmpty(const Destination &place);

} // namespace ada::cli
