// Writes the model as Chrome's Trace Event JSON: B and E events, which keep their order if times are equal.
//
// A function's source location is among the arguments of each call, because viewers have no other place for it.
//
// Times are microseconds with three decimals since the trace began, so doubles hold them exactly for a hundred days. E
// events repeat the name, because some importers compare it. A call that is still open has no E.
//
// Off-CPU times are X events on a track of their own. They begin and end between the events of calls, and would not
// nest with them.
#include "formats/export_sink.h"
#include "formats/ordered_text.h"
#include "operations.h"
#include "trace/base/digits.h"
#include "trace/base/json.h"
#include "trace/base/stable_list.h"

#include <algorithm>

namespace ada::formats {

namespace {

void appendMicroseconds(std::string &text, uint64_t ns) {
  appendDecimal(text, ns / 1000);
  if (const auto rest = static_cast<uint32_t>(ns % 1000)) {
    char digits[4] = {'.'};
    putThreeDigits(digits + 1, rest);
    text.append(digits, 4);
  }
}

// Events that are still to be written, with copies of their texts.
class ChromePiece {
public:
  struct Event {
    char phase; // 'B', 'E', or 0: the text is written as it is
    SpanEnd how;
    uint32_t thread, function;
    uint64_t timeNs;
    size_t texts, second, end; // where its first and second text begin, and where the second ends
  };
  const std::vector<Event> &events() const { return events_; }
  // B has arguments. E has a result, and values that came too late for the arguments.
  std::string_view first(const Event &event) const { return text(event.texts, event.second); }
  std::string_view second(const Event &event) const { return text(event.second, event.end); }

  void add(char phase, SpanEnd how, uint32_t thread, uint32_t function, uint64_t timeNs, std::string_view first,
           std::string_view second = {}) {
    const size_t texts = texts_.size(), middle = texts + first.size();
    events_.push_back({phase, how, thread, function, timeNs, texts, middle, middle + second.size()});
    texts_.append(first).append(second);
  }
  // Text to append to. Call written() afterwards.
  std::string &text() { return texts_; }
  void written() {
    const size_t from = events_.empty() ? 0 : events_.back().end;
    events_.push_back({0, SpanEnd::Open, 0, 0, 0, from, texts_.size(), texts_.size()});
  }

private:
  std::string_view text(size_t from, size_t to) const { return std::string_view(texts_).substr(from, to - from); }
  std::vector<Event> events_;
  std::string texts_;
};

// Turns pieces into text. Any thread may do this, several at a time.
struct ChromeText {
  uint64_t startNs = 0;
  StableList<std::string> places;  // by thread
  StableList<std::string> names;   // by function
  StableList<std::string> sources; // by function: its source location, or empty

  std::string &open(std::string &to, char phase, std::string_view place, uint64_t timeNs) const {
    to.append("{\"ph\":\"") += phase;
    to.append("\",").append(place);
    appendMicroseconds(to, timeNs > startNs ? timeNs - startNs : 0);
    return to;
  }
  void write(const ChromePiece &piece, std::string &to) const {
    for (const ChromePiece::Event &event : piece.events()) {
      if (event.phase == 0) {
        to.append(piece.first(event));
        continue;
      }
      to.append(",\n"); // processes and threads were announced before
      open(to, event.phase, places[event.thread], event.timeNs).append(names[event.function]);
      if (event.phase == 'B')
        writeArguments(to, piece.first(event), sources[event.function]);
      else
        writeEnd(to, event.how, piece.first(event), piece.second(event));
      to += '}';
    }
  }
  static void writeArguments(std::string &to, std::string_view arguments, const std::string &source) {
    if (arguments.empty() && source.empty())
      return;
    JsonText args(to.append(",\"args\":"));
    args.beginObject();
    if (!arguments.empty())
      args.text("arguments", arguments);
    if (!source.empty())
      args.raw(source);
    args.endObject();
  }
  static void writeEnd(std::string &to, SpanEnd how, std::string_view result, std::string_view values) {
    if (how == SpanEnd::Return && result.empty() && values.empty())
      return;
    JsonText args(to.append(",\"args\":"));
    args.beginObject();
    if (how != SpanEnd::Return)
      args.text("end", spanEndName(how));
    if (!result.empty())
      args.text("result", result);
    if (!values.empty())
      args.text("values", values);
    args.endObject();
  }
};

class ChromeSink : public ExportSink {
public:
  explicit ChromeSink(model::ByteSink bytes) : ExportSink(Wants::Values), out_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  static constexpr size_t kEventsOfAPiece = 4000;

