// Writes the model as Chrome's Trace Event JSON: B and E events, which keep their order where times are equal.
//
// Where a function's source is, is among the arguments of each call: what shows them has no other place for it.
//
// Times are microseconds with three decimals since the trace began, so doubles hold them exactly for a hundred days. E
// events repeat the name: some importers compare it. A call that is still open has no E.
//
// When a thread had no processor is X events on a track of their own: they begin and end between those of calls, and
// would not nest.
#include "base/json.h"
#include "formats/export_sink.h"
#include "operations.h"

#include <algorithm>

namespace ada::model {

namespace {

class ChromeSink : public ExportSink {
public:
  explicit ChromeSink(ByteSink bytes) : ExportSink(/*values=*/true), out_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  void beginTrace(const TraceInfo &info) override {
    startNs_ = info.range ? info.range->first : 0;
    out_.put("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"writer\":\"AdaTrace\",\"clock_start_ns\":\"" +
             std::to_string(startNs_) + "\"},\"traceEvents\":[\n");
  }
  void newProcess(const Process &process) override {
    ids_.add(process);
    const std::string pid = "\"pid\":" + std::to_string(ids_.pid(process.index));
    putMeta(pid, "process_name", "name", jsonString(nameOf(process)));
    putMeta(pid, "process_sort_index", "sort_index", std::to_string(process.index));
  }
  void newThread(const Thread &thread) override {
    ids_.add(thread);
    const std::string place =
        "\"pid\":" + std::to_string(ids_.pid(thread.process)) + ",\"tid\":" + std::to_string(ids_.tid(thread.index));
    places_.push_back(place + ",\"ts\":");
    putMeta(place, "thread_name", "name", jsonString(ids_.isReal(thread.index) ? nameOf(thread) : labelOf(thread)));
    putMeta(place, "thread_sort_index", "sort_index", std::to_string(thread.index));
  }
  void offCpuTimes(const Thread &thread, const OffCpuLane &lane) override {
    const std::string place = "\"pid\":" + std::to_string(ids_.pid(thread.process)) +
                              ",\"tid\":" + std::to_string(kOffCpuTids + thread.index);
    putMeta(place, "thread_name", "name", jsonString(nameOf(thread) + ": without a processor"));
    putMeta(place, "thread_sort_index", "sort_index", std::to_string(thread.index));
    for (const OffCpu &off : lane.periods()) {
      const std::uint64_t fromNs = std::max(off.fromNs, startNs_);
      if (off.toNs <= fromNs) {
        lose("times without a processor before the first event: the format's times begin there");
        continue;
      }
      std::string &json = open('X', place + ",\"ts\":", fromNs).append(",\"dur\":");
      appendMicroseconds(json, off.toNs - fromNs);
      json.append(",\"cat\":\"").append(kOffCpuCategory).append("\",\"name\":\"").append(nameOf(off.why));
      json.append("\",\"args\":{\"processor\":").append(std::to_string(off.processor)).append("}");
      close();
    }
  }
  void newFunction(const Function &function) override {
    names_.push_back(",\"name\":" + jsonString(function.displayName));
    JsonMembers source;
    if (!function.file.empty())
      source.text("file", function.file);
    if (!function.file.empty() && function.line)
      source.number("line", function.line);
    sources_.push_back(source.list());
  }

  void beginCall(const Call &call) override {
    open('B', places_[call.thread], call.timeNs) += names_[call.function];
    const std::string &source = sources_[call.function];
    if (!call.arguments.empty() || !source.empty()) {
      JsonText args(out_.text().append(",\"args\":"));
      args.beginObject();
      if (!call.arguments.empty())
        args.text("arguments", call.arguments);
      if (!source.empty())
        args.raw(source);
      args.endObject();
    }
    close();
  }
  void endCall(const End &end) override {
    if (end.isOpen())
      return;
    open('E', places_[end.thread], end.span.endNs) += names_[end.span.functionIndex];
    const bool isReturn = end.span.how == SpanEnd::Return;
    if (!isReturn || !end.result.empty() || !end.values.empty()) {
      JsonText args(out_.text().append(",\"args\":"));
      args.beginObject();
      if (!isReturn)
        args.text("end", spanEndName(end.span.how));
      if (!end.result.empty())
        args.text("result", end.result);
      if (!end.values.empty())
        args.text("values", end.values);
      args.endObject();
    }
    close();
  }
  bool point(const Point &point) override {
    if (point.kind != SymbolKind::Instant && (!point.value || !point.value->isFinite()))
      return false;
    std::string &json = open(phaseOf(point.kind), places_[point.thread], point.timeNs) += names_[point.function];
    if (isFlow(point.kind)) // binds to the call around it
      json.append(",\"cat\":\"flow\",\"bp\":\"e\",\"id\":\"").append(point.value->text()).append("\"");
    else if (point.kind == SymbolKind::Instant)
      json.append(",\"s\":\"t\"");
    JsonText args(out_.text().append(",\"args\":"));
    args.beginObject();
    if (point.kind == SymbolKind::Counter)
      args.json("value", point.value->text());
    else if (!point.arguments.empty())
      args.text("arguments", point.arguments);
    if (const std::string &source = sources_[point.function]; !source.empty() && point.kind != SymbolKind::Counter)
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
  void mark(std::uint32_t thread, std::uint64_t timeNs, const Text &text) override {
    std::string &json = open('i', places_[thread], timeNs).append(",\"s\":\"t\",\"name\":");
    appendJsonString(json, text.name);
    if (!text.json.empty())
      json.append(",\"args\":").append(text.json);
    close();
  }
  void endTrace() override {
    out_.put("\n]}\n");
    out_.flush();
  }
  const Expected<void> &status() const override { return out_.status(); }

  void putMeta(const std::string &place, std::string_view what, std::string_view key, std::string_view json) {
    std::string &text = out_.text();
    text.append(isFirst_ ? "" : ",\n").append("{\"ph\":\"M\",").append(place).append(",\"name\":\"").append(what);
    text.append("\",\"args\":{\"").append(key).append("\":").append(json).append("}}");
    isFirst_ = false;
    out_.settle();
  }
  std::string &open(char phase, std::string_view place, std::uint64_t timeNs) {
    std::string &text = out_.text();
    text.append(isFirst_ ? "{\"ph\":\"" : ",\n{\"ph\":\"") += phase;
    text.append("\",").append(place);
    appendMicroseconds(text, timeNs > startNs_ ? timeNs - startNs_ : 0);
    isFirst_ = false;
    return text;
  }
  static void appendMicroseconds(std::string &text, std::uint64_t ns) {
    text.append(std::to_string(ns / 1000));
    if (const auto rest = static_cast<unsigned>(ns % 1000)) {
      const char digits[4] = {'.', char('0' + rest / 100), char('0' + rest / 10 % 10), char('0' + rest % 10)};
      text.append(digits, 4);
    }
  }
  void close() {
    out_.text() += '}';
    out_.settle();
  }

  ByteOutput out_;
  SystemIds ids_;
  std::uint64_t startNs_ = 0;
  bool isFirst_ = true;
  std::vector<std::string> places_;  // by thread
  std::vector<std::string> names_;   // by function
  std::vector<std::string> sources_; // by function: where it is in the source, or empty
};

} // namespace

std::unique_ptr<TraceSink> makeChromeSink(ByteSink bytes) { return std::make_unique<ChromeSink>(std::move(bytes)); }

} // namespace ada::model
