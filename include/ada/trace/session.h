// Opens what a traced program left behind: a session, one process of it, one thread, one file.
//
//   session_20250102_030405/          a root: Session
//     pid_4711/                       a process: ProcessTrace
//       manifest.json
//       thread_0/index.atf            a thread: ThreadTrace
//       thread_0/detail.atf
//       thread_1.index.atp            a packed thread
//       thread_1.detail.atp
//     pid_4711_2/                     the same pid after an exec
//
//   auto session = ada::atf::Session::open("ada-traces");
//   for (const auto &process : session->processes())
//     for (const auto &thread : process.threads())
//       if (thread.index)
//         use(*thread.index);
//
// A path may also lead into a file that `adatrace pack` has written, or any other tar archive that is not compressed:
// "run.adatrace", "run.adatrace/pid_4711". Its files are read in place.
//
// One bad file never spoils the rest: a thread or process that can't be read
// holds its error, and a warning on the level above names it.
#ifndef ADA_TRACE_SESSION_H
#define ADA_TRACE_SESSION_H

#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "ada/trace/error.h"
#include "ada/trace/manifest.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::atf {

/// The files of one thread.
struct ThreadTrace {
  uint64_t id = 0;       ///< the N of thread_N
  std::string directory; ///< "thread_3": the directory, or for a packed thread how its files' names begin
  std::string path;      ///< the same with the process's path
  Expected<IndexReader> index;
  /// Nothing if there is no detail file (or it was not asked for); an error if
  /// it can't be read.
  std::optional<Expected<DetailReader>> detail;
  /// W_DETAIL_MISSING, W_DETAIL_FLAG_CLEAR, W_DETAIL_UNREADABLE.
  std::vector<Warning> warnings;
  /// What the manifest says about the thread; null if it says nothing.
  std::shared_ptr<const ManifestThread> info;

  /// The system's thread id: the manifest's, else the one in the index header,
  /// else `id`.
  uint64_t tid() const;
  /// The thread's name from the manifest, or empty.
  std::string_view name() const;
};

/// One process: a directory with manifest.json and files of threads.
class ProcessTrace {
public:
  /// Opens a process directory. The threads come in the manifest's order.
  /// Without a manifest every thread_<decimal> that has a directory or files is
  /// taken in numeric order (W_NO_MANIFEST).
  ///
  /// Warnings: W_NO_MANIFEST, `W_THREAD_MISSING:<id>`, `W_THREAD_UNREADABLE:<id>`.
  /// Errors: E_NO_SESSION (neither manifest nor threads),
  /// E_BAD_MANIFEST, E_IO.
  static Expected<ProcessTrace> open(const std::string &directory, const OpenOptions &options = {});

  /// As open(), but uses everything there is, as Session::open() does: with
  /// a manifest that can't be used (W_BAD_MANIFEST) the files count, and
  /// threads that the manifest does not list are used too, after the listed
  /// ones (`W_THREAD_UNLISTED:<id>`).
  static Expected<ProcessTrace> openLenient(const std::string &directory, const OpenOptions &options = {});

  const std::vector<ThreadTrace> &threads() const noexcept { return all_; }
  std::vector<ThreadTrace> &threads() noexcept { return all_; }
  const std::vector<Warning> &warnings() const noexcept { return flaws_; }
  /// Null if there is none.
  const Manifest *manifest() const noexcept { return description_.get(); }
  const std::string &path() const noexcept { return where_; }
  /// The directory's last component, "pid_4711_2".
  std::string_view name() const noexcept;
  /// From the manifest, else from the directory's name.
  std::optional<uint64_t> pid() const;

  /// Manifest::displayName, or the id if there is no manifest.
  std::string_view displayName(uint64_t functionId) const;
  std::string_view shortDisplayName(uint64_t functionId) const;

  /// Events of all readable threads.
  uint64_t eventCount() const;

private:
  friend class Session;
  ProcessTrace();
  static Expected<ProcessTrace> openDirectory(const std::string &directory, const OpenOptions &options, bool lenient);
  static Expected<ProcessTrace> openOne(const std::string &indexPath, const OpenOptions &options);

  std::string where_;
  std::vector<ThreadTrace> all_;
  std::vector<Warning> flaws_;
  // Without a manifest, an empty one that keeps the texts of ids.
  std::shared_ptr<const Manifest> description_, names_;
};

/// All processes of a recording.
class Session {
public:
  /// What open() was given.
  enum class Kind {
    Root,    ///< session_YYYYMMDD_HHMMSS, or a directory that has some: the newest
             ///< is taken
    Process, ///< a directory with manifest.json or threads
    Thread,  ///< a directory with index.atf: a session of that one thread
    File,    ///< one index file: the same
  };

  /// Opens whatever `path` is. A thread or file gets names from the manifest
  /// beside its directory, if there is one. In a root, a process that can't be
  /// read is a warning, `W_PROCESS_UNREADABLE:<name>`, and listed in failures(). Damage of an archive is
  /// listed there, too.
  ///
  /// Errors: E_IO (no such path), E_NO_SESSION (nothing that AdaTrace wrote), E_BAD_ARCHIVE,
  /// or that of the only process, thread or file there is.
  static Expected<Session> open(const std::string &path, const OpenOptions &options = {});

  Kind kind() const noexcept { return what_; }
  /// The directory or file that was opened in the end.
  const std::string &path() const noexcept { return where_; }
  /// In a root by number: pid_9, pid_10, pid_10_2.
  const std::vector<ProcessTrace> &processes() const noexcept { return all_; }
  std::vector<ProcessTrace> &processes() noexcept { return all_; }
  const std::vector<Warning> &warnings() const noexcept { return flaws_; }
  const std::vector<Error> &failures() const noexcept { return failed_; }
  uint64_t eventCount() const;

private:
  Session() = default;
  Kind what_ = Kind::Root;
  std::string where_;
  std::vector<ProcessTrace> all_;
  std::vector<Warning> flaws_;
  std::vector<Error> failed_;
};

/// The newest session below a directory such as "ada-traces": the session_* in it whose name (a date) comes last.
/// E_NO_SESSION if there is none.
Expected<std::string> newestSession(const std::string &directory);

} // namespace ada::atf

#endif // ADA_TRACE_SESSION_H
