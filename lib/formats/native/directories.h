// The directories and files of a recording: their names and their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::atf {

/// "thread_3" and 3.
struct NumberedThread {
  std::string name;
  uint64_t number = 0;
};

bool isDirectory(const std::string &path);
bool exists(const std::string &path);
std::string joinPath(std::string_view directory, std::string_view name);
/// The last component; trailing slashes are ignored.
std::string_view baseName(std::string_view path);
/// Everything before it; "." if there is nothing.
std::string parentPath(std::string_view path);

/// The N of "thread_N", if the name is exactly that and N is decimal.
std::optional<uint64_t> threadNumber(std::string_view name);
/// The N of "pid_N" or "pid_N_M".
std::optional<uint64_t> processNumber(std::string_view name);

// The files of thread 3 are in the directory thread_3, as those of ATF always are. If there is no such directory, they
// lie beside it: thread_3.index.atp, thread_3.detail.atp, thread_3.sched.ads. Either way the path with thread_3 at its
// end is the thread's place.

/// The place of the thread that an index file or a detail file belongs to.
std::string threadPlaceOf(const std::string &file);
/// Whether a file of that name is the index file of a thread.
bool isIndexName(std::string_view name);
/// Whether a directory with a file or directory of that name is that of a process with the thread.
bool isOfThread(std::string_view name, bool isDirectory);

/// The index file of the thread at a place. In a directory it is index.atf, or index.atp if only that exists.
std::string indexPathIn(const std::string &place);

/// Its detail file. In a directory it is detail.atf or detail.atp, whichever exists. If both exist, detail.atf; if
/// neither does, the one that goes with the index file.
std::string detailPathIn(const std::string &place);

/// The threads that have a directory or files in a process's directory, in numeric order.
std::vector<NumberedThread> threadsIn(const std::string &directory);
/// Directories that start with `prefix`, in natural order (numbers by value).
std::vector<std::string> directoriesNamed(const std::string &directory, std::string_view prefix);

/// What finishes the trace of a process that did not do so itself, for messages: "`adatrace recover PATH`". In an
/// archive, nothing can be recovered.
std::string recoveryOf(const std::string &process);

} // namespace ada::atf
