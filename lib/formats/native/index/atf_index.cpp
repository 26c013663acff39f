// Opens index files: finds the footer, the number of events and any damage.
#include "ada/trace/atf_index.h"

#include "formats/native/bytes/checks.h"
#include "formats/native/index/index_shared.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::atf {

// The time search in unsorted files examines events in blocks of this many.
static constexpr uint64_t kBlockEvents = 4096;

Expected<IndexReader> IndexReader::open(const std::string &path, const OpenOptions &options) {
  auto file = ADA_TRY(options.lowMemory ? FileBytes::openToKeep(path) : FileBytes::open(path));
  IndexReader reader;
  reader.name_ = path;
  reader.shared_ = std::make_shared<Shared>();
  reader.shared_->file = std::move(file);
  reader.shared_->bytes = reader.shared_->file.bytes();
  ADA_TRY(reader.parse(options));
  return reader;
}

Expected<IndexReader> IndexReader::fromBytes(Bytes bytes, const std::string &name, const OpenOptions &options) {
  IndexReader reader;
  reader.name_ = name;
  reader.shared_ = std::make_shared<Shared>();
  reader.shared_->bytes = bytes;
  ADA_TRY(reader.parse(options));
  return reader;
}

template <class Raw> static IndexHeader decodeHeader(const Raw &raw) {
  return {.version = raw.version,
          .arch = raw.arch,
          .os = raw.os,
          .clockType = raw.clockType,
          .flags = raw.flags,
          .threadId = raw.threadId,
          .eventSize = raw.eventSize,
          .eventCount = raw.eventCount,
          .eventsOffset = raw.eventsOffset,
          .footerOffset = raw.footerOffset,
          .timeStartNs = raw.timeStartNs,
          .timeEndNs = raw.timeEndNs};
}

static IndexFooter decodeIndexFooter(Bytes file, uint64_t offset) {
  auto raw = load<RawIndexFooter>(file, offset);
  return {.offset = offset,
          .checksum = raw.checksum,
          .eventCount = raw.eventCount,
          .timeStartNs = raw.timeStartNs,
          .timeEndNs = raw.timeEndNs,
          .bytesWritten = raw.bytesWritten};
}

// Version 1 has 32 bits for the header's event count; a larger count is stored as kNoDetailV1.
static bool isSaturated(const IndexHeader &head) { return head.version == 1 && head.eventCount == kNoDetailV1; }

// The number of events that a finalised header claims, if all of them are there and the footer's offset matches. Then
// only the footer is damaged or cut off. Otherwise 0.
static uint64_t finalisedCount(const IndexHeader &head, uint64_t room) {
  uint64_t claimed = head.eventCount;
  if (isSaturated(head) && head.footerOffset >= head.eventsOffset)
    claimed = std::max<uint64_t>(claimed, (head.footerOffset - head.eventsOffset) / kIndexEventBytes);
  if (claimed == 0 || claimed > room / kIndexEventBytes)
    return 0;
  return head.footerOffset == head.eventsOffset + claimed * kIndexEventBytes ? claimed : 0;
}

// True if the bytes from the last whole event to the end of the file are the start of the footer of the events before
// it: writing stopped there, or the file was cut off there. The count and both times must match; an event's fields
// don't by chance.
static bool isStartOfFooter(Bytes file, uint64_t start, uint64_t count) {
  const uint64_t place = start + (count - 1) * kIndexEventBytes;
  if (!hasMagic(file, place, "2ITA"))
    return false;
  const auto number = [&](uint64_t at) -> uint64_t { return load<Little64>(file, at); };
  const uint64_t before = count - 1;
  return number(place + offsetof(RawIndexFooter, eventCount)) == before &&
         number(place + offsetof(RawIndexFooter, timeStartNs)) == (before ? number(start) : 0) &&
         number(place + offsetof(RawIndexFooter, timeEndNs)) == (before ? number(place - kIndexEventBytes) : 0);
}

// Uses the footer if it matches the bytes before it.
Expected<void> IndexReader::useFooter(const IndexFooter &found) {
  const uint64_t section = found.offset - head_.eventsOffset;
  // Divide first: only after this check is 32 * eventCount sure not to overflow.
  if (found.eventCount > section / kIndexEventBytes)
    return Error{.code = "E_BAD_FOOTER",
                 .message = "more events than lie before the footer; the footer is damaged",
                 .file = name_,
                 .offset = found.offset + offsetof(RawIndexFooter, eventCount),
                 .field = "event_count",
                 .expected = "at most " + std::to_string(section / kIndexEventBytes),
                 .found = std::to_string(found.eventCount)};
  if (found.bytesWritten != found.eventCount * kIndexEventBytes)
    return Error{.code = "E_BAD_FOOTER",
                 .message = "the bytes don't fit the number of events; the footer is damaged",
                 .file = name_,
                 .offset = found.offset + offsetof(RawIndexFooter, bytesWritten),
                 .field = "bytes_written",
                 .expected = std::to_string(found.eventCount * kIndexEventBytes),
                 .found = std::to_string(found.bytesWritten)};
  if (section > found.bytesWritten)
    warn("W_GAP_BEFORE_FOOTER",
         std::to_string(section - found.bytesWritten) + " bytes between the last event and the footer were ignored");
  if (found.offset < total_ - kFooterBytes)
    warn("W_TRAILING_BYTES",
         std::to_string(total_ - kFooterBytes - found.offset) + " bytes after the footer were ignored");
  count_ = found.eventCount;
  source_ = CountSource::Footer;
  checksumNow_ = found.checksum == 0 ? ChecksumState::Unchecked : ChecksumState::Deferred;
  foot_ = found;
  return {};
}

