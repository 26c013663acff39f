// Call paths seen from chosen functions.
#include "path_views.h"

#include "shared/select/function_glob.h"

#include <algorithm>

namespace ada::analysis {

namespace {

// Fills a view while a tree is walked. A node of the view is open while some node of the tree that counts in it is
// open.
class ViewBuilder {
public:
  explicit ViewBuilder(const PathTree &tree) : tree_(tree), view_(~size_t(0)) {}

  /// Moves the walk to `node`.
  void moveTo(uint32_t node) {
    for (; marks_.size() >= tree_.depth(node); marks_.pop_back())
      for (; opened_.size() > marks_.back(); opened_.pop_back())
        --open_[opened_.back()];
    marks_.push_back(opened_.size());
    node_ = node;
  }
  /// Counts the node's calls in a child of the view's node `parent`.
  uint32_t count(uint32_t parent, uint32_t function) {
    const uint32_t at = view_.child(parent, function);
    if (at >= open_.size())
      open_.resize(at + size_t(1));
    const PathTree::Node &from = tree_[node_];
    view_.addSum(at, from.calls, open_[at]++ == 0 ? from.totalNs : 0, from.selfNs);
    opened_.push_back(at);
    return at;
  }
  PathTree finish() {
    view_.sort();
    return std::move(view_);
  }

private:
  const PathTree &tree_;
  PathTree view_;
  uint32_t node_ = PathTree::kRoot;
  std::vector<uint32_t> open_;   // by node of the view
  std::vector<uint32_t> opened_; // by the nodes of the path, the outermost's first
  std::vector<size_t> marks_;    // where the entries of each path node begin
};

bool isChosen(const std::vector<bool> &chosen, uint32_t function) {
  return function < chosen.size() && chosen[function];
}

} // namespace

std::vector<bool> chosenFunctions(const std::vector<model::Function> &functions,
                                  const std::vector<std::string> &globs) {
  std::vector<bool> chosen;
  for (const model::Function &function : functions) {
    const select::FunctionTexts texts({function.name.c_str(), function.displayName.c_str(), function.file.c_str()});
    chosen.push_back(
        std::ranges::any_of(globs, [&](const std::string &glob) { return texts.match({glob.data(), glob.size()}); }));
  }
  return chosen;
}

PathTree callersOf(const PathTree &tree, const std::vector<bool> &chosen) {
  ViewBuilder view(tree);
  for (uint32_t node = 1; node < tree.size(); ++node) {
    view.moveTo(node);
    if (!isChosen(chosen, tree[node].function))
      continue;
    uint32_t at = view.count(PathTree::kRoot, tree[node].function);
    for (uint32_t caller = tree[node].parent;; caller = tree[caller].parent) {
      at = view.count(at, tree[caller].function); // the root has no function
      if (caller == PathTree::kRoot || isChosen(chosen, tree[caller].function))
        break;
    }
  }
  return view.finish();
}

PathTree calleesOf(const PathTree &tree, const std::vector<bool> &chosen) {
  ViewBuilder view(tree);
  std::vector<uint32_t> path = {PathTree::kNone}; // nodes of the view, by depth
  for (uint32_t node = 1; node < tree.size(); ++node) {
    view.moveTo(node);
    path.resize(tree.depth(node));
    const uint32_t around = path.back();
    uint32_t at = around == PathTree::kNone ? around : view.count(around, tree[node].function);
    if (isChosen(chosen, tree[node].function))
      at = view.count(PathTree::kRoot, tree[node].function);
    path.push_back(at);
  }
  return view.finish();
}

} // namespace ada::analysis
