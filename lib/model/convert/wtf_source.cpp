// Reads wtf-trace files into the model: those that AdaTrace wrote as what they
// were, of others scopes as calls and everything else as marks.
#include "ada/trace/convert.h"

#include "ada/trace/names.h"
#include "ada/trace/wtf/context.h"
#include "ada/trace/wtf/decoder.h"
#include "ada/trace/wtf/timeline.h"
#include "model/convert/batch_builder.h"
#include "model/convert/loss_list.h"
#include "model/convert/wtf_info.h"
#include "model/json_string.h"

#include <algorithm>
#include <unordered_map>

namespace ada::model {

using wtf::Arg;
using wtf::ArgType;
using wtf::ItemKind;

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::string_view kStrays =
    "ends of calls that began before the trace did";
constexpr std::string_view kOutside =
    "times that are not between 1970 and 2554: moved to the nearest";

// One read of a file.
class Reader : public wtf::TimelineVisitor {
public:
  Reader(TraceSink &sink, LossList &lost, std::vector<Warning> &warnings)
      : sink(sink), batch(sink), lost(lost), flaws(warnings) {}

  Expected<void> finish() {
    begin(true);
    batch.flush();
    if (batch.status())
      batch.check(sink.finish());
    return batch.status();
  }
  const Expected<void> &status() const { return batch.status(); }

  void onHeader(const wtf::FileHeader &h) override { header = h; }
  void onZone(const wtf::Zone &) override {}
  void onItem(const wtf::Item &item) override;
  void onWarning(const Warning &warning) override { flaws.push_back(warning); }

private:
  // What the record before a leave or enter said about it.
  struct Pending {
    Kind kind = Kind::Return;
    bool none = false; // the leave is no end of a call
    std::uint64_t restNs = 0;
    std::uint32_t function = kNone; // Enter only
  };
  // What a type is to us; looked up once.
  struct TypeUse {
    enum Role {
      Foreign,
      Info,
      End,
      Exception,
      Unended,
      Other,
      Mark,
      OwnMark,
      OwnValue
    };
    const wtf::EventType *type = nullptr; // a number can be defined anew
    Role role = Foreign;
    bool isOwnScope = false; // its arguments are the rest of a time
    std::uint32_t function = kNone;
  };

  void begin(bool isRoot);
  void takeInfo(const wtf::Item &item);
  void take(const WtfInfo &info);
  void addOwn(const WtfThreadInfo &info);
  void addOwn(const WtfFunctionInfo &info);
  void enter(const wtf::Item &item);
  void leave(const wtf::Item &item);
  void instance(const wtf::Item &item);
  void value(const wtf::Item &item, std::string_view name, const Arg &value,
             std::uint64_t restNs);
  void mark(const wtf::Item &item, std::string_view name, std::string_view json,
            std::uint64_t restNs = 0);
  TypeUse &useOf(const wtf::EventType &type);
  TypeUse::Role roleOf(const wtf::EventType &type) const;
  std::uint32_t processOf(std::uint32_t number);
  std::uint32_t threadOf(const wtf::Zone &zone);
  std::uint32_t functionOf(const wtf::Item &item);
  std::uint32_t addFunction(Function function, const std::string &scope);
  std::uint64_t timeOf(std::uint64_t timeUs, std::uint64_t restNs);
  std::uint64_t restOf(std::span<const Arg> args) const;
  std::size_t restArgs() const {
    return rest == WtfRest::None ? 0 : rest == WtfRest::Ns ? 1 : 2;
  }
  Pending &pendingOf(const wtf::Zone &zone) {
    if (zone.index >= pending.size())
      pending.resize(zone.index + 1u);
    return pending[zone.index];
  }

  TraceSink &sink;
  BatchBuilder batch;
  LossList &lost;
  std::vector<Warning> &flaws;
  wtf::FileHeader header;
  bool begun = false, own = false;
  WtfRest rest = WtfRest::None;
  std::string info, scratch;
  std::uint32_t processCount = 0, threadCount = 0, functionCount = 0;
  std::unordered_map<std::uint32_t, std::uint32_t> processes, ownFunctions;
  std::unordered_map<std::uint16_t, std::uint32_t> ownThreads; // by zone id
  std::vector<std::uint32_t> threads;                          // by zone
  std::unordered_map<std::string, std::uint32_t> scopes;       // functions
  std::vector<TypeUse> uses;                                   // by wire id
  std::vector<Pending> pending;                                // by zone
};

} // namespace

