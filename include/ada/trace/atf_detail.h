// Reads an ATF detail file or a packed one: registers and stack bytes of some events of one thread.
//
// Detail events vary in size, so opening walks the file once and keeps the
// offset of every eighth event (one byte of memory per event); after that event n
// is O(1). Opening a packed file (docs/formats/packed.md) reads the headers of its blocks;
// an event is decoded together with its block, and some blocks are kept.
// An index event and its detail event name each other by number:
//
//   if (auto detail = details.at(indexEvent.detailSeq))
//     if (auto function = detail->function())
//       print(function->registers[0]);
#ifndef ADA_TRACE_ATF_DETAIL_H
#define ADA_TRACE_ATF_DETAIL_H

#include "ada/trace/atf_format.h"
#include "ada/trace/atf_index.h"
#include "ada/trace/error.h"
#include "ada/trace/types.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace ada {
class FileBytes;
} // namespace ada

namespace ada::atf {

/// The registers and stack of a function event.
///
/// On arm64 `registers` are x0 to x7. On x86-64 they are rdi, rsi, rdx, rcx,
/// r8, r9, rax, 0 on a call and rax, rdx, 0... on a return; `lr` is the return
/// address, `fp` rbp, `sp` rsp.
struct FunctionPayload {
  uint64_t functionId = 0;
  std::array<uint64_t, 8> registers{};
  uint64_t lr = 0, fp = 0, sp = 0;
  std::span<const std::byte> stack = {}; ///< from `sp` upwards; lies in the file
};

/// The vector registers of a function event: an event of AdaTrace's own type that follows it.
/// On a call they are the first `count` argument registers (xmm0…, v0…), on a return those of the result.
struct VectorPayload {
  uint64_t functionId = 0;
  uint8_t count = 0;
  uint8_t bytesEach = 16;
  /// `count` times `bytesEach` bytes; lies in the file.
  std::span<const std::byte> registers = {};
};

/// What arguments or the result of a function event point to: an event of AdaTrace's own type that follows it.
struct ContentsPayload {
  uint64_t functionId = 0;
  std::vector<types::Contents> contents = {}; ///< their bytes lie in the file
};

/// A detail event of either version. `payload` lies in the file and lives as long as a copy of the reader does;
/// for a packed file, as long as a copy of the event.
struct DetailEvent {
  uint64_t seq = 0;    ///< its number in the file
  uint64_t offset = 0; ///< where it starts in the file; for a packed file, where its block starts
  uint32_t totalLength = 0;
  uint16_t type = 0; ///< kDetailFunctionCall, kDetailFunctionReturn, or another number
  uint16_t flags = 0;
  uint64_t indexSeq = 0; ///< number of its index event
  uint32_t threadId = 0; ///< version 2 takes it from the header
  uint64_t timestampNs = 0;
  std::span<const std::byte> payload = {};
  std::shared_ptr<const void> block = {}; ///< packed files: what the payload lies in

  /// The payload as registers and stack, if it is exactly as long as such a payload says it is.
  /// Otherwise the payload is opaque, but the event is still valid.
  std::optional<FunctionPayload> function() const;
  /// The payload as vector registers, if the event is of type kDetailVectors
  /// and exactly as long as it says.
  std::optional<VectorPayload> vectors() const;
  /// The same for type kDetailContents.
  std::optional<ContentsPayload> contents() const;
};

class DetailReader {
public:
  /// Opens a file of version 1 or 2 and walks it. Errors, in the order of the
  /// checks: E_IO, E_TOO_SMALL, E_BAD_MAGIC, E_BAD_ENDIAN, E_BAD_VERSION,
  /// E_BAD_OFFSET, E_BAD_CHECKSUM, E_BAD_EVENT, E_BAD_FOOTER; for a packed file, E_BAD_BLOCK.
  static Expected<DetailReader> open(const std::string &path, const OpenOptions &options = {});

