// Writes the model as a pprof profile, compressed with gzip: calls and self time per thread and call path.
//
// Fields may come in any order, so each part is written as soon as it is known. Field numbers are those of pprof's
// public profile.proto; test/tools/Inputs/profile.proto has them with their names.
#include "formats/path_sink.h"
#include "formats/table.h"
#include "trace/base/gzip_stream.h"

#include <protozero/pbf_builder.hpp>

#include <unordered_map>

namespace ada::formats {

namespace {

using Number = protozero::pbf_tag_type;
enum class Profile : Number {
  SampleType = 1,
  Sample = 2,
  Location = 4,
  Function = 5,
  StringTable = 6,
  Duration = 10,
  DefaultSampleType = 14,
};
enum class ValueType : Number { Type = 1, Unit = 2 };
enum class Sample : Number { Locations = 1, Values = 2, Label = 3 };
enum class Label : Number { Key = 1, Text = 2, Integer = 3 };
enum class Location : Number { Id = 1, Line = 4 };
enum class Line : Number { Function = 1, Line = 2 };
enum class FunctionTag : Number { Id = 1, Name = 2, SystemName = 3, FileName = 4, StartLine = 5 };

template <class Tag> using Part = protozero::pbf_builder<Tag>;

class PprofSink : public PathSink {
public:
  explicit PprofSink(model::ByteSink bytes)
      : PathSink([this](std::span<const std::byte> plain) { return gzip_.put(plain); }), gzip_(std::move(bytes)) {}
  bool needsRange() const override { return true; }

private:
  // Locations are functions. Their ids are never 0.
  static uint64_t idOf(uint32_t function) { return function + uint64_t{1}; }

  void beginTrace(const model::TraceInfo &info) override {
    (void)numberOf(""); // must be the first
    for (const auto &[type, unit] : {std::pair("calls", "count"), std::pair("time", "nanoseconds")}) {
      const uint64_t typeNumber = numberOf(type), unitNumber = numberOf(unit);
      Part<Profile> profile(out_.text());
      Part<ValueType> value(profile, Profile::SampleType);
      value.add_int64(ValueType::Type, static_cast<int64_t>(typeNumber));
      value.add_int64(ValueType::Unit, static_cast<int64_t>(unitNumber));
    }
    const uint64_t time = numberOf("time");
    Part<Profile> profile(out_.text());
    profile.add_int64(Profile::DefaultSampleType, static_cast<int64_t>(time));
    if (info.range)
      profile.add_int64(Profile::Duration, static_cast<int64_t>(info.range->second - info.range->first));
  }
  void newFunction(const model::Function &function) override {
    putFunction(idOf(function.index), function.displayName, function.name, function.file, function.line);
    out_.settle();
  }
  void writePaths(uint32_t number, const PathTree &tree) override {
    const model::Thread &about = thread(number);
    const model::Process &process = processOf(about);
    const std::pair<uint64_t, uint64_t> texts[] = {{numberOf("thread"), numberOf(nameOf(about))},
                                                   {numberOf("process"), numberOf(nameOf(process))}};
    const std::pair<uint64_t, uint64_t> numbers[] = {{numberOf("tid"), about.tid},
                                                     {numberOf("pid"), process.pid.value_or(0)}};
    std::vector<uint64_t> path, locations;
    for (uint32_t node = 1; node < tree.size(); ++node) {
      const PathTree::Node &entry = tree[node];
      path.resize(entry.depth - size_t{1});
      path.push_back(idOf(entry.function));
      const bool isRecorder = entry.function == PathTree::kRecorder;
      if (!PathTree::isFunction(entry.function) && !std::exchange(isRecorder ? hasRecorder_ : hasRest_, true))
        putFunction(idOf(entry.function), nameOfNone(entry.function), {}, {}, 0);
      locations.assign(path.rbegin(), path.rend()); // the innermost first
      const int64_t values[] = {isRecorder ? 0 : static_cast<int64_t>(entry.calls), static_cast<int64_t>(entry.selfNs)};
      {
        Part<Profile> profile(out_.text());
        Part<Sample> sample(profile, Profile::Sample);
        sample.add_packed_uint64(Sample::Locations, locations.begin(), locations.end());
        sample.add_packed_int64(Sample::Values, std::begin(values), std::end(values));
        for (const auto &[key, text] : texts) {
          Part<Label> label(sample, Sample::Label);
          label.add_int64(Label::Key, static_cast<int64_t>(key));
          label.add_int64(Label::Text, static_cast<int64_t>(text));
        }
        for (const auto &[key, value] : numbers) {
          Part<Label> label(sample, Sample::Label);
          label.add_int64(Label::Key, static_cast<int64_t>(key));
          label.add_int64(Label::Integer, static_cast<int64_t>(value));
        }
      }
      out_.settle();
    }
  }
  void endTrace() override {
    out_.flush();
    if (out_.status() && !gzip_.finish())
      out_.check(Error{.code = "E_IO", .message = "the bytes of the output could not be written"});
  }

  void putFunction(uint64_t id, std::string_view name, std::string_view symbol, std::string_view file, uint64_t line) {
    const uint64_t nameNumber = numberOf(name), symbolNumber = numberOf(symbol), fileNumber = numberOf(file);
    const auto startLine = static_cast<int64_t>(line);
    {
      Part<Profile> profile(out_.text());
      Part<FunctionTag> function(profile, Profile::Function);
      function.add_uint64(FunctionTag::Id, id);
      function.add_int64(FunctionTag::Name, static_cast<int64_t>(nameNumber));
      function.add_int64(FunctionTag::SystemName, static_cast<int64_t>(symbolNumber));
      function.add_int64(FunctionTag::FileName, static_cast<int64_t>(fileNumber));
      function.add_int64(FunctionTag::StartLine, startLine);
    }
    Part<Profile> profile(out_.text());
    Part<Location> location(profile, Profile::Location);
    location.add_uint64(Location::Id, id);
    Part<Line> entry(location, Location::Line);
    entry.add_uint64(Line::Function, id);
    entry.add_int64(Line::Line, startLine);
  }
  // The text's number in the string table. A new text is added.
  uint64_t numberOf(std::string_view text) {
    const auto [entry, isNew] = strings_.try_emplace(std::string(text), strings_.size());
    if (isNew)
      Part<Profile>(out_.text()).add_string(Profile::StringTable, entry->first);
    return entry->second;
  }

  GzipStream gzip_;
  std::unordered_map<std::string, uint64_t> strings_;
  bool hasRest_ = false, hasRecorder_ = false;
};

constexpr FormatVariant kPprofVariants[] = {{.name = "pprof", .title = "pprof profile", .extension = ".pb.gz"}};

} // namespace

extern const TraceFormat kPprofFormat;
const TraceFormat kPprofFormat = {
    .title = "pprof profile",
    .variants = kPprofVariants,
    .makeSink = makeStreamSink<PprofSink>,
};

} // namespace ada::formats
