// One process of a recording: its threads' files, and how they belong together.
#include "ada/trace/session.h"

#include "formats/native/directories.h"
#include "formats/native/session/thread_files.h"

#include <unordered_set>

namespace ada::atf {

//===--- a thread ---------------------------------------------------------===//

uint64_t ThreadTrace::tid() const {
  if (info && info->tid)
    return *info->tid;
  return index ? index->header().threadId : id;
}

std::string_view ThreadTrace::name() const { return info ? std::string_view(info->name) : std::string_view(); }

ThreadTrace openThread(const std::string &indexPath, uint64_t id, const OpenOptions &options) {
  ThreadTrace thread{.id = id,
                     .directory = std::string(baseName(threadPlaceOf(indexPath))),
                     .path = threadPlaceOf(indexPath),
                     .index = IndexReader::open(indexPath, options),
                     .detail = std::nullopt,
                     .warnings = {},
                     .info = nullptr};
  // A detail file belongs to a session's index file; a file of another name stands alone.
  if (!thread.index || !isIndexName(baseName(indexPath)))
    return thread;
  const std::string detailPath = detailPathIn(thread.path), detailName(baseName(detailPath));
  bool flag = (thread.index->header().flags & kFlagHasDetail) != 0;
  if (!exists(detailPath)) {
    if (flag)
      thread.warnings.push_back(
          {"W_DETAIL_MISSING", "the index names a " + detailName + " next to it, which does not exist"});
    return thread;
  }
  if (!flag)
    thread.warnings.push_back(
        {"W_DETAIL_FLAG_CLEAR", "the index does not name the " + detailName +
                                    " next to it (for example, because the program was killed); it is used"});
  if (!options.detail)
    return thread;
  thread.detail = DetailReader::open(detailPath, options);
  if (*thread.detail)
    thread.index->linkDetails(**thread.detail);
  else
    thread.warnings.push_back({"W_DETAIL_UNREADABLE", thread.detail->error().text()});
  return thread;
}

//===--- a process --------------------------------------------------------===//

ProcessTrace::ProcessTrace() = default;

Expected<ProcessTrace> ProcessTrace::open(const std::string &directory, const OpenOptions &options) {
  return openDirectory(directory, options, false);
}

Expected<ProcessTrace> ProcessTrace::openLenient(const std::string &directory, const OpenOptions &options) {
  return openDirectory(directory, options, true);
}

Expected<ProcessTrace> ProcessTrace::openDirectory(const std::string &directory, const OpenOptions &options,
                                                   bool lenient) {
  ProcessTrace process;
  process.where_ = directory;
  std::string manifestPath = joinPath(directory, "manifest.json");
  const std::vector<NumberedThread> present = threadsIn(directory);
  std::optional<Error> badManifest;

  if (exists(manifestPath)) {
    auto manifest = Manifest::read(manifestPath);
    if (manifest)
      process.description_ = std::make_shared<Manifest>(*std::move(manifest));
    else
      badManifest = manifest.error();
    if (badManifest && (!lenient || present.empty()))
      return *badManifest;
  } else if (present.empty()) {
    return Error{.code = "E_NO_SESSION",
                 .message = isDirectory(directory)
                                ? "there is neither a manifest.json nor a thread in it; nothing was recorded here"
                                : "there is no such directory",
                 .file = directory};
  }

  auto add = [&](std::string_view name, uint64_t id, const ManifestThread *info) {
    std::string path = joinPath(directory, name);
    ThreadTrace thread = openThread(indexPathIn(path), id, options);
    if (info)
      thread.info = {process.description_, info};
    if (!thread.index)
      process.flaws_.push_back(
          {"W_THREAD_UNREADABLE:" + std::to_string(id), "its events are left out: " + thread.index.error().text()});
    process.all_.push_back(std::move(thread));
  };

  if (!process.description_) {
    process.names_ = std::make_shared<Manifest>(Manifest::empty());
    if (badManifest)
      process.flaws_.push_back(
          {"W_BAD_MANIFEST",
           "the names of functions are unknown, and only threads with files are listed: " + badManifest->text()});
    else
      process.flaws_.push_back({"W_NO_MANIFEST", "manifest.json is missing: the names of functions are unknown, and "
                                                 "only threads with files are listed"});
    for (const NumberedThread &thread : present)
      add(thread.name, thread.number, nullptr);
    return process;
  }

  process.names_ = process.description_;
  std::unordered_set<std::string_view> found;
  for (const NumberedThread &thread : present)
    found.insert(thread.name);
  std::unordered_set<std::string> listed;
  for (const ManifestThread &info : process.description_->threads) {
    std::string name = "thread_" + std::to_string(info.id);
    listed.insert(name);
    if (found.contains(name))
      add(name, info.id, &info);
    else if (info.eventCount != 0u || (info.dropped.empty() && info.leftOutCount == 0)) // else all lost or left out
      process.flaws_.push_back(
          {"W_THREAD_MISSING:" + std::to_string(info.id), "the manifest lists " + name + ", which does not exist"});
  }
  for (const NumberedThread &thread : present) {
    if (listed.contains(thread.name) || !lenient)
      continue;
    process.flaws_.push_back(
        {"W_THREAD_UNLISTED:" + std::to_string(thread.number),
         thread.name + " is not in the manifest (for example, because the program was killed); it is used"});
    add(thread.name, thread.number, nullptr);
  }
  return process;
}

std::string_view ProcessTrace::name() const noexcept { return baseName(where_); }

std::optional<uint64_t> ProcessTrace::pid() const {
  if (description_ && description_->pid)
    return description_->pid;
  return processNumber(name());
}

std::string_view ProcessTrace::displayName(uint64_t functionId) const { return names_->displayName(functionId); }

std::string_view ProcessTrace::shortDisplayName(uint64_t functionId) const {
  return names_->shortDisplayName(functionId);
}

uint64_t ProcessTrace::eventCount() const {
  uint64_t sum = 0;
  for (const ThreadTrace &thread : all_)
    if (thread.index)
      sum += thread.index->size();
  return sum;
}

} // namespace ada::atf
