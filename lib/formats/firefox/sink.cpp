// Writes the model as a profile of the Firefox Profiler (processed profile format, version 60).
//
// A sample is the span of time between two events of a thread, with the stack of that time, and its duration as weight.
// So the call tree, the flame graph and the stack chart are exact. The format keeps samples in columns: for the thread
// that is being written, one column goes straight to the output and the others go to temporary files. The tables of
// stacks and functions are shared by all threads and come last. Memory: the paths of the whole trace.
#include "formats/export_sink.h"
#include "formats/table.h"
#include "trace/base/json.h"
#include "trace/base/temporary_file.h"
#include "trace/path_tree.h"

#include <algorithm>
#include <unordered_map>

namespace ada::formats {

namespace {

// A column of numbers on its way to a temporary file.
class Column {
public:
  void put(std::string_view number) {
    if (size_++ > 0)
      text_ += ',';
    text_ += number;
    if (text_.size() >= kFull)
      spill();
  }
  void copyTo(ByteOutput &out) {
    std::string piece;
    for (uint64_t at = 0; status_ && at < file_.size(); at += piece.size()) {
      piece.resize(std::min<uint64_t>(kFull, file_.size() - at));
      check(file_.read(at, std::as_writable_bytes(std::span(piece))));
      out.put(piece);
    }
    out.put(text_);
    out.check(status_);
  }

private:
  static constexpr size_t kFull = 1 << 16;
  void spill() {
    if (const auto done = file_.append(std::as_bytes(std::span(text_))); !done)
      check(done.error());
    text_.clear();
  }
  void check(const Expected<void> &done) {
    if (status_ && !done)
      status_ = done;
  }
  TemporaryFile file_;
  std::string text_;
  uint64_t size_ = 0;
  Expected<void> status_;
};

class FirefoxSink : public ExportSink {
public:
  explicit FirefoxSink(model::ByteSink bytes) : ExportSink(Wants::Calls), out_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  void beginTrace(const model::TraceInfo &info) override {
    startNs_ = info.range ? info.range->first : 0;
    JsonText json(out_.text());
    json.beginObject().beginObject("meta").number("version", 27).number("preprocessedProfileVersion", 60);
    json.text("product", "AdaTrace").number("interval", 1).number("startTime", 0).number("processType", 0);
    json.number("stackwalk", 1).number("debug", 0).boolean("symbolicated", true);
    json.beginArray("markerSchema").endArray();
    json.beginArray("categories").beginObject().text("name", "Other").text("color", "grey");
    json.beginArray("subcategories").text({}, "Other").endArray().endObject().endArray();
    json.endObject().beginArray("libs").endArray();
    out_.put(",\"threads\":[");
  }
  void beginCall(const Call &call) override {
    if (call.thread != thread_)
      startThread(call.thread, call.timeNs);
    advance(call.timeNs);
    stack_.push_back(tree_.child(stack_.empty() ? PathTree::kRoot : stack_.back(), call.function));
  }
  void endCall(const End &end) override {
    advance(end.span.endNs);
    stack_.pop_back();
    if (end.isOpen())
      lose("calls that were still open: they end with the last event of their thread");
  }
  void heldUp(uint32_t, uint64_t fromNs, uint64_t toNs) override {
    advance(fromNs);
    stack_.push_back(tree_.child(stack_.back(), PathTree::kRecorder));
    advance(toNs);
    stack_.pop_back();
  }
  void mark(uint32_t, uint64_t, const model::Text &) override { lose("marks: only calls are written"); }
  void leaveThread(uint32_t) override { endThreadOf(); }

  void startThread(uint32_t number, uint64_t timeNs) {
    thread_ = number;
    const model::Thread &about = thread(number);
    const model::Process &process = processOf(about);
    nowNs_ = std::max(timeNs, startNs_);
    samples_ = 0;
    times_ = {};
    weights_ = {};
    out_.put(isFirstThread_ ? "\n" : ",\n");
    isFirstThread_ = false;
    JsonMembers json;
    json.text("name", nameOf(about)).text("processName", nameOf(process)).text("processType", "default");
    json.boolean("isMainThread", process.pid && about.tid == *process.pid);
    json.text("pid", process.pid ? std::to_string(*process.pid) : process.name).number("tid", about.tid);
    json.number("processStartupTime", 0).null("processShutdownTime").number("registerTime", 0).null("unregisterTime");
    json.json("pausedRanges", "[]");
    json.json("markers", "{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[],"
                         "\"length\":0}");
    out_.put("{" + json.list() + ",\"samples\":{\"weightType\":\"tracing-ms\",\"stack\":[");
  }
  // The time between the previous event and this one is one sample.
  void advance(uint64_t timeNs) {
    if (timeNs < nowNs_)
      lose("times that go back: they stand still");
    if (timeNs <= nowNs_)
      return;
    putSample(nowNs_, timeNs - nowNs_);
    nowNs_ = timeNs;
  }
  void putSample(uint64_t timeNs, uint64_t lengthNs) {
    out_.text().append(samples_++ == 0 ? "" : ",");
    // Time outside all calls has no stack and no weight.
    out_.put(stack_.empty() ? "null" : std::to_string(stack_.back() - 1));
    times_.put(milliseconds(timeNs - startNs_));
    weights_.put(milliseconds(stack_.empty() ? 0 : lengthNs));
  }
  void endThreadOf() {
    if (thread_ == kNone)
      return;
    thread_ = kNone;
    putSample(nowNs_, 0); // where the last sample ends
    out_.put("],\"time\":[");
    times_.copyTo(out_);
    out_.put("],\"weight\":[");
    weights_.copyTo(out_);
    out_.put("],\"length\":" + std::to_string(samples_) + "}}");
  }