void Reader::begin(bool isRoot) {
  if (begun)
    return;
  begun = true;
  batch.check(sink.begin({.range = std::nullopt, .isRoot = isRoot}));
}

//===--- what our own files say about themselves --------------------------===//

void Reader::takeInfo(const wtf::Item &item) {
  const auto args = item.record->args;
  info += args[0].text;
  if (args[1].bits && info.size() < (std::size_t{1} << 28))
    return;
  take(parseInfo(info));
  info.clear();
}

void Reader::take(const WtfInfo &parsed) {
  if (const auto *trace = std::get_if<WtfTraceInfo>(&parsed)) {
    own = true;
    rest = trace->rest;
    begin(trace->isRoot);
  } else if (const auto *process = std::get_if<Process>(&parsed)) {
    begin(true);
    Process added = *process;
    added.index = processCount++;
    processes[process->index] = added.index;
    if (batch.status())
      batch.check(sink.addProcess(added));
  } else if (const auto *thread = std::get_if<WtfThreadInfo>(&parsed)) {
    addOwn(*thread);
  } else if (const auto *function = std::get_if<WtfFunctionInfo>(&parsed)) {
    addOwn(*function);
  }
}

void Reader::addOwn(const WtfThreadInfo &parsed) {
  Thread thread = parsed.thread;
  thread.process = processOf(thread.process);
  thread.index = threadCount++;
  ownThreads[parsed.zone] = thread.index;
  if (batch.status())
    batch.check(sink.addThread(thread));
}

void Reader::addOwn(const WtfFunctionInfo &parsed) {
  const std::uint32_t number = parsed.function.index;
  Function function = parsed.function;
  function.process = processOf(function.process);
  ownFunctions[number] = addFunction(std::move(function), parsed.scope);
}

//===--- numbers ----------------------------------------------------------===//

std::uint32_t Reader::processOf(std::uint32_t number) {
  const auto [found, isNew] = processes.try_emplace(number, processCount);
  if (isNew) {
    begin(true);
    Process process;
    process.index = processCount++;
    process.name = "pid_" + std::to_string(process.index);
    if (auto context = wtf::ContextInfo::parse(header.contextInfo)) {
      process.executable = context->title.value_or(context->uri);
    }
    if (batch.status())
      batch.check(sink.addProcess(process));
  }
  return found->second;
}

std::uint32_t Reader::threadOf(const wtf::Zone &zone) {
  if (zone.index >= threads.size())
    threads.resize(zone.index + 1u, kNone);
  std::uint32_t &index = threads[zone.index];
  if (index != kNone)
    return index;
  if (zone.id)
    if (const auto known = ownThreads.find(*zone.id); known != ownThreads.end())
      return index = known->second;
  Thread thread;
  thread.process = processOf(0);
  thread.number = zone.index;
  thread.tid = zone.id.value_or(0);
  thread.name = zone.name;
  thread.index = index = threadCount++;
  if (batch.status())
    batch.check(sink.addThread(thread));
  return index;
}

std::uint32_t Reader::addFunction(Function function, const std::string &scope) {
  function.index = functionCount++;
  scopes[scope] = function.index;
  if (batch.status())
    batch.check(sink.addFunction(function));
  return function.index;
}

// The function of a scope: by its type, and by its name where the type is the
// same for all.
std::uint32_t Reader::functionOf(const wtf::Item &item) {
  const auto byName = [&] {
    const std::string name(item.name);
    if (const auto known = scopes.find(name); known != scopes.end())
      return known->second;
    Function function;
    function.process = processOf(0);
    function.id = functionCount;
    function.name = function.displayName = name;
    return addFunction(std::move(function), name);
  };
  if (item.scopeType->role == wtf::Role::ScopeEnter)
    return byName();
  TypeUse &use = useOf(*item.scopeType);
  if (use.function == kNone)
    use.function = byName();
  return use.function;
}

