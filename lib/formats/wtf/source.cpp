// Reads wtf-trace files into the model.
// Our own files come back as what they were. In other files a scope becomes a call, and everything else becomes a mark.
#include "ada/trace/convert.h"

#include "ada/trace/wtf/context.h"
#include "ada/trace/wtf/timeline.h"
#include "ada_info.h"
#include "formats/byte_source.h"
#include "operations.h"
#include "trace/base/json.h"
#include "trace/base/try.h"

#include <algorithm>
#include <unordered_map>

namespace ada::formats {

using wtf::Arg;
using wtf::ArgType;
using wtf::ItemKind;

namespace {

constexpr uint32_t kNone = ~uint32_t{0};
constexpr std::string_view kStrays = "ends of calls that began before the trace did";
constexpr std::string_view kOutside = "times that are not between 1970 and 2554: moved to the nearest";

// One read of a file.
class Reader : public wtf::TimelineVisitor {
public:
  Reader(model::TraceSink &sink, model::LossList &lost, std::vector<Warning> &warnings)
      : out_(sink, lost), lost_(lost), flaws_(warnings) {}

  Expected<void> finish() { return out_.finish(); }
  const Expected<void> &status() const { return out_.status(); }

  void onHeader(const wtf::FileHeader &h) override { header_ = h; }
  void onZone(const wtf::Zone &) override {}
  void onItem(const wtf::Item &item) override;
  void onWarning(const Warning &warning) override { flaws_.push_back(warning); }

private:
  // What the record before a leave or enter says about it.
  struct Pending {
    model::Kind kind = model::Kind::Return;
    bool none = false; // the leave does not end a call
    uint64_t restNs = 0;
    uint32_t function = kNone; // Enter only
  };
  // What a type means to this reader; looked up once.
  struct TypeUse {
    enum Role { Foreign, Info, End, Exception, Unended, Other, Mark, OwnMark, OwnValue };
    const wtf::EventType *type = nullptr; // a number can be defined again
    Role role = Foreign;
    bool isOwnScope = false;                               // its arguments are the rest of a time
    uint32_t process = kNone, function = kNone;            // of the last use
    std::unordered_map<uint32_t, uint32_t> functions = {}; // by process
  };

  void takeInfo(const wtf::Item &item);
  void take(const WtfInfo &info);
  void addOwn(const WtfThreadInfo &info);
  void addOwn(const WtfFunctionInfo &info);
  void enter(const wtf::Item &item);
  void leave(const wtf::Item &item);
  void instance(const wtf::Item &item);
  void value(const wtf::Item &item, std::string_view name, const Arg &value, uint64_t restNs);
  void mark(const wtf::Item &item, std::string_view name, std::string_view json, uint64_t restNs = 0);
  TypeUse &useOf(const wtf::EventType &type);
  TypeUse::Role roleOf(const wtf::EventType &type) const;
  uint32_t processOf(uint32_t number);
  uint32_t threadOf(const wtf::Zone &zone);
  uint32_t functionOf(const wtf::Item &item);
  std::string scopeKey(uint32_t process, std::string_view name);
  uint32_t addFunction(model::Function function, const std::string &scope);
  uint64_t timeOf(uint64_t timeUs, uint64_t restNs);
  uint64_t restOf(std::span<const Arg> args) const;
  Pending &pendingOf(const wtf::Zone &zone) {
    if (zone.index >= pending_.size())
      pending_.resize(zone.index + 1u);
    return pending_[zone.index];
  }

