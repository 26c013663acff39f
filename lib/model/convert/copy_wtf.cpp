// Writes a wtf-trace again record by record, in any dialect.
#include "ada/trace/convert.h"

#include "ada/trace/wtf/decoder.h"
#include "ada/trace/wtf/encoder.h"
#include "model/convert/loss_list.h"

namespace ada::model {

namespace {

class Copier : public wtf::Visitor {
public:
  Copier(const ByteSink &bytes, wtf::Dialect dialect)
      : bytes(bytes), dialect(dialect) {}

  void onHeader(const wtf::FileHeader &from) override {
    wtf::FileHeader header = from;
    header.dialect = dialect;
    const bool toChunked = dialect == wtf::Dialect::Chunked;
    if (from.dialect == wtf::Dialect::Chunked && !toChunked) {
      // Its text is UTF-8, and its timebase may be finer.
      header.asciiText = wtf::AsciiText::Utf8;
      if (header.timebaseNs)
        lost.add("timebase with a fraction of a millisecond: version 3 has "
                 "whole ones; all times are that much earlier");
      header.timebaseNs = 0;
    }
    constexpr std::uint32_t kNamed =
        wtf::kHighResolutionTimes | wtf::kTimesAsCount;
    if (toChunked && (header.flags & ~kNamed)) {
      lost.add("flags of the file without a name");
      header.flags &= kNamed;
    }
    auto begun = wtf::Encoder::begin(bytes, header, {.viewerRules = false});
    if (begun)
      encoder = *std::move(begun);
    else
      status = begun.error();
  }

  void onRecord(const wtf::Record &record) override {
    if (!status)
      return;
    auto written =
        encoder->event(record.type->wireId, record.timeUs, record.args);
    if (written) {
      ++records;
      return;
    }
    const std::string &code = written.error().code;
    if (code == "E_BAD_TEXT" || code == "E_RANGE")
      lost.add("records with text that the dialect can't hold");
    else
      status = written;
  }
  void onWarning(const Warning &warning) override { flaws.push_back(warning); }

  Expected<void> finish() {
    return status && encoder ? encoder->finish() : status;
  }

  const ByteSink &bytes;
  wtf::Dialect dialect;
  std::optional<wtf::Encoder> encoder;
  Expected<void> status;
  LossList lost;
  std::vector<Warning> flaws;
  std::uint64_t records = 0;
};

} // namespace

Expected<CopyResult> copyWtf(ByteInput &input, const ByteSink &bytes,
                             wtf::Dialect dialect) {
  Copier copier(bytes, dialect);
  wtf::Decoder decoder(copier);
  Expected<void> decoded;
  while (decoded) {
    auto piece = input.read();
    if (!piece)
      return piece.error();
    if (piece->empty())
      break;
    decoded = decoder.push(*piece);
    if (!copier.status)
      return copier.status.error();
  }
  if (decoded)
    decoded = decoder.finish();
  if (auto finished = copier.finish(); !finished)
    return finished.error();
  CopyResult result;
  result.events = copier.records;
  result.warnings = std::move(copier.flaws);
  result.losses = copier.lost.list();
  if (!decoded) {
    Error error = decoded.error();
    error.file = input.name();
    if (!copier.encoder)
      return error; // nothing of use was there
    result.problem = std::move(error);
  }
  return result;
}

} // namespace ada::model
