// The common part of sinks for formats with sums instead of single calls: adds up the calls of each thread by path.
#pragma once

#include "formats/export_sink.h"
#include "trace/path_tree.h"

#include <optional>
#include <string_view>
#include <vector>

namespace ada::formats {

/// Memory: the paths of the threads that have not ended, at most a million each, and whatever the format keeps.
class PathSink : public ExportSink {
public:
  explicit PathSink(model::ByteSink bytes) : ExportSink(Wants::Calls), out_(std::move(bytes)) {}

protected:
  /// The name of a node that is not a function.
  static constexpr std::string_view nameOfNone(uint32_t function) {
    return function == PathTree::kRecorder ? kRecorderName : "[calls of further paths]";
  }

  /// The thread has ended. Writes its calls in the order of a walk.
  virtual void writePaths(uint32_t thread, const PathTree &tree) = 0;

  ByteOutput out_;

private:
  struct Paths {
    PathTree tree;
    PathWalk walk;
  };
  Paths &pathsOf(uint32_t thread) {
    if (thread >= paths_.size())
      paths_.resize(thread + size_t{1});
    return paths_[thread] ? *paths_[thread] : paths_[thread].emplace();
  }

  void beginCall(const Call &call) final {
    Paths &paths = pathsOf(call.thread);
    paths.walk.enter(paths.tree, call.function);
  }
  void endCall(const End &end) final {
    Paths &paths = pathsOf(end.thread);
    paths.walk.leave(paths.tree, end.span);
  }
  void mark(uint32_t, uint64_t, const model::Text &) final { lose("marks: the format holds sums of calls only"); }
  void leaveThread(uint32_t thread) final {
    PathTree &tree = pathsOf(thread).tree;
    tree.sort();
    if (tree.isCut())
      lose("threads with more than a million paths of calls: all further ones are one name");
    writePaths(thread, tree);
    paths_[thread].reset();
  }
  const Expected<void> &status() const final { return out_.status(); }

  std::vector<std::optional<Paths>> paths_; // by thread
};

} // namespace ada::formats
