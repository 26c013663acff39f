// Reads Chrome's trace JSON into the model.
//
// Its events come in any order: each thread writes its own, and X events, which are whole calls, are written when they
// end. So all events are sorted first; an X call goes around calls that begin at the same time and are shorter. Then
// each thread is walked once with a stack of open calls, which shows where the ends of X events belong.
#include "event_splitter.h"
#include "operations.h"

#include "formats/import/event_sorter.h"
#include "formats/import/met_names.h"
#include "formats/import/slice_walk.h"
#include "trace/base/try.h"

#include <charconv>
#include <simdjson.h>

namespace ada::formats {

namespace ondemand = simdjson::ondemand;

std::optional<uint64_t> nanosecondsOf(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    text = text.substr(1, text.size() - 2);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t'))
    text.remove_suffix(1);
  const bool isNegative = text.starts_with('-');
  if (isNegative)
    text.remove_prefix(1);
  // The digits, and the place of the point among them: "12.5e1" is 125 with the point after the third digit.
  std::string digits;
  int64_t point = -1;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] >= '0' && text[at] <= '9')
      digits += text[at];
    else if (text[at] == '.' && point < 0)
      point = static_cast<int64_t>(digits.size());
    else
      break;
  }
  if (digits.empty() || digits.size() > 400)
    return std::nullopt;
  if (point < 0)
    point = static_cast<int64_t>(digits.size());
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E')
      return std::nullopt;
    std::string_view exponentText = text.substr(at + 1);
    if (exponentText.starts_with('+'))
      exponentText.remove_prefix(1);
    int64_t exponent = 0;
    const auto [end, error] = std::from_chars(exponentText.begin(), exponentText.end(), exponent);
    if (error != std::errc() || end != exponentText.end() || exponent > 400 || exponent < -400)
      return std::nullopt;
    point += exponent;
  }
  point += 3; // nanoseconds
  uint64_t value = 0;
  bool isRoundedUp = false;
  for (int64_t i = 0; i < point; ++i) {
    const unsigned digit = i < static_cast<int64_t>(digits.size()) ? static_cast<unsigned>(digits[i] - '0') : 0;
    if (__builtin_mul_overflow(value, uint64_t{10}, &value) || __builtin_add_overflow(value, uint64_t{digit}, &value))
      return std::nullopt;
  }
  if (point >= 0 && point < static_cast<int64_t>(digits.size()))
    isRoundedUp = digits[static_cast<size_t>(point)] >= '5';
  value += isRoundedUp && value != ~uint64_t{0};
  if (isNegative && value != 0)
    return std::nullopt;
  return value;
}

namespace {

// The text may identify a process or thread by a number or by anything else.
std::string_view idOf(std::string_view token) {
  while (!token.empty() &&
         (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t'))
    token.remove_suffix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
    token = token.substr(1, token.size() - 2);
  return token;
}
std::optional<uint64_t> numberOf(std::string_view id) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.begin(), id.end(), number);
  return error == std::errc() && end == id.end() && !id.empty() ? std::optional(number) : std::nullopt;
}

// Collects the events, and the names of the processes and threads in which they happen.
class Reader : public EventSplitter::Visitor {
public:
  Reader(EventSorter &events, MetNames &names, model::LossList &lost) : events_(events), names_(names), lost_(lost) {}

  bool onEvent(std::string_view json, uint64_t offset) override;
  void onMember(std::string_view name, std::string_view json) override;
  void onUnusable(uint64_t offset) override { noteDamage(offset); }

  uint64_t damaged = 0, damagedAt = 0; // unusable events, and the offset of the first
  uint64_t usable = 0;
  Expected<void> status;

private:
  struct Fields {
    char phase = 0;
    std::string_view ts, duration, pid = "0", tid = "0", category, arguments;
    std::string name;
    bool hasName = false;
  };
  bool parse(std::string_view json, Fields &fields);
  void add(const Fields &fields);
  bool takeOffCpu(const Fields &fields);
  void addName(const Fields &fields);
  std::string_view argumentText(std::string_view json);
  void takeSource(std::string_view &arguments, model::Function &function);
  uint32_t processOf(std::string_view pid);
  uint32_t threadOf(std::string_view pid, std::string_view tid);
  void noteDamage(uint64_t offset) {
    if (damaged++ == 0)
      damagedAt = offset;
  }

