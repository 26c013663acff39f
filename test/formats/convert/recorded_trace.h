// A trace in memory that can be compared, read and written.
#pragma once

#include "ada/trace/convert.h"

#include <string>
#include <vector>

namespace ada::test {

struct RecordedDetail {
  unsigned type = 0, flags = 0;
  uint64_t timeNs = 0;
  std::string payload = {};
  bool operator==(const RecordedDetail &) const = default;
};

struct RecordedEvent {
  uint64_t timeNs = 0;
  model::Kind kind = model::Kind::Call;
  uint32_t function = 0;
  std::string name = {}, json = {}; ///< Mark, Value
  std::vector<RecordedDetail> details = {};
};

struct RecordedTrace {
  bool isRoot = true;
  std::vector<model::Process> processes;
  std::vector<model::Thread> threads;
  std::vector<model::Function> functions;
  std::vector<std::vector<RecordedEvent>> events; ///< one list per thread

  /// Everything as text, threads in their order, and functions by their content rather than their numbers: equal texts
  /// are equal traces. The times and kinds of Details and marks are left out unless requested.
  struct What {
    bool details = true, texts = true, fileThreadIds = true;
    bool displayNames = true;
  };
  std::string text(What what) const;
  std::string text() const { return text({}); }
};

/// Keeps everything that it gets.
class Recorder : public model::TraceSink {
public:
  Expected<void> begin(const model::TraceInfo &info) override {
    trace.isRoot = info.isRoot;
    return {};
  }
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> finish() override {
    finished = true;
    return {};
  }
  bool wantsDetails() const override { return true; }
  bool takesSymbols() const override { return true; }

  RecordedTrace trace;
  bool finished = false;
};

/// Delivers a recorded trace, with its threads mixed or one after the other.
class Player : public model::TraceSource {
public:
  Player(const RecordedTrace &trace, unsigned mixSeed = 0) : trace_(&trace), mixSeed_(mixSeed) {}
  Expected<void> read(model::TraceSink &sink) override;
  const std::vector<Error> &problems() const override { return none_; }
  const std::vector<Warning> &warnings() const override { return noWarnings_; }

private:
  const RecordedTrace *trace_;
  unsigned mixSeed_;
  std::vector<Error> none_;
  std::vector<Warning> noWarnings_;
};

/// Bytes with a name that ByteInput can open.
class MemoryFile {
public:
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  model::ByteSink sink();
  std::string path() const;
  std::string bytes() const;
  void assign(const std::string &bytes);

private:
  int fd_;
};

/// Opens and reads; fails the test unless that works without problems.
RecordedTrace readTrace(const std::string &path);

} // namespace ada::test
