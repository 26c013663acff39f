// Writes the model as a wtf-trace: a zone per thread, a scope type per name of a function.
//
// Scopes have microseconds, and leaves have neither a function nor a way of saying how a call ended. What this leaves
// out goes into records that viewers merge into the scope's data (flag APPEND_SCOPE_DATA) or don't show.
#include "ada/trace/calls.h"
#include "ada/trace/convert.h"

#include "ada/trace/wtf/context.h"
#include "ada/trace/wtf/encoder.h"
#include "ada_info.h"
#include "ada_names.h"
#include "trace/base/json.h"
#include "trace/base/try.h"
#include "trace/labels.h"
#include "trace/loss_list.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace ada::formats {

using wtf::Arg;
using wtf::Role;
using wtf::wireIdOf;

namespace {

constexpr size_t kMaxZones = 0xFFFF;
/// This many numbers are for types of marks. Function types may use all others.
constexpr size_t kMaxMarkTypes = 4096;
constexpr uint32_t kLastFunctionType = 0xFFFF - kMaxMarkTypes;
constexpr size_t kInfoPart = 32'000;
/// Limits of the released application, which keeps 16 bits of a type's number and a stack of 1024.
constexpr size_t kViewerNames = 65'500, kViewerDepth = 1023;

class WtfSink : public model::TraceSink {
public:
  WtfSink(model::ByteSink bytes, model::WtfSinkOptions options) : bytes_(std::move(bytes)), options_(options) {}

  Expected<void> begin(const model::TraceInfo &info) override;
  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;
  Expected<void> finish() override;
  bool needsRange() const override { return true; }
  std::vector<model::Loss> losses() const override;

private:
  // Wire ids of the types of ada_info.h.
  enum Type : uint16_t {
    kInfo = wtf::kFirstFreeWireId,
    kEnd,
    kException,
    kUnended,
    kOther,
    kMark,
    kValue,
    kFirstDynamic,
  };
  struct ThreadState {
    bool hasZone = false, wasDeep = false;
    std::vector<uint32_t> stack; // functions of open calls
    OpenCallCounts openCalls;
  };
  struct FunctionState {
    uint32_t wireId = 0; // 0: each scope carries its name
    std::string scope;   // only if wireId is 0
  };
  // A type of scopes. Functions of several processes share it if they have the same name.
  struct ScopeType {
    uint32_t wireId = 0;
    std::unordered_set<uint32_t> processes = {}; // that have such a function
  };
  // A time as the file has it, and the rest that this leaves over.
  struct Moment {
    uint64_t us = 0;
    uint32_t restUs = 0;
    uint16_t restNs = 0;
  };
  // A list of arguments that ends with the rest of a time.
  struct Args {
    std::array<Arg, 6> all;
    size_t count = 0;
    void add(const Arg &arg) { all[count++] = arg; }
    operator std::span<const Arg>() const { return {all.data(), count}; }
  };

  Expected<void> define(uint32_t wireId, uint16_t eventClass, uint32_t flags, std::string_view name,
                        const std::string &args);
  Expected<void> writeInfo(const std::string &text);
  Moment momentOf(uint64_t timeNs);
  void addRest(Args &args, const Moment &moment) const {
    if (rest_ == WtfRest::UsAndNs)
      args.add(Arg::uint32(moment.restUs));
    if (rest_ != WtfRest::None)
      args.add(Arg::uint16(moment.restNs));
  }
  /// The arguments of most records; they are reused.
  std::span<const Arg> restOnly(const Moment &moment) {
    restUs_.bits = moment.restUs;
    restNs_.bits = moment.restNs;
    return rest_ == WtfRest::None ? std::span<const Arg>()
           : rest_ == WtfRest::Ns ? std::span<const Arg>(restArgs_).subspan(1)
                                  : std::span<const Arg>(restArgs_);
  }
  Expected<void> enterZone(uint32_t thread, uint64_t us);
  Expected<void> write(uint32_t wireId, std::span<const Arg> args = {}) {
    return encoder_->event(wireId, nowUs_, args);
  }
  Expected<void> one(const model::Event &event, const model::Batch &batch);
  Expected<void> call(ThreadState &thread, const model::Event &event, const Moment &moment);
  Expected<void> leaveUnended(ThreadState &thread);
  Expected<void> exit(ThreadState &thread, const model::Event &event, const Moment &moment);
  Expected<void> other(const model::Event &event, const Moment &moment);
  Expected<void> mark(const model::Text &text, const Moment &moment);
  Expected<void> value(const model::Text &text, const Moment &moment);
  Expected<void> writeText(uint32_t wireId, Args args, size_t json);
  Expected<void> closeAll(uint32_t thread);
  void pop(ThreadState &thread) {
    --thread.openCalls.of(thread.stack.back());
    thread.stack.pop_back();
  }

