// Reads XRay's logs into the model.
#include "function_names.h"
#include "log.h"
#include "operations.h"

#include "formats/byte_source.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace ada::formats {

using namespace xray;

namespace {

class Reader {
public:
  Reader(const Header &header, std::vector<NamedFunction> names, std::string program, model::TraceSink &sink,
         model::LossList &lost)
      : header_(header), names_(std::move(names)), program_(std::move(program)), out_(sink, lost) {}

  void take(const Record &record);
  TraceBuilder &out() { return out_; }
  void endThread(uint32_t pid, uint32_t tid) { out_.endThread(threadOf(pid, tid).index); }

private:
  struct ThreadState {
    uint32_t index = 0, process = 0;
    unsigned arguments = 0; // of the call that was entered last, so far
    uint64_t lastNs = 0;
  };
  ThreadState &threadOf(uint32_t pid, uint32_t tid);
  uint32_t functionOf(uint32_t process, uint32_t number);
  uint64_t nanoseconds(uint64_t ticks) const {
    if (header_.ticksPerSecond == 0)
      return ticks;
    __extension__ using Wide = unsigned __int128;
    const Wide ns = Wide{ticks} * 1'000'000'000 / header_.ticksPerSecond;
    return ns > ~uint64_t{0} ? ~uint64_t{0} : static_cast<uint64_t>(ns);
  }

  const Header header_;
  std::vector<NamedFunction> names_;
  std::string program_;
  TraceBuilder out_;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> processes_;  // by pid: index, number of threads
  std::map<std::pair<uint32_t, uint32_t>, ThreadState> threads_; // by pid and tid
  std::unordered_map<uint64_t, uint32_t> functions_;             // by process and number
};

Reader::ThreadState &Reader::threadOf(uint32_t pid, uint32_t tid) {
  const auto [found, isNew] = threads_.try_emplace({pid, tid});
  if (!isNew)
    return found->second;
  const auto [process, isNewProcess] = processes_.try_emplace(pid);
  if (isNewProcess) {
    model::Process about;
    about.name = "pid_" + std::to_string(pid);
    about.pid = pid;
    about.executable = program_;
    about.description = oneModule(program_);
    process->second.first = out_.add(std::move(about));
  }
  model::Thread thread;
  thread.process = process->second.first;
  thread.number = process->second.second++;
  thread.tid = tid;
  found->second.process = thread.process;
  found->second.index = out_.add(std::move(thread));
  return found->second;
}

uint32_t Reader::functionOf(uint32_t process, uint32_t number) {
  const auto [found, isNew] = functions_.try_emplace(uint64_t{process} << 32 | number);
  if (!isNew)
    return found->second;
  model::Function function;
  function.process = process;
  function.id = number;
  if (number < names_.size() && !names_[number].name.empty()) {
    function.name = names_[number].name;
    function.displayName = demangle(function.name);
    function.address = names_[number].address;
  } else {
    function.displayName = fmt::format("fn {}", number);
  }
  return found->second = out_.add(std::move(function));
}

void Reader::take(const Record &record) {
  ThreadState &thread = threadOf(record.pid, record.tid);
  model::Event event;
  event.thread = thread.index;
  event.timeNs = record.kind == xray::Kind::Argument ? thread.lastNs : nanoseconds(record.ticks);
  thread.lastNs = event.timeNs;
  switch (record.kind) {
  case xray::Kind::Enter:
  case xray::Kind::EnterWithArgument:
  case xray::Kind::Exit:
  case xray::Kind::TailExit: {
    const bool isCall = record.kind == xray::Kind::Enter || record.kind == xray::Kind::EnterWithArgument;
    event.kind = isCall ? model::Kind::Call : model::Kind::Return;
    event.function = functionOf(thread.process, record.function);
    thread.arguments = 0;
    return out_.events().add(event);
  }
  case xray::Kind::Argument:
    event.kind = model::Kind::Value;
    return out_.events().addText(event, fmt::format("arg{}", ++thread.arguments), std::to_string(record.argument));
  case xray::Kind::CustomEvent:
  case xray::Kind::TypedEvent: {
    JsonMembers json;
    if (record.kind == xray::Kind::TypedEvent)
      json.number("type", record.argument);
    json.text("data", record.text);
    event.kind = model::Kind::Mark;
    return out_.events().addText(event, record.kind == xray::Kind::TypedEvent ? "typed event" : "custom event",
                                 json.object());
  }
  }
}

// Returns the damage, if any.
std::optional<Error> readBasic(const FileBytes &file, Reader &reader, model::LossList &lost) {
  const auto bytes = file.bytes();
  constexpr size_t kRecordBytes = 32, kRelease = 16 << 20;
  size_t at = Header::kBytes, released = 0;
  for (; at + kRecordBytes <= bytes.size() && reader.out().status(); at += kRecordBytes) {
    if (const auto record = basicRecord(bytes.subspan(at).first<kRecordBytes>()))
      reader.take(*record);
    else
      lost.add("records of a kind that is not known");
    if (at - released >= kRelease) {
      file.release(bytes.subspan(released, kRelease));
      released += kRelease;
    }
  }
  if (at < bytes.size() && reader.out().status())
    return Error{.code = "E_TRUNCATED", .message = "the last record is cut off", .offset = at};
  return std::nullopt;
}

std::optional<Error> readBlocks(const FileBytes &file, const Header &header, Reader &reader) {
  std::optional<Error> problem;
  std::vector<Block> blocks = blocksOf(file.bytes(), header, problem);
  std::ranges::stable_sort(blocks, {}, [](const Block &block) {
    return std::tuple(block.pid, block.tid, block.wallSeconds, block.wallRest);
  });
  for (size_t i = 0; i < blocks.size() && reader.out().status(); ++i) {
    const Block &block = blocks[i];
    BlockReader records(file.bytes(), header, block);
    while (const auto record = records.next())
      reader.take(*record);
    if (records.problem() && !problem)
      problem = records.problem();
    file.release(file.bytes().subspan(block.offset, block.bytes));
    const bool isLast = i + 1 == blocks.size() || blocks[i + 1].tid != block.tid || blocks[i + 1].pid != block.pid;
    if (isLast)
      reader.endThread(block.pid, block.tid);
  }
  return problem;
}

} // namespace

