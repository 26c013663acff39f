// Reads dial9 streams into the model. Those that AdaTrace wrote come back as what they were; others become marks.
#include "ada/trace/convert.h"

#include "ada_schemas.h"
#include "event_json.h"
#include "formats/byte_source.h"
#include "operations.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <unordered_map>

namespace ada::formats {

namespace {

// Maps numbers of the segment to those of the model. Numbers in our own streams are small and dense; others may be
// anything.
class Numbers {
public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t find(uint64_t number) const {
    if (number < dense_.size() && dense_[number] != kNone)
      return dense_[number];
    const auto found = sparse_.find(number);
    return found == sparse_.end() ? kNone : found->second;
  }
  void set(uint64_t number, uint32_t index) {
    if (number > dense_.size() + kGap || sparse_.contains(number)) {
      sparse_[number] = index;
      return;
    }
    if (number >= dense_.size())
      dense_.resize(number + 1, kNone);
    dense_[number] = index;
  }
  void clear() {
    dense_.clear();
    sparse_.clear();
  }

private:
  static constexpr uint64_t kGap = 64; // so a segment of few entries makes no large list
  std::vector<uint32_t> dense_;
  std::unordered_map<uint64_t, uint32_t> sparse_;
};

// One read of a stream.
class Reader : public dial9::Visitor {
public:
  Reader(model::TraceSink &sink, model::LossList &lost)
      : out_(sink, lost), lost_(lost),
        jsonPools_{[this](uint32_t id) { return textOf(id); }, [this](uint32_t id) { return stackOf(id); }} {}

  Expected<void> finish() { return out_.finish(); }
  const Expected<void> &status() const { return out_.status(); }

  void onSegment(uint64_t) override {
    roles_.clear();
    processes_.clear();
    threads_.clear();
    functions_.clear();
    texts_.clear();
    stacks_.clear();
    ownProcess_ = ownThread_ = Numbers::kNone;
  }
  void onSchema(const dial9::Schema &schema, uint64_t) override {
    if (schema.typeId() >= roles_.size())
      roles_.resize(schema.typeId() + 1u, Dial9Type::Foreign);
    roles_[schema.typeId()] = typeOf(schema);
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    for (const dial9::StringPoolEntry entry : entries)
      texts_[entry.id] = out_.limit().takeText(entry.text);
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    for (const dial9::StackPoolEntry entry : entries)
      stacks_[entry.id].assign(entry.addresses.begin(), entry.addresses.end());
  }
  void onEvent(const dial9::EventView &event) override;

private:
  void addProcess(std::span<const dial9::Value> v);
  void addThread(std::span<const dial9::Value> v);
  void addFunction(std::span<const dial9::Value> v);
  void addDetail(const dial9::EventView &event);
  void addForeign(const dial9::EventView &event);
  uint32_t processOf(uint64_t number);
  uint32_t threadOf(uint64_t number);
  uint32_t functionOf(uint32_t poolId);
  const std::string *textOf(uint32_t id) const {
    const auto found = texts_.find(id);
    return found == texts_.end() ? nullptr : &found->second;
  }
  const std::vector<uint64_t> *stackOf(uint32_t id) const {
    const auto found = stacks_.find(id);
    return found == stacks_.end() ? nullptr : &found->second;
  }

  TraceBuilder out_;
  model::LossList &lost_;
  Dial9Pools jsonPools_;
  uint64_t details_ = 0;
  std::string scratch_;

