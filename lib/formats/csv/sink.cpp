// Writes the model as CSV (RFC 4180, UTF-8): one line per call, when it has ended.
#include "formats/row_sink.h"
#include "formats/table.h"

namespace ada::model {

namespace {

class CsvSink : public RowSink {
public:
  explicit CsvSink(ByteSink bytes) : out_(std::move(bytes)) {}

private:
  void beginTrace(const TraceInfo &) override {
    out_.put(
        "id,parent,process,pid,thread,tid,thread_name,depth,function,source,begin_ns,end_ns,duration_ns,self_ns,end,"
        "arguments,result,values,kind\r\n");
  }
  void newThread(const Thread &thread) override {
    const Process &process = processOf(thread);
    places_.push_back(field(process.name) + "," + (process.pid ? std::to_string(*process.pid) : "") + "," +
                      std::to_string(thread.number) + "," + std::to_string(thread.tid) + "," + field(thread.name) +
                      ",");
  }
  void newFunction(const Function &function) override {
    std::string source = function.file;
    if (!source.empty() && function.line)
      source += ":" + std::to_string(function.line);
    functions_.push_back("," + field(function.displayName) + "," + field(source) + ",");
  }
  void writeRow(const Row &row) override {
    const Span &span = row.span;
    std::string &text = out_.text();
    text.append(std::to_string(row.id)) += ',';
    if (row.parent)
      text.append(std::to_string(row.parent));
    text.append(",").append(places_[row.thread]).append(std::to_string(span.depth));
    text.append(functions_[span.functionIndex]);
    for (const std::uint64_t number : {span.beginNs, span.endNs, span.durationNs(), span.selfNs()})
      text.append(std::to_string(number)) += ',';
    text.append(spanEndName(span.how));
    for (const std::string_view value : {row.arguments, row.result, row.values})
      text.append(",").append(value.empty() ? std::string() : field(value));
    text.append(",").append(kindName(function(span.functionIndex).kind)).append("\r\n");
    out_.settle();
  }
  void mark(std::uint32_t, std::uint64_t, const Text &) override { lose("marks: the file has one line per call"); }
  void endTrace() override { out_.flush(); }
  const Expected<void> &status() const override { return out_.status(); }

  // Quoted if it has to be.
  static std::string field(std::string_view value) {
    std::string text = textOf(value);
    if (text.find_first_of(",\"\r\n") == text.npos)
      return text;
    std::string quoted = "\"";
    for (const char c : text)
      quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
  }

  ByteOutput out_;
  std::vector<std::string> places_;    // by thread
  std::vector<std::string> functions_; // by number
};

constexpr FormatVariant kVariants[] = {{.name = "csv", .title = "CSV", .extension = ".csv"}};

} // namespace

extern const TraceFormat kCsvFormat;
const TraceFormat kCsvFormat = {
    .title = "CSV",
    .variants = kVariants,
    .makeSink = makeStreamSink<CsvSink>,
};

} // namespace ada::model
