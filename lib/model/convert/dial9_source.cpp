// Reads dial9 streams into the model: those that AdaTrace wrote as what they
// were, others as marks.
#include "ada/trace/convert.h"

#include "ada/trace/dial9/gzip.h"
#include "ada/trace/names.h"
#include "model/convert/batch_builder.h"
#include "model/convert/dial9_json.h"
#include "model/convert/dial9_schemas.h"
#include "model/convert/loss_list.h"

#include <unordered_map>

namespace ada::model {

namespace {

// What a number of the segment is called in the model. Numbers of our own
// streams are small and dense; others may be anything.
class Numbers {
public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t find(std::uint64_t number) const {
    if (number < dense.size())
      return dense[number];
    if (number < kDense)
      return kNone;
    const auto found = sparse.find(number);
    return found == sparse.end() ? kNone : found->second;
  }
  void set(std::uint64_t number, std::uint32_t index) {
    if (number >= kDense) {
      sparse[number] = index;
      return;
    }
    if (number >= dense.size())
      dense.resize(number + 1, kNone);
    dense[number] = index;
  }
  void clear() {
    dense.clear();
    sparse.clear();
  }

private:
  static constexpr std::uint64_t kDense = 1 << 20;
  std::vector<std::uint32_t> dense;
  std::unordered_map<std::uint64_t, std::uint32_t> sparse;
};

// One read of a stream.
class Reader : public dial9::Visitor {
public:
  Reader(TraceSink &sink, LossList &lost)
      : sink(sink), batch(sink), lost(lost),
        jsonPools{[this](std::uint32_t id) { return textOf(id); },
                  [this](std::uint32_t id) { return stackOf(id); }} {}

  Expected<void> finish() {
    begin(true);
    batch.flush();
    if (batch.status())
      batch.check(sink.finish());
    return batch.status();
  }
  const Expected<void> &status() const { return batch.status(); }

  void onSegment(uint64_t) override {
    roles.clear();
    processes.clear();
    threads.clear();
    functions.clear();
    texts.clear();
    stacks.clear();
    ownProcess = ownThread = Numbers::kNone;
  }
  void onSchema(const dial9::Schema &schema, uint64_t) override {
    if (schema.typeId() >= roles.size())
      roles.resize(schema.typeId() + 1u, Dial9Type::Foreign);
    roles[schema.typeId()] = typeOf(schema);
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    for (const dial9::StringPoolEntry entry : entries)
      texts[entry.id] = entry.text;
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    for (const dial9::StackPoolEntry entry : entries)
      stacks[entry.id].assign(entry.addresses.begin(), entry.addresses.end());
  }
  void onEvent(const dial9::EventView &event) override;

private:
  void begin(bool isRoot);
  void addProcess(std::span<const dial9::Value> v);
  void addThread(std::span<const dial9::Value> v);
  void addFunction(std::span<const dial9::Value> v);
  void addDetail(const dial9::EventView &event);
  void addForeign(const dial9::EventView &event);
  std::uint32_t processOf(std::uint64_t number);
  std::uint32_t threadOf(std::uint64_t number);
  std::uint32_t functionOf(std::uint32_t poolId);
  std::uint32_t newProcess(Process process);
  std::uint32_t newThread(Thread thread);
  const std::string *textOf(std::uint32_t id) const {
    const auto found = texts.find(id);
    return found == texts.end() ? nullptr : &found->second;
  }
  const std::vector<std::uint64_t> *stackOf(std::uint32_t id) const {
    const auto found = stacks.find(id);
    return found == stacks.end() ? nullptr : &found->second;
  }

  TraceSink &sink;
  BatchBuilder batch;
  LossList &lost;
  Dial9Pools jsonPools;
  bool begun = false;
  std::uint32_t processCount = 0, threadCount = 0, functionCount = 0;
  std::string scratch;