  /// The same for bytes in memory, which must outlive the reader.
  static Expected<DetailReader> fromBytes(std::span<const std::byte> bytes, const std::string &name = {},
                                          const OpenOptions &options = {});

  uint64_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }

  /// Event number `seq`, which must be less than size(). In a damaged block of a packed file, it is an event without
  /// payload and with index event kNoDetail; see damage().
  DetailEvent operator[](uint64_t seq) const noexcept;
  /// Event number `seq`, or nothing if there is none. kNoDetail never names
  /// one.
  std::optional<DetailEvent> at(uint64_t seq) const noexcept {
    return seq < size() ? std::optional<DetailEvent>((*this)[seq]) : std::nullopt;
  }

  /// Calls f(const DetailEvent &) for the events from `first` on, in the order
  /// of the file. If `f` returns bool, false stops.
  template <class F> void forEach(uint64_t first, F &&f) const {
    if (first >= count_)
      return;
    for (DetailEvent event = (*this)[first];;) {
      if constexpr (std::is_same_v<std::invoke_result_t<F &, const DetailEvent &>, bool>) {
        if (!f(event))
          return;
      } else {
        f(event);
      }
      if (event.seq + 1 >= count_)
        return;
      event = after(event);
    }
  }
  template <class F> void forEach(F &&f) const { forEach(0, static_cast<F &&>(f)); }

  /// Whether the events are in the order of their index events. O(n), for a packed file O(1).
  bool isOrdered() const;
  /// If they are: the first event whose index event is `indexSeq` or a later one; size() if there is none. O(log n).
  uint64_t lowerBound(uint64_t indexSeq) const;

  bool isPacked() const noexcept;
  /// Packed files: what was wrong with a block that this reader or a copy decoded.
  std::optional<Error> damage() const;

  const DetailHeader &header() const noexcept { return head_; }
  /// For a finished packed file, what its header says. The offset is where its last block ends.
  const std::optional<DetailFooter> &footer() const noexcept { return foot_; }
  CountSource countSource() const noexcept { return CountSource::Walk; }
  ChecksumState checksum() const noexcept { return checksumNow_; }
  const std::vector<Warning> &warnings() const noexcept { return flaws_; }
  bool isComplete() const noexcept { return foot_.has_value(); }
  const std::string &path() const noexcept { return name_; }
  uint64_t fileBytes() const noexcept { return total_; }

  /// Compares the checksum now if that was deferred; E_BAD_CHECKSUM if it is
  /// wrong.
  Expected<void> verifyChecksum();

  /// Gives the file's memory back to the system; see IndexReader::release().
  void release() const noexcept;

private:
  DetailReader() = default;
  Expected<void> parse(const OpenOptions &options);
  Expected<void> walkToFooter(const OpenOptions &options);
  Expected<void> walkWithoutFooter(const std::vector<uint64_t> &doubtful);
  void warn(const char *code, std::string message) { flaws_.push_back({code, std::move(message)}); }
  DetailEvent decode(uint64_t seq, uint64_t offset) const noexcept;
  DetailEvent after(const DetailEvent &event) const noexcept;

  struct Shared;
  Expected<void> parsePacked(const OpenOptions &options);
  Expected<void> verifyPacked();
  DetailEvent packedAt(uint64_t seq, const std::shared_ptr<const void> &known) const noexcept;

  static constexpr unsigned kStride = 8;
  const std::byte *base_ = nullptr;
  uint64_t total_ = 0, count_ = 0;
  std::vector<uint64_t> offsets_; // of every kStride-th event
  ChecksumState checksumNow_ = ChecksumState::Absent;
  DetailHeader head_;
  std::optional<DetailFooter> foot_;
  std::vector<Warning> flaws_;
  std::string name_;
  std::shared_ptr<Shared> shared_; // with copies; keeps the bytes alive
  bool lowMemory_ = false;
};

} // namespace ada::atf

#endif // ADA_TRACE_ATF_DETAIL_H