  void beginTrace(const model::TraceInfo &info) override {
    format_.startNs = info.range ? info.range->first : 0;
    out_.put("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":\"AdaTrace\",\"clock_start_ns\":\"" +
             std::to_string(format_.startNs) + "\"},\"traceEvents\":[\n");
  }
  void newProcess(const model::Process &process) override {
    ids_.add(process);
    const std::string pid = "\"pid\":" + std::to_string(ids_.pid(process.index));
    putMeta(pid, "process_name", "name", jsonString(nameOf(process)));
    putMeta(pid, "process_sort_index", "sort_index", std::to_string(process.index));
  }
  void newThread(const model::Thread &thread) override {
    ids_.add(thread);
    const std::string place =
        "\"pid\":" + std::to_string(ids_.pid(thread.process)) + ",\"tid\":" + std::to_string(ids_.tid(thread.index));
    format_.places.push_back(place + ",\"ts\":");
    putMeta(place, "thread_name", "name", jsonString(ids_.isReal(thread.index) ? nameOf(thread) : labelOf(thread)));
    putMeta(place, "thread_sort_index", "sort_index", std::to_string(thread.index));
  }
  void offCpuTimes(const model::Thread &thread) override {
    const std::string place = "\"pid\":" + std::to_string(ids_.pid(thread.process)) +
                              ",\"tid\":" + std::to_string(kOffCpuTids + thread.index);
    putMeta(place, "thread_name", "name", jsonString(nameOf(thread) + ": off-CPU"));
    putMeta(place, "thread_sort_index", "sort_index", std::to_string(thread.index));
    thread.eachOffCpu([&](const OffCpu &off) {
      const uint64_t fromNs = std::max(off.fromNs, format_.startNs);
      if (off.toNs <= fromNs) {
        lose("off-CPU times before the first event: the format's times begin there");
        return;
      }
      std::string &json = open('X', place + ",\"ts\":", fromNs).append(",\"dur\":");
      appendMicroseconds(json, off.toNs - fromNs);
      json.append(",\"cat\":\"").append(kOffCpuCategory).append("\",\"name\":\"").append(offCpuName(off.why));
      json.append("\",\"args\":{\"processor\":").append(std::to_string(off.processor)).append("}");
      close();
    });
  }
  void newFunction(const model::Function &function) override {
    format_.names.push_back(",\"name\":" + jsonString(function.displayName));
    JsonMembers source;
    if (!function.file.empty())
      source.text("file", function.file);
    if (!function.file.empty() && function.line)
      source.number("line", function.line);
    format_.sources.push_back(source.list());
  }

  void beginCall(const Call &call) override {
    piece_->add('B', SpanEnd::Open, call.thread, call.function, call.timeNs, call.arguments);
    settle();
  }
  void endCall(const End &end) override {
    if (end.isOpen())
      return;
    piece_->add('E', end.span.how, end.thread, end.span.functionIndex, end.span.endNs, end.result, end.values);
    settle();
  }
  bool point(const Point &point) override {
    if (point.kind != SymbolKind::Instant && (!point.value || !point.value->isFinite()))
      return false;
    std::string &json = open(phaseOf(point.kind), format_.places[point.thread], point.timeNs) +=
        format_.names[point.function];
    if (isFlow(point.kind)) // binds to the call around it
      json.append(",\"cat\":\"flow\",\"bp\":\"e\",\"id\":\"").append(point.value->text()).append("\"");
    else if (point.kind == SymbolKind::Instant)
      json.append(",\"s\":\"t\"");
    JsonText args(piece_->text().append(",\"args\":"));
    args.beginObject();
    if (point.kind == SymbolKind::Counter)
      args.json("value", point.value->text());
    else if (!point.arguments.empty())
      args.text("arguments", point.arguments);
    if (const std::string &source = format_.sources[point.function];
        !source.empty() && point.kind != SymbolKind::Counter)
      args.raw(source);
    args.endObject();
    close();
    return true;
  }
  static char phaseOf(SymbolKind kind) {
    switch (kind) {
    case SymbolKind::Counter:
      return 'C';
    case SymbolKind::FlowBegin:
      return 's';
    case SymbolKind::FlowStep:
      return 't';
    case SymbolKind::FlowEnd:
      return 'f';
    default:
      return 'i';
    }
  }
  void mark(uint32_t thread, uint64_t timeNs, const model::Text &text) override {
    std::string &json = open('i', format_.places[thread], timeNs).append(",\"s\":\"t\",\"name\":");
    appendJsonString(json, text.name);
    if (!text.json.empty())
      json.append(",\"args\":").append(text.json);
    close();
  }
  void endTrace() override {
    handOver();
    texts_.finish();
    out_.put("\n]}\n");
    out_.flush();
  }
  const Expected<void> &status() const override { return out_.status(); }

  void putMeta(const std::string &place, std::string_view what, std::string_view key, std::string_view json) {
    std::string &text = separated();
    text.append("{\"ph\":\"M\",").append(place).append(",\"name\":\"").append(what);
    text.append("\",\"args\":{\"").append(key).append("\":").append(json).append("}");
    close();
  }
  std::string &open(char phase, std::string_view place, uint64_t timeNs) {
    return format_.open(separated(), phase, place, timeNs);
  }
  std::string &separated() {
    std::string &text = piece_->text().append(isFirst_ ? "" : ",\n");
    isFirst_ = false;
    return text;
  }
  void close() {
    piece_->text() += '}';
    piece_->written();
    settle();
  }
  void settle() {
    if (piece_->events().size() >= kEventsOfAPiece)
      handOver();
  }
  void handOver() {
    texts_.add([this, piece = std::move(piece_)](std::string &to) { format_.write(*piece, to); });
    piece_ = std::make_shared<ChromePiece>();
  }

  SystemIds ids_;
  bool isFirst_ = true;
  ChromeText format_;
  std::shared_ptr<ChromePiece> piece_ = std::make_shared<ChromePiece>();
  ByteOutput out_;
  OrderedText texts_{out_}; // must be the last member: its threads use the others
};

} // namespace

std::unique_ptr<model::TraceSink> makeChromeSink(model::ByteSink bytes) {
  return std::make_unique<ChromeSink>(std::move(bytes));
}

} // namespace ada::formats
