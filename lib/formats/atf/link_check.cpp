// Follows the links between index and detail events, in both directions.
#include "ada/trace/link_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace ada::atf {

using Kind = LinkFlaw::Kind;

static std::string hex64(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%016llx",
                static_cast<unsigned long long>(value));
  return text;
}

std::string LinkFlaw::text() const {
  const std::string is = std::to_string(found), be = std::to_string(expected);
  switch (kind) {
  case Kind::DetailMissing:
    return "detail_seq is " + is +
           (expected == 0 ? ", but there are no detail events"
                          : ", but there are only " + be + " detail events");
  case Kind::DetailElsewhere:
    return "detail_seq names a detail event whose index_seq is " + is;
  case Kind::DetailKind:
    return "detail_seq names a detail event of event_type " + is +
           ", expected " + be;
  case Kind::DetailFunction:
    return "function_id is " + hex64(found) + ", in its detail event " +
           hex64(expected);
  case Kind::DetailTime:
    return "timestamp_ns is " + is + ", in its detail event " + be;
  case Kind::IndexMissing:
    return "index_seq is " + is + ", but there are only " + be +
           " index events";
  case Kind::IndexElsewhere:
    return "index_seq names an index event " +
           (found == kNoDetail ? std::string("without detail")
                               : "whose detail_seq is " + is);
  case Kind::VectorsAstray:
    return "index_seq of vector registers is " + is +
           ", but the event before them is not the function event of that";
  case Kind::VectorsFunction:
    return "function_id of vector registers is " + hex64(found) +
           ", in the function event before them " + hex64(expected);
  case Kind::BadPayload:
    return "the payload of " + is + " bytes is not what event_type " + be +
           " has";
  case Kind::OtherThread:
    return "thread_id is " + is + ", in the file's header " + be;
  }
  return {};
}

namespace {

class Check {
public:
  Check(const ThreadTrace &thread,
        const std::function<void(const LinkFlaw &)> &report)
      : index(*thread.index),
        details(thread.detail && *thread.detail ? &**thread.detail : nullptr),
        report(report) {}

  void forward() {
    const std::uint64_t count = details ? details->size() : 0;
    index.forEach([&](std::uint64_t seq, const IndexEvent &event) {
      if (event.detailSeq == kNoDetail)
        return;
      if (event.detailSeq >= count)
        return flaw(Kind::DetailMissing, seq, linkField(), event.detailSeq,
                    count);
      followed(seq, event, (*details)[event.detailSeq]);
    });
  }

  LinkSummary backward() {
    LinkSummary summary;
    if (!details || details->empty())
      return summary;
    summary.events = details->size();
    summary.lowestSeq = ~std::uint64_t{0};
    DetailEvent before;
    details->forEach([&](const DetailEvent &event) {
      if (event.seq == 0)
        summary.firstNs = event.timestampNs;
      summary.lastNs = event.timestampNs;
      summary.lowestSeq = std::min(summary.lowestSeq, event.indexSeq);
      summary.highestSeq = std::max(summary.highestSeq, event.indexSeq);
      back(event, event.seq > 0 ? &before : nullptr);
      before = event;
    });
    return summary;
  }

private:
  // Offsets of fields in an event.
  bool isVersion1() const { return index.header().version == 1; }
  std::uint64_t linkField() const {
    return isVersion1() ? offsetof(RawIndexEventV1, detailSeq)
                        : offsetof(RawIndexEventV2, detailSeq);
  }
  static constexpr std::uint64_t kFunctionField =
      offsetof(RawIndexEventV2, functionId);
  static constexpr std::uint64_t kSeqField =
      offsetof(RawDetailEventV2, indexSeq);
  static_assert(kFunctionField == offsetof(RawIndexEventV1, functionId) &&
                kSeqField == offsetof(RawDetailEventV1, indexSeq));

  void flaw(Kind kind, std::uint64_t seq, std::uint64_t field,
            std::uint64_t found, std::uint64_t expected) const {
    report(
        {.kind = kind,
         .inDetail = false,
         .seq = seq,
         .offset = index.header().eventsOffset + seq * kIndexEventBytes + field,
         .found = found,
         .expected = expected});
  }
  void flaw(Kind kind, const DetailEvent &event, std::uint64_t field,
            std::uint64_t found, std::uint64_t expected) const {
    report({.kind = kind,
            .inDetail = true,
            .seq = event.seq,
            .offset = event.offset + field,
            .found = found,
            .expected = expected});
  }

  void followed(std::uint64_t seq, const IndexEvent &event,
                const DetailEvent &detail) const {
    if (detail.indexSeq != seq)
      return flaw(Kind::DetailElsewhere, seq, linkField(), detail.indexSeq,
                  seq);
    const std::uint16_t wanted = event.kind == EventKind::Return
                                     ? kDetailFunctionReturn
                                     : kDetailFunctionCall;
    // An exceptional exit has a call's number, and a newer writer's types mean
    // what they want.
    const bool isOurs = detail.type == kDetailFunctionCall ||
                        detail.type == kDetailFunctionReturn ||
                        detail.type == kDetailVectors;
    if (isOurs && detail.type != wanted)
      return flaw(Kind::DetailKind, seq, linkField(), detail.type, wanted);
    if (detail.timestampNs != event.timestampNs)
      flaw(Kind::DetailTime, seq, 0, event.timestampNs, detail.timestampNs);
    if (detail.type != wanted)
      return;
    if (const auto payload = detail.function();
        payload && payload->functionId != event.functionId)
      flaw(Kind::DetailFunction, seq, kFunctionField, event.functionId,
           payload->functionId);
  }

  void back(const DetailEvent &event, const DetailEvent *before) const {
    if (details->header().version == 1 &&
        event.threadId != details->header().threadId)
      flaw(Kind::OtherThread, event, offsetof(RawDetailEventV1, threadId),
           event.threadId, details->header().threadId);
    if (event.indexSeq >= index.size())
      return flaw(Kind::IndexMissing, event, kSeqField, event.indexSeq,
                  index.size());
    if (event.type == kDetailVectors)
      return vectors(event, before);
    if (event.type != kDetailFunctionCall &&
        event.type != kDetailFunctionReturn)
      return;
    if (!event.function())
      flaw(Kind::BadPayload, event, 0, event.payload.size(), event.type);
    const std::uint64_t link = index[event.indexSeq].detailSeq;
    if (link != event.seq)
      flaw(Kind::IndexElsewhere, event, kSeqField, link, event.seq);
  }

  void vectors(const DetailEvent &event, const DetailEvent *before) const {
    if (!before || before->indexSeq != event.indexSeq ||
        (before->type != kDetailFunctionCall &&
         before->type != kDetailFunctionReturn))
      return flaw(Kind::VectorsAstray, event, kSeqField, event.indexSeq,
                  before ? before->indexSeq : 0);
    const auto registers = event.vectors();
    if (!registers)
      return flaw(Kind::BadPayload, event, 0, event.payload.size(), event.type);
    if (const auto function = before->function();
        function && function->functionId != registers->functionId)
      flaw(Kind::VectorsFunction, event, kDetailEventHeaderBytes,
           registers->functionId, function->functionId);
  }

  const IndexReader &index;
  const DetailReader *details;
  const std::function<void(const LinkFlaw &)> &report;
};

} // namespace

LinkSummary checkLinks(const ThreadTrace &thread,
                       const std::function<void(const LinkFlaw &)> &report) {
  if (!thread.index)
    return {};
  Check check(thread, report);
  check.forward();
  return check.backward();
}

} // namespace ada::atf
