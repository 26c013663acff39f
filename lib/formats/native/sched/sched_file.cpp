// Reads, writes, completes and checks scheduling records.
#include "formats/native/sched/sched_file.h"

#include "formats/native/bytes/checksum.h"
#include "formats/native/directories.h"
#include "shared/encode/sched_format.h"
#include "shared/encode/thread_files.h"
#include "shared/ring/ring_file.h"
#include "shared/text/base64.h"
#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::atf {

namespace {

using sched::Header, sched::Record;
using Bytes = std::span<const std::byte>;

Error errorAt(std::string code, std::string message, const std::string &path, uint64_t offset) {
  Error error;
  error.code = std::move(code), error.message = std::move(message), error.file = path, error.offset = offset;
  return error;
}

Expected<Header> readHeader(Bytes bytes, const std::string &path) {
  Header header;
  if (bytes.size() < sizeof header)
    return errorAt("E_TRUNCATED", "the file ends within its header", path, bytes.size());
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, sched::kMagic, sizeof header.magic) != 0)
    return errorAt("E_BAD_MAGIC", "is not a file of scheduling records: it does not begin with ADASCHED", path, 0);
  if (header.version < sched::kVersion || header.version > sched::kNewestVersion)
    return errorAt("E_BAD_VERSION",
                   "has version " + std::to_string(header.version) + "; this AdaTrace reads up to " +
                       std::to_string(sched::kNewestVersion) + ": use a newer one",
                   path, 8);
  if (header.version == sched::kVersion)
    header.flags = 0;
  return header;
}

size_t recordsIn(Bytes bytes) { return (bytes.size() - sizeof(Header)) / sizeof(Record); }
size_t offsetOf(size_t record) { return sizeof(Header) + record * sizeof(Record); }

Record recordAt(Bytes bytes, size_t i) {
  Record record;
  std::memcpy(&record, bytes.data() + offsetOf(i), sizeof record);
  return record;
}

// Takes the recorder's records in time order. The thread itself writes them, so records lost by the system don't affect
// them.
class HeldBuilder {
public:
  void take(const Record &r) {
    if (r.kind == sched::Kind::Held && !isHeld_)
      open_ = {r.timeNs, 0, r.value}, isHeld_ = true;
    else if (r.kind == sched::Kind::Resumed)
      close(r.timeNs);
  }
  /// A period that did not end lasts until `toNs`, the end of what is known. `periods`: the system's.
  std::vector<OffCpu> finish(uint64_t toNs, const std::vector<OffCpu> &periods) {
    close(toNs);
    std::vector<OffCpu> held;
    for (auto [fromNs, endNs, reason] : held_) {
      const auto add = [&, why = reason](uint64_t from, uint64_t to) {
        if (from < to)
          held.push_back({from, to, OffCpu::Why::Recorder, 0, static_cast<uint8_t>(why)});
      };
      if (reason == ADA_HELD_LOST) { // the thread lost events while it ran, not while it waited
        auto off = std::ranges::upper_bound(periods, fromNs, {}, &OffCpu::toNs);
        for (; off != periods.end() && off->fromNs < endNs; ++off)
          if (off->why != OffCpu::Why::Unknown) {
            add(fromNs, off->fromNs);
            fromNs = std::max(fromNs, off->toNs);
          }
      }
      add(fromNs, endNs);
    }
    return held;
  }

private:
  struct Held {
    uint64_t fromNs, toNs;
    uint32_t reason;
  };

  void close(uint64_t ns) {
    open_.toNs = ns;
    if (std::exchange(isHeld_, false) && ns > open_.fromNs)
      held_.push_back(open_);
  }

  std::vector<Held> held_;
  Held open_ = {};
  bool isHeld_ = false;
};

// All of `held`, plus the parts of `periods` outside of it: if the thread slept while the recorder held it up, the
// program was not waiting.
std::vector<OffCpu> withHeld(std::vector<OffCpu> periods, const std::vector<OffCpu> &held) {
  if (held.empty())
    return periods;
  std::vector<OffCpu> merged;
  auto next = held.begin();
  for (OffCpu off : periods) {
    for (; next != held.end() && next->toNs <= off.toNs; ++next) {
      if (off.fromNs < next->fromNs)
        merged.push_back({off.fromNs, next->fromNs, off.why, off.processor});
      merged.push_back(*next);
      off.fromNs = std::max(off.fromNs, next->toNs);
    }
    if (next != held.end()) // `off` may reach into the next one
      off.toNs = std::min(off.toNs, next->fromNs);
    if (off.fromNs < off.toNs)
      merged.push_back(off);
  }
  merged.insert(merged.end(), next, held.end());
  return merged;
}