Expected<void> XraySource::read(model::TraceSink &sink) {
  ADA_TRY(restart());
  const auto path = ADA_TRY(input().asFile());
  const auto file = ADA_TRY(FileBytes::open(path));
  const auto header = headerOf(file.bytes());
  if (!header)
    return Error{.code = "E_TRUNCATED", .message = "the header is not complete", .file = place_.name()};
  const std::string program = programOf(place_.path);
  auto functions = program.empty() ? std::nullopt : functionsOf(program);
  if (!program.empty() && !functions)
    flaws_.push_back({"W_NO_MAP", program + " was not instrumented by XRay: functions have numbers only"});
  else if (!functions)
    flaws_.push_back(
        {"W_NO_PROGRAM",
         "functions have numbers only: the program is not next to the log; name it with ADA_XRAY_PROGRAM=FILE"});
  if (header->ticksPerSecond == 0)
    flaws_.push_back({"W_NO_FREQUENCY", "the log does not say how fast its clock is: a tick is shown as a nanosecond"});
  const bool hasNames = functions.has_value();
  Reader reader(*header, hasNames ? *std::move(functions) : std::vector<NamedFunction>(), hasNames ? program : "", sink,
                lost_);
  auto damage = header->mode == Mode::Basic ? readBasic(file, reader, lost_) : readBlocks(file, *header, reader);
  if (!reader.out().status())
    return reader.out().status();
  if (input().damage())
    errors_.push_back(*input().damage());
  if (damage) {
    damage->file = place_.name();
    errors_.push_back(*std::move(damage));
  }
  return reader.out().finish();
}

} // namespace ada::formats
