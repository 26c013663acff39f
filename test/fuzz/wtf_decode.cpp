// Fuzzes the wtf-trace decoder, the timeline on top of it, and the encoder with what was decoded.
//
// Properties: no crash, no hang; the same records for any division of the file into pieces; a shorter file has the
// first records; a file that could be written again decodes to the same records; and memory in proportion to the
// input.
#include "require.h"

#include "ada/trace/wtf.h"

#include <span>
#include <string>

using namespace ada::wtf;
using ada::fuzz::require;

namespace {

/// Records as text: everything except their positions.
struct Recorder : Visitor {
  std::string text;
  void onHeader(const FileHeader &header) override {
    text += header.contextInfo + header.metadata + std::to_string(header.timebaseMs);
  }
  void onRecord(const Record &record) override {
    text += std::to_string(record.type->wireId) + record.type->name + '@' + std::to_string(record.timeUs);
    for (const Arg &arg : record.args) {
      text += ' ';
      appendJson(text, arg);
    }
    text += '\n';
  }
};

struct Copier : Visitor {
  std::string file;
  std::optional<Encoder> encoder;
  bool failed = false;
  void onHeader(const FileHeader &header) override {
    auto begun = Encoder::begin(
        [this](std::span<const std::byte> bytes) {
          file.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
          return true;
        },
        header, {.viewerRules = false, .chunkBytes = 256});
    if (begun)
      encoder = std::move(*begun);
    failed = !begun;
  }
  void onRecord(const Record &record) override {
    if (!failed && !encoder->event(record.type->wireId, record.timeUs, record.args))
      failed = true; // for example, text that is not UTF-8
  }
};

struct Items : TimelineVisitor {
  void onItem(const Item &item) override { require(item.zone != nullptr, "every item has a zone"); }
};

std::string textOf(const ada::Error &error) { return error.code + std::to_string(error.offset.value()); }

// Returns the place and kind of the failure. `timeline`, if given, is finished while the decoder's types live.
std::string decode(const uint8_t *data, size_t size, size_t piece, Visitor &visitor, Timeline *timeline = nullptr) {
  DecoderOptions options;
  options.maxRecordBytes = options.maxChunkBytes = 1 << 20;
  Decoder decoder(visitor, options);
  std::string failure;
  for (size_t at = 0; at < size && failure.empty(); at += piece)
    if (auto pushed = decoder.push(data + at, std::min(piece, size - at)); !pushed)
      failure = textOf(pushed.error());
  if (failure.empty())
    if (auto finished = decoder.finish(); !finished)
      failure = textOf(finished.error());
  if (timeline)
    timeline->finish();
  return failure;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Recorder whole, pieces, again;
  const std::string error = decode(data, size, size + 1, whole);
  const size_t piece = size ? 1 + data[size - 1] % 37 : 1;
  require(decode(data, size, piece, pieces) == error, "pieces end with the same error");
  require(whole.text == pieces.text, "pieces give the same records");

  Recorder part;
  const size_t cut = size ? data[size / 2] * size / 256 : 0;
  decode(data, cut, cut + 1, part);
  require(whole.text.starts_with(part.text), "a cut file gives the first records");

  Visitor silent;
  require(ada::fuzz::peakOf([&] { decode(data, size, 64, silent); }) <= 100 * size + (64 << 10),
          "a visitor's memory is bounded by the input");
  require(ada::fuzz::peakOf([&] {
            Items items;
            Timeline timeline(items);
            decode(data, size, 64, timeline, &timeline);
          }) <= 200 * size + (64 << 10),
          "a timeline's memory is bounded by the input");

  Copier copier;
  decode(data, size, size + 1, copier);
  if (copier.encoder && !copier.failed) {
    require(static_cast<bool>(copier.encoder->finish()), "encoder finishes");
    const auto *file = reinterpret_cast<const uint8_t *>(copier.file.data());
    require(decode(file, copier.file.size(), copier.file.size() + 1, again).empty(), "what was written decodes");
    // The header's notes may have been rewritten; only the records
    // count.
    const auto records = [](const std::string &text) { return text.substr(std::min(text.find('\n'), text.size())); };
    require(records(again.text) == records(whole.text), "what was written is what was read");
  }
  return 0;
}