// Takes the system's records in time order and finds out on which processor the thread was.
class RunBuilder {
public:
  void comesOn(uint64_t ns, uint32_t processor) { since_ = ns, processor_ = processor, isOn_ = true, isLost_ = false; }
  void leaves(uint64_t ns, uint32_t processor) {
    if (isOn_ && processor_.value_or(processor) == processor)
      add(ns, processor);
    isOn_ = false;
  }
  /// From then on, records may be missing.
  void lose(uint64_t ns) {
    if (isOn_ && processor_)
      add(ns, *processor_);
    isOn_ = false, isLost_ = true;
  }
  /// From then on, they are complete again. If the thread leaves a processor next, it has been there since.
  void resume(uint64_t ns) {
    if (std::exchange(isLost_, false))
      since_ = ns, processor_.reset(), isOn_ = true;
  }
  std::vector<OnCpu> finish(uint64_t toNs) {
    lose(toNs);
    return std::move(runs_);
  }

private:
  void add(uint64_t toNs, uint32_t processor) {
    if (since_ < toNs)
      runs_.push_back({since_, toNs, processor});
  }

  std::vector<OnCpu> runs_;
  uint64_t since_ = 0;
  std::optional<uint32_t> processor_; // nothing: not known yet
  bool isOn_ = false;                 // or it may be
  bool isLost_ = false;               // records are missing
};

// Takes the system's records in time order and builds periods from them.
class PeriodBuilder {
public:
  explicit PeriodBuilder(uint64_t fromNs) : lastNs_(fromNs) {}

  void take(const Record &r) {
    const uint64_t ns = std::max(r.timeNs, lastNs_);
    if (r.kind == sched::Kind::Faults)
      return faults_.push_back({r.timeNs, r.value});
    if (r.kind != sched::Kind::KnownTo && r.kind != sched::Kind::Held && r.kind != sched::Kind::Resumed)
      knownFromNs_ = std::min(knownFromNs_, ns);
    switch (r.kind) {
    case sched::Kind::On:
      close(ns);
      processor_ = r.value;
      runs_.comesOn(ns, r.value);
      break;
    case sched::Kind::Waits:
    case sched::Kind::Preempted:
      processor_.reset();
      runs_.leaves(ns, r.value);
      if (isOpen_ && open_.why == OffCpu::Why::Unknown && losing_ == 0)
        close(lostToNs_); // the thread was on-CPU from then to this record
      if (!isOpen_)
        begin(ns,
              losing_ > 0                    ? OffCpu::Why::Unknown
              : r.kind == sched::Kind::Waits ? OffCpu::Why::Waiting
                                             : OffCpu::Why::Preempted,
              r.value);
      break;
    case sched::Kind::LostFrom:
      ++losing_;
      if (!isOpen_ && processor_ && processor_ != r.value)
        break; // it is on another core, where a switch is still recorded
      runs_.lose(ns);
      if (isOpen_ && open_.why != OffCpu::Why::Unknown)
        close(ns);
      if (!isOpen_)
        begin(ns, OffCpu::Why::Unknown, 0);
      break;
    case sched::Kind::Lost:
      lostToNs_ = ns;
      if (losing_ > 0) {
        if (--losing_ == 0)
          runs_.resume(ns);
        break;
      }
      runs_.lose(lastNs_);
      runs_.resume(ns);
      if (!isOpen_)
        begin(lastNs_, OffCpu::Why::Unknown, 0);
      open_.why = OffCpu::Why::Unknown;
      break;
    case sched::Kind::KnownTo:
      toNs_ = std::max(toNs_, ns);
      break;
    case sched::Kind::Held:
    case sched::Kind::Resumed:
      return held_.take(r);
    case sched::Kind::Faults:
      break;
    }
    lastNs_ = ns;
  }
  std::shared_ptr<const OffCpuLane> finish(const Header &header) {
    uint64_t toNs = std::max(toNs_, lastNs_);
    // If a thread was killed and its last record began a wait, the wait at its end must still be visible.
    if (isOpen_ && open_.why == OffCpu::Why::Waiting && open_.fromNs == toNs && toNs + 1 > toNs)
      ++toNs;
    std::vector<OnCpu> runs = runs_.finish(toNs);
    close(toNs);
    const bool isKnown = !(header.flags & sched::kIsUnknown);
    if (!isKnown)
      periods_.clear(), runs.clear();
    const std::vector<OffCpu> held = held_.finish(toNs, periods_);
    // What the thread did before its first record, nobody has said.
    const uint64_t fromNs = isKnown ? std::min(knownFromNs_, toNs) : header.fromNs;
    // In an older version, such records have no business.
    const bool knowsFaults = header.version > sched::kHeldVersion;
    return std::make_shared<OffCpuLane>(withHeld(std::move(periods_), held), fromNs, toNs, isKnown, std::move(runs),
                                        knowsFaults ? std::optional(std::move(faults_)) : std::nullopt);
  }

private:
  void begin(uint64_t ns, OffCpu::Why why, uint32_t processor) {
    open_ = {ns, ns, why, processor};
    isOpen_ = true;
  }
  void close(uint64_t ns) {
    if (!isOpen_)
      return;
    isOpen_ = false;
    open_.toNs = ns;
    if (open_.toNs > open_.fromNs)
      periods_.push_back(open_);
  }

