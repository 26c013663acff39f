// One session of the viewer.
//
// A separate thread builds the index and checks now and then whether the files have changed. A session that has grown
// is opened and indexed in the background, and replaces the one that is shown when it is ready. So the viewer is always
// responsive, and lags by the time that this takes.
#include "view_session.h"

#include "ada/trace/convert.h"
#include "ada/trace/recover.h"
#include "ada/trace/session.h"
#include "analysis/view/index_builder.h"
#include "process/session_place.h"
#include "shared/fnv.h"
#include "trace/base/format.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sys/stat.h>

namespace ada::cli {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kLookEvery = 500ms;

// A fingerprint of the files of a trace: names, sizes and modification times.
uint64_t printOf(const std::string &path) {
  std::vector<std::string> files;
  const auto add = [&](const fs::path &file) {
    struct stat info;
    const std::string name = file.filename().string();
    if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || isKeptFile(name) ||
        name.find(".view-index") != std::string::npos)
      return;
    files.push_back(fmt::format("{}\n{} {} {}.{}", file.lexically_relative(path).string(), info.st_ino, info.st_size,
                                info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
  };
  std::error_code error;
  if (fs::is_directory(path, error))
    for (fs::recursive_directory_iterator at(path, error), end; !error && at != end; at.increment(error))
      add(at->path());
  else
    add(path);
  std::ranges::sort(files);
  uint64_t print = kFnvStart;
  for (const std::string &file : files)
    print = fnv1a(file.data(), file.size(), print);
  return print;
}

// Whether a process is recording into it.
bool isRecorded(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return false;
  if (processId(fs::path(path).lexically_normal().string()))
    return isRecording(path);
  return std::ranges::any_of(processDirectories(path), [](const std::string &one) { return isRecording(one); });
}

// Half the cores, so that the machine and the viewer stay usable.
unsigned workers() { return std::max(1u, std::thread::hardware_concurrency() / 2); }

// If the path is a directory of sessions, the newest one is opened and stays open.
std::string sessionAt(std::string path) {
  std::error_code error;
  if (fs::is_directory(path, error) && processDirectories(path).empty())
    if (auto newest = atf::newestSession(path))
      return *std::move(newest);
  return path;
}

} // namespace

ViewSession::ViewSession(uint32_t id, std::string path, formats::SourceFiles::Rule sources, uint64_t eventsForFile)
    : id_(id), path_(sessionAt(std::move(path))), isPipe_(path_ == "-"), eventsForFile_(eventsForFile),
      sources_(path_, std::move(sources)) {}

ViewSession::~ViewSession() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (follower_.joinable())
    follower_.join();
}

Expected<void> ViewSession::open() {
  auto first = ADA_TRY(openAgain());
  start_ = first->view->startNs();
  opened_ = std::move(first);
  isLive_ = isRecorded(path_);
  follower_ = std::thread([this] { follow(); });
  return {};
}

Expected<std::shared_ptr<ViewSession::Opened>> ViewSession::openAgain() {
  auto opened = std::make_shared<Opened>();
  // Taken before reading, so that changes during the reading are found at the next look.
  opened->madeOf = isPipe_ ? 0 : printOf(path_);
  auto source = ADA_TRY(model::openTrace(path_));
  sources_.lookAgain();
  opened->view = ADA_TRY(view::TraceView::open(std::move(source), functions_));
  const std::lock_guard lock(mutex_);
  const analysis::TraceTable &table = opened->view->table();
  for (const model::Process &process : table.processes) {
    const auto next = static_cast<uint32_t>(processIds_.size());
    opened->processIds.push_back(processIds_.try_emplace(process.name, next).first->second);
  }
  for (const model::Thread &thread : table.threads) {
    const auto next = static_cast<uint32_t>(threadIds_.size());
    const uint32_t id = threadIds_.try_emplace({table.processOf(thread).name, thread.number}, next).first->second;
    opened->threadIds.push_back(id);
    opened->threads.resize(std::max<size_t>(opened->threads.size(), id + 1), ~uint32_t(0));
    opened->threads[id] = thread.index;
  }
  return opened;
}

std::shared_ptr<const ViewSession::Opened> ViewSession::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

