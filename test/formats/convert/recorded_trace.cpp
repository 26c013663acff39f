// A trace in memory that can be compared, read and written.
#include "recorded_trace.h"

#include "trace/base/json.h"

#include <gtest/gtest.h>

#include <random>
#include <sys/mman.h>
#include <unistd.h>

namespace ada::test {

using namespace model;

static std::string describe(const Process &p, bool isRoot) {
  return (isRoot ? p.name : std::string()) + " pid " + (p.pid ? std::to_string(*p.pid) : "-") + " " +
         jsonString(p.executable) + " clock " + std::to_string(p.clockType);
}

std::string RecordedTrace::text(What what) const {
  std::string out = isRoot ? "root\n" : "part\n";
  for (const Process &process : processes)
    out += describe(process, isRoot) + "\n";
  std::vector<std::string> names;
  for (const Function &f : functions) {
    std::string name = jsonString(f.name) + " " + std::to_string(f.id) + " " + jsonString(f.file) + ":" +
                       std::to_string(f.line) + " " + jsonString(f.signature) + jsonString(f.types) + " " +
                       std::to_string(f.address) + " in " + std::to_string(f.process);
    if (what.displayNames)
      name += " " + jsonString(f.displayName);
    names.push_back(std::move(name));
  }
  for (size_t i = 0; i < threads.size(); ++i) {
    const Thread &t = threads[i];
    out += "thread " + std::to_string(t.number) + " of " + std::to_string(t.process) + " tid " + std::to_string(t.tid) +
           " " + jsonString(t.name) + " arch " + std::to_string(t.arch) + " os " + std::to_string(t.os);
    if (what.fileThreadIds && t.fileThreadId)
      out += " file " + std::to_string(*t.fileThreadId);
    out += "\n";
    for (const RecordedEvent &e : events[i]) {
      const bool isText = ada::isText(e.kind);
      if (isText && !what.texts)
        continue;
      out += "  " + std::to_string(e.timeNs) + " kind " + std::to_string(unsigned(e.kind));
      if (isText)
        out += " text " + jsonString(e.name) + " " + e.json;
      else
        out += " " + names[e.function];
      if (what.details)
        for (const RecordedDetail &d : e.details)
          out += "\n    " + std::to_string(d.type) + " " + std::to_string(d.flags) + " " + std::to_string(d.timeNs) +
                 " " + jsonString(d.payload);
      out += "\n";
    }
  }
  return out;
}

Expected<void> Recorder::addProcess(const Process &process) {
  EXPECT_EQ(process.index, trace.processes.size());
  trace.processes.push_back(process);
  trace.processes.back().symbols = {};
  return {};
}

Expected<void> Recorder::addThread(const Thread &thread) {
  EXPECT_EQ(thread.index, trace.threads.size());
  EXPECT_LT(thread.process, trace.processes.size());
  trace.threads.push_back(thread);
  trace.events.emplace_back();
  return {};
}

Expected<void> Recorder::addFunction(const Function &function) {
  EXPECT_EQ(function.index, trace.functions.size());
  EXPECT_LT(function.process, trace.processes.size());
  trace.functions.push_back(function);
  return {};
}

Expected<void> Recorder::events(const Batch &batch) {
  for (const Event &event : batch.events) {
    RecordedEvent out;
    out.timeNs = event.timeNs;
    out.kind = event.kind;
    if (isText(event.kind)) {
      out.name = batch.texts[event.extra].name;
      out.json = batch.texts[event.extra].json;
    } else {
      EXPECT_LT(event.function, trace.functions.size());
      out.function = event.function;
      for (const Detail &detail : batch.details.subspan(event.extra, event.details))
        out.details.push_back(
            {detail.type, detail.flags, detail.timeNs,
             std::string(reinterpret_cast<const char *>(detail.payload.data()), detail.payload.size())});
    }
    trace.events.at(event.thread).push_back(std::move(out));
  }
  return {};
}

Expected<void> Player::read(TraceSink &sink) {
  if (auto begun = sink.begin({.range = std::nullopt, .isRoot = trace_->isRoot}); !begun)
    return begun;
  for (const Process &process : trace_->processes)
    if (auto added = sink.addProcess(process); !added)
      return added;
  for (const Thread &thread : trace_->threads)
    if (auto added = sink.addThread(thread); !added)
      return added;
  for (const Function &function : trace_->functions)
    if (auto added = sink.addFunction(function); !added)
      return added;
  std::mt19937 random(mixSeed_);
  std::vector<size_t> next(trace_->threads.size());
  size_t left = 0;
  for (const auto &thread : trace_->events)
    left += thread.size();
  size_t thread = 0;
  while (left) {
    if (mixSeed_)
      thread = random() % next.size();
    while (next[thread] == trace_->events[thread].size())
      thread = (thread + 1) % next.size();
    const RecordedEvent &from = trace_->events[thread][next[thread]++];
    --left;
    Event event;
    event.timeNs = from.timeNs;
    event.thread = static_cast<uint32_t>(thread);
    event.kind = from.kind;
    event.function = from.function;
    event.details = static_cast<uint8_t>(from.details.size());
    std::vector<Detail> details;
    for (const RecordedDetail &d : from.details)
      details.push_back({static_cast<uint16_t>(d.type), static_cast<uint16_t>(d.flags), d.timeNs,
                         std::as_bytes(std::span(d.payload))});
    const Text text = {from.name, from.json};
    if (auto done = sink.events({{&event, 1}, {&text, 1}, details}); !done)
      return done;
  }
  return sink.finish();
}

MemoryFile::MemoryFile() : fd_(::memfd_create("trace", MFD_CLOEXEC)) {}
MemoryFile::~MemoryFile() { ::close(fd_); }

ByteSink MemoryFile::sink() {
  return [this](std::span<const std::byte> bytes) {
    return ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  };
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

std::string MemoryFile::bytes() const {
  std::string all(static_cast<size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd_, all.data(), all.size(), 0), static_cast<ssize_t>(all.size()));
  return all;
}

void MemoryFile::assign(const std::string &bytes) {
  EXPECT_EQ(::ftruncate(fd_, 0), 0);
  EXPECT_EQ(::pwrite(fd_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
}

RecordedTrace readTrace(const std::string &path) {
  auto source = openTrace(path);
  if (!source) {
    ADD_FAILURE() << source.error().text();
    return {};
  }
  Recorder recorder;
  auto done = convert(**source, recorder);
  EXPECT_TRUE(done) << done.error().text();
  EXPECT_TRUE(recorder.finished);
  for (const Error &problem : (*source)->problems())
    ADD_FAILURE() << problem.text();
  for (const Loss &loss : (*source)->losses())
    ADD_FAILURE() << loss.count << " " << loss.what;
  return std::move(recorder.trace);
}

} // namespace ada::test
