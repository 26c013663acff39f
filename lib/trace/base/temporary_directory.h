// A hidden directory beside an output, in which that is made until it is complete.
//
// A program that is killed leaves its directory; the next program that makes one in the same place removes it. How it
// knows that nobody uses a directory any more:
// - The name ends in a number and its check, so that no directory of the user's has such a name by chance.
// - A program holds a lock on the file `lock` in it, from before the first byte until after the last one.
// - Not every network file system shows the locks of other machines. There, nothing may have changed for a day either.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/file_descriptor.h"

#include <ctime>
#include <string>
#include <string_view>

namespace ada {

/// When the directory, or anything in it, last changed.
time_t lastChange(const std::string &directory);

class TemporaryDirectory {
public:
  /// Makes one in `parent` for an output called `name`. Errors: E_IO.
  static Expected<TemporaryDirectory> make(const std::string &parent, const std::string &name);
  TemporaryDirectory() = default;
  TemporaryDirectory(TemporaryDirectory &&other) noexcept;
  TemporaryDirectory &operator=(TemporaryDirectory &&other) noexcept;
  ~TemporaryDirectory() { remove(); }

  /// Empty before make() and after remove() or keep().
  const std::string &path() const { return path_; }
  /// The place in it to which a user's own file can be moved for a while. A directory that has something there counts
  /// as in use, even if its program was killed.
  std::string replaced() const;
  /// Leaves the directory where it is.
  void keep() { path_.clear(); }
  /// Removes it with all that is in it.
  void remove();

  /// Removes the directories of this user in `parent` that killed programs have left. Links are not followed, and
  /// nothing else is touched.
  static void removeAbandoned(const std::string &parent);
  /// Whether a directory has the name of one.
  static bool isName(std::string_view name);
  /// Whether nobody uses one whose lock is free: `isLocal` says that locks show all users, `changed` is when anything
  /// in it last changed.
  static bool isAbandoned(bool isLocal, time_t changed, time_t now);

private:
  std::string path_;
  FileDescriptor lock_;
};

} // namespace ada