  model::ByteSink bytes_;
  model::WtfSinkOptions options_;
  std::optional<wtf::Encoder> encoder_;
  WtfRest rest_ = WtfRest::Ns;
  std::array<Arg, 2> restArgs_ = {Arg::uint32(0), Arg::uint16(0)};
  Arg &restUs_ = restArgs_[0], &restNs_ = restArgs_[1];
  uint32_t timeScale_ = 1;
  uint64_t firstNs_ = 0, baseNs_ = 0, endUs_ = 0, nowUs_ = 0;
  std::vector<std::string> executables_; // of processes
  std::vector<std::optional<uint64_t>> pids_;
  std::vector<ThreadState> threads_;
  std::vector<FunctionState> functions_;
  std::unordered_set<std::string> names_;                 // of types
  std::unordered_map<std::string, ScopeType> scopeTypes_; // by name
  size_t scopeNames_ = 0;
  std::unordered_map<std::string, uint32_t> markTypes_;
  uint32_t nextType_ = kFirstDynamic;
  uint32_t currentThread_ = ~uint32_t{0};
  model::LossList lost_;
  WtfNames wtfNames_{options_.dialect, lost_};
  uint64_t noZone_ = 0, withDetails_ = 0, rounded_ = 0;
};

} // namespace

Expected<void> WtfSink::begin(const model::TraceInfo &info) {
  wtf::FileHeader header;
  header.dialect = options_.dialect;
  header.asciiText = options_.dialect == wtf::Dialect::Chunked ? wtf::AsciiText::Latin1 : wtf::AsciiText::Utf8;
  header.metadata = "{\"writer\":\"AdaTrace\"}";
  const auto [first, last] = info.range.value_or(std::pair(0, 0));
  // Viewers take a scope that ends at time 0 for an instant. So the first event is at least a unit of time after the
  // base, which may be before 1970.
  firstNs_ = first;
  const uint64_t unitNs = 1000 * uint64_t{wtf::timeScaleFor((last - first) / 1000 + 2000)};
  header.timebaseMs = static_cast<int64_t>(first / 1'000'000) - (info.range && first % 1'000'000 < unitNs);
  baseNs_ = static_cast<uint64_t>(header.timebaseMs) * 1'000'000;
  endUs_ = (last - baseNs_) / 1000;
  header.timeScale = timeScale_ = wtf::timeScaleFor(endUs_);
  header.contextInfo = wtf::ContextInfo{.uri = "adatrace",
                                        .title = std::nullopt,
                                        .iconUri = std::nullopt,
                                        .taskId = std::nullopt,
                                        .args = {},
                                        .userAgent = std::nullopt}
                           .toJson();
  rest_ = !options_.exactTimes ? WtfRest::None : timeScale_ == 1 ? WtfRest::Ns : WtfRest::UsAndNs;
  encoder_ = ADA_TRY(wtf::Encoder::begin(bytes_, header));
  ADA_TRY(encoder_->defineBuiltIns());
  for (const wtf::BuiltIn &builtIn : wtf::builtIns())
    names_.emplace(builtIn.name);

  constexpr uint32_t kHidden = wtf::kInternal;
  constexpr uint32_t kData = wtf::kInternal | wtf::kAppendScopeData;
  const struct {
    Type wireId;
    uint32_t flags;
    std::string_view name;
    std::string args;
  } kOwn[] = {
      {kInfo, kHidden, kInfoType, std::string(kInfoArgs)},
      {kEnd, kData, kEndType, withRest("", rest_, "endUs", "endNs")},
      {kException, kData, kExceptionType, withRest("bool exception", rest_, "endUs", "endNs")},
      {kUnended, kData, kUnendedType, "bool unended"},
      {kOther, kHidden, kEventType, withRest("uint32 function, uint32 kind", rest_)},
      {kMark, 0, kMarkType, withRest("utf8 name, any value", rest_)},
      {kValue, wtf::kAppendScopeData, kValueType, withRest("utf8 name, any value", rest_)},
  };
  for (const auto &type : kOwn)
    ADA_TRY(define(type.wireId, wtf::kInstance, type.flags, type.name, type.args));
  return writeInfo(infoText(WtfTraceInfo{info.isRoot, rest_}));
}

