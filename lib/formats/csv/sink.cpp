// Writes the model as CSV (RFC 4180, UTF-8): one line per call, written when the call has ended.
#include "formats/table.h"
#include "formats/text_row_sink.h"
#include "trace/base/digits.h"
#include "trace/base/text.h"

namespace ada::formats {

namespace {

// The value as part of one line, quoted if necessary.
std::string field(std::string_view value) {
  std::string text = oneLine(value);
  if (text.find_first_of(",\"\r\n") == text.npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

struct CsvLines {
  struct Named {
    std::string fields;
    std::string_view kind;
  };
  StableList<std::string> places; // by thread
  StableList<Named> functions;    // by number

  void operator()(const TextRows &rows, std::string &to) const {
    for (size_t i = 0; i < rows.size(); ++i)
      append(to, rows[i]);
  }
  void append(std::string &to, const TextRows::Row &row) const {
    const Span &span = row.span;
    appendDecimal(to, row.id);
    to += ',';
    if (row.parent)
      appendDecimal(to, row.parent);
    to.append(",").append(places[row.thread]);
    appendDecimal(to, span.depth);
    to.append(functions[span.functionIndex].fields);
    for (const uint64_t number : {span.beginNs, span.endNs, span.durationNs(), span.selfNs()}) {
      appendDecimal(to, number);
      to += ',';
    }
    to.append(spanEndName(span.how));
    for (const std::string_view value : {row.arguments, row.result, row.values}) {
      to += ',';
      if (!value.empty())
        to.append(field(value));
    }
    to.append(",").append(functions[span.functionIndex].kind).append(",");
    appendDecimal(to, span.recorderNs);
    to += "\r\n";
  }
};

class CsvSink : public TextRowSink<CsvLines> {
public:
  explicit CsvSink(model::ByteSink bytes) : TextRowSink(std::move(bytes)) {}

private:
  void beginTrace(const model::TraceInfo &) override {
    put("id,parent,process,pid,thread,tid,thread_name,depth,function,source,begin_ns,end_ns,duration_ns,self_ns,end,"
        "arguments,result,values,kind,recorder_ns\r\n");
  }
  void newThread(const model::Thread &thread) override {
    const model::Process &process = processOf(thread);
    format().places.push_back(field(process.label) + "," + (process.pid ? std::to_string(*process.pid) : "") + "," +
                              std::to_string(thread.number) + "," + std::to_string(thread.tid) + "," +
                              field(thread.label) + ",");
  }
  void newFunction(const model::Function &function) override {
    std::string source = function.file;
    if (!source.empty() && function.line)
      source += ":" + std::to_string(function.line);
    format().functions.push_back(
        {"," + field(function.displayName) + "," + field(source) + ",", kindName(function.kind)});
  }
  void mark(uint32_t, uint64_t, const model::Text &) override { lose("marks: the file has one line per call"); }
};

constexpr FormatVariant kCsvVariants[] = {{.name = "csv", .title = "CSV", .extension = ".csv"}};

} // namespace

extern const TraceFormat kCsvFormat;
const TraceFormat kCsvFormat = {
    .title = "CSV",
    .variants = kCsvVariants,
    .makeSink = makeStreamSink<CsvSink>,
};

} // namespace ada::formats
