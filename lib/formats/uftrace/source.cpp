// Reads data directories of uftrace into the model.
//
// A record is 16 bytes: the time, and 64 bits that say whether a function was entered or left, at what depth, and
// where. Arguments or a result can follow a record. Their length is known only from the specification with which each
// was recorded, which goes by name and uses types from the debug information. So they are skipped: the next record is
// the first thing after them that can be one.
#include "operations.h"
#include "session.h"

#include "formats/byte_source.h"
#include "trace/base/file_bytes.h"
#include "trace/base/file_tree.h"
#include "trace/base/format.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace ada::formats {

using namespace uftrace;

namespace {

enum RecordType : unsigned { kEntry, kExit, kLost, kEvent };

struct Record {
  static constexpr size_t kBytes = 16;
  uint64_t timeNs = 0, address = 0;
  unsigned type = 0, depth = 0;
  bool hasMore = false, isRecord = false;

  explicit Record(const std::byte *bytes) {
    uint64_t bits = 0;
    std::memcpy(&timeNs, bytes, 8);
    std::memcpy(&bits, bytes + 8, 8);
    type = bits & 3;
    hasMore = bits >> 2 & 1;
    isRecord = (bits >> 3 & 7) == 5;
    depth = bits >> 6 & 0x3FF;
    address = bits >> 16;
  }
};

class Reader {
public:
  Reader(const Directory &directory, model::TraceSink &sink, model::LossList &lost)
      : directory_(directory), out_(sink, lost), lost_(lost) {}

  void announce();
  // Reads a task's file. Returns where and why its records end early, if they do.
  std::optional<Error> readTask(size_t task, const FileBytes &file);
  TraceBuilder &out() { return out_; }
  uint64_t records() const { return records_; }

private:
  struct OpenCall {
    uint32_t function;
    unsigned depth;
  };
  struct Place {
    uint32_t process;
    const void *module;
    uint64_t address;
    bool operator==(const Place &) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place &p) const {
      return (p.address ^ reinterpret_cast<uintptr_t>(p.module)) * 0x9E3779B97F4A7C15ull ^ p.process;
    }
  };
  const Session *sessionOf(const Task &task, uint64_t timeNs);
  uint32_t functionOf(const Task &task, uint64_t address, uint64_t timeNs);
  bool canBeRecord(const Task &task, const Record &record, uint64_t afterNs);
  size_t skipMore(const Task &task, std::span<const std::byte> bytes, size_t at, uint64_t timeNs);

  const Directory &directory_;
  TraceBuilder out_;
  model::LossList &lost_;
  std::unordered_map<uint64_t, uint32_t> processes_; // by pid
  std::vector<uint32_t> threads_;                    // by task
  std::unordered_map<Place, uint32_t, PlaceHash> functions_;
  std::unordered_map<uint64_t, uint32_t> recent_; // by address, for the task in its session
  const Session *session_ = nullptr;              // of the task, for times in [from, until)
  uint64_t sessionFrom_ = 1, sessionUntil_ = 0;
  uint64_t records_ = 0;
};

void Reader::announce() {
  std::unordered_map<uint32_t, uint32_t> threadsOf;
  for (const Task &task : directory_.tasks) {
    const auto [process, isNew] = processes_.try_emplace(task.pid);
    if (isNew) {
      model::Process about;
      about.name = "pid_" + std::to_string(task.pid);
      about.pid = task.pid;
      if (const Session *session = directory_.runningAt(task.pid, ~uint64_t{0}).session)
        about.executable = out_.limit().take(session->executable);
      about.description = oneModule(about.executable);
      process->second = out_.add(std::move(about));
    }
    model::Thread thread;
    thread.process = process->second;
    thread.number = threadsOf[thread.process]++;
    thread.tid = task.tid;
    threads_.push_back(out_.add(std::move(thread)));
  }
}