Expected<void> WtfSink::define(uint32_t wireId, uint16_t eventClass, uint32_t flags, std::string_view name,
                               const std::string &args) {
  names_.emplace(name);
  return encoder_->define({static_cast<uint16_t>(wireId), eventClass, flags, name, args}, nowUs_);
}

Expected<void> WtfSink::writeInfo(const std::string &text) {
  // The text is ASCII, so it may be cut anywhere.
  for (size_t at = 0; at < text.size(); at += kInfoPart) {
    Args args;
    args.add(Arg::utf8(std::string_view(text).substr(at, kInfoPart)));
    args.add(Arg::boolean(at + kInfoPart < text.size()));
    ADA_TRY(write(kInfo, args));
  }
  return {};
}

Expected<void> WtfSink::addProcess(const model::Process &process) {
  executables_.push_back(process.executable.empty() ? process.name : process.executable);
  pids_.push_back(process.pid);
  lost_.addChanged({process.name, process.executable, process.description.get()});
  return writeInfo(infoText(process));
}

Expected<void> WtfSink::addThread(const model::Thread &thread) {
  ThreadState &state = threads_.emplace_back();
  if (threads_.size() > kMaxZones) {
    lost_.add("threads past the 65535th: the format has no more zones");
    return {};
  }
  state.hasZone = true;
  lost_.addChanged({thread.name, thread.description.get()});
  lost_.addOffCpu(thread);
  const auto zone = static_cast<uint16_t>(threads_.size());
  ADA_TRY(writeInfo(infoText(WtfThreadInfo{thread, zone})));
  const std::string number = std::to_string(thread.index);
  std::string name = number + ":" + wtfNames_.plain(nameForPeople(thread), "thread " + number);
  if (pids_.size() > 1 && pids_[thread.process])
    name += " (pid " + std::to_string(*pids_[thread.process]) + ")";
  const std::string location = wtfNames_.plain(executables_[thread.process], "adatrace");
  Args args;
  args.add(Arg::uint16(zone));
  args.add(Arg::ascii(name));
  args.add(Arg::ascii("script"));
  args.add(Arg::ascii(location));
  return write(wireIdOf(Role::ZoneCreate), args);
}

Expected<void> WtfSink::addFunction(const model::Function &function) {
  FunctionState state;
  const std::string base = wtfNames_.plain(
      function.displayName, function.name.empty() ? "function " + std::to_string(function.index) : function.name);
  std::string scope = base;
  const bool isType = nextType_ <= kLastFunctionType;
  if (!isType) {
    // The numbers for types are used up. Viewers check the names of such scopes: they allow letters, digits and these.
    std::ranges::replace_if(
        scope,
        [](char c) {
          return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("_.#:$[]\"'-").find(c) != std::string_view::npos);
        },
        '_');
    scope += "#" + std::to_string(function.index); // unique
  } else if (const auto known = scopeTypes_.find(scope);
             known != scopeTypes_.end() && !known->second.processes.contains(function.process)) {
    // The same function of another process.
    known->second.processes.insert(function.process);
    state.wireId = known->second.wireId;
  } else if (names_.contains(scope)) { // the number makes it unique without a search
    scope = base + " (" + std::to_string(function.index + 1) + ")";
    while (names_.contains(scope))
      scope += '\'';
  }
  lost_.addChanged({function.name, function.displayName, function.file, function.signature, function.types});
  scopeNames_ += !state.wireId;
  ADA_TRY(writeInfo(infoText(WtfFunctionInfo{function, scope})));
  if (isType && !state.wireId) {
    state.wireId = nextType_++;
    scopeTypes_[scope] = {state.wireId, {function.process}};
    ADA_TRY(define(state.wireId, wtf::kScope, 0, scope, withRest("", rest_)));
  } else if (!isType) {
    state.scope = std::move(scope);
  }
  functions_.push_back(std::move(state));
  return {};
}

