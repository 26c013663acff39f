//===- foreign_detail.cpp - ATF detail files without their index ----------===//
#include "detail_json.h"
#include "exit_codes.h"
#include "foreign_file.h"
#include "json_text.h"
#include "quantities.h"

#include "ada/trace/atf_detail.h"
#include "ada/trace/names.h"

#include <algorithm>

namespace ada::cli {

static Expected<atf::DetailReader> openDetail(model::ByteInput &input,
                                              atf::ChecksumPolicy checksum) {
  if (auto kept = input.spool(); !kept)
    return kept.error();
  return atf::DetailReader::open(input.path(), {.checksum = checksum});
}

static std::string hexOf(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

// A function's registers and stack with their names; any other payload as its
// bytes.
static std::string payloadJson(const atf::DetailEvent &event, uint8_t arch) {
  static const types::FunctionTypes unknown;
  if (const auto function = event.function())
    return fmt::format(",\"function_id\":\"{}\"",
                       functionIdText(function->functionId)) +
           detailJson({.event = event,
                       .function = *function,
                       .vectors = std::nullopt,
                       .isReturn = event.type == atf::kDetailFunctionReturn,
                       .types = &unknown},
                      arch);
  return ",\"payload\":\"" + hexOf(event.payload) + "\"";
}

int dumpDetail(model::ByteInput &input, const ForeignDumpOptions &options) {
  auto reader = openDetail(input, atf::ChecksumPolicy::Defer);
  if (!reader)
    return fail(kCantRead, "{}", reader.error().text());
  for (const Warning &flaw : reader->warnings())
    warning("{}: {}", input.name(), flaw.message);
  const auto range =
      rangeOf(options.input, reader->empty() ? 0 : (*reader)[0].timestampNs);
  const uint8_t arch = reader->header().arch;
  Output out;
  for (uint64_t seq = 0; seq < reader->size(); ++seq) {
    const atf::DetailEvent event = (*reader)[seq];
    if (!range->holds(event.timestampNs))
      continue;
    if (options.json) {
      out.print("{{\"detail_seq\":{},\"offset\":{},\"ts\":{},\"type\":{},"
                "\"flags\":{},"
                "\"index_seq\":{},\"thread_id\":{}",
                event.seq, event.offset, event.timestampNs, event.type,
                event.flags, event.indexSeq, event.threadId);
      out.write(payloadJson(event, arch));
      out.write("}\n");
      continue;
    }
    out.print("{:>9}.{:09} #{:<8} type {} of event {}",
              event.timestampNs / 1'000'000'000,
              event.timestampNs % 1'000'000'000, event.seq, event.type,
              event.indexSeq);
    if (const auto function = event.function()) {
      out.print(" {}", functionIdText(function->functionId));
      for (const uint64_t value : function->registers)
        out.print(" {:x}", value);
      out.print(" lr {:x} fp {:x} sp {:x} stack {}\n", function->lr,
                function->fp, function->sp, hexOf(function->stack));
    } else {
      out.print(" {}\n", hexOf(event.payload));
    }
  }
  out.flush();
  if (const auto checked = reader->verifyChecksum(); !checked) {
    complain(checked.error().text());
    return kProblemsFound;
  }
  return kOk;
}

int infoDetail(model::ByteInput &input, Output &out) {
  auto reader = openDetail(input, atf::ChecksumPolicy::Defer);
  if (!reader)
    return fail(kCantRead, "{}", reader.error().text());
  const atf::DetailHeader &header = reader->header();
  out.print("{}: ATF detail file, version {}, {}\n", input.name(),
            header.version, formatBytes(reader->fileBytes()));
  out.print("  thread        {}\n", header.threadId);
  out.print("  events        {}", formatCount(reader->size()));
  if (!reader->empty())
    out.print(", of index events {} to {}, from {} to {} ns",
              (*reader)[0].indexSeq, (*reader)[reader->size() - 1].indexSeq,
              (*reader)[0].timestampNs,
              (*reader)[reader->size() - 1].timestampNs);
  out.print("\n  complete      {}\n",
            reader->isComplete() ? "yes" : "no: it has no footer");
  out.flush();
  for (const Warning &flaw : reader->warnings())
    warning("{}: {}", input.name(), flaw.message);
  return kOk;
}

} // namespace ada::cli