const Session *Reader::sessionOf(const Task &task, uint64_t timeNs) {
  if (timeNs >= sessionFrom_ && timeNs < sessionUntil_)
    return session_;
  const Directory::Running running = directory_.runningAt(task.pid, timeNs);
  sessionFrom_ = running.fromNs;
  sessionUntil_ = running.untilNs;
  // Libraries that are loaded later may be where others were.
  recent_.clear();
  return session_ = running.session;
}

uint32_t Reader::functionOf(const Task &task, uint64_t address, uint64_t timeNs) {
  const Session *session = sessionOf(task, timeNs);
  const auto [recent, isNew] = recent_.try_emplace(address);
  if (!isNew)
    return recent->second;
  const Mapping *mapping = session ? session->find(address, timeNs) : nullptr;
  const bool isRelative = directory_.header.features & kRelativeSymbols;
  const uint64_t within = mapping && isRelative ? address - mapping->begin : address;
  const Symbol *symbol = mapping ? mapping->module->find(within) : nullptr;
  const uint32_t process = processes_.at(task.pid);
  const Module *module = mapping ? mapping->module.get() : nullptr;
  const Place place{process, module, symbol ? symbol->address : within};
  const auto [known, isNewFunction] = functions_.try_emplace(place);
  if (isNewFunction) {
    model::Function function;
    function.process = process;
    function.id = out_.functions();
    function.address = place.address;
    if (symbol) {
      function.name = symbol->name;
      function.displayName = demangle(symbol->name);
    } else {
      function.displayName = fmt::format("0x{:x}", address);
    }
    known->second = out_.add(std::move(function));
  }
  return recent->second = known->second;
}

// Whether the bytes look like a record. Arguments may have any bytes.
bool Reader::canBeRecord(const Task &task, const Record &record, uint64_t afterNs) {
  constexpr uint64_t kLongest = 86'400'000'000'000; // a day
  if (!record.isRecord)
    return false;
  if (record.type == kLost)
    return !record.hasMore && record.timeNs == 0;
  if (record.timeNs < afterNs || record.timeNs - afterNs > kLongest)
    return false;
  const Session *session = sessionOf(task, record.timeNs);
  return record.type == kEvent || !session || !session->hasMappings() || session->find(record.address, record.timeNs) ||
         record.address >> 46; // in the kernel
}

size_t Reader::skipMore(const Task &task, std::span<const std::byte> bytes, size_t at, uint64_t timeNs) {
  constexpr size_t kMax = 1 << 20;
  const size_t end = std::min(bytes.size(), at + kMax);
  for (; at + Record::kBytes <= end; at += 8) {
    const Record record(&bytes[at]);
    if (!canBeRecord(task, record, timeNs))
      continue;
    // Lost and event records are checked for little, and an argument with the time after it may look like one.
    const bool isSure = record.type == kEntry || record.type == kExit || at + 8 + Record::kBytes > bytes.size();
    if (!isSure) {
      const Record next(&bytes[at + 8]);
      if ((next.type == kEntry || next.type == kExit) && canBeRecord(task, next, timeNs))
        continue;
    }
    return at;
  }
  return end;
}