  EventSorter &events_;
  MetNames &names_;
  model::LossList &lost_;
  ondemand::parser parser_;
  simdjson::dom::parser argumentParser_{16 << 20};
  std::string padded_, minified_, threadKey_;
  std::unordered_map<std::string, uint32_t> processes_, threads_; // by their ids in the text
  uint32_t lastThread_ = 0;
  std::string lastKey_; // of lastThread_
  // True for our own exports, which say more than others.
  bool isOwn_ = false;
  uint64_t startNs_ = 0;
};

uint32_t Reader::processOf(std::string_view pid) {
  const auto [found, isNew] = processes_.try_emplace(std::string(pid));
  if (isNew) {
    model::Process process;
    process.pid = numberOf(pid);
    process.name = process.pid ? "pid_" + std::string(pid) : std::string(pid);
    found->second = names_.add(std::move(process));
  }
  return found->second;
}

uint32_t Reader::threadOf(std::string_view pid, std::string_view tid) {
  threadKey_.assign(pid).append("\n").append(tid);
  if (threadKey_ == lastKey_)
    return lastThread_;
  const auto [found, isNew] = threads_.try_emplace(threadKey_);
  if (isNew) {
    model::Thread thread;
    thread.process = processOf(pid);
    if (const auto number = numberOf(tid))
      thread.tid = *number;
    else
      thread.name = tid;
    found->second = names_.add(std::move(thread));
  }
  lastKey_ = threadKey_;
  return lastThread_ = found->second;
}

bool Reader::parse(std::string_view json, Fields &fields) {
  padded_.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  padded_.assign(json);
  ondemand::document document;
  ondemand::object object;
  if (parser_.iterate(padded_.data(), padded_.size(), padded_.capacity()).get(document) ||
      document.get_object().get(object))
    return false;
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key))
      return false;
    if (field.value().get(value))
      return false;
    const auto text = [&](std::string_view &to) { to = value.raw_json_token(); };
    if (key == "ph") {
      std::string_view phase;
      if (value.get_string().get(phase) || phase.size() != 1)
        return false;
      fields.phase = phase[0];
    } else if (key == "name") {
      std::string_view name;
      if (value.get_string().get(name))
        name = idOf(value.raw_json_token()); // a number, as some write
      fields.name = name;
      fields.hasName = true;
    } else if (key == "ts") {
      text(fields.ts);
    } else if (key == "dur") {
      text(fields.duration);
    } else if (key == "cat") {
      text(fields.category);
      fields.category = idOf(fields.category);
    } else if (key == "pid") {
      text(fields.pid);
      fields.pid = idOf(fields.pid);
    } else if (key == "tid") {
      text(fields.tid);
      fields.tid = idOf(fields.tid);
    } else if (key == "args") {
      ondemand::object arguments;
      if (!value.get_object().get(arguments) && arguments.raw_json().get(fields.arguments))
        return false;
    }
  }
  return fields.phase != 0;
}

// The arguments in one line if they are JSON.
std::string_view Reader::argumentText(std::string_view json) {
  simdjson::dom::element checked;
  if (json.size() <= 2 || argumentParser_.parse(json.data(), json.size()).get(checked))
    return {};
  minified_.resize(json.size());
  size_t size = 0;
  if (simdjson::minify(json.data(), json.size(), minified_.data(), size))
    return {};
  return std::string_view(minified_).substr(0, size);
}

// The text of a member of the arguments; empty if the member is not a string.
static std::string textMember(std::string_view json, const char *name) {
  simdjson::dom::parser parser;
  std::string_view text;
  if (json.empty() || parser.parse(json.data(), json.size())[name].get(text))
    return {};
  return std::string(text);
}

// Takes a function's source location out of the arguments in one of our own files:
// {"arguments":…,"file":"a.c","line":3} becomes {"arguments":…}. Quotes inside strings have a backslash before them, so
// whatever looks like the member is the member.
void Reader::takeSource(std::string_view &arguments, model::Function &function) {
  const size_t at = arguments.rfind("\"file\":\"");
  if (at == arguments.npos || at == 0 || (arguments[at - 1] != '{' && arguments[at - 1] != ','))
    return;
  if (function.file.empty()) {
    function.file = textMember(arguments, "file");
    simdjson::dom::parser parser;
    uint64_t line = 0;
    if (!parser.parse(arguments.data(), arguments.size())["line"].get(line) && line <= UINT32_MAX)
      function.line = static_cast<uint32_t>(line);
  }
  minified_.resize(at - 1);
  minified_ += minified_.empty() ? "" : "}";
  arguments = minified_;
}

void Reader::addName(const Fields &fields) {
  if (fields.name != "process_name" && fields.name != "thread_name")
    return;
  std::string name = textMember(fields.arguments, "name");
  if (name.empty())
    return;
  names_.limit.cut(name);
  if (fields.name == "process_name") {
    model::Process &process = names_.processes[processOf(fields.pid)];
    if (!isOwn_ || name != process.name)
      process.executable = name;
    return;
  }
  model::Thread &thread = names_.threads[threadOf(fields.pid, fields.tid)];
  if (isOwn_) {
    // Names are "worker (tid 4712)" if two threads share a number, and "thread 3" for a thread without a name.
    if (const size_t at = name.rfind(" (tid "); thread.tid >= 0x40000000 && at != name.npos && name.back() == ')')
      if (const auto tid = numberOf(std::string_view(name).substr(at + 6, name.size() - at - 7))) {
        thread.tid = *tid;
        name.resize(at);
      }
    if (name == "thread " + std::to_string(thread.number))
      name.clear();
  }
  thread.name = name;
}

// Off-CPU times are not calls, and the model has them from sessions only. True if the event was one of them.
bool Reader::takeOffCpu(const Fields &fields) {
  if (!isOwn_)
    return false;
  if (fields.phase == 'M')
    return numberOf(fields.tid).value_or(0) >= kOffCpuTids;
  if (fields.phase != 'X' || fields.category != kOffCpuCategory)
    return false;
  ++usable;
  lost_.add("off-CPU times: only sessions are read with them");
  return true;
}