  // For the current segment.
  std::vector<Dial9Type> roles_; // by type id
  Numbers processes_, threads_, functions_;
  std::unordered_map<uint32_t, std::string> texts_;
  std::unordered_map<uint32_t, std::vector<uint64_t>> stacks_;
  // For events that name no process or thread.
  uint32_t ownProcess_ = Numbers::kNone, ownThread_ = Numbers::kNone;
};

} // namespace

// A damaged stream may lack a process's introduction; the process is made up then.
uint32_t Reader::processOf(uint64_t number) {
  uint32_t index = processes_.find(number);
  if (index == Numbers::kNone)
    processes_.set(number, index = out_.add(model::Process()));
  return index;
}

uint32_t Reader::threadOf(uint64_t number) {
  uint32_t index = threads_.find(number);
  if (index == Numbers::kNone) {
    model::Thread thread;
    thread.process = processOf(0);
    thread.number = static_cast<uint32_t>(number);
    thread.tid = number;
    threads_.set(number, index = out_.add(thread));
  }
  return index;
}

uint32_t Reader::functionOf(uint32_t poolId) {
  uint32_t index = functions_.find(poolId);
  if (index == Numbers::kNone) {
    model::Function function;
    function.process = processOf(0);
    function.id = poolId;
    const std::string *name = textOf(poolId);
    function.displayName = name ? *name : functionIdText(poolId);
    function.name = name ? *name : "";
    functions_.set(poolId, index = out_.add(std::move(function)));
  }
  return index;
}

void Reader::addProcess(std::span<const dial9::Value> v) {
  model::Process process;
  process.name = v[1].asString();
  if (v[2].asBool())
    process.pid = v[3].asUint64();
  process.clockType = static_cast<uint8_t>(v[4].asUint64());
  process.executable = v[5].asString();
  process.description = std::string(v[6].asString());
  process.label = v.size() > 7 ? v[7].asString() : "";
  processes_.set(v[0].asUint64(), out_.add(std::move(process)));
}

void Reader::addThread(std::span<const dial9::Value> v) {
  model::Thread thread;
  thread.process = processOf(v[1].asUint64());
  thread.number = static_cast<uint32_t>(v[2].asUint64());
  thread.tid = v[3].asUint64();
  thread.name = v[4].asString();
  thread.arch = static_cast<uint8_t>(v[5].asUint64());
  thread.os = static_cast<uint8_t>(v[6].asUint64());
  if (v[7].asBool())
    thread.fileThreadId = static_cast<uint32_t>(v[8].asUint64());
  thread.description = std::string(v[9].asString());
  thread.label = v.size() > 10 ? v[10].asString() : "";
  threads_.set(v[0].asUint64(), out_.add(std::move(thread)));
}

void Reader::addFunction(std::span<const dial9::Value> v) {
  model::Function function;
  function.process = processOf(v[1].asUint64());
  function.id = v[2].asUint64();
  function.name = v[3].asString();
  if (const std::string *name = textOf(v[0].poolId()))
    function.displayName = *name;
  else
    function.displayName = function.name.empty() ? functionIdText(function.id) : function.name;
  function.file = v[4].asString();
  function.signature = v[5].asString();
  function.types = v[6].asString();
  function.line = v[7].asUint64();
  function.address = v[8].asUint64();
  functions_.set(v[0].poolId(), out_.add(std::move(function)));
}

// The detail belongs to the call, or end of call, before it.
void Reader::addDetail(const dial9::EventView &event) {
  const auto v = event.values;
  const uint32_t thread = threadOf(v[0].asUint64());
  model::BatchBuilder &batch = out_.events();
  if (!batch.hasLast() || batch.last().thread != thread || isText(batch.last().kind)) {
    lost_.add("detail events that follow no call of their thread");
    return;
  }
  if (!batch.addDetail({static_cast<uint16_t>(v[1].asUint64()), static_cast<uint16_t>(v[2].asUint64()),
                        event.timestampNs, std::as_bytes(v[3].asBytes()), details_++},
                       /*copyPayload=*/true))
    lost_.add("detail events past the 255th of one call");
}

void Reader::addForeign(const dial9::EventView &event) {
  // Symbol tables and the like have no time, or a time of 0.
  if (event.timestampNs == 0) {
    lost_.add("events without a time, which only a dump shows");
    return;
  }
  if (ownThread_ == Numbers::kNone) {
    if (ownProcess_ == Numbers::kNone) {
      model::Process process;
      process.name = "dial9";
      ownProcess_ = out_.add(process);
    }
    model::Thread thread;
    thread.process = ownProcess_;
    thread.name = "events";
    ownThread_ = out_.add(thread);
  }
  scratch_.clear();
  appendFields(scratch_, event, jsonPools_);
  model::Event mark;
  mark.timeNs = event.timestampNs;
  mark.thread = ownThread_;
  mark.kind = model::Kind::Mark;
  out_.events().addText(mark, event.schema->name(), scratch_);
}

void Reader::onEvent(const dial9::EventView &event) {
  if (!status())
    return;
  const uint16_t typeId = event.schema->typeId();
  const Dial9Type role = typeId < roles_.size() ? roles_[typeId] : Dial9Type::Foreign;
  const auto v = event.values;
  switch (role) {
  case Dial9Type::Trace:
    return out_.begin(v[1].asBool());
  case Dial9Type::Process:
    return addProcess(v);
  case Dial9Type::Thread:
    return addThread(v);
  case Dial9Type::Function:
    return addFunction(v);
  case Dial9Type::Detail:
    return addDetail(event);
  case Dial9Type::ThreadEnd:
    if (const uint32_t thread = threads_.find(v[0].asUint64()); thread != Numbers::kNone) {
      threads_.set(v[0].asUint64(), Numbers::kNone);
      out_.endThread(thread);
    }
    return;
  case Dial9Type::Foreign:
    return addForeign(event);
  default:
    break;
  }
  model::Event out;
  out.timeNs = event.timestampNs;
  out.thread = threadOf(v[0].asUint64());
  if (role == Dial9Type::Mark || role == Dial9Type::Value) {
    out.kind = role == Dial9Type::Mark ? model::Kind::Mark : model::Kind::Value;
    return out_.events().addText(out, v[1].asString(), v[2].asString());
  }
  out.function = functionOf(v[1].poolId());
  out.kind = role == Dial9Type::Call        ? model::Kind::Call
             : role == Dial9Type::Return    ? model::Kind::Return
             : role == Dial9Type::Exception ? model::Kind::Exception
                                            : eventKindOf(static_cast<uint32_t>(v[2].asUint64()));
  out_.events().add(out);
}

namespace {

class Dial9Source : public ByteSource {
public:
  using ByteSource::ByteSource;

  Expected<void> read(model::TraceSink &sink) override {
    ADA_TRY(restart());
    Reader reader(sink, lost_);
    const auto read = readDial9(input_, reader, [&] { return bool(reader.status()); });
    const auto checked = check(read, reader.status());
    return checked ? reader.finish() : checked;
  }
};

} // namespace

} // namespace ada::formats

namespace ada::model {

std::unique_ptr<TraceSource> makeDial9Source(ByteInput input) {
  return std::make_unique<formats::Dial9Source>(std::move(input));
}

} // namespace ada::model