  std::vector<OffCpu> periods_;
  std::vector<PageFaults> faults_;
  HeldBuilder held_;
  RunBuilder runs_;
  OffCpu open_;
  bool isOpen_ = false;
  std::optional<uint32_t> processor_;  // the core it is on
  uint64_t losing_ = 0, lostToNs_ = 0; // number of cores with missing records; when the last loss ended
  uint64_t lastNs_, toNs_ = 0;
  uint64_t knownFromNs_ = UINT64_MAX; // the first record
};

} // namespace

std::string schedPathIn(const std::string &place) {
  return isDirectory(place) ? joinPath(place, thread_files::kAtfSched + 1) : place + thread_files::kPackedSched;
}

Expected<SchedRecord> SchedRecord::inFile(const std::string &path) {
  SchedRecord record;
  record.file_ = ADA_TRY(FileBytes::open(path));
  record.path_ = path;
  return record;
}

Expected<std::optional<SchedRecord>> SchedRecord::of(const std::string &thread, const ManifestThread *info) {
  if (const std::string path = schedPathIn(thread); exists(path))
    return std::optional(ADA_TRY(inFile(path)));
  if (!info || info->schedAds.empty())
    return std::optional<SchedRecord>();
  SchedRecord record;
  record.path_ = joinPath(parentPath(thread), "manifest.json");
  if (!takeBase64(info->schedAds, [&](unsigned char byte) { record.kept_ += static_cast<char>(byte); }))
    return Error{.code = "E_BAD_RECORD",
                 .message = "the scheduling record of thread " + std::to_string(info->id) + " is not base64",
                 .file = record.path_};
  return std::optional(std::move(record));
}

Bytes SchedRecord::bytes() const {
  return kept_.empty() ? file_.holes().before(file_.bytes()) : std::as_bytes(std::span(kept_));
}

static std::shared_ptr<const OffCpuLane> laneOf(const Header &header, Bytes bytes) {
  PeriodBuilder builder(header.fromNs);
  const size_t count = recordsIn(bytes);
  bool isSorted = true;
  for (size_t i = 1; i < count && isSorted; ++i)
    isSorted = recordAt(bytes, i - 1).timeNs <= recordAt(bytes, i).timeNs;
  if (isSorted) {
    for (size_t i = 0; i < count; ++i)
      builder.take(recordAt(bytes, i));
  } else { // a core delivered its record late
    std::vector<Record> records(count);
    std::memcpy(records.data(), bytes.data() + sizeof(Header), count * sizeof(Record));
    std::ranges::stable_sort(records, {}, &Record::timeNs);
    std::ranges::for_each(records, [&](const Record &r) { builder.take(r); });
  }
  return builder.finish(header);
}

static Expected<std::shared_ptr<const OffCpuLane>> readLane(const SchedRecord &record) {
  return laneOf(ADA_TRY(readHeader(record.bytes(), record.path())), record.bytes());
}