ViewSession::Status ViewSession::status() const {
  const std::lock_guard lock(mutex_);
  const uint64_t all = toIndex_, done = indexed_;
  Status status{.index = indexState_, .note = indexNote_, .isLive = isLive_};
  status.progress = indexState_ == IndexState::Ready ? 1
                    : all ? std::min(1.0, static_cast<double>(done) / static_cast<double>(all))
                          : 0;
  return status;
}

bool ViewSession::isGone() const {
  struct stat info;
  return !isPipe_ && ::stat(path_.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

//===--- the index --------------------------------------------------------===//

std::string ViewSession::indexPath() const {
  std::error_code error;
  const fs::path place = fs::canonical(path_, error);
  return fs::is_directory(place, error) ? (place / kViewIndex).string() : place.string() + ".view-index";
}

void ViewSession::setIndex(IndexState state, std::string note) {
  const std::lock_guard lock(mutex_);
  indexState_ = state;
  indexNote_ = std::move(note);
}

Expected<void> ViewSession::buildIndex(const Opened &opened, Expected<view::IndexOutput> output) {
  if (!output)
    return output.error();
  indexed_ = 0;
  toIndex_ = opened.view->events();
  const auto built = view::buildIndex(
      *opened.view, *output, {.madeOf = opened.madeOf, .workers = workers(), .stop = &stop_, .done = &indexed_});
  if (!built)
    return built;
  ADA_TRY(output->keep());
  auto index = ADA_TRY(view::ViewerIndex::open(output->take(), opened.madeOf, opened.view->table(), functions_));
  opened.view->setIndex(std::move(index));
  return {};
}

// Uses the first that works: an existing index, a new one beside the session, or one in a temporary file.
void ViewSession::makeIndex(const Opened &opened, bool isTemporary) {
  std::string note;
  if (!isTemporary) {
    const std::string path = indexPath();
    if (auto index = view::ViewerIndex::open(path, opened.madeOf, opened.view->table(), functions_)) {
      opened.view->setIndex(*std::move(index));
      return setIndex(IndexState::Ready);
    }
    setIndex(IndexState::Building);
    const auto built = buildIndex(opened, view::IndexOutput::beside(path));
    if (built)
      return setIndex(IndexState::Ready);
    if (stop_)
      return;
    note = built.error().text() + "; the index is in a temporary file";
  }
  setIndex(IndexState::Building, note);
  const auto built = buildIndex(opened, view::IndexOutput::temporary());
  if (built)
    return setIndex(IndexState::Ready, note);
  if (!stop_)
    setIndex(IndexState::Failed,
             built.error().text() +
                 "; long ranges are drawn from samples. Free some space or set TMPDIR, and start the viewer again");
}

//===--- in the background ------------------------------------------------===//

void ViewSession::follow() {
  const auto first = opened();
  makeIndex(*first, isLive_ || isPipe_ || first->view->events() < eventsForFile_);
  while (!isPipe_) {
    {
      std::unique_lock lock(mutex_);
      if (wake_.wait_for(lock, kLookEvery, [&] { return stop_.load(); }))
        return;
    }
    look();
  }
}

void ViewSession::look() {
  const auto now = opened();
  if (isGone())
    return;
  const bool wasLive = isLive_;
  const bool hasChanged = printOf(path_) != now->madeOf;
  isLive_ = (wasLive || hasChanged) && isRecorded(path_);
  const bool hasLostIndex = status().index == IndexState::Ready && !now->view->index();
  if (!hasChanged && !hasLostIndex && !(wasLive && !isLive_))
    return;
  // While the session grows, leave most of the CPU time to the traced program.
  const auto start = Clock::now();
  if (isLive_ && start < nextOpen_)
    return;
  auto next = hasChanged ? openAgain() : Expected<std::shared_ptr<Opened>>(std::make_shared<Opened>(*now));
  if (!next)
    return; // perhaps half-written; the old state stays
  if (hasLostIndex && !hasChanged)
    (void)removeFile(indexPath()); // damage was found when a part of it was read
  makeIndex(**next, isLive_ || (*next)->view->events() < eventsForFile_);
  nextOpen_ = Clock::now() + 3 * (Clock::now() - start);
  const std::lock_guard lock(mutex_);
  opened_ = *std::move(next);
}

} // namespace ada::cli
