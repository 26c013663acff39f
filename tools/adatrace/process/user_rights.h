// Acts for another user: with that user's rights, or in places that nobody else can change.
//
// Root makes the session of another user's program. A path may lead through directories of that user, who can replace
// any part of it at any moment. So root first takes the user's rights: then no prepared path leads further than the
// user could go. Where the user may not make a directory, root makes it, but only below directories that belong to
// root.
#pragma once

#include "live/control/process_files.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::cli {

/// While it lives, this process has the rights on files of the user of another process. For programs with one thread.
class UserRights {
public:
  explicit UserRights(const control::ProcessFacts &process);
  UserRights(const UserRights &) = delete;
  ~UserRights();
  /// False with errno if this process may not do that; then nothing has changed.
  explicit operator bool() const { return isTaken_; }

private:
  void giveBack();
  uid_t user_;
  gid_t group_;
  std::vector<gid_t> groups_;
  bool isTaken_ = false;
};

/// Makes the directory `path` (absolute; 0700) and its missing parents (0711) as root, and gives it to the user of the
/// process. Follows links of root only, and fails with EACCES if anybody else could change a part of the path. Returns
/// an errno number: 0 if it was made, EEXIST if it was there.
int makeForUser(const std::string &path, const control::ProcessFacts &process);

} // namespace ada::cli
