// One session of the viewer: opened, and opened again when it has grown.
#ifndef ADATRACE_VIEW_SESSION_H
#define ADATRACE_VIEW_SESSION_H

#include "view/function_list.h"
#include "view/trace_view.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace ada::cli {

class ViewSession {
public:
  ViewSession(uint32_t id, std::string path) : id_(id), path_(std::move(path)) {}

  /// Errors: those of model::openTrace().
  Expected<void> open();

  uint32_t id() const { return id_; }
  const std::string &path() const { return path_; }
  /// What is open now; it stays usable when the session is opened again.
  std::shared_ptr<view::TraceView> view() const;
  view::FunctionList &functions() { return functions_; }

private:
  uint32_t id_;
  std::string path_;
  view::FunctionList functions_;
  mutable std::mutex mutex_;
  std::shared_ptr<view::TraceView> view_;
};

} // namespace ada::cli
#endif // ADATRACE_VIEW_SESSION_H