Reader::TypeUse::Role Reader::roleOf(const wtf::EventType &type) const {
  const auto is = [&](std::string_view name, const std::string &args) {
    return type.name == name && type.args == args;
  };
  if (type.eventClass != wtf::kInstance)
    return TypeUse::Foreign;
  if (is(kInfoType, std::string(kInfoArgs)))
    return TypeUse::Info;
  if (!own)
    return TypeUse::Foreign;
  if (is(kEndType, withRest("", rest, "endUs", "endNs")))
    return TypeUse::End;
  if (is(kExceptionType, withRest("bool exception", rest, "endUs", "endNs")))
    return TypeUse::Exception;
  if (is(kUnendedType, "bool unended"))
    return TypeUse::Unended;
  if (is(kEventType, withRest("uint32 function, uint32 kind", rest)))
    return TypeUse::Other;
  if (is(kMarkType, withRest("utf8 name, any value", rest)))
    return TypeUse::OwnMark;
  if (is(kValueType, withRest("utf8 name, any value", rest)))
    return TypeUse::OwnValue;
  return type.args == withRest("any value", rest) ? TypeUse::Mark
                                                  : TypeUse::Foreign;
}

Reader::TypeUse &Reader::useOf(const wtf::EventType &type) {
  if (type.wireId >= uses.size())
    uses.resize(type.wireId + 1u); // at most 65536
  TypeUse &use = uses[type.wireId];
  if (use.type != &type)
    use = {.type = &type,
           .role = roleOf(type),
           .isOwnScope = own && type.role != wtf::Role::ScopeEnter &&
                         type.args == withRest("", rest)};
  return use;
}

//===--- times ------------------------------------------------------------===//

std::uint64_t Reader::timeOf(std::uint64_t timeUs, std::uint64_t restNs) {
  const __int128 time = static_cast<__int128>(header.timebaseMs) * 1'000'000 +
                        header.timebaseNs +
                        static_cast<__int128>(timeUs) * 1000 + restNs;
  if (time < 0 || time > static_cast<__int128>(~std::uint64_t{0})) {
    lost.add(kOutside);
    return time < 0 ? 0 : ~std::uint64_t{0};
  }
  return static_cast<std::uint64_t>(time);
}

// The last arguments hold what is left over of a time.
std::uint64_t Reader::restOf(std::span<const Arg> args) const {
  std::uint64_t ns = 0;
  if (rest != WtfRest::None && !args.empty())
    ns = args.back().bits;
  if (rest == WtfRest::UsAndNs && args.size() > 1)
    ns += std::uint64_t{args[args.size() - 2].bits} * 1000;
  return ns;
}

//===--- items ------------------------------------------------------------===//

void Reader::mark(const wtf::Item &item, std::string_view name,
                  std::string_view json, std::uint64_t restNs) {
  Event event;
  event.kind = Kind::Mark;
  event.thread = threadOf(*item.zone);
  event.timeNs = timeOf(item.timeUs, restNs);
  batch.addText(event, name, json);
}

void Reader::value(const wtf::Item &item, std::string_view name,
                   const Arg &value, std::uint64_t restNs) {
  scratch.clear();
  if (!value.isNull)
    wtf::appendJson(scratch, value);
  Event event;
  event.kind = Kind::Value;
  event.thread = threadOf(*item.zone);
  event.timeNs = timeOf(item.timeUs, restNs);
  batch.addText(event, name, scratch);
}

void Reader::enter(const wtf::Item &item) {
  Pending &before = pendingOf(*item.zone);
  Event event;
  event.kind = Kind::Call;
  event.thread = threadOf(*item.zone);
  event.function = functionOf(item);
  std::uint64_t restNs = 0;
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
  batch.add(event);
  if (isOwn || isEnter)
    return;
  // Arguments of somebody else's scopes.
  const auto &defs = item.scopeType->argDefs;
  for (std::size_t i = 0; i < item.record->args.size(); ++i) {
    scratch.clear();
    wtf::appendJson(scratch, item.record->args[i]);
    event.kind = Kind::Value;
    batch.addText(event, defs[i].name, scratch);
  }
}

