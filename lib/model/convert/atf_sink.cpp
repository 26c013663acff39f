// Writes the model as an ATF session, or one thread of it as an index file.
#include "ada/trace/convert.h"

#include "formats/atf/directories.h"
#include "formats/atf/file_bytes.h"
#include "model/convert/atf_thread_writer.h"
#include "model/convert/manifest_text.h"

#include <cerrno>
#include <sys/stat.h>
#include <unordered_set>

namespace ada::model {

namespace {

// What both sinks do: functions and losses.
class AtfSink : public TraceSink {
public:
  explicit AtfSink(AtfSinkOptions options) : options(options) {}

  Expected<void> events(const Batch &batch) override {
    for (const Event &event : batch.events) {
      if (event.kind == Kind::Mark || event.kind == Kind::Value) {
        ++(event.kind == Kind::Mark ? marks : values);
        continue;
      }
      if (event.thread != lastThread || !writer) {
        auto found = writerOf(event.thread);
        if (!found)
          return found.error();
        writer = *found;
        lastThread = event.thread;
      }
      if (auto added =
              writer->add(event, functionIds[event.function], batch, lost);
          !added)
        return added;
    }
    return {};
  }
  bool wantsDetails() const override { return true; }
  std::vector<Loss> losses() const override {
    LossList all = lost;
    all.add("marks: ATF holds calls only", marks);
    all.add("values of calls: ATF has no names for them", values);
    return all.list();
  }

protected:
  virtual Expected<AtfThreadWriter *> writerOf(std::uint32_t thread) = 0;
  void forgetWriter() { writer = nullptr; }

  AtfSinkOptions options;
  std::vector<std::uint64_t> functionIds; // by Function::index
  LossList lost;

private:
  AtfThreadWriter *writer = nullptr;
  std::uint32_t lastThread = 0;
  std::uint64_t marks = 0, values = 0;
};

Expected<void> makeDirectory(const std::string &path) {
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    return atf::systemError(path, "the directory can't be made", errno);
  return {};
}

class AtfSessionSink : public AtfSink {
public:
  AtfSessionSink(std::string directory, AtfSinkOptions options)
      : AtfSink(options), directory(std::move(directory)) {}

  Expected<void> begin(const TraceInfo &info) override {
    isRoot = info.isRoot;
    return makeDirectory(directory);
  }
  Expected<void> addProcess(const Process &process) override;
  Expected<void> addThread(const Thread &thread) override;
  Expected<void> addFunction(const Function &function) override {
    functionIds.push_back(function.id);
    processes[function.process].text.addSymbol(function);
    return {};
  }
  Expected<void> endThread(std::uint32_t thread) override {
    if (threads[thread].writer)
      return threads[thread].writer->finish();
    return {};
  }
  Expected<void> finish() override;

protected:
  Expected<AtfThreadWriter *> writerOf(std::uint32_t thread) override {
    AtfThreadWriter &writer = *threads[thread].writer;
    if (writer.isFinished())
      return Error{.code = "E_RANGE",
                   .message = "events of a thread that has ended"};
    return &writer;
  }

private:
  struct ProcessState {
    std::string path;
    std::uint8_t clockType;
    ManifestText text;
    std::unordered_set<std::uint32_t> numbers;
  };
  struct ThreadState {
    Thread thread;
    std::unique_ptr<AtfThreadWriter> writer;
  };
  std::string nameOf(const Process &process);