// `timeNs` must not be before the first time. The base may be negative; the difference is still right.
WtfSink::Moment WtfSink::momentOf(uint64_t timeNs) {
  const uint64_t since = timeNs - baseNs_;
  Moment moment;
  moment.us = since / 1000;
  if (timeScale_ != 1)
    moment.restUs = static_cast<uint32_t>(moment.us % timeScale_);
  moment.restNs = static_cast<uint16_t>(since % 1000);
  if (rest_ == WtfRest::None)
    rounded_ += moment.restUs != 0 || moment.restNs != 0;
  return moment;
}

Expected<void> WtfSink::enterZone(uint32_t thread, uint64_t us) {
  nowUs_ = us;
  if (thread == currentThread_)
    return {};
  currentThread_ = thread;
  Args args;
  args.add(Arg::uint16(static_cast<uint16_t>(thread + 1)));
  return write(wireIdOf(Role::ZoneSet), args);
}

Expected<void> WtfSink::call(ThreadState &thread, const model::Event &event, const Moment &moment) {
  ++thread.openCalls.of(event.function);
  thread.stack.push_back(event.function);
  if (thread.stack.size() > kViewerDepth && !thread.wasDeep) {
    thread.wasDeep = true;
    lost_.add("threads with more than 1023 calls inside one another: all is written, but existing viewers show no "
              "calls of such a thread");
  }
  const FunctionState &function = functions_[event.function];
  if (function.wireId)
    return write(function.wireId, restOnly(moment));
  Args args;
  args.add(Arg::ascii(function.scope));
  if (rest_ == WtfRest::None || (!moment.restNs && !moment.restUs))
    return write(wireIdOf(Role::ScopeEnter), args);
  // Such scopes have no other arguments, so an ada.event before the scope holds the rest.
  ADA_TRY(other(event, moment));
  return write(wireIdOf(Role::ScopeEnter), args);
}

// Ends the innermost scope, whose call has no end that the file shows.
Expected<void> WtfSink::leaveUnended(ThreadState &thread) {
  Args args;
  args.add(Arg::boolean(true));
  ADA_TRY(write(kUnended, args));
  pop(thread);
  return write(wireIdOf(Role::ScopeLeave));
}

Expected<void> WtfSink::exit(ThreadState &thread, const model::Event &event, const Moment &moment) {
  if (!thread.openCalls.of(event.function))
    return other(event, moment);                // a stray end
  while (thread.stack.back() != event.function) // ends that are missing
    ADA_TRY(leaveUnended(thread));
  if (event.kind == model::Kind::Inferred ||
      event.kind == model::Kind::Missing) { // an event of its own, and an end for viewers
    ADA_TRY(other(event, moment));
    return leaveUnended(thread);
  }
  if (event.kind == model::Kind::Exception) {
    Args args;
    args.add(Arg::boolean(true));
    addRest(args, moment);
    ADA_TRY(write(kException, args));
  } else if (rest_ != WtfRest::None && (moment.restNs || moment.restUs)) {
    ADA_TRY(write(kEnd, restOnly(moment)));
  }
  pop(thread);
  return write(wireIdOf(Role::ScopeLeave));
}

Expected<void> WtfSink::other(const model::Event &event, const Moment &moment) {
  Args args;
  args.add(Arg::uint32(event.function));
  args.add(Arg::uint32(static_cast<uint32_t>(event.kind)));
  addRest(args, moment);
  return write(kOther, args);
}

// Writes a record whose argument `json` may be text that the format can't hold.
Expected<void> WtfSink::writeText(uint32_t wireId, Args args, size_t json) {
  auto written = write(wireId, args);
  if (written)
    return written;
  const std::string code = written.error().code;
  if (code == "E_BAD_TEXT" && !args.all[json].isNull) {
    const std::string quoted = jsonString(args.all[json].text);
    args.all[json] = Arg::any(quoted);
    if (auto again = write(wireId, args); again || again.error().code != "E_RANGE")
      return again;
  } else if (code != "E_RANGE") {
    return written;
  }
  lost_.add("values of more than 64 KiB");
  args.all[json] = Arg::null(wtf::ArgType::Any);
  return write(wireId, args);
}

static Arg jsonOrNull(std::string_view json) { return json.empty() ? Arg::null(wtf::ArgType::Any) : Arg::any(json); }