std::shared_ptr<const OffCpuLane> SchedLanes::of(const std::string &thread, const ManifestThread *info, uint32_t index,
                                                 std::vector<Error> &problems) {
  if (index >= lanes_.size())
    lanes_.resize(index + 1);
  if (lanes_[index])
    return lanes_[index];
  const auto record = SchedRecord::of(thread, info);
  if (record && !*record)
    return nullptr;
  auto lane = record ? readLane(**record) : Expected<std::shared_ptr<const OffCpuLane>>(record.error());
  if (lane)
    lanes_[index] = std::move(*lane);
  else
    problems.push_back(lane.error());
  return lanes_[index];
}

std::map<uint32_t, uint64_t> heldNs(const std::string &thread, const ManifestThread *info) {
  std::map<uint32_t, uint64_t> sums;
  const auto found = SchedRecord::of(thread, info);
  if (!found || !*found || !readHeader((*found)->bytes(), {}))
    return sums;
  const Bytes bytes = (*found)->bytes();
  Record open = {};
  bool isHeld = false;
  for (size_t i = 0, end = recordsIn(bytes); i < end; ++i) {
    const Record record = recordAt(bytes, i);
    if (record.kind == sched::Kind::Held && !isHeld) {
      open = record, isHeld = true;
    } else if (record.kind == sched::Kind::Resumed && std::exchange(isHeld, false) && record.timeNs > open.timeNs) {
      sums[open.value] += record.timeNs - open.timeNs;
    }
  }
  return sums;
}

std::string schedBytes(const OffCpuLane &lane, uint32_t tid) {
  const bool hasHeld = std::ranges::count(lane.periods(), OffCpu::Why::Recorder, &OffCpu::why) > 0;
  const bool isKnown = lane.isSchedKnown();
  Header header = {{},
                   lane.knowsFaults()    ? sched::kNewestVersion
                   : isKnown && !hasHeld ? sched::kVersion
                                         : sched::kHeldVersion,
                   tid,
                   lane.knownFromNs(),
                   isKnown ? 0 : sched::kIsUnknown};
  std::memcpy(header.magic, sched::kMagic, sizeof header.magic);
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  auto faults = lane.faults();
  const auto addRecord = [&](const Record &record) {
    bytes.append(reinterpret_cast<const char *>(&record), sizeof record);
  };
  const auto addFaults = [&](uint64_t toNs) {
    for (; !faults.empty() && faults.front().lastNs <= toNs; faults = faults.subspan(1))
      addRecord({faults.front().lastNs, sched::Kind::Faults, faults.front().count});
  };
  const auto add = [&](uint64_t ns, sched::Kind kind, uint32_t value) {
    addFaults(ns);
    addRecord({ns, kind, value});
  };
  // Where it came on-CPU at that time; if that is not known, where it was before.
  const auto processorAt = [&](uint64_t ns, uint32_t before) {
    const auto run = std::ranges::lower_bound(lane.runs(), ns, {}, &OnCpu::fromNs);
    return run != lane.runs().end() && run->fromNs == ns ? run->processor : before;
  };
  // The first record of a file is where its known time begins.
  const auto first = std::ranges::find_if(lane.periods(), [&](const OffCpu &off) {
    return off.why != OffCpu::Why::Recorder && off.toNs > lane.knownFromNs();
  });
  const bool beginsOff = first != lane.periods().end() && first->fromNs <= lane.knownFromNs();
  if (isKnown && !beginsOff && lane.knownFromNs() < lane.knownToNs()) {
    const auto run = std::ranges::upper_bound(lane.runs(), lane.knownFromNs(), {}, &OnCpu::toNs);
    add(lane.knownFromNs(), sched::Kind::On, run == lane.runs().end() ? 0 : run->processor);
  }
  for (OffCpu off : lane.periods()) {
    if (off.why != OffCpu::Why::Recorder) { // what is outside of the known range is implied by it
      off.fromNs = std::max(off.fromNs, lane.knownFromNs());
      off.toNs = std::min(off.toNs, lane.knownToNs());
      if (off.fromNs >= off.toNs)
        continue;
    }
    switch (off.why) {
    case OffCpu::Why::Waiting:
      add(off.fromNs, sched::Kind::Waits, off.processor);
      break;
    case OffCpu::Why::Preempted:
      add(off.fromNs, sched::Kind::Preempted, off.processor);
      break;
    case OffCpu::Why::Unknown:
      add(off.fromNs, sched::Kind::Waits, off.processor);
      add(off.toNs, sched::Kind::Lost, 0);
      break;
    case OffCpu::Why::Recorder:
      add(off.fromNs, sched::Kind::Held, off.heldFor);
      add(off.toNs, sched::Kind::Resumed, off.heldFor);
      continue;
    }
    if (off.toNs < lane.knownToNs())
      add(off.toNs, sched::Kind::On, processorAt(off.toNs, off.processor));
  }
  addFaults(~uint64_t{0});
  addRecord({lane.knownToNs(), sched::Kind::KnownTo, crc32c(0, bytes.data(), bytes.size())});
  return bytes;
}

