// Follows the links between index and detail events, in both directions.
#include "formats/native/session/link_check.h"

#include "formats/native/directories.h"
#include "trace/names.h"

#include <algorithm>
#include <cstddef>

namespace ada::atf {

using Kind = LinkFlaw::Kind;

std::string LinkFlaw::text() const {
  const std::string is = std::to_string(found), be = std::to_string(expected);
  switch (kind) {
  case Kind::DetailMissing:
    return "detail_seq is " + is +
           (expected == 0 ? ", but there are no detail events" : ", but there are only " + be + " detail events");
  case Kind::DetailElsewhere:
    return "detail_seq names a detail event whose index_seq is " + is;
  case Kind::DetailKind:
    return "detail_seq names a detail event of event_type " + is + ", expected " + be;
  case Kind::DetailFunction:
    return "function_id is " + functionIdText(found) + ", in its detail event " + functionIdText(expected);
  case Kind::DetailTime:
    return "timestamp_ns is " + is + ", in its detail event " + be;
  case Kind::IndexMissing:
    return "index_seq is " + is + ", but there are only " + be + " index events";
  case Kind::IndexElsewhere:
    return "index_seq names an index event " +
           (found == kNoDetail ? std::string("without detail") : "whose detail_seq is " + is);
  case Kind::AdditionAstray:
    return "index_seq of vector registers or contents is " + is +
           ", but the event before them is not the function event of that";
  case Kind::AdditionFunction:
    return "function_id of vector registers or contents is " + functionIdText(found) +
           ", in the function event before them " + functionIdText(expected);
  case Kind::BadPayload:
    return "the payload of " + is + " bytes is not what event_type " + be + " has";
  case Kind::OtherThread:
    return "thread_id is " + is + ", in the file's header " + be;
  }
  return {};
}

namespace {

class Check {
public:
  Check(const ThreadTrace &thread, const std::function<void(const LinkFlaw &)> &report)
      : index_(*thread.index), details_(thread.detail && *thread.detail ? &**thread.detail : nullptr), report_(report),
        // If a packed file has lost all of its blocks, only the manifest knows how many events it had.
        end_(index_.empty() && thread.info ? thread.info->removedCount : index_.endNumber()) {}

  void forward() {
    const uint64_t count = details_ ? details_->size() : 0;
    index_.forEach([&](uint64_t seq, const IndexEvent &event) {
      if (event.detailSeq == kNoDetail)
        return;
      if (event.detailSeq >= count)
        return flaw(Kind::DetailMissing, seq, linkField(), event.detailSeq, count);
      followed(seq, event, (*details_)[event.detailSeq]);
    });
  }

