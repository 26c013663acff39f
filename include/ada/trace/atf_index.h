// Reads an index file, ATF or packed: every call, return and exceptional exit of one thread.
//
//   auto reader = ada::atf::IndexReader::open("thread_0/index.atf");
//   if (!reader)
//     return fail(reader.error());
//   for (ada::atf::IndexEvent event : *reader)
//     ...
//
// The file is mapped, so opening is cheap whatever its size (except for the checksum, see OpenOptions),
// and event n is one address calculation away. In a packed file (docs/formats/packed.md) the block of the event has to
// be decoded first: take ranges of events from it rather than single ones. A reader may be used by several threads at
// once; copies share the mapping. A file that another program cuts short while it is mapped raises SIGBUS,
// as with any mapping. A program that must survive this handles the signal, as tools/adatrace/process/bus_error.cpp
// does. Files that grow are safe: the reader sees what was there when it was opened.
#ifndef ADA_TRACE_ATF_INDEX_H
#define ADA_TRACE_ATF_INDEX_H

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {
class IndexBlocks;
}

namespace ada::atf {

/// When the checksum is compared.
enum class ChecksumPolicy {
  Verify, ///< on opening; reads the whole file once
  Defer,  ///< when verifyChecksum() is called
};

struct OpenOptions {
  ChecksumPolicy checksum = ChecksumPolicy::Verify;
  /// Sessions only: false leaves detail files alone (they are walked on
  /// opening).
  bool detail = true;
  /// Give memory back as soon as a part of a file has been read, for files that are larger than memory.
  /// Parts that are needed again are read again.
  bool lowMemory = false;
};

/// A range of event numbers, [first, last).
struct SeqRange {
  uint64_t first = 0, last = 0;

  uint64_t size() const { return last - first; }
  bool empty() const { return first == last; }
  bool operator==(const SeqRange &) const = default;
};

class DetailReader;
class DetailLinks;

class IndexReader {
public:
  /// Opens a file of version 1 or 2, or a packed one, by its first bytes. Errors, in the order of the checks: E_IO
  /// (cannot be opened or is not a regular file), E_TOO_SMALL, E_BAD_MAGIC,
  /// E_BAD_ENDIAN, E_BAD_VERSION, E_BAD_EVENT_SIZE, E_BAD_OFFSET, E_BAD_FOOTER,
  /// E_BAD_CHECKSUM. For packed files: those of the first five that apply, E_BAD_OFFSET, E_BAD_CHECKSUM, E_BAD_BLOCK.
  static Expected<IndexReader> open(const std::string &path, const OpenOptions &options = {});

  /// The same for bytes in memory, which must outlive the reader. `name` is
  /// used in messages.
  static Expected<IndexReader> fromBytes(std::span<const std::byte> bytes, const std::string &name = {},
                                         const OpenOptions &options = {});

  /// Number of events: all whole events that the file holds. Bounded by the
  /// file's size, whatever the file says.
  uint64_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

  /// Event number `seq`, which must be less than size(). One load per field.
  /// A damaged event of a packed file is all zeros; see damage().
  IndexEvent operator[](uint64_t seq) const noexcept {
    if (isPacked_)
      return packedAt(seq);
    return isV1_ ? decode(rawV1()[seq]) : decode(rawV2()[seq]);
  }
  /// Event number `seq`, or nothing if there is none (a dangling link, say).
  std::optional<IndexEvent> at(uint64_t seq) const noexcept {
    return seq < count_ ? std::optional<IndexEvent>((*this)[seq]) : std::nullopt;
  }

  /// Calls f(seq, event) for each event of the range, in file order. The
  /// fastest way to read everything: the version is looked at once, and fields
  /// that `f` does not use are not loaded. If `f` returns bool, false stops.
  template <class F> void forEach(SeqRange range, F &&f) const {
    if (isPacked_)
      forEachPacked(range, f);
    else if (isV1_)
      forEachRaw(rawV1(), range, f);
    else
      forEachRaw(rawV2(), range, f);
  }
  template <class F> void forEach(F &&f) const { forEach(all(), static_cast<F &&>(f)); }
  SeqRange all() const noexcept { return {0, count_}; }