  TraceBuilder out_;
  model::LossList &lost_;
  std::vector<Warning> &flaws_;
  wtf::FileHeader header_;
  bool own_ = false;
  WtfRest rest_ = WtfRest::None;
  std::string info_, scratch_;
  std::unordered_map<uint32_t, uint32_t> processes_, ownFunctions_;
  std::unordered_map<uint16_t, uint32_t> ownThreads_; // by zone id
  std::vector<uint32_t> threads_;                     // by zone
  std::vector<uint32_t> threadProcesses_;             // by thread
  std::unordered_map<std::string, uint32_t> scopes_;  // functions, by scopeKey()
  std::vector<TypeUse> uses_;                         // by wire id
  std::vector<Pending> pending_;                      // by zone
};

} // namespace

//===--- what our own files say about themselves --------------------------===//

void Reader::takeInfo(const wtf::Item &item) {
  const auto args = item.record->args;
  info_ += args[0].text;
  if (args[1].bits && info_.size() < (size_t{1} << 28))
    return;
  take(parseInfo(info_));
  info_.clear();
}

void Reader::take(const WtfInfo &parsed) {
  if (const auto *trace = std::get_if<WtfTraceInfo>(&parsed)) {
    own_ = true;
    rest_ = trace->rest;
    out_.begin(trace->isRoot);
  } else if (const auto *process = std::get_if<model::Process>(&parsed)) {
    processes_[process->index] = out_.add(*process);
  } else if (const auto *thread = std::get_if<WtfThreadInfo>(&parsed)) {
    addOwn(*thread);
  } else if (const auto *function = std::get_if<WtfFunctionInfo>(&parsed)) {
    addOwn(*function);
  }
}

void Reader::addOwn(const WtfThreadInfo &parsed) {
  model::Thread thread = parsed.thread;
  thread.process = processOf(thread.process);
  threadProcesses_.push_back(thread.process);
  ownThreads_[parsed.zone] = out_.add(std::move(thread));
}

void Reader::addOwn(const WtfFunctionInfo &parsed) {
  const uint32_t number = parsed.function.index;
  model::Function function = parsed.function;
  function.process = processOf(function.process);
  ownFunctions_[number] = addFunction(std::move(function), parsed.scope);
}

//===--- numbers ----------------------------------------------------------===//

uint32_t Reader::processOf(uint32_t number) {
  const auto [found, isNew] = processes_.try_emplace(number, 0);
  if (isNew) {
    model::Process process;
    if (auto context = wtf::ContextInfo::parse(header_.contextInfo))
      process.executable = context->title.value_or(context->uri);
    found->second = out_.add(std::move(process));
  }
  return found->second;
}

uint32_t Reader::threadOf(const wtf::Zone &zone) {
  if (zone.index >= threads_.size())
    threads_.resize(zone.index + 1u, kNone);
  uint32_t &index = threads_[zone.index];
  if (index != kNone)
    return index;
  if (zone.id)
    if (const auto known = ownThreads_.find(*zone.id); known != ownThreads_.end())
      return index = known->second;
  model::Thread thread;
  thread.process = processOf(0);
  thread.number = zone.index;
  thread.tid = zone.id.value_or(0);
  thread.name = zone.name;
  threadProcesses_.push_back(thread.process);
  return index = out_.add(std::move(thread));
}

// Functions of different processes may have the same name.
std::string Reader::scopeKey(uint32_t process, std::string_view name) {
  return std::to_string(process) + ' ' + std::string(out_.limit().kept(name));
}

uint32_t Reader::addFunction(model::Function function, const std::string &scope) {
  std::string key = scopeKey(function.process, scope);
  return scopes_[std::move(key)] = out_.add(std::move(function));
}

// The function of a scope, which is found by the scope's type or, if the type is the same for all scopes, by its name.
uint32_t Reader::functionOf(const wtf::Item &item) {
  const uint32_t process = threadProcesses_[threadOf(*item.zone)];
  const auto byName = [&] {
    const std::string name(item.name);
    if (const auto known = scopes_.find(scopeKey(process, name)); known != scopes_.end())
      return known->second;
    model::Function function;
    function.process = process;
    function.id = out_.functions();
    function.name = function.displayName = name;
    return addFunction(std::move(function), name);
  };
  if (item.scopeType->role == wtf::Role::ScopeEnter)
    return byName();
  TypeUse &use = useOf(*item.scopeType);
  if (use.process == process)
    return use.function;
  const auto [function, isNew] = use.functions.try_emplace(process);
  if (isNew)
    function->second = byName();
  use.process = process;
  return use.function = function->second;
}

Reader::TypeUse::Role Reader::roleOf(const wtf::EventType &type) const {
  const auto is = [&](std::string_view name, const std::string &args) {
    return type.name == name && type.args == args;
  };
  if (type.eventClass != wtf::kInstance)
    return TypeUse::Foreign;
  if (is(kInfoType, std::string(kInfoArgs)))
    return TypeUse::Info;
  if (!own_)
    return TypeUse::Foreign;
  if (is(kEndType, withRest("", rest_, "endUs", "endNs")))
    return TypeUse::End;
  if (is(kExceptionType, withRest("bool exception", rest_, "endUs", "endNs")))
    return TypeUse::Exception;
  if (is(kUnendedType, "bool unended"))
    return TypeUse::Unended;
  if (is(kEventType, withRest("uint32 function, uint32 kind", rest_)))
    return TypeUse::Other;
  if (is(kMarkType, withRest("utf8 name, any value", rest_)))
    return TypeUse::OwnMark;
  if (is(kValueType, withRest("utf8 name, any value", rest_)))
    return TypeUse::OwnValue;
  return type.args == withRest("any value", rest_) ? TypeUse::Mark : TypeUse::Foreign;
}

Reader::TypeUse &Reader::useOf(const wtf::EventType &type) {
  if (type.wireId >= uses_.size())
    uses_.resize(type.wireId + 1u); // at most 65536
  TypeUse &use = uses_[type.wireId];
  if (use.type != &type)
    use = {.type = &type,
           .role = roleOf(type),
           .isOwnScope = own_ && type.role != wtf::Role::ScopeEnter && type.args == withRest("", rest_)};
  return use;
}

//===--- times ------------------------------------------------------------===//

uint64_t Reader::timeOf(uint64_t timeUs, uint64_t restNs) {
  const __int128 time = static_cast<__int128>(header_.timebaseMs) * 1'000'000 + header_.timebaseNs +
                        static_cast<__int128>(timeUs) * 1000 + restNs;
  if (time < 0 || time > static_cast<__int128>(~uint64_t{0})) {
    lost_.add(kOutside);
    return time < 0 ? 0 : ~uint64_t{0};
  }
  return static_cast<uint64_t>(time);
}

// The last arguments hold the rest of a time.
uint64_t Reader::restOf(std::span<const Arg> args) const {
  uint64_t ns = 0;
  if (rest_ != WtfRest::None && !args.empty())
    ns = args.back().bits;
  if (rest_ == WtfRest::UsAndNs && args.size() > 1)
    ns += uint64_t{args[args.size() - 2].bits} * 1000;
  return ns;
}

//===--- items ------------------------------------------------------------===//

void Reader::mark(const wtf::Item &item, std::string_view name, std::string_view json, uint64_t restNs) {
  model::Event event;
  event.kind = model::Kind::Mark;
  event.thread = threadOf(*item.zone);
  event.timeNs = timeOf(item.timeUs, restNs);
  out_.events().addText(event, name, json);
}

void Reader::value(const wtf::Item &item, std::string_view name, const Arg &value, uint64_t restNs) {
  scratch_.clear();
  if (!value.isNull)
    wtf::appendJson(scratch_, value);
  model::Event event;
  event.kind = model::Kind::Value;
  event.thread = threadOf(*item.zone);
  event.timeNs = timeOf(item.timeUs, restNs);
  out_.events().addText(event, name, scratch_);
}

void Reader::enter(const wtf::Item &item) {
  Pending &before = pendingOf(*item.zone);
  model::Event event;
  event.kind = model::Kind::Call;
  event.thread = threadOf(*item.zone);
  event.function = functionOf(item);
  uint64_t restNs = 0;
  if (before.function != kNone) {
    event.function = before.function;
    restNs = before.restNs;
    before = {};
  }
  const bool isEnter = item.scopeType->role == wtf::Role::ScopeEnter;
  const bool isOwn = useOf(*item.scopeType).isOwnScope;
  if (isOwn)
    restNs = restOf(item.record->args);
  event.timeNs = timeOf(item.timeUs, restNs);
  out_.events().add(event);
  if (isOwn || isEnter)
    return;
  // These are arguments of other writers' scopes.
  const auto &defs = item.scopeType->argDefs;
  for (size_t i = 0; i < item.record->args.size(); ++i) {
    scratch_.clear();
    wtf::appendJson(scratch_, item.record->args[i]);
    event.kind = model::Kind::Value;
    out_.events().addText(event, defs[i].name, scratch_);
  }
}

void Reader::leave(const wtf::Item &item) {
  Pending &before = pendingOf(*item.zone);
  if (!before.none) {
    model::Event event;
    event.kind = before.kind;
    event.thread = threadOf(*item.zone);
    event.function = functionOf(item);
    event.timeNs = timeOf(item.timeUs, before.restNs);
    out_.events().add(event);
  }
  before = {};
}

void Reader::instance(const wtf::Item &item) {
  const wtf::Record &record = *item.record;
  const TypeUse::Role role = useOf(*record.type).role;
  switch (role) {
  case TypeUse::Info:
    return takeInfo(item);
  case TypeUse::End:
    pendingOf(*item.zone).restNs = restOf(record.args);
    return;
  case TypeUse::Exception: {
    Pending &next = pendingOf(*item.zone);
    next.kind = model::Kind::Exception;
    next.restNs = restOf(record.args);
    return;
  }
  case TypeUse::Unended:
    pendingOf(*item.zone).none = true;
    return;
  case TypeUse::Other: {
    const auto known = ownFunctions_.find(record.args[0].bits);
    const uint32_t kind = record.args[1].bits;
    if (known == ownFunctions_.end()) {
      lost_.add("events of functions that the file does not introduce");
      return;
    }
    if (kind == static_cast<uint32_t>(model::Kind::Call)) {
      Pending &next = pendingOf(*item.zone); // its scope follows
      next.function = known->second;
      next.restNs = restOf(record.args);
      return;
    }
    model::Event event;
    event.thread = threadOf(*item.zone);
    event.function = known->second;
    event.timeNs = timeOf(item.timeUs, restOf(record.args));
    event.kind = eventKindOf(kind);
    return out_.events().add(event);
  }
  case TypeUse::Mark:
  case TypeUse::OwnMark: {
    const size_t value = role == TypeUse::OwnMark ? 1 : 0;
    scratch_.clear();
    if (!record.args[value].isNull)
      wtf::appendJson(scratch_, record.args[value]);
    return mark(item, role == TypeUse::OwnMark ? record.args[0].text : std::string_view(record.type->name), scratch_,
                restOf(record.args));
  }
  case TypeUse::OwnValue:
  case TypeUse::Foreign:
    break;
  }
  scratch_.clear();
  JsonText json(scratch_);
  json.beginObject();
  for (size_t i = 0; i < record.args.size(); ++i) {
    json.json(record.type->argDefs[i].name, "");
    wtf::appendJson(scratch_, record.args[i]);
  }
  json.endObject();
  mark(item, record.type->name, record.args.empty() ? std::string_view() : scratch_);
}

void Reader::onItem(const wtf::Item &item) {
  if (!status())
    return;
  switch (item.kind) {
  case ItemKind::Enter:
    return enter(item);
  case ItemKind::Leave:
    return leave(item);
  case ItemKind::Unclosed: // a call that has not ended
    return;
  case ItemKind::StrayLeave:
    pendingOf(*item.zone) = {};
    lost_.add(kStrays);
    return;
  case ItemKind::Instance:
    return instance(item);
  case ItemKind::Mark:
  case ItemKind::TimeStamp:
    scratch_.clear();
    if (!item.value.isNull && item.value.type == ArgType::Any)
      wtf::appendJson(scratch_, item.value);
    return mark(item, item.name, scratch_);
  case ItemKind::AppendData: {
    const TypeUse::Role role = useOf(*item.record->type).role;
    if (role == TypeUse::End || role == TypeUse::Exception || role == TypeUse::Unended) // one item per argument
      return instance(item);
    if (role == TypeUse::OwnValue) {
      if (item.name != "name") // take the record only once
        return;
      return value(item, item.record->args[0].text, item.record->args[1], restOf(item.record->args));
    }
    return value(item, item.name, item.value, 0);
  }
  }
}

namespace {

class WtfSource : public ByteSource {
public:
  using ByteSource::ByteSource;

  Expected<void> read(model::TraceSink &sink) override {
    ADA_TRY(restart());
    Reader reader(sink, lost_, flaws_);
    wtf::Timeline timeline(reader);
    wtf::Decoder decoder(timeline, wtfOptions(input_));
    const auto read = readWtf(input_, decoder, [&] { return bool(reader.status()); });
    ADA_TRY(check(read, reader.status()));
    timeline.finish();
    return reader.finish();
  }
};

} // namespace

} // namespace ada::formats

namespace ada::model {

std::unique_ptr<TraceSource> makeWtfSource(ByteInput input) {
  return std::make_unique<formats::WtfSource>(std::move(input));
}

} // namespace ada::model