  LinkSummary backward() {
    LinkSummary summary;
    if (!details_ || details_->empty())
      return summary;
    summary.events = details_->size();
    summary.lowestSeq = ~uint64_t{0};
    DetailEvent before;
    details_->forEach([&](const DetailEvent &event) {
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
  bool isVersion1() const { return index_.header().version == 1; }
  uint64_t linkField() const {
    return isVersion1() ? offsetof(RawIndexEventV1, detailSeq) : offsetof(RawIndexEventV2, detailSeq);
  }
  static constexpr uint64_t kFunctionField = offsetof(RawIndexEventV2, functionId);
  static constexpr uint64_t kSeqField = offsetof(RawDetailEventV2, indexSeq);
  static_assert(kFunctionField == offsetof(RawIndexEventV1, functionId) &&
                kSeqField == offsetof(RawDetailEventV1, indexSeq));

  void flaw(Kind kind, uint64_t seq, uint64_t field, uint64_t found, uint64_t expected) const {
    report_({.kind = kind,
             .inDetail = false,
             .seq = seq,
             .offset = index_.offsetOf(seq) + (index_.isPacked() ? 0 : field),
             .found = found,
             .expected = expected});
  }
  void flaw(Kind kind, const DetailEvent &event, uint64_t field, uint64_t found, uint64_t expected) const {
    report_({.kind = kind,
             .inDetail = true,
             .seq = event.seq,
             .offset = event.offset + (details_->isPacked() ? 0 : field),
             .found = found,
             .expected = expected});
  }

  void followed(uint64_t seq, const IndexEvent &event, const DetailEvent &detail) const {
    if (const uint64_t number = index_.numberOf(seq); detail.indexSeq != number)
      return flaw(Kind::DetailElsewhere, seq, linkField(), detail.indexSeq, number);
    const uint16_t wanted = event.kind == EventKind::Return ? kDetailFunctionReturn : kDetailFunctionCall;
    // An exceptional exit has a call's number, and the meaning of types from newer writers is unknown.
    const bool isOurs =
        detail.type == kDetailFunctionCall || detail.type == kDetailFunctionReturn || isAddition(detail.type);
    if (isOurs && detail.type != wanted)
      return flaw(Kind::DetailKind, seq, linkField(), detail.type, wanted);
    if (detail.timestampNs != event.timestampNs)
      flaw(Kind::DetailTime, seq, 0, event.timestampNs, detail.timestampNs);
    if (detail.type != wanted)
      return;
    if (const auto payload = detail.function(); payload && payload->functionId != event.functionId)
      flaw(Kind::DetailFunction, seq, kFunctionField, event.functionId, payload->functionId);
  }

  void back(const DetailEvent &event, const DetailEvent *before) const {
    if (details_->header().version == 1 && event.threadId != details_->header().threadId)
      flaw(Kind::OtherThread, event, offsetof(RawDetailEventV1, threadId), event.threadId, details_->header().threadId);
    if (event.indexSeq >= end_)
      return flaw(Kind::IndexMissing, event, kSeqField, event.indexSeq, end_);
    if (isAddition(event.type))
      return addition(event, before);
    if (event.type != kDetailFunctionCall && event.type != kDetailFunctionReturn)
      return;
    // A payload that is not a function's is opaque; the event is valid.
    const uint64_t gone = end_ - index_.size(); // events removed from the front of a packed file
    if (event.indexSeq < gone)
      return;
    const uint64_t link = index_[event.indexSeq - gone].detailSeq;
    if (link != event.seq)
      flaw(Kind::IndexElsewhere, event, kSeqField, link, event.seq);
  }

  void addition(const DetailEvent &event, const DetailEvent *before) const {
    const bool mayFollowVectors = event.type == kDetailContents;
    if (!before || before->indexSeq != event.indexSeq ||
        (before->type != kDetailFunctionCall && before->type != kDetailFunctionReturn &&
         !(mayFollowVectors && before->type == kDetailVectors)))
      return flaw(Kind::AdditionAstray, event, kSeqField, event.indexSeq, before ? before->indexSeq : 0);
    const auto functionOf = [](const DetailEvent &e) -> std::optional<uint64_t> {
      if (const auto vectors = e.vectors())
        return vectors->functionId;
      const auto contents = e.contents();
      return contents ? std::optional(contents->functionId) : std::nullopt;
    };
    const std::optional<uint64_t> own = functionOf(event);
    if (!own)
      return flaw(Kind::BadPayload, event, 0, event.payload.size(), event.type);
    const auto function = isAddition(before->type) ? std::nullopt : before->function();
    const std::optional<uint64_t> first = function ? std::optional(function->functionId) : functionOf(*before);
    if (first && first != own)
      flaw(Kind::AdditionFunction, event, kDetailEventHeaderBytes, *own, *first);
  }

  const IndexReader &index_;
  const DetailReader *details_;
  const std::function<void(const LinkFlaw &)> &report_;
  const uint64_t end_; // number of the last event, plus one
};

} // namespace

bool belongTogether(uint64_t seq, const IndexEvent &event, const DetailEvent &detail) noexcept {
  if (detail.indexSeq != seq || detail.timestampNs != event.timestampNs)
    return false;
  const auto function = detail.function();
  return !function || function->functionId == event.functionId;
}

// False if one of the first detail events names an index event that does not name it back, or that is another event;
// also if there are no detail events.
static bool beginsWell(const IndexReader &index, const DetailReader &details) {
  constexpr uint64_t kLookedAt = 4096;
  const uint64_t gone = index.endNumber() - index.size();
  bool isGood = true;
  details.forEach([&](const DetailEvent &detail) {
    const uint64_t seq = detail.indexSeq - gone;
    if (!isAddition(detail.type) && detail.indexSeq >= gone)
      isGood = seq < index.size() && index[seq].detailSeq == detail.seq &&
               belongTogether(detail.indexSeq, index[seq], detail);
    return isGood && detail.seq < kLookedAt;
  });
  return isGood && !details.empty();
}

std::optional<Warning> detailLoss(const ThreadTrace &thread) {
  if (!thread.index)
    return std::nullopt;
  const IndexReader &index = *thread.index;
  const bool isReadable = thread.detail && *thread.detail;
  const std::string name(baseName(detailPathIn(thread.path)));
  // A complete index says whether there was a detail file.
  if (!thread.detail && index.isComplete() && !(index.header().flags & kFlagHasDetail))
    return std::nullopt;
  if (isReadable && beginsWell(index, **thread.detail))
    return std::nullopt;
  if (index.isPacked() && !isReadable) // only the detail file says which events had detail
    return Warning{thread.detail ? "W_DETAIL_FOREIGN" : "W_DETAIL_MISSING",
                   thread.detail ? name + " can't be read: events are shown without arguments and results"
                                 : "there is no " + name + ": arguments and results are lost"};
  uint64_t links = 0, lost = 0;
  index.forEach([&](uint64_t seq, const IndexEvent &event) {
    if (event.detailSeq == kNoDetail)
      return;
    ++links;
    const std::optional<DetailEvent> detail = isReadable ? (*thread.detail)->at(event.detailSeq) : std::nullopt;
    lost += !detail || !belongTogether(index.numberOf(seq), event, *detail);
  });
  if (lost == 0)
    return std::nullopt;
  const std::string events = std::to_string(lost) + " of " + std::to_string(links) + " events with registers and stack";
  if (!thread.detail)
    return Warning{"W_DETAIL_MISSING", "there is no " + name + ": arguments and results of " + events + " are lost"};
  return Warning{"W_DETAIL_FOREIGN",
                 isReadable ? name + " does not fit the index (it may be of another recording): " + events +
                                  " are shown without arguments and results"
                            : name + " can't be read: " + events + " are shown without arguments and results"};
}

LinkSummary checkLinks(const ThreadTrace &thread, const std::function<void(const LinkFlaw &)> &report, bool hasLinks) {
  if (!thread.index)
    return {};
  Check check(thread, report);
  if (hasLinks)
    check.forward();
  return check.backward();
}

} // namespace ada::atf