  bool isPacked() const noexcept { return isPacked_; }
  /// Events of a packed file that are stored together: [first, last). A damaged block has fewer events, or none.
  struct EventBlock {
    uint64_t first = 0, last = 0;
    std::vector<IndexEvent> events;
  };
  /// The block with event number `seq`, which must be less than size(). Packed files only.
  /// The newest few blocks are kept.
  std::shared_ptr<const EventBlock> block(uint64_t seq) const;
  /// Packed files don't store links: this gives them to the reader and all its copies,
  /// from the detail file. Any thread.
  void linkDetails(const DetailReader &details) const;
  /// The calls that were open before the first event, outermost first, if no block of a packed file has the older
  /// events: they were removed, or are in another part of the trace. A file without events may have open calls, too.
  struct OpenCall {
    uint64_t functionId = 0, beginNs = 0;
  };
  struct OpenCalls {
    uint64_t unknown = 0;  ///< how many more were open around them
    uint64_t beforeNs = 0; ///< time of the event before, 0 if there is none
    std::vector<OpenCall> calls;
  };
  OpenCalls openAtStart() const;
  /// The first event from number `seq` on at which all open calls are known without reading the events before it:
  /// the first event of a block of a packed file whose times are in order. size() if there is none.
  uint64_t cutFrom(uint64_t seq) const;
  /// The calls that were open before event `seq`, 0 or what cutFrom() returned.
  OpenCalls openBefore(uint64_t seq) const;
  /// The functions that the thread was in first, outermost first, at most `most`: those of calls that were open before
  /// the first event, and of the calls that it begins with. Empty if they are not known. Reads the first events only.
  std::vector<uint64_t> firstFunctions(size_t most) const;
  /// A number that depends on everything that the events depend on. It comes from the blocks' checksums,
  /// without reading events. Nothing if the file is not packed, was not finished, or has a damaged header.
  std::optional<uint64_t> print() const;
  /// The first damage that was found in a packed file's blocks. The events of damaged blocks are left out.
  std::optional<Error> damage() const;
  /// For the library itself: a packed file, to be read block by block; null for others. Lives as long as a copy of the
  /// reader. If you find damage in it, call noteDamage(). Its links are those of linkDetails().
  const packed::IndexBlocks *packedBlocks() const noexcept;
  std::shared_ptr<const DetailLinks> links() const;
  void noteDamage(const Error &error) const;

  /// The events as they lie in the file, for loops that need every nanosecond.
  /// Empty if the file is of the other version, or packed.
  std::span<const RawIndexEventV1> recordsV1() const noexcept {
    return isV1_ ? std::span(rawV1(), count_) : std::span<const RawIndexEventV1>();
  }
  std::span<const RawIndexEventV2> recordsV2() const noexcept {
    return isV1_ || isPacked_ ? std::span<const RawIndexEventV2>() : std::span(rawV2(), count_);
  }

  class Iterator;
  Iterator begin() const noexcept;
  Iterator end() const noexcept;

  /// True if no timestamp is smaller than the one before it. AdaTrace's own
  /// files are in order; others need not be. Only the first call scans the file.
  bool isSorted() const;

  /// The smallest range that holds every event with from <= timestamp < to.
  ///
  /// In a sorted file all events of the range are inside the times. In an
  /// unsorted one the range may hold others too, so compare again if it
  /// matters; no event is missed. The first call scans the file once (see
  /// isSorted()); from then on a search is O(log n) in sorted files and skips
  /// blocks by their smallest and largest time in others.
  SeqRange timeRange(uint64_t fromNs, uint64_t toNs) const;

  /// The first event with timestamp >= ns by binary search alone, without the
  /// scan. The result is right if the file is sorted; otherwise it is some event number, but nothing worse.
  uint64_t lowerBound(uint64_t ns) const noexcept;

  /// Smallest and largest timestamp (not the stored ones; scans like
  /// isSorted()). Zeros if there are no events.
  uint64_t minTimeNs() const;
  uint64_t maxTimeNs() const;

  /// Times of the first and the last event; zeros if there are none. Never decodes a block.
  uint64_t firstNs() const noexcept;
  uint64_t lastNs() const noexcept;
  /// Where event number `seq` is in the file; for a packed file, where its block is.
  uint64_t offsetOf(uint64_t seq) const noexcept;
  /// The number that event `seq` has in the trace. It is `seq`, unless older blocks of a packed file are gone.
  uint64_t numberOf(uint64_t seq) const noexcept { return isPacked_ ? packedNumberOf(seq) : seq; }
  /// The number that an event after the last one would have.
  uint64_t endNumber() const noexcept { return count_ ? numberOf(count_ - 1) + 1 : numberOf(0); }

  /// As stored; for a packed file, as in an ATF 2 file of the same events. Its counts and times may be stale.
  const IndexHeader &header() const noexcept { return head_; }
  /// As stored; nothing if the file has no (good) footer.
  const std::optional<IndexFooter> &footer() const noexcept { return foot_; }
  CountSource countSource() const noexcept { return source_; }
  ChecksumState checksum() const noexcept { return checksumNow_; }
  /// The flaws that were found, in the order of the checks.
  const std::vector<Warning> &warnings() const noexcept { return flaws_; }
  /// True if the file was finished by its writer: it has a good footer, or block index.
  bool isComplete() const noexcept { return foot_.has_value() || isFinished_; }
  const std::string &path() const noexcept { return name_; }
  uint64_t fileBytes() const noexcept { return total_; }

  /// Compares the checksum now if that was deferred; E_BAD_CHECKSUM if it is
  /// wrong.
  Expected<void> verifyChecksum();

  /// Gives the memory of these events back to the system. They stay readable,
  /// at the cost of reading them from the file again.
  void release(SeqRange range) const noexcept;

  IndexEvent decode(const RawIndexEventV1 &raw) const noexcept {
    uint32_t detail = raw.detailSeq;
    return {raw.timestampNs,           raw.functionId, detail == kNoDetailV1 ? kNoDetail : detail,
            EventKind{raw.kind.get()}, raw.threadId,   raw.depth};
  }
  IndexEvent decode(const RawIndexEventV2 &raw) const noexcept {
    return {raw.timestampNs, raw.functionId, raw.detailSeq, EventKind{raw.kind}, head_.threadId, kNoDepth};
  }

private:
  struct TimeTable;
  struct Shared;