  // Of the segment.
  std::vector<Dial9Type> roles; // by type id
  Numbers processes, threads, functions;
  std::unordered_map<std::uint32_t, std::string> texts;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> stacks;
  // Of events that say nothing of process or thread.
  std::uint32_t ownProcess = Numbers::kNone, ownThread = Numbers::kNone;
};

} // namespace

void Reader::begin(bool isRoot) {
  if (begun)
    return;
  begun = true;
  batch.check(sink.begin({.range = std::nullopt, .isRoot = isRoot}));
}

std::uint32_t Reader::newProcess(Process process) {
  begin(true);
  process.index = processCount++;
  if (process.name.empty())
    process.name = "pid_" + std::to_string(process.index);
  if (batch.status())
    batch.check(sink.addProcess(process));
  return process.index;
}

std::uint32_t Reader::newThread(Thread thread) {
  thread.index = threadCount++;
  if (batch.status())
    batch.check(sink.addThread(thread));
  return thread.index;
}

// The process that a damaged stream does not introduce is there all the same.
std::uint32_t Reader::processOf(std::uint64_t number) {
  std::uint32_t index = processes.find(number);
  if (index == Numbers::kNone)
    processes.set(number, index = newProcess({}));
  return index;
}

std::uint32_t Reader::threadOf(std::uint64_t number) {
  std::uint32_t index = threads.find(number);
  if (index == Numbers::kNone) {
    Thread thread;
    thread.process = processOf(0);
    thread.number = static_cast<std::uint32_t>(number);
    thread.tid = number;
    threads.set(number, index = newThread(thread));
  }
  return index;
}

std::uint32_t Reader::functionOf(std::uint32_t poolId) {
  std::uint32_t index = functions.find(poolId);
  if (index == Numbers::kNone) {
    Function function;
    function.index = index = functionCount++;
    function.process = processOf(0);
    function.id = poolId;
    const std::string *name = textOf(poolId);
    function.displayName = name ? *name : functionIdText(poolId);
    function.name = name ? *name : "";
    functions.set(poolId, index);
    if (batch.status())
      batch.check(sink.addFunction(function));
  }
  return index;
}

void Reader::addProcess(std::span<const dial9::Value> v) {
  Process process;
  process.name = v[1].asString();
  if (v[2].asBool())
    process.pid = v[3].asUint64();
  process.clockType = static_cast<std::uint8_t>(v[4].asUint64());
  process.executable = v[5].asString();
  process.description = v[6].asString();
  processes.set(v[0].asUint64(), newProcess(std::move(process)));
}

void Reader::addThread(std::span<const dial9::Value> v) {
  Thread thread;
  thread.process = processOf(v[1].asUint64());
  thread.number = static_cast<std::uint32_t>(v[2].asUint64());
  thread.tid = v[3].asUint64();
  thread.name = v[4].asString();
  thread.arch = static_cast<std::uint8_t>(v[5].asUint64());
  thread.os = static_cast<std::uint8_t>(v[6].asUint64());
  if (v[7].asBool())
    thread.fileThreadId = static_cast<std::uint32_t>(v[8].asUint64());
  thread.description = v[9].asString();
  threads.set(v[0].asUint64(), newThread(std::move(thread)));
}

void Reader::addFunction(std::span<const dial9::Value> v) {
  Function function;
  function.index = functionCount++;
  function.process = processOf(v[1].asUint64());
  function.id = v[2].asUint64();
  function.name = v[3].asString();
  if (const std::string *name = textOf(v[0].poolId()))
    function.displayName = *name;
  else
    function.displayName =
        function.name.empty() ? functionIdText(function.id) : function.name;
  function.file = v[4].asString();
  function.signature = v[5].asString();
  function.types = v[6].asString();
  function.line = v[7].asUint64();
  function.address = v[8].asUint64();
  functions.set(v[0].poolId(), function.index);
  if (batch.status())
    batch.check(sink.addFunction(function));
}

// It belongs to the call or end of call before it.
void Reader::addDetail(const dial9::EventView &event) {
  const auto v = event.values;
  const std::uint32_t thread = threadOf(v[0].asUint64());
  if (!batch.hasLast() || batch.last().thread != thread ||
      batch.last().kind > Kind::Other) {
    lost.add("detail events that follow no call of their thread");
    return;
  }
  if (!batch.addDetail({static_cast<std::uint16_t>(v[1].asUint64()),
                        static_cast<std::uint16_t>(v[2].asUint64()),
                        event.timestampNs, std::as_bytes(v[3].asBytes())},
                       /*copyPayload=*/true))
    lost.add("detail events past the 255th of one call");
}

void Reader::addForeign(const dial9::EventView &event) {
  // Symbol tables and the like carry no time, or 0 where others have one.
  if (event.timestampNs == 0) {
    lost.add("events without a time: `adatrace dump` shows them");
    return;
  }
  if (ownThread == Numbers::kNone) {
    if (ownProcess == Numbers::kNone) {
      Process process;
      process.name = "dial9";
      ownProcess = newProcess(process);
    }
    Thread thread;
    thread.process = ownProcess;
    thread.name = "events";
    ownThread = newThread(thread);
  }
  scratch.clear();
  appendFields(scratch, event, jsonPools);
  Event mark;
  mark.timeNs = event.timestampNs;
  mark.thread = ownThread;
  mark.kind = Kind::Mark;
  batch.addText(mark, event.schema->name(), scratch);
}

void Reader::onEvent(const dial9::EventView &event) {
  if (!batch.status())
    return;
  const std::uint16_t typeId = event.schema->typeId();
  const Dial9Type role =
      typeId < roles.size() ? roles[typeId] : Dial9Type::Foreign;
  const auto v = event.values;
  switch (role) {
  case Dial9Type::Trace:
    return begin(v[1].asBool());
  case Dial9Type::Process:
    return addProcess(v);
  case Dial9Type::Thread:
    return addThread(v);
  case Dial9Type::Function:
    return addFunction(v);
  case Dial9Type::Detail:
    return addDetail(event);
  case Dial9Type::ThreadEnd:
    batch.flush();
    if (const std::uint32_t thread = threads.find(v[0].asUint64());
        thread != Numbers::kNone && batch.status()) {
      threads.set(v[0].asUint64(), Numbers::kNone);
      batch.check(sink.endThread(thread));
    }
    return;
  case Dial9Type::Foreign:
    return addForeign(event);
  default:
    break;
  }
  Event out;
  out.timeNs = event.timestampNs;
  out.thread = threadOf(v[0].asUint64());
  if (role == Dial9Type::Mark || role == Dial9Type::Value) {
    out.kind = role == Dial9Type::Mark ? Kind::Mark : Kind::Value;
    return batch.addText(out, v[1].asString(), v[2].asString());
  }
  out.function = functionOf(v[1].poolId());
  out.kind = role == Dial9Type::Call        ? Kind::Call
             : role == Dial9Type::Return    ? Kind::Return
             : role == Dial9Type::Exception ? Kind::Exception
                                            : Kind::Other;
  if (role == Dial9Type::Other)
    out.other = static_cast<std::uint32_t>(v[2].asUint64());
  batch.add(out);
}

namespace {

class Dial9Source : public TraceSource {
public:
  explicit Dial9Source(ByteInput input) : input(std::move(input)) {}

