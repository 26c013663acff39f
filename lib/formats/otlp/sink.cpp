// Writes the model as OTLP JSON: lines of TracesData, as OpenTelemetry's file exporter writes them.
//
// A call is a span, and an outermost call with everything inside it is a trace. A process is a resource. The trace's
// clock counts from the machine's start. So do the spans' times, although the format takes them for times of day.
#include "formats/table.h"
#include "formats/text_row_sink.h"
#include "trace/base/json.h"

namespace ada::formats {

namespace {

template <class Json> void attribute(Json &json, std::string_view key, std::string_view value) {
  json.beginObject().text("key", key).beginObject("value").text("stringValue", value).endObject().endObject();
}
// Integers of 64 bits are strings in protobuf's JSON.
template <class Json> void attribute(Json &json, std::string_view key, uint64_t value) {
  json.beginObject().text("key", key).beginObject("value");
  json.text("intValue", std::to_string(value)).endObject().endObject();
}

struct OtlpLines {
  static constexpr unsigned kSpansPerLine = 500;
  struct OfThread {
    uint32_t process;
    std::string attributes;
  };
  struct OfFunction {
    std::string name, attributes;
  };
  // When the trace began. It makes traces from several files differ when they are put into one store.
  uint64_t startNs = 0;
  StableList<std::string> resources; // by process
  StableList<OfThread> threads;
  StableList<OfFunction> functions;

  void operator()(const TextRows &rows, std::string &to) const {
    uint32_t process = 0; // of the line that is being written
    unsigned spans = 0;   // in it
    for (size_t i = 0; i < rows.size(); ++i) {
      const TextRows::Row row = rows[i];
      const OfThread &thread = threads[row.thread];
      if (spans > 0 && (spans == kSpansPerLine || thread.process != process))
        to.append("]}]}]}\n"), spans = 0;
      process = thread.process;
      to.append(spans++ == 0 ? std::string_view(resources[process]) : ",");
      append(to, row, thread);
    }
    if (spans > 0)
      to.append("]}]}]}\n");
  }
  void append(std::string &to, const TextRows::Row &row, const OfThread &thread) const {
    const Span &span = row.span;
    const OfFunction &function = functions[span.functionIndex];
    JsonText json(to);
    json.beginObject().text("traceId", hex(startNs ^ thread.process) + hex(row.root)).text("spanId", hex(row.id));
    if (row.parent)
      json.text("parentSpanId", hex(row.parent));
    json.raw(function.name);
    json.text("startTimeUnixNano", std::to_string(span.beginNs)).text("endTimeUnixNano", std::to_string(span.endNs));
    json.beginArray("attributes").raw(thread.attributes).raw(function.attributes);
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
  }
  static std::string hex(uint64_t value) {
    std::string digits(16, '0');
    for (size_t i = digits.size(); i-- > 0; value >>= 4)
      digits[i] = "0123456789abcdef"[value & 15];
    return digits;
  }
};

class OtlpSink : public TextRowSink<OtlpLines> {
public:
  explicit OtlpSink(model::ByteSink bytes) : TextRowSink(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  void beginTrace(const model::TraceInfo &info) override { format().startNs = info.range ? info.range->first : 0; }
  void newProcess(const model::Process &process) override {
    JsonMembers attributes;
    attribute(attributes, "service.name", nameOf(process));
    attribute(attributes, "adatrace.process", process.label);
    if (process.pid)
      attribute(attributes, "process.pid", *process.pid);
    if (!process.executable.empty())
      attribute(attributes, "process.executable.path", process.executable);
    format().resources.push_back("{\"resourceSpans\":[{\"resource\":{\"attributes\":[" + attributes.list() +
                                 "]},\"scopeSpans\":[{\"scope\":{\"name\":\"AdaTrace\"},\"spans\":[");
  }
  void newThread(const model::Thread &thread) override {
    JsonMembers attributes;
    attribute(attributes, "thread.id", thread.tid);
    attribute(attributes, "thread.name", nameOf(thread));
    attribute(attributes, "adatrace.thread", uint64_t{thread.number});
    format().threads.push_back({thread.process, attributes.list()});
  }
  void newFunction(const model::Function &function) override {
    JsonMembers span;
    span.text("name", function.displayName).number("kind", 1); // internal
    JsonMembers attributes;
    attribute(attributes, "code.function.name", function.displayName);
    if (!function.file.empty())
      attribute(attributes, "code.file.path", function.file);
    if (function.line)
      attribute(attributes, "code.line.number", function.line);
    format().functions.push_back({span.list(), attributes.list()});
  }
  void mark(uint32_t, uint64_t, const model::Text &) override {
    lose("marks: spans are written when they have ended, and have none");
  }
};

constexpr FormatVariant kOtlpVariants[] = {{.name = "otlp", .title = "OTLP JSON", .extension = ".otlp.jsonl"}};

} // namespace

extern const TraceFormat kOtlpFormat;
const TraceFormat kOtlpFormat = {
    .title = "OTLP JSON",
    .variants = kOtlpVariants,
    .makeSink = makeStreamSink<OtlpSink>,
};

} // namespace ada::formats
