// Writes the model as an ATF session, or one thread of it as an index file.
#include "ada/trace/convert.h"

#include "formats/native/bytes/compression.h"
#include "formats/native/directories.h"
#include "formats/native/manifest/binaries.h"
#include "formats/native/manifest/manifest_text.h"
#include "formats/native/sched/sched_file.h"
#include "formats/native/session/thread_writer.h"
#include "shared/encode/thread_files.h"
#include "shared/manifest_keys.h"
#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"

#include <cerrno>
#include <sys/stat.h>
#include <unordered_set>

namespace ada::formats {

namespace {

// The common part of both sinks: functions and losses.
class AtfSink : public model::TraceSink {
public:
  explicit AtfSink(model::AtfSinkOptions options) : options_(options) {}

  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events) {
      if (isText(event.kind)) {
        ++(event.kind == model::Kind::Mark ? marks_ : values_);
        continue;
      }
      if (event.thread != lastThread_ || !writer_) {
        writer_ = ADA_TRY(writerOf(event.thread));
        lastThread_ = event.thread;
      }
      ADA_TRY(writer_->add(event, functionIds_[event.function], batch, lost_));
    }
    return {};
  }
  bool wantsDetails() const override { return true; }
  bool takesSymbols() const override { return true; }
  std::vector<model::Loss> losses() const override {
    model::LossList all = lost_;
    all.add("marks: ATF holds calls only", marks_);
    all.add("values of calls: ATF has no names for them", values_);
    return all.list();
  }

protected:
  virtual Expected<AtfThreadWriter *> writerOf(uint32_t thread) = 0;
  void forgetWriter() { writer_ = nullptr; }

  model::AtfSinkOptions options_;
  std::vector<uint64_t> functionIds_; // by Function::index
  model::LossList lost_;

private:
  AtfThreadWriter *writer_ = nullptr;
  uint32_t lastThread_ = 0;
  uint64_t marks_ = 0, values_ = 0;
};

Expected<void> makeDirectory(const std::string &path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return systemError(path, "the directory can't be created", errno);
  return {};
}

class AtfSessionSink : public AtfSink {
public:
  AtfSessionSink(std::string directory, model::AtfSinkOptions options)
      : AtfSink(options), directory_(std::move(directory)) {}

  Expected<void> begin(const model::TraceInfo &info) override {
    isRoot_ = info.isRoot;
    return makeDirectory(directory_);
  }
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override {
    functionIds_.push_back(function.id);
    lost_.addChanged({function.name, function.displayName, function.file, function.signature, function.types});
    processes_[function.process].text.addSymbol(function);
    return {};
  }
  Expected<void> endThread(uint32_t thread) override {
    if (threads_[thread].writer)
      return threads_[thread].writer->finish();
    return {};
  }
  Expected<void> finish() override;

protected:
  Expected<AtfThreadWriter *> writerOf(uint32_t thread) override {
    AtfThreadWriter &writer = *threads_[thread].writer;
    if (writer.isFinished())
      return Error{.code = "E_RANGE", .message = "events of a thread that has ended"};
    return &writer;
  }

private:
  struct ProcessState {
    std::string path;
    uint8_t clockType;
    ManifestText text;
    std::unordered_set<uint32_t> numbers;
  };
  struct ThreadState {
    model::Thread thread;
    std::string sched; // the bytes of its record, if they go into the manifest
    std::unique_ptr<AtfThreadWriter> writer;
  };
  std::string nameOf(const model::Process &process);
  Expected<void> copyBinaries(const ManifestText &text, const std::string &from);

  std::string directory_;
  bool isRoot_ = true;
  std::vector<ProcessState> processes_;
  std::vector<ThreadState> threads_;
  std::unordered_set<std::string> names_, binaries_;
};

} // namespace

// A directory name from a file is used only if it has the expected form: the file could contain "../../x".
std::string AtfSessionSink::nameOf(const model::Process &process) {
  std::string name = process.name;
  if (!atf::processNumber(name) || !names_.insert(name).second)
    for (uint64_t n = process.pid.value_or(process.index);; ++n) {
      name = "pid_" + std::to_string(n);
      if (names_.insert(name).second)
        break;
    }
  return name;
}

Expected<void> AtfSessionSink::addProcess(const model::Process &process) {
  if (!isRoot_ && !processes_.empty())
    return Error{.code = "E_SEVERAL_PROCESSES", .message = "several processes can't be one process directory"};
  ProcessState state{.path = isRoot_ ? atf::joinPath(directory_, nameOf(process)) : directory_,
                     .clockType = process.clockType,
                     .text = ManifestText(process),
                     .numbers = {}};
  ADA_TRY(makeDirectory(state.path));
  // A directory that is a process alone has no place for files of a session.
  if (isRoot_)
    ADA_TRY(copyBinaries(state.text, process.binariesFolder));
  else
    state.text.takeBinaries(process.binariesFolder);
  lost_.addChanged({process.executable, process.description.get()});
  processes_.push_back(std::move(state));
  return {};
}