// Each name gets its own type as long as there are not too many, because viewers show that best.
Expected<void> WtfSink::mark(const model::Text &text, const Moment &moment) {
  const std::string name(text.name);
  Args args;
  auto known = markTypes_.find(name);
  if (known == markTypes_.end() && markTypes_.size() < kMaxMarkTypes && nextType_ <= 0xFFFF && !names_.contains(name) &&
      !name.empty() && wtfNames_.plain(name, "") == name) {
    const uint32_t wireId = nextType_++;
    ADA_TRY(define(wireId, wtf::kInstance, 0, name, withRest("any value", rest_)));
    known = markTypes_.emplace(name, wireId).first;
  }
  if (known != markTypes_.end()) {
    args.add(jsonOrNull(text.json));
    addRest(args, moment);
    return writeText(known->second, args, 0);
  }
  const std::string written = wtfNames_.text(name);
  args.add(Arg::utf8(written));
  args.add(jsonOrNull(text.json));
  addRest(args, moment);
  return writeText(kMark, args, 1);
}

Expected<void> WtfSink::value(const model::Text &text, const Moment &moment) {
  const std::string name = wtfNames_.text(text.name);
  Args args;
  if (rest_ != WtfRest::None && (moment.restNs || moment.restUs)) {
    args.add(Arg::utf8(name));
    args.add(jsonOrNull(text.json));
    addRest(args, moment);
    return writeText(kValue, args, 1);
  }
  args.add(Arg::ascii(name));
  args.add(jsonOrNull(text.json));
  return writeText(wireIdOf(Role::AppendData), args, 1);
}

Expected<void> WtfSink::one(const model::Event &event, const model::Batch &batch) {
  ThreadState &thread = threads_[event.thread];
  if (!thread.hasZone) {
    ++noZone_;
    return {};
  }
  withDetails_ += event.details > 0;
  if (event.timeNs < firstNs_)
    return Error{.code = "E_TIME_ORDER",
                 .message = "a time is before the trace's first: the input changed while it was read"};
  const Moment moment = momentOf(event.timeNs);
  nowUs_ = moment.us;
  if (event.thread != currentThread_)
    ADA_TRY(enterZone(event.thread, moment.us));
  switch (event.kind) {
  case model::Kind::Call:
    return call(thread, event, moment);
  case model::Kind::Return:
  case model::Kind::Exception:
  case model::Kind::Inferred:
  case model::Kind::Missing:
    return exit(thread, event, moment);
  case model::Kind::Mark:
    return mark(batch.texts[event.extra], moment);
  case model::Kind::Value:
    return value(batch.texts[event.extra], moment);
  default:
    return other(event, moment);
  }
  return {};
}

Expected<void> WtfSink::events(const model::Batch &batch) {
  for (const model::Event &event : batch.events)
    ADA_TRY(one(event, batch));
  return {};
}

// Closes open scopes, because viewers take a scope without a leave for an instant.
Expected<void> WtfSink::closeAll(uint32_t index) {
  ThreadState &thread = threads_[index];
  if (thread.stack.empty())
    return {};
  ADA_TRY(enterZone(index, endUs_));
  Args args;
  args.add(Arg::boolean(true));
  for (; !thread.stack.empty(); pop(thread)) {
    ADA_TRY(write(kUnended, args));
    ADA_TRY(write(wireIdOf(Role::ScopeLeave)));
  }
  return {};
}

Expected<void> WtfSink::endThread(uint32_t thread) {
  auto closed = closeAll(thread);
  threads_[thread].openCalls = {};
  return closed;
}

Expected<void> WtfSink::finish() {
  for (uint32_t thread = 0; thread < threads_.size(); ++thread)
    ADA_TRY(closeAll(thread));
  return encoder_->finish();
}

std::vector<model::Loss> WtfSink::losses() const {
  model::LossList all = lost_;
  all.add("events of threads past the 65535th", noZone_);
  all.add("events with registers and stack: wtf-trace has no place for them", withDetails_);
  if (scopeNames_ > kViewerNames)
    all.add("functions past the 65,500th: all is written, but the released application mixes them up",
            scopeNames_ - kViewerNames);
  all.add("times that were cut to what the format counts in", rounded_);
  return all.list();
}

} // namespace ada::formats

namespace ada::model {

std::unique_ptr<TraceSink> makeWtfSink(ByteSink bytes, WtfSinkOptions options) {
  return std::make_unique<formats::WtfSink>(std::move(bytes), options);
}

} // namespace ada::model
