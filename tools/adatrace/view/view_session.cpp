// One session of the viewer.
#include "view_session.h"

#include "ada/trace/convert.h"

namespace ada::cli {

Expected<void> ViewSession::open() {
  auto source = model::openTrace(path_);
  if (!source)
    return source.error();
  auto opened = view::TraceView::open(*std::move(source), functions_);
  if (!opened)
    return opened.error();
  const std::lock_guard lock(mutex_);
  view_ = *std::move(opened);
  return {};
}

std::shared_ptr<view::TraceView> ViewSession::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

} // namespace ada::cli
