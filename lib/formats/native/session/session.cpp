// Finds out what a path is, and opens it.
#include "ada/trace/session.h"

#include "formats/native/directories.h"
#include "formats/native/session/thread_files.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>

namespace ada::atf {

static Error noSession(const std::string &path, std::string message) {
  return {.code = "E_NO_SESSION", .message = std::move(message), .file = path};
}

Expected<std::string> newestSession(const std::string &directory) {
  auto names = directoriesNamed(directory, "session_");
  if (names.empty())
    return noSession(directory, "there is no session_* directory in it; record one with `adatrace record PROGRAM`");
  return joinPath(directory, names.back());
}

// Opens a single thread or file as a process with that one thread. It has names if the manifest is in its usual place.
Expected<ProcessTrace> ProcessTrace::openOne(const std::string &indexPath, const OpenOptions &options) {
  ProcessTrace process;
  // Absolute, so that names are also found from inside the directory.
  std::error_code ignored;
  std::string threadPath = threadPlaceOf(std::filesystem::absolute(indexPath, ignored).lexically_normal().string());
  auto id = threadNumber(baseName(threadPath));
  ThreadTrace thread = openThread(indexPath, id.value_or(0), options);
  if (!thread.index)
    return thread.index.error();
  process.where_ = id ? parentPath(threadPath) : threadPath;
  std::string manifestPath = joinPath(process.where_, "manifest.json");
  if (id && exists(manifestPath))
    if (auto manifest = Manifest::read(manifestPath)) {
      process.description_ = std::make_shared<Manifest>(*std::move(manifest));
      for (const ManifestThread &info : process.description_->threads)
        if (info.id == *id)
          thread.info = {process.description_, &info};
    }
  process.names_ = process.description_ ? process.description_ : std::make_shared<Manifest>(Manifest::empty());
  process.all_.push_back(std::move(thread));
  return process;
}

Expected<Session> Session::open(const std::string &path, const OpenOptions &options) {
  Session session;
  session.where_ = path;
  auto take = [&](Kind kind, Expected<ProcessTrace> process) -> Expected<Session> {
    if (!process)
      return process.error();
    session.what_ = kind;
    session.all_.push_back(*std::move(process));
    return std::move(session);
  };

  const auto archive = archivePlaceOf(path);
  if (archive && !*archive)
    return archive->error();
  if (archive && (*archive)->in->archive.damage())
    session.failed_.push_back(*(*archive)->in->archive.damage());
  struct stat info;
  if (!archive && ::stat(path.c_str(), &info) != 0)
    return systemError(path, "cannot be opened", errno);
  const FileKind kind = fileKind(path);
  if (kind == FileKind::None)
    return systemError(path, "cannot be opened", ENOENT);
  if (kind == FileKind::File)
    return take(Kind::File, ProcessTrace::openOne(path, options));
  if (const std::string index = indexPathIn(path); exists(index))
    return take(Kind::Thread, ProcessTrace::openOne(index, options));
  if (exists(joinPath(path, "manifest.json")) || !threadsIn(path).empty())
    return take(Kind::Process, ProcessTrace::openLenient(path, options));

  auto processes = directoriesNamed(path, "pid_");
  if (processes.empty()) {
    auto newest = newestSession(path);
    if (newest)
      return open(*newest, options);
    if (!session.failed_.empty())
      return session.failed_.front();
    return noSession(
        path, baseName(path).starts_with("session_")
                  ? "the session holds no process: the program recorded nothing, or has just been started"
                  : "there is no trace in it: neither a session_* or pid_* directory nor a manifest.json or index.atf");
  }
  for (const std::string &name : processes) {
    auto process = ProcessTrace::openLenient(joinPath(path, name), options);
    if (process) {
      session.all_.push_back(*std::move(process));
      continue;
    }
    session.flaws_.push_back({"W_PROCESS_UNREADABLE:" + name, "it is left out: " + process.error().text()});
    session.failed_.push_back(process.error());
  }
  if (session.all_.empty())
    return session.failed_.front();
  return session;
}

uint64_t Session::eventCount() const {
  uint64_t sum = 0;
  for (const ProcessTrace &process : all_)
    sum += process.eventCount();
  return sum;
}

} // namespace ada::atf