  IndexReader() = default;
  Expected<void> parse(const OpenOptions &options);
  Expected<void> parsePacked(const OpenOptions &options);
  Expected<void> verifyPacked();
  void releaseHeaders() const noexcept;
  IndexEvent packedAt(uint64_t seq) const noexcept;
  uint64_t packedNumberOf(uint64_t seq) const noexcept;
  uint64_t packedLowerBound(uint64_t ns) const noexcept;
  Expected<void> useFooter(const IndexFooter &found);
  void countWithoutFooter();
  void warn(const char *code, std::string message) { flaws_.push_back({code, std::move(message)}); }
  const TimeTable &timeTable() const;

  const RawIndexEventV1 *rawV1() const noexcept { return reinterpret_cast<const RawIndexEventV1 *>(events_); }
  const RawIndexEventV2 *rawV2() const noexcept { return reinterpret_cast<const RawIndexEventV2 *>(events_); }

  template <class Raw, class F> void forEachRaw(const Raw *raw, SeqRange range, F &f) const {
    const Raw *next = raw + range.first;
    for (uint64_t seq = range.first; seq < range.last; ++seq, ++next) {
      if constexpr (std::is_same_v<decltype(f(seq, decode(*next))), bool>) {
        if (!f(seq, decode(*next)))
          return;
      } else {
        f(seq, decode(*next));
      }
    }
  }

  template <class F> void forEachPacked(SeqRange range, F &f) const {
    while (range.first < range.last) {
      const std::shared_ptr<const EventBlock> part = block(range.first);
      const IndexEvent *const events = part->events.data();
      const uint64_t last = std::min(range.last, part->first + part->events.size());
      for (uint64_t seq = range.first; seq < last; ++seq) {
        if constexpr (std::is_same_v<decltype(f(seq, events[seq - part->first])), bool>) {
          if (!f(seq, events[seq - part->first]))
            return;
        } else {
          f(seq, events[seq - part->first]);
        }
      }
      range.first = part->last;
    }
  }

  const std::byte *events_ = nullptr;
  uint64_t count_ = 0;
  bool isV1_ = false, isPacked_ = false, isFinished_ = false, lowMemory_ = false;
  ChecksumState checksumNow_ = ChecksumState::Absent;
  CountSource source_ = CountSource::FileSize;
  IndexHeader head_;
  std::optional<IndexFooter> foot_;
  std::vector<Warning> flaws_;
  std::string name_;
  uint64_t total_ = 0;
  std::shared_ptr<Shared> shared_; // the bytes, and what is found out about them later
};

/// Random-access iterator over decoded events.
class IndexReader::Iterator {
public:
  using iterator_category = std::input_iterator_tag; // returns values, not references
  using iterator_concept = std::random_access_iterator_tag;
  using value_type = IndexEvent;
  using difference_type = int64_t;
  using reference = IndexEvent;
  using pointer = void;

  Iterator() = default;
  Iterator(const IndexReader *reader, uint64_t seq) : reader_(reader), position_(seq) {}

  IndexEvent operator*() const noexcept { return (*reader_)[position_]; }
  IndexEvent operator[](difference_type n) const noexcept { return *(*this + n); }
  /// The event's sequence number.
  uint64_t seq() const noexcept { return position_; }

  Iterator &operator++() noexcept {
    ++position_;
    return *this;
  }
  Iterator operator++(int) noexcept {
    Iterator old = *this;
    ++position_;
    return old;
  }
  Iterator &operator--() noexcept {
    --position_;
    return *this;
  }
  Iterator operator--(int) noexcept {
    Iterator old = *this;
    --position_;
    return old;
  }
  Iterator &operator+=(difference_type n) noexcept {
    position_ += static_cast<uint64_t>(n);
    return *this;
  }
  Iterator &operator-=(difference_type n) noexcept { return *this += -n; }
  friend Iterator operator+(Iterator it, difference_type n) noexcept { return it += n; }
  friend Iterator operator+(difference_type n, Iterator it) noexcept { return it += n; }
  friend Iterator operator-(Iterator it, difference_type n) noexcept { return it -= n; }
  friend difference_type operator-(const Iterator &a, const Iterator &b) noexcept {
    return static_cast<difference_type>(a.position_ - b.position_);
  }
  friend bool operator==(const Iterator &a, const Iterator &b) noexcept { return a.position_ == b.position_; }
  friend auto operator<=>(const Iterator &a, const Iterator &b) noexcept { return a.position_ <=> b.position_; }

private:
  const IndexReader *reader_ = nullptr;
  uint64_t position_ = 0;
};

inline IndexReader::Iterator IndexReader::begin() const noexcept { return {this, 0}; }
inline IndexReader::Iterator IndexReader::end() const noexcept { return {this, count_}; }

} // namespace ada::atf

#endif // ADA_TRACE_ATF_INDEX_H
