// Writes the model as speedscope's own JSON: one evented profile per thread, and the frames last.
//
// speedscope wants all calls of a profile closed, so calls that are still open end with the last event of their thread.
#include "formats/export_sink.h"
#include "formats/table.h"
#include "trace/base/json.h"

namespace ada::formats {

namespace {

class SpeedscopeSink : public ExportSink {
public:
  explicit SpeedscopeSink(model::ByteSink bytes) : ExportSink(Wants::Calls), out_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  void beginTrace(const model::TraceInfo &info) override {
    startNs_ = info.range ? info.range->first : 0;
    out_.put("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"AdaTrace\","
             "\"profiles\":[\n");
  }
  void beginCall(const Call &call) override {
    if (call.thread != thread_)
      startProfile(call.thread);
    put('O', frameOf(call.function), call.timeNs);
  }
  void endCall(const End &end) override {
    put('C', frameOf(end.span.functionIndex), end.span.endNs);
    if (end.isOpen())
      lose("calls that were still open: they end with the last event of their thread");
  }
  void heldUp(uint32_t, uint64_t fromNs, uint64_t toNs) override {
    if (recorderFrame_ == kNone)
      recorderFrame_ = static_cast<uint32_t>(table().functions.size());
    put('O', recorderFrame_, fromNs);
    put('C', recorderFrame_, toNs);
  }
  void mark(uint32_t, uint64_t, const model::Text &) override { lose("marks: speedscope has no place for them"); }
  void leaveThread(uint32_t) override { endProfile(); }
  void endTrace() override {
    out_.put("\n],\"shared\":{\"frames\":[");
    bool isFirst = true;
    const auto put = [&](const JsonMembers &frame) {
      out_.put((isFirst ? "\n" : ",\n") + frame.object());
      isFirst = false;
    };
    for (uint32_t number = 0; number <= table().functions.size(); ++number) {
      if (number == recorderFrame_)
        put(JsonMembers().text("name", kRecorderName));
      if (number == table().functions.size())
        break;
      const model::Function &function = table().functions[number];
      JsonMembers frame;
      frame.text("name", function.displayName);
      if (!function.file.empty())
        frame.text("file", function.file);
      if (function.line)
        frame.number("line", function.line);
      put(frame);
    }
    out_.put("\n]}}\n");
    out_.flush();
  }
  const Expected<void> &status() const override { return out_.status(); }

  // The recorder's frame comes after those of the functions that were known when the recorder was first met.
  uint32_t frameOf(uint32_t function) const { return function + (function >= recorderFrame_); }
  void startProfile(uint32_t number) {
    endProfile();
    thread_ = number;
    std::string name = labelOf(thread(number));
    if (hasSeveralProcesses())
      name = labelOf(processOf(thread(number))) + ", " + name;
    out_.put(hasProfiles_ ? ",\n" : "");
    out_.put("{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":" + jsonString(name) + ",\"events\":[");
    hasProfiles_ = isFirst_ = true;
  }
  void endProfile() {
    if (thread_ == kNone)
      return;
    thread_ = kNone;
    out_.put("\n],\"startValue\":" + std::to_string(firstNs_) + ",\"endValue\":" + std::to_string(lastNs_) + "}");
  }
  void put(char type, uint32_t function, uint64_t timeNs) {
    uint64_t since = timeNs > startNs_ ? timeNs - startNs_ : 0;
    if (isFirst_) {
      firstNs_ = since;
    } else if (since < lastNs_) {
      lose("times that go back: speedscope refuses them, so they stand still");
      since = lastNs_;
    }
    lastNs_ = since;
    std::string &text = out_.text();
    text.append(isFirst_ ? "\n{\"type\":\"" : ",\n{\"type\":\"") += type;
    text.append("\",\"frame\":").append(std::to_string(function));
    text.append(",\"at\":").append(std::to_string(since)) += '}';
    isFirst_ = false;
    out_.settle();
  }

  static constexpr uint32_t kNone = ~uint32_t{0};
  ByteOutput out_;
  uint64_t startNs_ = 0, firstNs_ = 0, lastNs_ = 0;
  uint32_t recorderFrame_ = kNone;
  uint32_t thread_ = kNone; // whose profile is being written
  bool hasProfiles_ = false, isFirst_ = true;
};

constexpr FormatVariant kSpeedscopeVariants[] = {
    {.name = "speedscope", .title = "speedscope JSON", .extension = ".speedscope.json"}};

} // namespace

extern const TraceFormat kSpeedscopeFormat;
const TraceFormat kSpeedscopeFormat = {
    .title = "speedscope JSON",
    .variants = kSpeedscopeVariants,
    .isThreadwise = true,
    .makeSink = makeStreamSink<SpeedscopeSink>,
};

} // namespace ada::formats
