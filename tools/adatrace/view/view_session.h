// One session of the viewer: opens it, indexes it, and opens it again when it has grown.
#pragma once

#include "analysis/view/function_list.h"
#include "analysis/view/index_output.h"
#include "analysis/view/process_gantt.h"
#include "analysis/view/trace_view.h"
#include "formats/convert/source_files.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ada::cli {

class ViewSession {
public:
  /// From this number of events on, the index of a trace is kept in a file. A smaller trace is indexed in a second each
  /// time it is opened, so a file is not worth it.
  static constexpr uint64_t kEventsForFile = 20'000'000;

  ViewSession(uint32_t id, std::string path, formats::SourceFiles::Rule sources,
              uint64_t eventsForFile = kEventsForFile);
  ~ViewSession();

  /// Opens the session and continues in the background: builds the index and adds events that are recorded meanwhile.
  /// Errors: those of model::openTrace().
  Expected<void> open();

  /// The state of the session at one moment. Ids of threads and processes stay the same when the session grows.
  struct Opened {
    std::shared_ptr<view::TraceView> view;
    std::vector<uint32_t> threads;               ///< numbers in the view, by id
    std::vector<uint32_t> threadIds, processIds; ///< ids, by number in the view
    uint64_t madeOf = 0;

    /// The chart of its processes, made when it is first asked for.
    struct Chart {
      std::once_flag isMade;
      std::optional<view::ProcessGantt> gantt;
    };
    std::shared_ptr<Chart> chart = std::make_shared<Chart>();
    const view::ProcessGantt &gantt() const {
      std::call_once(chart->isMade, [&] { chart->gantt.emplace(view->table()); });
      return *chart->gantt;
    }
  };
  std::shared_ptr<const Opened> opened() const;

  enum class IndexState { Building, Ready, Failed };
  struct Status {
    IndexState index = IndexState::Building;
    double progress = 0; ///< of the index, 0 to 1
    std::string note;    ///< why there is no index, or where it is; empty if there is nothing to say
    bool isLive = false;
  };
  Status status() const;

  uint32_t id() const { return id_; }
  const std::string &path() const { return path_; }
  /// Times in answers are relative to this: the time of the first event when the session was first opened.
  uint64_t startNs() const { return start_; }
  view::FunctionList &functions() { return functions_; }
  formats::SourceFiles &sources() { return sources_; }
  /// True if its files no longer exist.
  bool isGone() const;

private:
  using Clock = std::chrono::steady_clock;

  void follow();
  void look();
  Expected<std::shared_ptr<Opened>> openAgain();
  void makeIndex(const Opened &opened, bool isTemporary);
  Expected<void> buildIndex(const Opened &opened, Expected<view::IndexOutput> output);
  std::string indexPath() const;
  void setIndex(IndexState state, std::string note = {});

  uint32_t id_;
  std::string path_;
  bool isPipe_;
  uint64_t eventsForFile_;
  uint64_t start_ = 0;
  view::FunctionList functions_;
  formats::SourceFiles sources_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const Opened> opened_;
  std::map<std::pair<std::string, uint32_t>, uint32_t> threadIds_; // by process and number
  std::map<std::string, uint32_t> processIds_;
  IndexState indexState_ = IndexState::Building;
  std::string indexNote_;

  std::atomic<bool> stop_ = false, isLive_ = false;
  std::atomic<uint64_t> indexed_ = 0, toIndex_ = 0; // events
  Clock::time_point nextLook_ = {}, nextOpen_ = {}; // used only by the follower
  std::thread follower_;
};

} // namespace ada::cli
