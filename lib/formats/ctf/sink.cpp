// Writes the model as a CTF 1.8 trace: a directory with the metadata and one stream per thread.
//
// Functions are an enumeration in the metadata, which is written last. Readers merge streams by time, and refuse a
// stream whose times go back.
#include "formats/export_sink.h"
#include "formats/table.h"
#include "metadata.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/write_all.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <system_error>

namespace ada::formats {

namespace {

class CtfSink : public ExportSink {
public:
  explicit CtfSink(std::string directory) : ExportSink(Wants::Values), directory_(std::move(directory)) {}

private:
  // kCallAt and kCallDetailAt are calls and call_details of functions whose source is known.
  enum EventId : uint8_t {
    kCall,
    kCallDetail,
    kReturn,
    kReturnDetail,
    kLeftByException,
    kMissing,
    kMark,
    kCallAt,
    kCallDetailAt,
    kInferred
  };
  static constexpr uint32_t kMagic = 0xC1FC1FC1;
  // Offsets in a packet of its last time and its sizes, which are known only at its end.
  static constexpr size_t kEndTimeAt = 16, kSizesAt = 24, kPacketBytes = 1 << 16;

  void beginCall(const Call &call) override {
    const bool hasDetail = !call.arguments.empty(), hasSource = !function(call.function).file.empty();
    beginEvent(call.thread, call.timeNs,
               hasSource ? (hasDetail ? kCallDetailAt : kCallAt) : (hasDetail ? kCallDetail : kCall));
    putNumber(call.function, 4);
    if (hasSource)
      putNumber(call.function, 4);
    if (!call.arguments.empty())
      putText(call.arguments);
  }
  void endCall(const End &end) override {
    if (end.isOpen()) // no end was recorded, so none is written
      return;
    const bool hasDetail = !end.result.empty() || !end.values.empty();
    const EventId id = end.span.how == SpanEnd::Exception  ? kLeftByException
                       : end.span.how == SpanEnd::Inferred ? kInferred
                       : end.span.how == SpanEnd::Missing  ? kMissing
                       : hasDetail                         ? kReturnDetail
                                                           : kReturn;
    beginEvent(end.thread, end.span.endNs, id);
    putNumber(end.span.functionIndex, 4);
    if (id == kReturnDetail) {
      putText(end.result);
      putText(end.values);
    }
  }
  void mark(uint32_t thread, uint64_t timeNs, const model::Text &text) override {
    beginEvent(thread, timeNs, kMark);
    putText(text.name);
    putText(text.json);
  }
  void leaveThread(uint32_t) override {
    endPacket();
    file_ = FileDescriptor();
    thread_ = kNone;
  }
  void endTrace() override {
    std::string text = kCtfHead;
    text += "enum function : uint32_t {";
    for (const model::Function &function : table().functions)
      text += "\n  " + literal(function.displayName) + " = " + std::to_string(function.index) + ",";
    if (table().functions.empty())
      text += "\n  \"none\" = 0,";
    text += "\n};\n";
    std::string sources;
    for (const model::Function &function : table().functions)
      if (!function.file.empty())
        sources += "\n  " + literal(placeOf(function)) + " = " + std::to_string(function.index) + ",";
    if (!sources.empty())
      text += "enum source : uint32_t {" + sources + "\n};\n";
    text += kCtfTail;
    if (!sources.empty())
      text += kCtfSourceTail;
    open("metadata");
    write(text);
    file_ = FileDescriptor();
  }
  const Expected<void> &status() const override { return status_; }

  void beginEvent(uint32_t thread, uint64_t timeNs, EventId id) {
    if (thread != thread_) {
      endPacket();
      thread_ = thread;
      nowNs_ = 0;
      open("stream_" + std::to_string(thread));
    }
    if (timeNs < nowNs_)
      lose("times that go back: readers refuse them, so they stand still");
    nowNs_ = std::max(nowNs_, timeNs);
    if (packet_.size() >= kPacketBytes)
      endPacket();
    if (packet_.empty())
      beginPacket();
    putNumber(id, 1);
    putNumber(nowNs_, 8);
  }
  void beginPacket() {
    const model::Thread &about = thread(thread_);
    putNumber(kMagic, 4);
    putNumber(0, 4); // the stream's class
    putNumber(nowNs_, 8);
    putNumber(0, 8);
    putNumber(0, 8);
    putNumber(0, 8);
    putNumber(processOf(about).pid.value_or(0), 8);
    putNumber(about.tid, 8);
    putNumber(about.number, 4);
    putText(nameOf(processOf(about)));
    putText(nameOf(about));
  }
  void endPacket() {
    if (packet_.empty())
      return;
    patch(kEndTimeAt, nowNs_);
    patch(kSizesAt, packet_.size() * 8); // in bits
    patch(kSizesAt + 8, packet_.size() * 8);
    write(packet_);
    packet_.clear();
  }
  void patch(size_t at, uint64_t value) {
    for (size_t i = 0; i < 8; ++i)
      packet_[at + i] = static_cast<char>(value >> 8 * i);
  }
  void putNumber(uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      packet_ += static_cast<char>(value >> 8 * i);
  }
  void putText(std::string_view text) { packet_.append(oneLine(text)).append(1, '\0'); }
  static std::string literal(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : oneLine(text))
      quoted.append(c == '"' || c == '\\' ? "\\" : "") += c;
    return quoted + "\"";
  }

  static std::string placeOf(const model::Function &function) {
    return function.line ? function.file + ":" + std::to_string(function.line) : function.file;
  }

  void open(const std::string &name) {
    const std::string path = directory_ + "/" + name;
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    written_ = 0;
    if (!file_)
      fail();
  }
  void write(std::string_view bytes) {
    if (!status_)
      return;
    if (!writeAllAt(file_.get(), bytes.data(), bytes.size(), written_))
      return fail();
    written_ += bytes.size();
  }
  void fail() {
    if (status_)
      status_ = Error{.code = "E_IO", .message = "cannot be written: " + std::generic_category().message(errno)};
  }

  static constexpr uint32_t kNone = ~uint32_t{0};
  std::string directory_;
  FileDescriptor file_;
  uint64_t written_ = 0, nowNs_ = 0;
  uint32_t thread_ = kNone; // whose stream is being written
  std::string packet_;
  Expected<void> status_;
};

constexpr FormatVariant kCtfVariants[] = {{.name = "ctf", .title = "CTF trace", .extension = ".ctf"}};

} // namespace

extern const TraceFormat kCtfFormat;
const TraceFormat kCtfFormat = {
    .title = "CTF trace",
    .variants = kCtfVariants,
    .shape = Shape::Directory,
    .isThreadwise = true,
    .makeSink = makeFileSink<CtfSink>,
};

} // namespace ada::formats
