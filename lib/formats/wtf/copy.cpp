// Writes a wtf-trace again record by record, in any dialect.
#include "ada/trace/convert.h"

#include "ada/trace/wtf/encoder.h"
#include "operations.h"
#include "trace/base/try.h"
#include "trace/loss_list.h"

#include <unordered_map>

namespace ada::formats {

namespace {

class Copier : public wtf::Visitor {
public:
  Copier(const model::ByteSink &bytes, wtf::Dialect dialect) : bytes(bytes), dialect(dialect) {}

  void onHeader(const wtf::FileHeader &from) override {
    wtf::FileHeader header = from;
    header.dialect = dialect;
    const bool toChunked = dialect == wtf::Dialect::Chunked;
    if (from.dialect == wtf::Dialect::Chunked && !toChunked) {
      // Text in a chunked file is UTF-8, and its timebase may be finer.
      header.asciiText = wtf::AsciiText::Utf8;
      if (header.timebaseNs)
        lost.add(
            "timebase with a fraction of a millisecond: version 3 has whole ones; all times are that much earlier");
      header.timebaseNs = 0;
    }
    constexpr uint32_t kNamed = wtf::kHighResolutionTimes | wtf::kTimesAsCount;
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
    if (!status || !keepsNesting(record))
      return;
    auto written = encoder->event(record.type->wireId, record.timeUs, record.args);
    if (written) {
      ++records;
      return;
    }
    const std::string &code = written.error().code;
    if (code != "E_BAD_TEXT" && code != "E_RANGE") {
      status = written;
      return;
    }
    lost.add("records with text that the dialect can't hold");
    if (!record.type->isScope())
      return;
    std::vector<bool> &open = scopes[zone];
    if (open.empty())
      open.push_back(false);
    else
      open.back() = false; // see keepsNesting()
  }
  /// False if the record is the leave of a scope whose enter could not be written. Such a leave must not be written, or
  /// it would end the scope around that one.
  bool keepsNesting(const wtf::Record &record) {
    if (record.type->role == wtf::Role::ZoneSet && !record.args.empty())
      zone = record.args[0].bits;
    const auto open = scopes.find(zone);
    if (open == scopes.end() || open->second.empty())
      return true;
    if (record.type->isScope())
      open->second.push_back(true);
    if (record.type->role != wtf::Role::ScopeLeave)
      return true;
    const bool isWritten = open->second.back();
    open->second.pop_back();
    if (!isWritten)
      lost.add("ends of scopes whose beginning the dialect can't hold");
    return isWritten;
  }
  void onWarning(const Warning &warning) override { flaws.push_back(warning); }

  Expected<void> finish() { return status && encoder ? encoder->finish() : status; }

  const model::ByteSink &bytes;
  wtf::Dialect dialect;
  std::optional<wtf::Encoder> encoder;
  Expected<void> status;
  model::LossList lost;
  std::vector<Warning> flaws;
  uint64_t records = 0;
  uint32_t zone = 0;
  /// By zone, from the first scope on that could not be written: whether the enters of open scopes were written.
  std::unordered_map<uint32_t, std::vector<bool>> scopes;
};

} // namespace

} // namespace ada::formats

namespace ada::model {

Expected<CopyResult> copyWtf(ByteInput &input, const ByteSink &bytes, wtf::Dialect dialect) {
  formats::Copier copier(bytes, dialect);
  wtf::Decoder decoder(copier, formats::wtfOptions(input));
  const auto read = ADA_TRY(formats::readWtf(input, decoder, [&] { return bool(copier.status); }));
  if (!copier.status)
    return copier.status.error();
  ADA_TRY(copier.finish());
  CopyResult result;
  result.events = copier.records;
  result.warnings = std::move(copier.flaws);
  result.losses = copier.lost.list();
  if (!read.isUsable)
    return *read.problem; // nothing was usable
  result.problem = read.problem;
  return result;
}

} // namespace ada::model