// A file that can't be read is not there in the copy, either. The source has said so.
Expected<void> AtfSessionSink::copyBinaries(const ManifestText &text, const std::string &from) {
  const std::string folder = atf::joinPath(directory_, manifest::kBinariesFolder);
  for (const std::string &name : text.binaries()) {
    if (!binaries_.insert(name).second)
      continue;
    const auto file = FileBytes::open(atf::Binaries(from).pathOf(name));
    if (!file)
      continue;
    ADA_TRY(makeDirectory(folder));
    const auto place = ADA_TRY(canonicalPath(folder));
    ADA_TRY(replaceFile(atf::Binaries(place).pathOf(name),
                        {reinterpret_cast<const char *>(file->bytes().data()), file->bytes().size()}));
  }
  return {};
}

Expected<void> AtfSessionSink::addThread(const model::Thread &thread) {
  using namespace thread_files;
  ProcessState &process = processes_[thread.process];
  lost_.addChanged({thread.name, thread.description.get()});
  ThreadState state{.thread = thread, .sched = {}, .writer = nullptr};
  while (!process.numbers.insert(state.thread.number).second)
    ++state.thread.number;
  const std::string path = atf::joinPath(process.path, "thread_" + std::to_string(state.thread.number));
  if (!options_.packed)
    ADA_TRY(makeDirectory(path));
  if (thread.offCpu)
    state.sched = atf::schedBytes(*thread.offCpu, static_cast<uint32_t>(thread.tid));
  if (state.sched.size() > atf::kMaxSchedInManifest) {
    ADA_TRY(replaceFile(atf::schedPathIn(path), state.sched));
    state.sched.clear();
  }
  state.writer = std::make_unique<AtfThreadWriter>(state.thread, process.clockType, options_,
                                                   path + (options_.packed ? kPackedIndex : kAtfIndex),
                                                   path + (options_.packed ? kPackedDetail : kAtfDetail));
  threads_.push_back(std::move(state));
  return {};
}

Expected<void> AtfSessionSink::finish() {
  forgetWriter();
  for (ThreadState &thread : threads_) {
    AtfThreadWriter &writer = *thread.writer;
    ADA_TRY(writer.finish());
    processes_[thread.thread.process].text.addThread(thread.thread, thread.sched, writer.events(), writer.details(),
                                                     writer.inferred(), writer.minTimeNs(), writer.maxTimeNs());
  }
  for (ProcessState &process : processes_) // last, when the threads are complete
    ADA_TRY(process.text.write(atf::joinPath(process.path, "manifest.json")));
  return {};
}

namespace {

class AtfFileSink : public AtfSink {
public:
  AtfFileSink(std::string path, model::AtfSinkOptions options) : AtfSink(options), path_(std::move(path)) {}

  Expected<void> addProcess(const model::Process &process) override {
    clockTypes_.push_back(process.clockType);
    return {};
  }
  Expected<void> addThread(const model::Thread &thread) override {
    threads_.push_back(thread);
    lost_.addOffCpu(thread, "they need a session, a single index file has no place for them");
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    functionIds_.push_back(function.id);
    named_ += !function.name.empty();
    return {};
  }
  Expected<void> finish() override {
    if (!writer_) { // no events: a file for the first thread, or for none
      if (threads_.empty())
        threads_.push_back({});
      make(threads_[0]);
    }
    lost_.add("names of functions: a single index file has ids only; a session "
              "keeps them",
              named_);
    return writer_->finish();
  }

protected:
  Expected<AtfThreadWriter *> writerOf(uint32_t thread) override {
    if (writer_ && thread != used_)
      return Error{.code = "E_SEVERAL_THREADS",
                   .message = "an index file holds one thread; choose one with "
                              "--thread, or write a session (a directory)"};
    if (!writer_)
      make(threads_[thread]);
    used_ = thread;
    return writer_.get();
  }

private:
  void make(const model::Thread &thread) {
    writer_ = std::make_unique<AtfThreadWriter>(
        thread, thread.process < clockTypes_.size() ? clockTypes_[thread.process] : atf::kClockBoottime, options_,
        path_, "");
  }

  std::string path_;
  std::vector<uint8_t> clockTypes_;
  std::vector<model::Thread> threads_;
  std::unique_ptr<AtfThreadWriter> writer_;
  uint32_t used_ = 0;
  uint64_t named_ = 0;
};

} // namespace

} // namespace ada::formats

namespace ada::model {

bool canCompress() noexcept { return packed::canCompress(); }

std::unique_ptr<TraceSink> makeAtfSessionSink(const std::string &directory, AtfSinkOptions options) {
  return std::make_unique<formats::AtfSessionSink>(directory, options);
}

std::unique_ptr<TraceSink> makeAtfFileSink(const std::string &path, AtfSinkOptions options) {
  return std::make_unique<formats::AtfFileSink>(path, options);
}

} // namespace ada::model