std::optional<Error> Reader::readTask(size_t number, const FileBytes &file) {
  const Task &task = directory_.tasks[number];
  const uint32_t thread = threads_[number];
  const std::span<const std::byte> bytes = file.bytes();
  std::vector<OpenCall> open;
  uint64_t lastNs = 0, lost = 0, skipped = 0, events = 0;
  bool isAfterLoss = false;
  std::optional<Error> problem;
  recent_.clear();
  session_ = nullptr;
  sessionFrom_ = 1, sessionUntil_ = 0;
  const auto put = [&](model::Kind kind, uint64_t timeNs, uint32_t function) {
    out_.events().add({.timeNs = timeNs, .thread = thread, .function = function, .kind = kind});
  };
  constexpr size_t kRelease = 16 << 20;
  size_t at = 0, released = 0;
  while (at < bytes.size() && out_.status()) {
    if (bytes.size() - at < Record::kBytes) {
      problem = Error{.code = "E_TRUNCATED", .message = "the last record is cut off", .offset = at};
      break;
    }
    const Record record(&bytes[at]);
    if (!record.isRecord) {
      problem = Error{.code = "E_BAD_RECORD",
                      .message = "this is not a uftrace record; everything before it was read",
                      .offset = at};
      break;
    }
    at += Record::kBytes;
    ++records_;
    if (record.hasMore) {
      at = skipMore(task, bytes, at, record.timeNs);
      skipped += record.type != kEvent;
    }
    if (at - released >= kRelease) {
      file.release(bytes.subspan(released, kRelease));
      released += kRelease;
    }
    if (record.type == kEvent) {
      ++events;
      continue;
    }
    if (record.type == kLost) {
      lost += record.address;
      isAfterLoss = true;
      continue;
    }
    const uint32_t function = functionOf(task, record.address, record.timeNs);
    if (record.type == kEntry) {
      // These calls must be over, because the new one is not deeper: longjmp() and the like, or their exits are lost.
      for (; !open.empty() && open.back().depth >= record.depth; open.pop_back())
        put(isAfterLoss ? model::Kind::Missing : model::Kind::Inferred, isAfterLoss ? lastNs : record.timeNs,
            open.back().function);
      open.push_back({function, record.depth});
      put(model::Kind::Call, record.timeNs, function);
    } else {
      const auto own = std::ranges::find_if(open, [&](const OpenCall &c) { return c.depth >= record.depth; });
      if (own == open.end()) {
        put(model::Kind::Return, record.timeNs, function); // recording began inside it
      } else if (own->depth == record.depth && own->function == function) {
        put(model::Kind::Return, record.timeNs, function); // calls inside it have no exit
        open.erase(own, open.end());
      } else {
        // longjmp() makes setjmp() return again, at a depth where other calls have been since.
        for (; !open.empty() && open.back().depth >= record.depth; open.pop_back())
          put(model::Kind::Inferred, record.timeNs, open.back().function);
        lost_.add("returns of calls that had returned: setjmp() and the like");
      }
    }
    isAfterLoss = false;
    lastNs = record.timeNs;
  }
  lost_.add("records that uftrace had lost when it wrote them", lost);
  lost_.add("arguments and results: only uftrace knows how long each is", skipped);
  lost_.add("kernel events and other events between the calls", events);
  out_.endThread(thread);
  return problem;
}

} // namespace

Expected<void> UftraceSource::read(model::TraceSink &sink) {
  ADA_TRY(restart());
  const auto directory = ADA_TRY(readDirectory(place_.path));
  flaws_ = directory.flaws;
  if (directory.header.features & kEstimatedReturns)
    flaws_.push_back({"W_NO_RETURNS", "recorded with --estimate-return: calls have a beginning only"});
  Reader reader(directory, sink, lost_);
  reader.announce();
  for (size_t i = 0; i < directory.tasks.size(); ++i) {
    const std::string path = fmt::format("{}/{}.dat", place_.path, directory.tasks[i].tid);
    const auto file = FileBytes::open(path);
    if (!file) {
      if (fileExists(path)) // a thread that called nothing has no file
        errors_.push_back(file.error());
      continue;
    }
    if (auto damage = reader.readTask(i, *file)) {
      damage->file = path;
      errors_.push_back(*damage);
    }
    if (!reader.out().status())
      return reader.out().status();
  }
  for (const auto &[name, isDirectory] : directoryEntries(place_.path)) {
    const bool isOther = name.starts_with("perf-cpu") || name.starts_with("kernel-cpu") || name == "extern.dat";
    if (isOther && fileBytes(place_.path + "/" + name).value_or(0) > 0)
      lost_.add("files of other events: perf-cpu*, kernel-cpu*, extern.dat");
  }
  if (reader.records() == 0 && !errors_.empty())
    return errors_.front();
  return reader.out().finish();
}

} // namespace ada::formats