void Reader::leave(const wtf::Item &item) {
  Pending &before = pendingOf(*item.zone);
  if (!before.none) {
    Event event;
    event.kind = before.kind;
    event.thread = threadOf(*item.zone);
    event.function = functionOf(item);
    event.timeNs = timeOf(item.timeUs, before.restNs);
    batch.add(event);
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
    next.kind = Kind::Exception;
    next.restNs = restOf(record.args);
    return;
  }
  case TypeUse::Unended:
    pendingOf(*item.zone).none = true;
    return;
  case TypeUse::Other: {
    const auto known = ownFunctions.find(record.args[0].bits);
    const std::uint32_t kind = record.args[1].bits;
    if (known == ownFunctions.end()) {
      lost.add("events of functions that the file does not introduce");
      return;
    }
    if (kind == static_cast<std::uint32_t>(Kind::Call)) {
      Pending &next = pendingOf(*item.zone); // its scope follows
      next.function = known->second;
      next.restNs = restOf(record.args);
      return;
    }
    Event event;
    event.thread = threadOf(*item.zone);
    event.function = known->second;
    event.timeNs = timeOf(item.timeUs, restOf(record.args));
    event.kind = kind == 2   ? Kind::Return
                 : kind == 3 ? Kind::Exception
                             : Kind::Other;
    event.other = event.kind == Kind::Other ? kind : 0;
    return batch.add(event);
  }
  case TypeUse::Mark:
  case TypeUse::OwnMark: {
    const std::size_t value = role == TypeUse::OwnMark ? 1 : 0;
    scratch.clear();
    if (!record.args[value].isNull)
      wtf::appendJson(scratch, record.args[value]);
    return mark(item,
                role == TypeUse::OwnMark ? record.args[0].text
                                         : std::string_view(record.type->name),
                scratch, restOf(record.args));
  }
  case TypeUse::OwnValue:
  case TypeUse::Foreign:
    break;
  }
  scratch = "{";
  for (std::size_t i = 0; i < record.args.size(); ++i) {
    scratch += i ? "," : "";
    scratch += jsonString(record.type->argDefs[i].name);
    scratch += ':';
    wtf::appendJson(scratch, record.args[i]);
  }
  scratch += '}';
  mark(item, record.type->name,
       record.args.empty() ? std::string_view() : scratch);
}

void Reader::onItem(const wtf::Item &item) {
  if (!batch.status())
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
    lost.add(kStrays);
    return;
  case ItemKind::Instance:
    return instance(item);
  case ItemKind::Mark:
  case ItemKind::TimeStamp:
    scratch.clear();
    if (!item.value.isNull && item.value.type == ArgType::Any)
      wtf::appendJson(scratch, item.value);
    return mark(item, item.name, scratch);
  case ItemKind::AppendData: {
    const TypeUse::Role role = useOf(*item.record->type).role;
    if (role == TypeUse::End || role == TypeUse::Exception ||
        role == TypeUse::Unended) // comes once for each argument
      return instance(item);
    if (role == TypeUse::OwnValue) {
      if (item.name != "name") // once
        return;
      return value(item, item.record->args[0].text, item.record->args[1],
                   restOf(item.record->args));
    }
    return value(item, item.name, item.value, 0);
  }
  }
}

namespace {

class WtfSource : public TraceSource {
public:
  explicit WtfSource(ByteInput input) : input(std::move(input)) {}

  Expected<void> read(TraceSink &sink) override {
    errors.clear();
    flaws.clear();
    lost.clear();
    if (auto ready = input.rewind(); !ready)
      return ready;
    Reader reader(sink, lost, flaws);
    wtf::Timeline timeline(reader);
    wtf::Decoder decoder(timeline);
    Expected<void> decoded;
    while (decoded) {
      auto piece = input.read();
      if (!piece)
        return piece.error();
      if (piece->empty())
        break;
      decoded = decoder.push(*piece);
      if (!reader.status())
        return reader.status();
    }
    if (decoded)
      decoded = decoder.finish();
    if (!decoded) {
      Error error = decoded.error();
      error.file = input.name();
      if (!decoder.header())
        return error; // nothing of use was there
      errors.push_back(std::move(error));
    }
    timeline.finish();
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
  std::vector<Warning> flaws;
  LossList lost;
};

} // namespace

std::unique_ptr<TraceSource> makeWtfSource(ByteInput input) {
  return std::make_unique<WtfSource>(std::move(input));
}

} // namespace ada::model