Expected<void> writeSched(const std::string &path, const OffCpuLane &lane, uint32_t tid) {
  return replaceFile(path, schedBytes(lane, tid));
}

bool lacksEnd(const std::string &path) {
  if (!exists(path))
    return false;
  const auto checked = checkSched(path);
  return !checked && checked.error().code == "E_TRUNCATED";
}

Expected<void> finishSched(const std::string &path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0)
    return {};
  auto text = ADA_TRY(readWithoutLinks(path));
  const Bytes bytes = std::as_bytes(std::span(text));
  const auto header = readHeader(bytes, path);
  if (!header)
    return bytes.size() < sizeof(Header) ? removeFile(path) : Expected<void>(header.error());
  size_t count = recordsIn(bytes);
  const Record last = count > 0 ? recordAt(bytes, count - 1) : Record{header->fromNs, sched::Kind::On, 0};
  if (last.kind == sched::Kind::KnownTo && bytes.size() == offsetOf(count))
    return {};
  count -= last.kind == sched::Kind::KnownTo && count > 0;
  // The recorder's records about itself say nothing about scheduling.
  uint64_t toNs = header->fromNs;
  for (size_t i = count; i-- > 0;)
    if (const Record r = recordAt(bytes, i);
        (r.kind != sched::Kind::Held && r.kind != sched::Kind::Resumed) || (header->flags & sched::kIsUnknown) != 0) {
      toNs = r.timeNs;
      break;
    }
  const Record end = {toNs, sched::Kind::KnownTo, crc32c(0, bytes.data(), offsetOf(count))};
  auto file = ADA_TRY(openForWriting(path, O_WRONLY));
  if (!writeAllAt(file.get(), &end, sizeof end, offsetOf(count)) ||
      ::ftruncate(file.get(), static_cast<off_t>(offsetOf(count + 1))) != 0)
    return systemError(path, "cannot be written", errno);
  return {};
}

Expected<void> checkSched(const std::string &path) { return checkSched(ADA_TRY(SchedRecord::inFile(path))); }

Expected<void> checkSched(const SchedRecord &checked) {
  const std::string &path = checked.path();
  const Bytes bytes = checked.bytes();
  const auto header = ADA_TRY(readHeader(bytes, path));
  const size_t count = recordsIn(bytes);
  for (size_t i = 0; i < count; ++i) {
    const Record record = recordAt(bytes, i);
    if (record.kind < sched::Kind::On || record.kind > (header.version == sched::kVersion       ? sched::Kind::KnownTo
                                                        : header.version == sched::kHeldVersion ? sched::Kind::LostFrom
                                                                                                : sched::Kind::Faults))
      return errorAt("E_BAD_RECORD", "has a record of kind " + std::to_string(static_cast<uint32_t>(record.kind)), path,
                     offsetOf(i) + 8);
    if (record.kind == sched::Kind::KnownTo && i + 1 < count)
      return errorAt("E_BAD_RECORD", "continues after its end", path, offsetOf(i));
  }
  if (bytes.size() != offsetOf(count) || count == 0 || recordAt(bytes, count - 1).kind != sched::Kind::KnownTo)
    return errorAt("E_TRUNCATED", "has no end: its process was killed, ended without exit(), or still runs", path,
                   bytes.size());
  if (recordAt(bytes, count - 1).value != crc32c(0, bytes.data(), offsetOf(count - 1)))
    return errorAt("E_BAD_CHECKSUM", "its checksum does not match its bytes", path, offsetOf(count - 1) + 12);
  return {};
}

} // namespace ada::atf

namespace ada {

using namespace atf;

Expected<std::shared_ptr<const OffCpuLane>> OffCpuLane::open(const std::string &path) {
  return readLane(ADA_TRY(SchedRecord::inFile(path)));
}

} // namespace ada
