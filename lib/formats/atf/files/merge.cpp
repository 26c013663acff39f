// Merges threads by time with a tree of losers.
//
// Each inner node of the tree keeps the loser of the match played there, and the overall winner sits on top. When the
// winner's thread advances to its next event, only the matches on its path to the root are played again: log2(threads)
// comparisons, half of what a binary heap needs. The best loser on that path is remembered, because the winner stays
// the winner as long as it comes before that loser. This is common in traces: a thread runs for a while before another
// one does.
#include "ada/trace/merge.h"

#include <bit>
#include <utility>

namespace ada::atf {

MergeCursor::MergeCursor(std::span<const Source> sources) {
  for (const Source &source : sources) {
    Input input;
    input.reader = source.reader;
    if (source.reader) {
      input.last = std::min(source.range.last, source.reader->size());
      input.next = std::min(source.range.first, input.last);
    }
    inputs_.push_back(input);
  }
  build();
}

static void addThreads(const ProcessTrace &process, std::vector<MergeCursor::Source> &sources) {
  for (const ThreadTrace &thread : process.threads()) {
    if (thread.index)
      sources.push_back({&*thread.index, thread.index->all()});
    else
      sources.push_back({});
  }
}

static std::vector<MergeCursor::Source> sourcesOf(const ProcessTrace &process) {
  std::vector<MergeCursor::Source> sources;
  addThreads(process, sources);
  return sources;
}

static std::vector<MergeCursor::Source> sourcesOf(const Session &session) {
  std::vector<MergeCursor::Source> sources;
  for (const ProcessTrace &process : session.processes())
    addThreads(process, sources);
  return sources;
}

MergeCursor::MergeCursor(const ProcessTrace &process) : MergeCursor(sourcesOf(process)) {}
MergeCursor::MergeCursor(const Session &session) : MergeCursor(sourcesOf(session)) {}

bool MergeCursor::before(uint32_t a, uint32_t b) const noexcept {
  const Input &x = inputs_[a], &y = inputs_[b];
  if (x.done() || y.done())
    return !x.done() || (y.done() && a < b);
  if (x.event.timestampNs != y.event.timestampNs)
    return x.event.timestampNs < y.event.timestampNs;
  return a < b;
}

void MergeCursor::build() {
  auto count = static_cast<uint32_t>(inputs_.size());
  if (count == 0)
    return;
  for (Input &input : inputs_)
    input.load();
  // Input i enters at node count + i; node n plays the winners of 2n and 2n+1.
  std::vector<uint32_t> winners(2 * size_t{count});
  tree_.resize(count);
  for (uint32_t i = 0; i < count; ++i)
    winners[count + i] = i;
  for (uint32_t node = count - 1; node >= 1; --node) {
    uint32_t a = winners[2 * node], b = winners[2 * node + 1];
    bool first = before(a, b);
    winners[node] = first ? a : b;
    tree_[node] = first ? b : a;
  }
  tree_[0] = count == 1 ? 0 : winners[1];
  findRunnerUp();
}

void MergeCursor::findRunnerUp() noexcept {
  auto count = static_cast<uint32_t>(inputs_.size());
  uint32_t winner = tree_[0];
  runnerUp_ = winner;
  for (uint32_t node = (winner + count) / 2; node >= 1; node /= 2)
    if (runnerUp_ == winner || before(tree_[node], runnerUp_))
      runnerUp_ = tree_[node];
}

void MergeCursor::advance() {
  uint32_t winner = tree_[0];
  ++inputs_[winner].next;
  inputs_[winner].load();
  if (runnerUp_ == winner || before(winner, runnerUp_))
    return;
  auto count = static_cast<uint32_t>(inputs_.size());
  for (uint32_t node = (winner + count) / 2; node >= 1; node /= 2)
    if (before(tree_[node], winner))
      std::swap(tree_[node], winner);
  tree_[0] = winner;
  findRunnerUp();
}

} // namespace ada::atf