// Uses the header's count if the header was finalised, otherwise the number of events that the file has room for.
void IndexReader::countWithoutFooter() {
  const uint64_t start = head_.eventsOffset, room = total_ - start;
  if (const uint64_t claimed = finalisedCount(head_, room)) {
    count_ = claimed;
    source_ = CountSource::Header;
    warn("W_FOOTER_CORRUPT",
         "the footer is damaged or cut off; the header's count fits the file and is used, without a checksum");
    return;
  }
  count_ = room / kIndexEventBytes;
  source_ = CountSource::FileSize;
  // A footer is as long as one event and part of another.
  const bool cutInFooter = count_ > 0 && isStartOfFooter(shared_->bytes, start, count_);
  if (cutInFooter) {
    --count_;
    warn("W_FOOTER_CORRUPT", "the file ends inside the footer; all events before it are used, without a checksum");
  } else {
    warn("W_NO_FOOTER", "the writer did not finish (the program was killed, ended without exit(), or still runs); all "
                        "whole events in the file are used");
  }
  if (room % kIndexEventBytes != 0 && !cutInFooter)
    warn("W_PARTIAL_EVENT",
         "the last " + std::to_string(room % kIndexEventBytes) + " bytes are part of an event and were ignored");
}

Expected<void> IndexReader::parse(const OpenOptions &options) {
  Bytes file = shared_->bytes;
  lowMemory_ = options.lowMemory;
  total_ = file.size();
  if (file.size() >= 4 && hasMagic(file, 0, packed::IndexKind::kMagic))
    return parsePacked(options);
  if (const Bytes whole = shared_->file.holes().before(file); whole.size() < file.size()) {
    warn("W_HOLE", "nothing was written from byte " + std::to_string(whole.size()) +
                       " on, although the file extends to byte " + std::to_string(file.size()));
    shared_->bytes = file = whole;
    total_ = whole.size();
  }
  ADA_TRY(checkStart(file, "ATI2", name_));
  isV1_ = static_cast<unsigned>(file[5]) == 1;
  head_ = isV1_ ? decodeHeader(load<RawIndexHeaderV1>(file, 0)) : decodeHeader(load<RawIndexHeaderV2>(file, 0));

  if (head_.eventSize != kIndexEventBytes)
    return Error{.code = "E_BAD_EVENT_SIZE",
                 .message = "all index events are 32 bytes long; the header is damaged",
                 .file = name_,
                 .offset = isV1_ ? offsetof(RawIndexHeaderV1, eventSize) : offsetof(RawIndexHeaderV2, eventSize),
                 .field = "event_size",
                 .expected = "32",
                 .found = std::to_string(head_.eventSize)};
  ADA_TRY(checkEventsOffset(head_.eventsOffset, offsetof(RawIndexHeaderV1, eventsOffset), file, name_));

  const uint64_t start = head_.eventsOffset;
  auto footerAt = [&](uint64_t place) {
    return place >= start && place <= total_ - kFooterBytes && hasMagic(file, place, "2ITA");
  };
  std::optional<uint64_t> place;
  if (footerAt(head_.footerOffset)) {
    place = head_.footerOffset;
  } else if (footerAt(total_ - kFooterBytes)) {
    place = total_ - kFooterBytes;
    warn("W_FOOTER_OFFSET_STALE", "the header says that the footer is at byte " + std::to_string(head_.footerOffset) +
                                      ", but it is at the end of the file");
  }
  if (!place)
    countWithoutFooter();
  else
    ADA_TRY(useFooter(decodeIndexFooter(file, *place)));
  events_ = file.data() + start;

  if (checksumNow_ == ChecksumState::Deferred && options.checksum == ChecksumPolicy::Verify)
    ADA_TRY(verifyChecksum());

  if (head_.eventCount != count_ && !(isSaturated(head_) && count_ > head_.eventCount))
    warn("W_HEADER_COUNT_STALE",
         "the header says " + std::to_string(head_.eventCount) + " events, but there are " + std::to_string(count_));
  return {};
}

