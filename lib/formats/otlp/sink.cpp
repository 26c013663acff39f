// Writes the model as OTLP JSON: lines of TracesData, as OpenTelemetry's file exporter has them.
//
// A call is a span, and an outermost call with all inside it is a trace. A process is a resource. The trace's clock
// counts from the machine's start, and so do the spans' times, which the format takes for times of day.
#include "base/json.h"
#include "formats/row_sink.h"
#include "formats/table.h"

namespace ada::model {

namespace {

class OtlpSink : public RowSink {
public:
  explicit OtlpSink(ByteSink bytes) : out_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  static constexpr unsigned kSpansPerLine = 500;

  void beginTrace(const TraceInfo &info) override {
    // Traces of several files that are put into one store must differ: by when they began.
    startNs_ = info.range ? info.range->first : 0;
  }
  void newProcess(const Process &process) override {
    JsonMembers attributes;
    attribute(attributes, "service.name", nameOf(process));
    attribute(attributes, "adatrace.process", process.name);
    if (process.pid)
      attribute(attributes, "process.pid", *process.pid);
    if (!process.executable.empty())
      attribute(attributes, "process.executable.path", process.executable);
    resources_.push_back("{\"resourceSpans\":[{\"resource\":{\"attributes\":[" + attributes.list() +
                         "]},\"scopeSpans\":[{\"scope\":{\"name\":\"AdaTrace\"},\"spans\":[");
  }
  void newThread(const Thread &thread) override {
    JsonMembers attributes;
    attribute(attributes, "thread.id", thread.tid);
    attribute(attributes, "thread.name", nameOf(thread));
    attribute(attributes, "adatrace.thread", std::uint64_t{thread.number});
    threads_.push_back(attributes.list());
  }
  void newFunction(const Function &function) override {
    JsonMembers span;
    span.text("name", function.displayName).number("kind", 1); // internal
    names_.push_back(span.list());
    JsonMembers attributes;
    attribute(attributes, "code.function.name", function.displayName);
    if (!function.file.empty())
      attribute(attributes, "code.file.path", function.file);
    if (function.line)
      attribute(attributes, "code.line.number", function.line);
    attributes_.push_back(attributes.list());
  }
  void writeRow(const Row &row) override {
    const std::uint32_t process = thread(row.thread).process;
    if (spans_ == kSpansPerLine || (spans_ > 0 && process != process_))
      endLine();
    process_ = process;
    out_.put(spans_++ == 0 ? resources_[process] : ",");
    const Span &span = row.span;
    JsonText json(out_.text());
    json.beginObject().text("traceId", hex(startNs_ ^ process) + hex(row.root)).text("spanId", hex(row.id));
    if (row.parent)
      json.text("parentSpanId", hex(row.parent));
    json.raw(names_[span.functionIndex]);
    json.text("startTimeUnixNano", std::to_string(span.beginNs)).text("endTimeUnixNano", std::to_string(span.endNs));
    json.beginArray("attributes").raw(threads_[row.thread]).raw(attributes_[span.functionIndex]);
    for (const auto &[name, value] :
         {std::pair("adatrace.arguments", row.arguments), std::pair("adatrace.result", row.result),
          std::pair("adatrace.values", row.values),
          std::pair("adatrace.end", span.how == SpanEnd::Return ? std::string_view() : spanEndName(span.how))})
      if (!value.empty())
        attribute(json, name, value);
    json.endArray();
    if (span.how == SpanEnd::Exception)
      json.beginObject("status").number("code", 2).text("message", "left by an exception").endObject();
    json.endObject();
    out_.settle();
  }
  void mark(std::uint32_t, std::uint64_t, const Text &) override {
    lose("marks: spans are written when they have ended, and have none");
  }
  void endTrace() override {
    endLine();
    out_.flush();
  }
  const Expected<void> &status() const override { return out_.status(); }

  void endLine() {
    if (spans_ > 0)
      out_.put("]}]}]}\n");
    spans_ = 0;
  }
  template <class Json> static void attribute(Json &json, std::string_view key, std::string_view value) {
    json.beginObject().text("key", key).beginObject("value").text("stringValue", value).endObject().endObject();
  }
  // Integers of 64 bits are texts in protobuf's JSON.
  template <class Json> static void attribute(Json &json, std::string_view key, std::uint64_t value) {
    json.beginObject().text("key", key).beginObject("value");
    json.text("intValue", std::to_string(value)).endObject().endObject();
  }
  static std::string hex(std::uint64_t value) {
    std::string digits(16, '0');
    for (std::size_t i = digits.size(); i-- > 0; value >>= 4)
      digits[i] = "0123456789abcdef"[value & 15];
    return digits;
  }

  ByteOutput out_;
  std::uint64_t startNs_ = 0;
  std::uint32_t process_ = 0;                                         // of the line that is being written
  unsigned spans_ = 0;                                                // in it
  std::vector<std::string> resources_, threads_, names_, attributes_; // by process, by thread, by function
};

constexpr FormatVariant kVariants[] = {{.name = "otlp", .title = "OTLP JSON", .extension = ".otlp.jsonl"}};

} // namespace

extern const TraceFormat kOtlpFormat;
const TraceFormat kOtlpFormat = {
    .title = "OTLP JSON",
    .variants = kVariants,
    .makeSink = makeStreamSink<OtlpSink>,
};

} // namespace ada::model
