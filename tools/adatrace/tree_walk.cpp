//===- tree_walk.cpp - one thread's events to the lines of its call tree --===//
#include "tree_walk.h"

#include <optional>

namespace ada::cli {

// Frame numbers count from 1; 0 is the thread itself.
std::vector<uint32_t> &TreeWalk::childrenOf(uint32_t frame) {
  return frame == 0 ? roots : tree[frames[frame - 1].node].children;
}

void TreeWalk::begin(uint64_t seq, const atf::IndexEvent &event) {
  Frame frame;
  if (!frames.empty()) {
    const Frame &caller = frames.back();
    frame.parent =
        caller.shown ? static_cast<uint32_t>(frames.size()) : caller.parent;
    frame.depth = caller.depth + caller.shown;
  }
  frame.shown = filter.enter(event.functionId, event.timestampNs);
  if (frame.shown) {
    frame.node = tree.make(names.number(event.functionId));
    tree[frame.node].beginSeq = seq;
  }
  frames.push_back(frame);
}

void TreeWalk::end(const Span &span) {
  const Frame frame = frames.back();
  const bool accepted = filter.leave(span);
  frames.pop_back();
  if (!frame.shown)
    return;
  if (frame.printed) {
    print(tree[frame.node].children, frame.depth + 1);
    tree.release(frame.node);
  } else if (accepted) {
    CallNode &node = tree[frame.node];
    node.endSeq = span.endSeq;
    if (values)
      node.values = values->fingerprint(node.beginSeq, node.endSeq);
    tree.finish(frame.node, span);
    tree.append(childrenOf(frame.parent), frame.node);
  } else {
    tree.release(frame.node);
  }
}

void TreeWalk::print(std::vector<uint32_t> &list, uint32_t depth) {
  for (const uint32_t node : list)
    lines.subtree(tree, node, names, depth);
  tree.release(list);
}

void TreeWalk::printEverything(uint64_t nextSeq) {
  // How the open calls will end. Those whose line is printed already are the outer ones.
  size_t firstUnprinted = 0;
  for (size_t i = 0; i < frames.size(); ++i)
    if (frames[i].printed)
      firstUnprinted = i + 1;
  std::vector<std::optional<Span>> ends(frames.size());
  const auto note = [&](std::span<const Span> finished) {
    for (const Span &span : finished)
      if (span.depth < ends.size() && !ends[span.depth])
        ends[span.depth] = span;
  };
  CallStackWalker ahead = calls;
  thread.events().forEach(
      {nextSeq, thread.events().size()},
      [&](uint64_t seq, const atf::IndexEvent &event) -> bool {
        note(ahead.feed(seq, event.timestampNs, event.functionId, event.kind)
                 .finished);
        return ahead.depth() > firstUnprinted;
      });
  note(ahead.finish());

  print(roots, 0);
  for (size_t i = 0; i < frames.size(); ++i) {
    Frame &frame = frames[i];
    if (!frame.shown)
      continue;
    if (!frame.printed) {
      if (!ends[i] || !filter.accepts(*ends[i])) {
        // Neither it nor what it calls is shown.
        filter.closeFrom(i);
        for (size_t below = i; below < frames.size(); ++below)
          if (frames[below].shown) {
            tree.release(frames[below].node);
            frames[below].shown = false;
          }
        return;
      }
      CallNode &node = tree[frame.node];
      node.how = ends[i]->how;
      node.endSeq = ends[i]->endSeq;
      node.totalNs = ends[i]->durationNs();
      node.selfNs = ends[i]->selfNs();
      lines.line(node, names, frame.depth);
      frame.printed = true;
    }
    print(tree[frame.node].children, frame.depth + 1);
  }
}

void TreeWalk::run() {
  thread.events().forEach([&](uint64_t seq, const atf::IndexEvent &event) -> bool {
    const CallStackWalker::Step step =
        calls.feed(seq, event.timestampNs, event.functionId, event.kind);
    if (event.kind == EventKind::Call)
      begin(seq, event);
    for (const Span &span : step.finished)
      end(span);
    if (tree.size() >= options.maxNodes)
      printEverything(seq + 1);
    return !lines.wasCut();
  });
  for (const Span &span : calls.finish())
    end(span);
  if (!lines.wasCut())
    print(roots, 0);
}

} // namespace ada::cli