  void endTrace() override {
    if (tree_.isCut())
      lose("paths of calls past the millionth: all further ones are one name");
    out_.put("\n],\"shared\":{");
    const size_t functions = table().functions.size() + 2; // the last ones are PathTree::kRest and kRecorder
    putStacks();
    putFrames(functions);
    putFunctions(functions);
    out_.put(",\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\"nativeSymbols\":{"
             "\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[]}}}\n");
    out_.flush();
  }
  void putStacks() {
    const auto size = static_cast<uint32_t>(tree_.size());
    out_.put("\"stackTable\":{\"length\":" + std::to_string(size - 1));
    putColumn("prefix", size - 1, [&](size_t i) {
      const uint32_t parent = tree_[static_cast<uint32_t>(i) + 1].parent;
      return parent == PathTree::kRoot ? "null" : std::to_string(parent - 1);
    });
    putColumn("frame", size - 1, [&](size_t i) {
      const uint32_t function = tree_[static_cast<uint32_t>(i) + 1].function;
      const size_t functions = table().functions.size();
      return std::to_string(PathTree::isFunction(function) ? function : functions + (function == PathTree::kRecorder));
    });
    out_.put("}");
  }
  void putFrames(size_t count) {
    out_.put(",\"frameTable\":{\"length\":" + std::to_string(count));
    const auto same = [&](std::string_view name, const char *value) {
      putColumn(name, count, [&](size_t) { return std::string(value); });
    };
    same("address", "-1");
    same("inlineDepth", "0");
    same("category", "0");
    same("subcategory", "0");
    putColumn("func", count, [](size_t i) { return std::to_string(i); });
    same("nativeSymbol", "null");
    same("innerWindowID", "0");
    putColumn("line", count, [&](size_t i) { return lineOf(i); });
    same("column", "null");
    out_.put("}");
  }
  // Writes the functions, their sources, and the strings of both.
  void putFunctions(size_t count) {
    std::vector<std::string_view> files; // in the order of their numbers
    std::unordered_map<std::string_view, size_t> numbers;
    for (const model::Function &function : table().functions)
      if (!function.file.empty() && numbers.try_emplace(function.file, files.size()).second)
        files.push_back(function.file);
    out_.put(",\"funcTable\":{\"length\":" + std::to_string(count));
    putColumn("name", count, [](size_t i) { return std::to_string(i); });
    putColumn("isJS", count, [](size_t) { return std::string("false"); });
    putColumn("relevantForJS", count, [](size_t) { return std::string("false"); });
    putColumn("resource", count, [](size_t) { return std::string("-1"); });
    putColumn("source", count, [&](size_t i) {
      const bool isKnown = i + 2 < count && !table().functions[i].file.empty();
      return isKnown ? std::to_string(numbers.at(table().functions[i].file)) : "null";
    });
    putColumn("lineNumber", count, [&](size_t i) { return lineOf(i); });
    putColumn("columnNumber", count, [](size_t) { return std::string("null"); });
    out_.put("},\"sources\":{\"length\":" + std::to_string(files.size()));
    putColumn("uuid", files.size(), [](size_t) { return std::string("null"); });
    putColumn("filename", files.size(), [&](size_t i) { return std::to_string(count + i); });
    out_.put("}");
    putColumn("stringArray", count + files.size(), [&](size_t i) {
      return jsonString(i + 2 < count    ? std::string_view(table().functions[i].displayName)
                        : i + 2 == count ? std::string_view("[calls of further paths]")
                        : i < count      ? kRecorderName
                                         : files[i - count]);
    });
  }
  std::string lineOf(size_t function) const {
    const bool isKnown = function < table().functions.size() && table().functions[function].line;
    return isKnown ? std::to_string(table().functions[function].line) : "null";
  }
  template <class Value> void putColumn(std::string_view name, size_t count, Value &&value) {
    out_.text().append(",\"").append(name).append("\":[");
    for (size_t i = 0; i < count; ++i) {
      out_.text().append(i ? "," : "").append(value(i));
      out_.settle();
    }
    out_.put("]");
  }
  const Expected<void> &status() const override { return out_.status(); }

  // Six decimals keep all digits.
  static std::string milliseconds(uint64_t ns) {
    std::string text = std::to_string(ns / 1'000'000);
    if (auto rest = static_cast<unsigned>(ns % 1'000'000)) {
      char digits[7] = ".";
      for (int i = 6; i > 0; --i, rest /= 10)
        digits[i] = static_cast<char>('0' + rest % 10);
      text.append(digits, 7);
    }
    return text;
  }

  static constexpr uint32_t kNone = ~uint32_t{0};
  ByteOutput out_;
  uint64_t startNs_ = 0, nowNs_ = 0, samples_ = 0;
  uint32_t thread_ = kNone; // the one that is being written
  bool isFirstThread_ = true;
  PathTree tree_;
  std::vector<uint32_t> stack_; // nodes of the open calls
  Column times_, weights_;
};

constexpr FormatVariant kFirefoxVariants[] = {
    {.name = "firefox", .title = "Firefox Profiler profile", .extension = ".firefox.json"}};

} // namespace

extern const TraceFormat kFirefoxFormat;
const TraceFormat kFirefoxFormat = {
    .title = "Firefox Profiler profile",
    .variants = kFirefoxVariants,
    .isThreadwise = true,
    .makeSink = makeStreamSink<FirefoxSink>,
};

} // namespace ada::formats
