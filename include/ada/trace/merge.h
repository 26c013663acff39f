// All threads' events in one sequence by time.
#ifndef ADA_TRACE_MERGE_H
#define ADA_TRACE_MERGE_H

#include "ada/trace/atf_index.h"
#include "ada/trace/session.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ada::atf {

/// Repeatedly takes the thread whose next event has the smallest timestamp; on
/// a tie the thread that comes first. Order inside a thread is kept, even where
/// its timestamps go back.
///
///   for (MergeCursor next(process); next; next.advance())
///     print(next.thread(), next.seq(), next.event());
///
/// A step costs O(log threads), and nothing but a comparison while one thread
/// has the earliest events. The readers must outlive the cursor.
class MergeCursor {
public:
  /// One input: a reader and which of its events.
  struct Source {
    const IndexReader *reader = nullptr;
    SeqRange range;
  };

  explicit MergeCursor(std::span<const Source> sources);
  /// All events of all threads of a process; thread() is the position in
  /// threads(). Unreadable threads have no events.
  explicit MergeCursor(const ProcessTrace &process);
  /// All processes of a session; thread() counts on through processes().
  explicit MergeCursor(const Session &session);

  /// False at the end.
  explicit operator bool() const noexcept { return !tree_.empty() && !inputs_[tree_[0]].done(); }
  /// Position of the current event's source.
  size_t thread() const noexcept { return tree_[0]; }
  uint64_t seq() const noexcept { return inputs_[tree_[0]].next; }
  const IndexEvent &event() const noexcept { return inputs_[tree_[0]].event; }
  void advance();

private:
  struct Input {
    const IndexReader *reader = nullptr;
    uint64_t next = 0, last = 0;
    IndexEvent event;
    std::shared_ptr<const IndexReader::EventBlock> block = {}; // packed files

    bool done() const noexcept { return next == last; }
    void load() {
      if (done())
        return;
      if (!reader->isPacked()) {
        event = (*reader)[next];
        return;
      }
      if (!block || next >= block->last)
        block = reader->block(next);
      event = next - block->first < block->events.size() ? block->events[next - block->first] : IndexEvent{};
    }
  };

  void build();
  void findRunnerUp() noexcept;
  bool before(uint32_t a, uint32_t b) const noexcept;

  std::vector<Input> inputs_;
  // A loser tree: tree[0] is the winner, tree[n] the loser of the match at
  // inner node n.
  std::vector<uint32_t> tree_;
  uint32_t runnerUp_ = 0; // the best of the winner's path, which the winner must beat to stay
};

} // namespace ada::atf

#endif // ADA_TRACE_MERGE_H
