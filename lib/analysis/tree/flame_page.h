// The flame page: one or two sessions as flame graphs, in one self-contained HTML file.
//
//   const FlamePage page = makeFlamePage({.path = path, .paths = paths, .table = table, .label = label}, nullptr,
//   50'000); write(flameHtml(page, assets, NameStyle::Short));
#pragma once

#include "analysis/events/function_names.h"
#include "call_paths.h"
#include "flame_tree.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// The page's files, which its user embeds: tools/adatrace/flame/, and numbers.js of the viewer.
struct FlameAssets {
  std::string_view page, style, script, numbers;
};

// One entry of the page's list of trees.
struct FlameSheet {
  std::string label;
  FlameTree tree;
  bool isCut = false; ///< the trace had more paths than fit on the page
};

struct FlamePage {
  std::string title;
  std::optional<std::string> before; ///< the session to compare with
  std::vector<model::Function> functions;
  std::vector<FlameSheet> sheets;
};

/// A session that a page is made of.
struct FlameSession {
  std::string path;
  const CallPaths &paths; ///< PathsBy::Thread
  const TraceTable &table;
  std::function<std::string(uint32_t)> label; ///< of a thread
};

/// `before`: the session to compare with, or null. Keeps at most that many paths, those that took longest.
FlamePage makeFlamePage(const FlameSession &now, const FlameSession *before, size_t most);
std::string flameHtml(const FlamePage &page, const FlameAssets &assets, NameStyle style);

} // namespace ada::analysis
