// Each vector is a file or session with the answer that a reader must give.
// The answer has the outcome, warnings, counts, header, footer, the events as stored, and links.
#include "ada/trace/session.h"
#include "formats/native/session/link_check.h"
#include "vector_folder.h"

#include <cctype>
#include <cstdio>
#include <gtest/gtest.h>
#include <set>

using namespace ada;
using namespace ada::atf;
using Json = nlohmann::ordered_json;

namespace {

// The vectors store 64-bit numbers as strings and smaller ones as numbers; both forms are compared as text.
std::string numberText(const Json &value) {
  if (value.is_null())
    return "null";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Compares `got`, built by this test with every number as a string, with `want` from the vector.
void expectSame(const Json &want, const Json &got, const std::string &where) {
  if (want.is_object()) {
    ASSERT_TRUE(got.is_object()) << where;
    for (const auto &[key, value] : want.items()) {
      ASSERT_TRUE(got.contains(key)) << where << "." << key << " was not compared";
      expectSame(value, got[key], where + "." + key);
    }
    for (const auto &[key, value] : got.items())
      EXPECT_TRUE(want.contains(key)) << where << "." << key << " is not expected: " << value.dump();
  } else if (want.is_array()) {
    ASSERT_TRUE(got.is_array()) << where;
    EXPECT_EQ(want.size(), got.size()) << where << "\nexpected " << want.dump() << "\ngot " << got.dump();
    for (size_t i = 0; i < std::min(want.size(), got.size()); ++i)
      expectSame(want[i], got[i], where + "[" + std::to_string(i) + "]");
  } else {
    EXPECT_EQ(numberText(want), numberText(got)) << where;
  }
}

Json num(uint64_t value) { return std::to_string(value); }

Json codeList(const std::vector<Warning> &warnings) {
  Json list = Json::array();
  for (const Warning &warning : warnings) {
    EXPECT_FALSE(warning.message.empty()) << warning.code;
    list.push_back(warning.code);
  }
  return list;
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (std::byte b : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<unsigned>(b));
    text += pair;
  }
  return text;
}

Json outcomeOf(const Error &error) {
  EXPECT_FALSE(error.message.empty());
  EXPECT_FALSE(error.file.empty());
  return {{"outcome", "error"}, {"error", error.code}, {"warnings", Json::array()}};
}

Json describe(const Expected<IndexReader> &opened) {
  if (!opened)
    return outcomeOf(opened.error());
  const IndexReader &reader = *opened;
  const IndexHeader &h = reader.header();
  Json result = {{"outcome", "ok"},
                 {"error", nullptr},
                 {"warnings", codeList(reader.warnings())},
                 {"header",
                  {{"version", num(h.version)},
                   {"arch", num(h.arch)},
                   {"os", num(h.os)},
                   {"flags", num(h.flags)},
                   {"thread_id", num(h.threadId)},
                   {"clock_type", num(h.clockType)},
                   {"event_size", num(h.eventSize)},
                   {"event_count", num(h.eventCount)},
                   {"events_offset", num(h.eventsOffset)},
                   {"footer_offset", num(h.footerOffset)},
                   {"time_start_ns", num(h.timeStartNs)},
                   {"time_end_ns", num(h.timeEndNs)}}},
                 {"footer", nullptr},
                 {"count_source", countSourceName(reader.countSource())},
                 {"count", num(reader.size())},
                 {"checksum", checksumName(reader.checksum())},
                 {"events", Json::array()}};
  if (const auto &f = reader.footer())
    result["footer"] = {{"offset", num(f->offset)},          {"checksum", num(f->checksum)},
                        {"event_count", num(f->eventCount)}, {"time_start_ns", num(f->timeStartNs)},
                        {"time_end_ns", num(f->timeEndNs)},  {"bytes_written", num(f->bytesWritten)}};
  // Through every way to read an event.
  std::vector<IndexEvent> byForEach;
  reader.forEach([&](uint64_t seq, const IndexEvent &event) {
    EXPECT_EQ(seq, byForEach.size());
    byForEach.push_back(event);
  });
  EXPECT_EQ(byForEach.size(), reader.size());
  uint64_t seq = 0;
  for (IndexEvent e : reader) {
    EXPECT_EQ(e, byForEach[seq]);
    EXPECT_EQ(e, reader.at(seq));
    ++seq;
    Json event = {{"timestamp_ns", num(e.timestampNs)},
                  {"function_id", num(e.functionId)},
                  {"event_kind", num(static_cast<uint32_t>(e.kind))},
                  {"detail_seq", e.detailSeq == kNoDetail ? Json(nullptr) : num(e.detailSeq)}};
    if (h.version == 1) {
      event["thread_id"] = num(e.threadId);
      event["call_depth"] = num(e.storedDepth);
    } else {
      EXPECT_EQ(e.threadId, h.threadId);
    }
    result["events"].push_back(event);
  }
  EXPECT_FALSE(reader.at(seq));
  EXPECT_EQ(reader.recordsV1().size() + reader.recordsV2().size(), reader.size());
  return result;
}

Json describe(const Expected<DetailReader> &opened) {
  if (!opened)
    return outcomeOf(opened.error());
  const DetailReader &reader = *opened;
  const DetailHeader &h = reader.header();
  Json result = {{"outcome", "ok"},
                 {"error", nullptr},
                 {"warnings", codeList(reader.warnings())},
                 {"header",
                  {{"version", num(h.version)},
                   {"arch", num(h.arch)},
                   {"os", num(h.os)},
                   {"flags", num(h.flags)},
                   {"thread_id", num(h.threadId)},
                   {"events_offset", num(h.eventsOffset)},
                   {"event_count", num(h.eventCount)},
                   {"bytes_length", num(h.bytesLength)},
                   {"index_seq_start", num(h.indexSeqStart)},
                   {"index_seq_end", num(h.indexSeqEnd)}}},
                 {"footer", nullptr},
                 {"checksum", checksumName(reader.checksum())},
                 {"count", num(reader.size())},
                 {"count_source", countSourceName(reader.countSource())},
                 {"events", Json::array()}};
  if (const auto &f = reader.footer())
    result["footer"] = {{"offset", num(f->offset)},
                        {"checksum", num(f->checksum)},
                        {"event_count", num(f->eventCount)},
                        {"bytes_length", num(f->bytesLength)},
                        {"time_start_ns", num(f->timeStartNs)},
                        {"time_end_ns", num(f->timeEndNs)}};
  for (uint64_t seq = 0; seq < reader.size(); ++seq) {
    DetailEvent e = reader[seq];
    Json event = {{"seq", num(e.seq)},
                  {"offset", num(e.offset)},
                  {"total_length", num(e.totalLength)},
                  {"event_type", num(e.type)},
                  {"flags", num(e.flags)},
                  {"index_seq", num(e.indexSeq)},
                  {"timestamp", num(e.timestampNs)},
                  {"payload", hex(e.payload)},
                  {"function_payload", nullptr}};
    if (h.version == 1)
      event["thread_id"] = num(e.threadId);
    if (auto f = e.function()) {
      Json registers = Json::array();
      for (uint64_t value : f->registers)
        registers.push_back(num(value));
      event["function_payload"] = {{"function_id", num(f->functionId)},
                                   {"x_regs", registers},
                                   {"lr", num(f->lr)},
                                   {"fp", num(f->fp)},
                                   {"sp", num(f->sp)},
                                   {"stack_size", num(f->stack.size())},
                                   {"stack", hex(f->stack)}};
    }
    result["events"].push_back(event);
  }
  EXPECT_FALSE(reader.at(reader.size()));
  EXPECT_FALSE(reader.at(kNoDetail));
  return result;
}

Json linksOf(const ThreadTrace &thread) {
  Json good = Json::array(), missing = Json::array(), elsewhere = Json::array(), astray = Json::array();
  std::set<uint64_t> bad;
  checkLinks(thread, [&](const LinkFlaw &flaw) {
    if (flaw.kind == LinkFlaw::Kind::IndexMissing) {
      astray.push_back(num(flaw.seq));
    } else if (flaw.kind == LinkFlaw::Kind::DetailMissing || flaw.kind == LinkFlaw::Kind::DetailElsewhere) {
      (flaw.kind == LinkFlaw::Kind::DetailMissing ? missing : elsewhere).push_back(num(flaw.seq));
      bad.insert(flaw.seq);
    }
  });
  thread.index->forEach([&](uint64_t seq, const IndexEvent &event) {
    if (event.detailSeq != kNoDetail && !bad.contains(seq))
      good.push_back({num(seq), num(event.detailSeq)});
  });
  return {{"good", good},
          {"index_events_without_their_detail", missing},
          {"index_events_whose_detail_points_elsewhere", elsewhere},
          {"detail_events_without_their_index", astray}};
}

Json describe(const Expected<ProcessTrace> &opened) {
  if (!opened) {
    Json result = outcomeOf(opened.error());
    result["threads"] = Json::array();
    return result;
  }
  Json result = {
      {"outcome", "ok"}, {"error", nullptr}, {"warnings", codeList(opened->warnings())}, {"threads", Json::array()}};
  for (const ThreadTrace &thread : opened->threads()) {
    Json t = {{"dir", thread.directory},
              {"id", num(thread.id)},
              {"warnings", codeList(thread.warnings)},
              {"index", describe(thread.index)},
              {"detail", thread.detail ? describe(*thread.detail) : Json(nullptr)}};
    if (thread.index) {
      t["links"] = linksOf(thread);
    }
    result["threads"].push_back(t);
  }
  return result;
}

// Deferring the checksum must change only when it is compared.
template <class Reader> void expectDeferredAgrees(const std::string &path, const Json &want) {
  auto opened = Reader::open(path, {.checksum = ChecksumPolicy::Defer});
  if (!opened) {
    EXPECT_EQ(want["outcome"], "error");
    return;
  }
  auto verified = opened->verifyChecksum();
  EXPECT_EQ(static_cast<bool>(verified), want["outcome"] == "ok");
  if (!verified)
    EXPECT_EQ(verified.error().code, want["error"].get<std::string>());
  else
    EXPECT_EQ(checksumName(opened->checksum()), want["checksum"].get<std::string>());
}

class AtfVector : public testing::TestWithParam<test::VectorFiles> {};

TEST_P(AtfVector, IsReadAsExpected) {
  const std::string path = GetParam().subject.string();
  const Json vector = test::jsonOfFile<Json>(GetParam().json);
  SCOPED_TRACE(vector.value("description", std::string()));
  const Json &want = vector["expect"];
  std::string kind = vector["kind"].get<std::string>();
  if (kind == "index") {
    expectSame(want, describe(IndexReader::open(path)), "index");
    expectDeferredAgrees<IndexReader>(path, want);
  } else if (kind == "detail") {
    expectSame(want, describe(DetailReader::open(path)), "detail");
    expectDeferredAgrees<DetailReader>(path, want);
  } else {
    ASSERT_EQ(kind, "session");
    Json expected = want;
    expected.erase("merged"); // for readers that order the events of all threads
    expectSame(expected, describe(ProcessTrace::open(path)), "session");
  }
}

// A folder of vectors of other formats has none of this one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AtfVector);
INSTANTIATE_TEST_SUITE_P(All, AtfVector, testing::ValuesIn(test::vectorsOf(test::VectorFormat::Atf)),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           for (char &c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c)))
                               c = '_';
                           return name;
                         });

} // namespace