  Expected<void> read(TraceSink &sink) override {
    errors.clear();
    lost.clear();
    if (auto ready = input.rewind(); !ready)
      return ready;
    Reader reader(sink, lost);
    dial9::UnzippingDecoder decoder(reader);
    bool any = false;
    for (;;) {
      auto piece = input.read();
      if (!piece)
        return piece.error();
      if (piece->empty())
        break;
      const bool more = decoder.push(
          {reinterpret_cast<const uint8_t *>(piece->data()), piece->size()});
      any = true;
      if (!reader.status())
        return reader.status();
      if (!more)
        break;
    }
    if (const dial9::DecodeStatus end = decoder.status(); !end.ok()) {
      Error error = end.toError();
      error.file = input.name();
      if (!any || end.error == dial9::DecodeError::BadMagic ||
          end.offset < dial9::kHeaderBytes)
        return error; // nothing of use was there
      errors.push_back(std::move(error));
    }
    return reader.finish();
  }
  Expected<void> makeRepeatable() override { return input.spool(); }
  std::optional<double> progress() const override {
    const auto size = input.size();
    if (!size || !*size)
      return std::nullopt;
    return static_cast<double>(input.position()) / static_cast<double>(*size);
  }
  const std::vector<Error> &problems() const override { return errors; }
  const std::vector<Warning> &warnings() const override { return flaws; }
  std::vector<Loss> losses() const override { return lost.list(); }

private:
  ByteInput input;
  std::vector<Error> errors;
  std::vector<Warning> flaws; // there are none in this format
  LossList lost;
};

} // namespace

std::unique_ptr<TraceSource> makeDial9Source(ByteInput input) {
  return std::make_unique<Dial9Source>(std::move(input));
}

} // namespace ada::model