Expected<void> IndexReader::verifyChecksum() {
  if (isPacked_)
    return verifyPacked();
  if (checksumNow_ != ChecksumState::Deferred)
    return {};
  ADA_TRY(checkChecksum({events_, count_ * kIndexEventBytes}, head_.version, foot_->checksum, foot_->offset, name_,
                        lowMemory_ ? &shared_->file : nullptr));
  checksumNow_ = ChecksumState::Ok;
  return {};
}

void IndexReader::release(SeqRange range) const noexcept {
  if (isPacked_)
    return shared_->releaseBlocks(range);
  shared_->file.release({events_ + range.first * kIndexEventBytes, range.size() * kIndexEventBytes});
}

const IndexReader::TimeTable &IndexReader::timeTable() const {
  std::call_once(shared_->timesOnce, [this] {
    TimeTable &table = shared_->times;
    if (count_ == 0)
      return;
    table.minNs = ~uint64_t{0};
    uint64_t previous = 0;
    if (isPacked_ && shared_->packed->isOrdered()) { // as its blocks say, so no event need be read
      table.minNs = firstNs(), table.maxNs = lastNs();
      return;
    }
    for (uint64_t first = 0; first < count_; first += kBlockEvents) {
      const SeqRange part = {first, std::min(count_, first + kBlockEvents)};
      uint64_t low = ~uint64_t{0}, high = 0;
      bool sorted = true;
      forEach(part, [&](uint64_t, const IndexEvent &event) {
        const uint64_t now = event.timestampNs;
        sorted &= now >= previous;
        previous = now;
        low = std::min(low, now);
        high = std::max(high, now);
      });
      table.sorted = table.sorted && sorted;
      table.minNs = std::min(table.minNs, low);
      table.maxNs = std::max(table.maxNs, high);
      table.blocks.push_back({low, high});
    }
    if (table.sorted)
      table.blocks = {};
  });
  return shared_->times;
}

bool IndexReader::isSorted() const { return timeTable().sorted; }
uint64_t IndexReader::minTimeNs() const { return timeTable().minNs; }
uint64_t IndexReader::maxTimeNs() const { return timeTable().maxNs; }

uint64_t IndexReader::firstNs() const noexcept {
  if (count_ == 0)
    return 0;
  return isPacked_ ? shared_->packed->blocks().front().firstNs : (*this)[0].timestampNs;
}
uint64_t IndexReader::lastNs() const noexcept {
  if (count_ == 0)
    return 0;
  return isPacked_ ? shared_->packed->blocks().back().lastNs : (*this)[count_ - 1].timestampNs;
}
uint64_t IndexReader::offsetOf(uint64_t seq) const noexcept {
  if (isPacked_)
    return seq < count_ ? shared_->packed->blocks()[shared_->packed->blockOf(seq)].offset : total_;
  return head_.eventsOffset + seq * kIndexEventBytes;
}

uint64_t IndexReader::lowerBound(uint64_t ns) const noexcept {
  if (isPacked_)
    return packedLowerBound(ns);
  uint64_t first = 0, length = count_;
  while (length > 0) {
    uint64_t half = length / 2;
    uint64_t at = isV1_ ? rawV1()[first + half].timestampNs.get() : rawV2()[first + half].timestampNs.get();
    if (at < ns) {
      first += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return first;
}

SeqRange IndexReader::timeRange(uint64_t fromNs, uint64_t toNs) const {
  const TimeTable &table = timeTable();
  if (table.sorted) {
    uint64_t first = lowerBound(fromNs);
    return {first, std::max(first, lowerBound(toNs))};
  }
  auto inside = [&](uint64_t seq) {
    const uint64_t at = (*this)[seq].timestampNs;
    return at >= fromNs && at < toNs;
  };
  auto mayHold = [&](const TimeTable::Block &block) { return block.maxNs >= fromNs && block.minNs < toNs; };
  SeqRange range;
  bool any = false;
  for (size_t b = 0; b < table.blocks.size() && !any; ++b) {
    if (!mayHold(table.blocks[b]))
      continue;
    uint64_t last = std::min(count_, (b + 1) * kBlockEvents);
    for (uint64_t seq = b * kBlockEvents; seq < last && !any; ++seq)
      if (inside(seq)) {
        range.first = seq;
        any = true;
      }
  }
  if (!any)
    return {};
  // There is at least one event in the range, so this returns one.
  for (size_t b = table.blocks.size(); b-- > 0;) {
    if (!mayHold(table.blocks[b]))
      continue;
    for (uint64_t seq = std::min(count_, (b + 1) * kBlockEvents); seq-- > b * kBlockEvents;)
      if (inside(seq))
        return {range.first, seq + 1};
  }
  return {};
}

} // namespace ada::atf