  std::string directory;
  bool isRoot = true;
  std::vector<ProcessState> processes;
  std::vector<ThreadState> threads;
  std::unordered_set<std::string> names;
};

} // namespace

// Names of directories never come from a file unless they are what they must
// be: "../../x" could be in it.
std::string AtfSessionSink::nameOf(const Process &process) {
  std::string name = process.name;
  if (!atf::processNumber(name) || !names.insert(name).second)
    for (std::uint64_t n = process.pid.value_or(process.index);; ++n) {
      name = "pid_" + std::to_string(n);
      if (names.insert(name).second)
        break;
    }
  return name;
}

Expected<void> AtfSessionSink::addProcess(const Process &process) {
  if (!isRoot && !processes.empty())
    return Error{.code = "E_SEVERAL_PROCESSES",
                 .message = "several processes can't be one process directory"};
  ProcessState state{.path = isRoot ? atf::joinPath(directory, nameOf(process))
                                    : directory,
                     .clockType = process.clockType,
                     .text = ManifestText(process),
                     .numbers = {}};
  if (auto made = makeDirectory(state.path); !made)
    return made;
  processes.push_back(std::move(state));
  return {};
}

Expected<void> AtfSessionSink::addThread(const Thread &thread) {
  ProcessState &process = processes[thread.process];
  ThreadState state{.thread = thread, .writer = nullptr};
  while (!process.numbers.insert(state.thread.number).second)
    ++state.thread.number;
  const std::string path = atf::joinPath(
      process.path, "thread_" + std::to_string(state.thread.number));
  if (auto made = makeDirectory(path); !made)
    return made;
  state.writer = std::make_unique<AtfThreadWriter>(
      state.thread, process.clockType, options,
      atf::joinPath(path, "index.atf"), atf::joinPath(path, "detail.atf"));
  threads.push_back(std::move(state));
  return {};
}

Expected<void> AtfSessionSink::finish() {
  forgetWriter();
  for (ThreadState &thread : threads) {
    AtfThreadWriter &writer = *thread.writer;
    if (auto done = writer.finish(); !done)
      return done;
    processes[thread.thread.process].text.addThread(
        thread.thread, writer.events(), writer.details(), writer.minTimeNs(),
        writer.maxTimeNs());
  }
  for (ProcessState &process : processes) // last: then the threads are whole
    if (auto written =
            process.text.write(atf::joinPath(process.path, "manifest.json"));
        !written)
      return written;
  return {};
}

namespace {

class AtfFileSink : public AtfSink {
public:
  AtfFileSink(std::string path, AtfSinkOptions options)
      : AtfSink(options), path(std::move(path)) {}

  Expected<void> addProcess(const Process &process) override {
    clockTypes.push_back(process.clockType);
    return {};
  }
  Expected<void> addThread(const Thread &thread) override {
    threads.push_back(thread);
    return {};
  }
  Expected<void> addFunction(const Function &function) override {
    functionIds.push_back(function.id);
    named += !function.name.empty();
    return {};
  }
  Expected<void> finish() override {
    if (!writer) { // no events: a file of the first thread, or of none
      if (threads.empty())
        threads.push_back({});
      make(threads[0]);
    }
    lost.add("names of functions: a single index file has ids only; a session "
             "keeps them",
             named);
    return writer->finish();
  }

protected:
  Expected<AtfThreadWriter *> writerOf(std::uint32_t thread) override {
    if (writer && thread != used)
      return Error{.code = "E_SEVERAL_THREADS",
                   .message = "an index file holds one thread; choose one with "
                              "--thread, or write a session (a directory)"};
    if (!writer)
      make(threads[thread]);
    used = thread;
    return writer.get();
  }

private:
  void make(const Thread &thread) {
    writer = std::make_unique<AtfThreadWriter>(
        thread,
        thread.process < clockTypes.size() ? clockTypes[thread.process]
                                           : atf::kClockBoottime,
        options, path, "");
  }

  std::string path;
  std::vector<std::uint8_t> clockTypes;
  std::vector<Thread> threads;
  std::unique_ptr<AtfThreadWriter> writer;
  std::uint32_t used = 0;
  std::uint64_t named = 0;
};

} // namespace

std::unique_ptr<TraceSink> makeAtfSessionSink(const std::string &directory,
                                              AtfSinkOptions options) {
  return std::make_unique<AtfSessionSink>(directory, options);
}

std::unique_ptr<TraceSink> makeAtfFileSink(const std::string &path,
                                           AtfSinkOptions options) {
  return std::make_unique<AtfFileSink>(path, options);
}

} // namespace ada::model
