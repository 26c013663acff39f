// Reads an input as a trace of another tool, and checks the model's guarantees about every source.
#pragma once

#include "memory_file.h"
#include "require.h"

#include "formats/table.h"

#include <cstring>
#include <fcntl.h>

namespace ada::fuzz {

/// Everything is announced once, in order, before an event refers to it.
struct CheckingSink : model::TraceSink {
  uint32_t processes = 0, threads = 0, functions = 0;
  uint64_t seen = 0;
  bool begun = false, finished = false;

  Expected<void> begin(const model::TraceInfo &) override {
    require(!begun, "a trace begins once");
    begun = true;
    return {};
  }
  Expected<void> addProcess(const model::Process &process) override {
    require(begun && process.index == processes++ && !process.name.empty(), "processes are numbered, and have names");
    return {};
  }
  Expected<void> addThread(const model::Thread &thread) override {
    require(thread.index == threads++ && thread.process < processes, "threads are numbered");
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    require(function.index == functions++ && function.process < processes, "functions are numbered");
    require(!function.displayName.empty(), "functions have names");
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events) {
      ++seen;
      require(event.thread < threads, "events are of threads that are known");
      if (!ada::isText(event.kind))
        require(event.function < functions, "calls are of functions that are known");
      else
        require(event.extra < batch.texts.size(), "marks and values have texts");
    }
    return {};
  }
  Expected<void> finish() override {
    finished = true;
    return {};
  }
};

/// Reading twice gives the same, and memory is bounded by the input.
inline void readTwice(model::TraceSource &source, size_t size) {
  CheckingSink first, second;
  Expected<void> done;
  require(peakOf([&] { done = source.read(first); }) <= (24 << 20) + 4000 * size, "memory is bounded by the input");
  require(bool(done) == first.finished, "what was read is finished, or an error");
  if (!done)
    requireSpeaking(done.error());
  for (const Error &problem : source.problems())
    requireSpeaking(problem);
  const auto again = source.read(second);
  require(bool(again) == bool(done) && first.seen == second.seen && first.functions == second.functions,
          "a second reading is as the first");
}

template <class Source> void importBytes(const uint8_t *data, size_t size) {
  MemoryFile file;
  const int fd = ::open(file.path().c_str(), O_WRONLY);
  require(::write(fd, data, size) == static_cast<ssize_t>(size), "a file in memory can be written");
  ::close(fd);
  auto input = model::ByteInput::open(file.path());
  require(bool(input), "and opened");
  Source source({.path = file.path(), .bytes = *std::move(input)});
  readTwice(source, size);
}

} // namespace ada::fuzz