void Reader::add(const Fields &fields) {
  switch (fields.phase) {
  case 'M':
    return addName(fields);
  case 'b':
  case 'e':
  case 'n':
  case 'S':
  case 'T':
  case 'p':
  case 'F':
    return lost_.add("events of asynchronous work (ph b, e, n, S, T, p, F): it belongs to no thread");
  case 's':
  case 't':
  case 'f':
    return lost_.add("flow events (ph s, t, f)");
  case 'B':
  case 'E':
  case 'X':
  case 'i':
  case 'I':
  case 'R':
  case 'C':
    break;
  default:
    return lost_.add(std::string("events of another kind (ph ") + fields.phase + ")");
  }
  const auto time = nanosecondsOf(fields.ts);
  if (!time)
    return lost_.add("events without a usable time");
  LooseEvent event;
  if (__builtin_add_overflow(*time, startNs_, &event.timeNs))
    return lost_.add("events without a usable time");
  event.endNs = event.timeNs;
  event.thread = threadOf(fields.pid, fields.tid);
  const uint32_t process = names_.threads[event.thread].process;
  std::string_view arguments = argumentText(fields.arguments);
  std::string mark;
  switch (fields.phase) {
  case 'B':
    event.type = SliceWalk::kBegin;
    break;
  case 'X': {
    event.type = SliceWalk::kComplete;
    const auto duration = nanosecondsOf(fields.duration);
    if (!duration || __builtin_add_overflow(event.timeNs, *duration, &event.endNs))
      return lost_.add("events without a usable duration (ph X)");
    event.tie = ~*duration;
    break;
  }
  case 'E':
    event.type = SliceWalk::kEnd;
    event.function = fields.hasName ? names_.function(process, fields.name) : SliceWalk::kNoName;
    if (isOwn_ && !arguments.empty())
      if (const std::string end = textMember(arguments, "end"); !end.empty()) {
        event.type = end == "exception"  ? SliceWalk::kEndByException
                     : end == "inferred" ? SliceWalk::kEndInferred
                     : end == "missing"  ? SliceWalk::kEndMissing
                                         : SliceWalk::kEnd;
        arguments = {};
      }
    break;
  default:
    event.type = SliceWalk::kInstant;
    mark = fields.name;
    mark += '\0';
    mark += arguments;
    arguments = mark;
  }
  if (event.type == SliceWalk::kBegin || event.type == SliceWalk::kComplete)
    event.function = names_.function(process, fields.name);
  if (isOwn_ && event.type == SliceWalk::kBegin)
    takeSource(arguments, names_.functions[event.function]);
  ++usable;
  if (status)
    status = events_.add(event, arguments);
}

bool Reader::onEvent(std::string_view json, uint64_t offset) {
  Fields fields;
  if (!parse(json, fields))
    noteDamage(offset);
  else if (!takeOffCpu(fields))
    add(fields);
  return bool(status);
}

void Reader::onMember(std::string_view name, std::string_view json) {
  if (name == "otherData") {
    isOwn_ = textMember(json, "writer") == "AdaTrace";
    if (isOwn_)
      startNs_ = numberOf(textMember(json, "clock_start_ns")).value_or(0);
  } else if (name == "samples" || name == "stackFrames" || name == "systemTraceEvents") {
    lost_.add("lists other than the events (samples, stackFrames, systemTraceEvents)");
  }
}

} // namespace

Expected<void> ChromeSource::read(model::TraceSink &sink) {
  ADA_TRY(restart());
  EventSorter events;
  MetNames names(lost_);
  Reader reader(events, names, lost_);
  EventSplitter splitter(reader);
  ADA_TRY(split(splitter, reader));
  const bool isOther = !splitter.foundEvents() || (reader.usable == 0 && reader.damaged > 0);
  if (isOther && errors_.empty())
    return Error{.code = "E_BAD_MAGIC",
                 .message = "JSON, but not a trace of Chrome's: it has no list of events (`traceEvents`)",
                 .file = place_.name()};
  if (reader.damaged)
    problem("E_BAD_EVENT",
            std::to_string(reader.damaged) +
                (reader.damaged == 1 ? " event is not a JSON object" : " events are not JSON objects") +
                " with a `ph`, or longer than 16 MiB; the others were read",
            reader.damagedAt);
  if (names.processes.empty() && !errors_.empty()) // nothing could be read
    return errors_.front();

  TraceBuilder out(sink, lost_);
  out.begin(true, events.count() ? std::optional(std::pair(events.firstNs(), events.lastNs())) : std::nullopt);
  names.announce(out);
  SliceWalk walk(out, lost_, [](uint32_t, uint32_t function) { return function; });
  const auto drained = events.drain([&](const LooseEvent &event, std::string_view text) {
    walk.take(event, text);
    return bool(out.status());
  });
  if (!drained)
    return drained;
  walk.leave();
  return out.finish();
}

} // namespace ada::formats
