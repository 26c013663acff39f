// A path may be a directory of sessions, a session, a process, a thread or a file.
// Damage in one part leaves the rest readable.
#include "ada/trace/session.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "scratch_directory.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace ada;
using namespace ada::atf;
using ada::test::ScratchDirectory;

namespace {

class AtfSession : public testing::Test {
protected:
  ScratchDirectory scratch_;

  void thread(const std::string &directory, uint64_t events, uint32_t threadId = 1) {
    auto writer = IndexWriter::create(scratch_ / (directory + "/index.atf"), {.threadId = threadId});
    ASSERT_TRUE(writer) << writer.error().text();
    for (uint64_t i = 0; i < events; ++i)
      ASSERT_TRUE(writer->append({.timestampNs = i, .functionId = 7, .kind = EventKind{1 + i % 2 == 1 ? 1u : 2u}}));
    ASSERT_TRUE(writer->finish());
  }
  void manifest(const std::string &directory, const std::string &threads) {
    scratch_.write(directory + "/manifest.json",
                   R"({"process": {"pid": 99}, "threads": )" + threads +
                       R"(, "symbols": [{"module_id": 0, "symbol_index": 7, "name": "_Z1fv"}]})");
  }
  static std::string codes(const std::vector<Warning> &warnings) {
    std::string text;
    for (const Warning &w : warnings)
      text += w.code + " ";
    return text;
  }
};

TEST_F(AtfSession, EveryKindOfPath) {
  thread("traces/session_20250101_000000/pid_1/thread_0", 99);
  for (const char *pid : {"pid_10", "pid_9", "pid_9_2"}) {
    std::string process = "traces/session_20250102_000000/" + std::string(pid);
    thread(process + "/thread_0", 2, 4711);
    thread(process + "/thread_1", 4);
    manifest(process, R"([{"id": 1}, {"id": 0, "tid": 4712, "name": "main"}])");
  }
  scratch_.write("traces/session_20250103", "a file");

  // The directory of all sessions: it means the newest one.
  for (const char *path : {"traces", "traces/session_20250102_000000", "traces/"}) {
    auto session = Session::open(scratch_ / path);
    ASSERT_TRUE(session) << session.error().text();
    EXPECT_EQ(session->kind(), Session::Kind::Root);
    ASSERT_EQ(session->processes().size(), 3u);
    EXPECT_EQ(session->processes()[0].name(), "pid_9");
    EXPECT_EQ(session->processes()[1].name(), "pid_9_2");
    EXPECT_EQ(session->processes()[2].name(), "pid_10");
    EXPECT_EQ(session->eventCount(), 18u);
    EXPECT_TRUE(session->warnings().empty());
  }
  EXPECT_EQ(*newestSession(scratch_ / "traces"), scratch_ / "traces/session_20250102_000000");

  std::string process = "traces/session_20250102_000000/pid_9";
  auto opened = Session::open(scratch_ / process);
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->kind(), Session::Kind::Process);
  const ProcessTrace &p = opened->processes().at(0);
  EXPECT_EQ(p.pid(), 99u) << "the manifest's";
  ASSERT_EQ(p.threads().size(), 2u);
  EXPECT_EQ(p.threads()[0].id, 1u) << "in the manifest's order";
  EXPECT_EQ(p.threads()[0].tid(), 1u) << "the header's";
  EXPECT_EQ(p.threads()[1].tid(), 4712u) << "the manifest's";
  EXPECT_EQ(p.threads()[1].name(), "main");
  EXPECT_EQ(p.displayName(7), "f()");

  for (const char *rest : {"/thread_0", "/thread_0/", "/thread_0/index.atf"}) {
    auto one = Session::open(scratch_ / (process + rest));
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_EQ(one->kind(), std::string(rest).ends_with("atf") ? Session::Kind::File : Session::Kind::Thread);
    ASSERT_EQ(one->processes().at(0).threads().size(), 1u);
    const ThreadTrace &t = one->processes()[0].threads()[0];
    EXPECT_EQ(t.id, 0u);
    EXPECT_EQ(t.name(), "main");
    EXPECT_EQ(t.index->size(), 2u);
    EXPECT_EQ(one->processes()[0].displayName(7), "f()");
  }
}

TEST_F(AtfSession, NamesAreFoundFromInsideTheThreadsDirectory) {
  thread("p/thread_0", 2);
  manifest("p", R"([{"id": 0}])");
  auto old = std::filesystem::current_path();
  std::filesystem::current_path(scratch_ / "p/thread_0");
  auto session = Session::open("index.atf");
  auto here = Session::open(".");
  std::filesystem::current_path(old);
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->processes()[0].displayName(7), "f()");
  ASSERT_TRUE(here) << here.error().text();
  EXPECT_EQ(here->processes()[0].displayName(7), "f()");
}

TEST_F(AtfSession, FilesOfPackedThreadsLieBesideTheManifest) {
  const auto add = [&](const std::string &name, bool hasDetail) {
    auto index = IndexWriter::create(scratch_ / ("s/pid_1/" + name + ".index.atp"), {.packed = true, .threadId = 3});
    ASSERT_TRUE(index);
    ASSERT_TRUE(index->append({.timestampNs = 1, .functionId = 7, .kind = EventKind::Call}));
    ASSERT_TRUE(index->finish(hasDetail));
  };
  thread("s/pid_1/thread_2", 3); // as another writer may leave it
  add("thread_0", false), add("thread_1", true);
  auto detail = DetailWriter::create(scratch_ / "s/pid_1/thread_1.detail.atp", {.packed = true, .threadId = 3});
  ASSERT_TRUE(detail);
  ASSERT_TRUE(detail->append({.type = kDetailFunctionCall, .indexSeq = 0, .threadId = 3, .timestampNs = 1},
                             FunctionPayload{.functionId = 7}));
  ASSERT_TRUE(detail->finish());
  manifest("s/pid_1", R"([{"id": 0}, {"id": 1, "name": "two"}, {"id": 2}, {"id": 3}])");

  auto session = Session::open(scratch_ / "s");
  ASSERT_TRUE(session) << session.error().text();
  const ProcessTrace &p = session->processes().at(0);
  EXPECT_EQ(codes(p.warnings()), "W_THREAD_MISSING:3 ");
  ASSERT_EQ(p.threads().size(), 3u);
  EXPECT_FALSE(p.threads()[0].detail);
  ASSERT_TRUE(p.threads()[1].detail && *p.threads()[1].detail);
  EXPECT_EQ((*p.threads()[1].index)[0].detailSeq, 0u);
  EXPECT_EQ(p.threads()[2].index->size(), 3u);

  // One of them alone has its names, also from inside the directory.
  const auto old = std::filesystem::current_path();
  for (const bool isInside : {false, true}) {
    if (isInside)
      std::filesystem::current_path(scratch_ / "s/pid_1");
    const auto one = Session::open(isInside ? "thread_1.index.atp" : scratch_ / "s/pid_1/thread_1.index.atp");
    std::filesystem::current_path(old);
    ASSERT_TRUE(one) << one.error().text();
    EXPECT_EQ(one->kind(), Session::Kind::File);
    EXPECT_EQ(one->processes()[0].displayName(7), "f()");
    const ThreadTrace &t = one->processes()[0].threads().at(0);
    EXPECT_EQ(t.id, 1u);
    EXPECT_EQ(t.name(), "two");
    EXPECT_TRUE(t.detail && *t.detail);
  }
}

TEST_F(AtfSession, DamagedPartsLeaveTheRest) {
  thread("s/pid_1/thread_0", 3);
  thread("s/pid_1/thread_1", 3);
  thread("s/pid_1/thread_5", 3);
  scratch_.write("s/pid_1/thread_1/index.atf", "broken");
  manifest("s/pid_1", R"([{"id": 0}, {"id": 1}, {"id": 2}])");
  thread("s/pid_2/thread_0", 3);
  scratch_.write("s/pid_2/manifest.json", "{broken");
  scratch_.write("s/pid_3/manifest.json", "{broken");
  thread("s/pid_4/thread_10", 1);
  thread("s/pid_4/thread_9", 1);
  scratch_.write("s/pid_4/thread_x/index.atf", "no thread");

  auto session = Session::open(scratch_ / "s");
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(codes(session->warnings()), "W_PROCESS_UNREADABLE:pid_3 ");
  EXPECT_EQ(session->failures().size(), 1u);
  EXPECT_EQ(session->eventCount(), 11u);
  const auto &all = session->processes();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(codes(all[0].warnings()), "W_THREAD_UNREADABLE:1 W_THREAD_MISSING:2 W_THREAD_UNLISTED:5 ");
  EXPECT_EQ(all[0].threads().size(), 3u);
  EXPECT_EQ(codes(all[1].warnings()), "W_BAD_MANIFEST ");
  EXPECT_EQ(codes(all[2].warnings()), "W_NO_MANIFEST ");
  EXPECT_EQ(all[2].threads().at(0).id, 9u) << "in numeric order";
  EXPECT_EQ(all[2].pid(), 4u) << "from the directory";
  EXPECT_EQ(all[2].displayName(7), "0x0000000000000007");

  // Strict: only what the manifest lists, which must be valid.
  auto strict = ProcessTrace::open(scratch_ / "s/pid_1");
  ASSERT_TRUE(strict);
  EXPECT_EQ(strict->threads().size(), 2u);
  EXPECT_EQ(ProcessTrace::open(scratch_ / "s/pid_2").error().code, "E_BAD_MANIFEST");
}

TEST_F(AtfSession, NothingThere) {
  std::filesystem::create_directory(scratch_ / "empty");
  std::filesystem::create_directories(scratch_ / "t/session_1");
  scratch_.write("text", "no trace");
  EXPECT_EQ(Session::open(scratch_ / "missing").error().code, "E_IO");
  EXPECT_EQ(Session::open(scratch_ / "empty").error().code, "E_NO_SESSION");
  EXPECT_EQ(Session::open(scratch_ / "t").error().code, "E_NO_SESSION");
  EXPECT_EQ(Session::open(scratch_ / "text").error().code, "E_TOO_SMALL");
  EXPECT_EQ(newestSession(scratch_ / "empty").error().code, "E_NO_SESSION");
  EXPECT_EQ(ProcessTrace::open(scratch_ / "missing").error().code, "E_NO_SESSION");
}

TEST_F(AtfSession, AnEmptyListOfThreadsIsAProcessWithoutEvents) {
  manifest("p", "[]");
  auto session = Session::open(scratch_ / "p");
  ASSERT_TRUE(session) << session.error().text();
  EXPECT_EQ(session->eventCount(), 0u);
}

TEST_F(AtfSession, DetailIsLinked) {
  std::string index = scratch_ / "p/thread_0/index.atf";
  auto writer = IndexWriter::create(index);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append({.timestampNs = 1, .kind = EventKind::Call}));
  ASSERT_TRUE(writer->append({.timestampNs = 2, .detailSeq = 0, .kind = EventKind::Return}));
  ASSERT_TRUE(writer->finish(true));
  auto missing = ProcessTrace::open(scratch_ / "p");
  ASSERT_TRUE(missing);
  EXPECT_EQ(codes(missing->threads()[0].warnings), "W_DETAIL_MISSING ");

  auto detail = DetailWriter::create(scratch_ / "p/thread_0/detail.atf");
  ASSERT_TRUE(detail);
  ASSERT_TRUE(detail->append({.type = kDetailFunctionReturn, .indexSeq = 1, .timestampNs = 2},
                             FunctionPayload{.functionId = 5}));
  ASSERT_TRUE(detail->finish());
  auto process = ProcessTrace::open(scratch_ / "p");
  ASSERT_TRUE(process);
  const ThreadTrace &t = process->threads().at(0);
  EXPECT_TRUE(t.warnings.empty());
  EXPECT_EQ((*t.index)[0].detailSeq, kNoDetail);
  ASSERT_TRUE(t.detail && *t.detail);
  EXPECT_EQ((**t.detail)[(*t.index)[1].detailSeq].function()->functionId, 5u);

  auto without = ProcessTrace::open(scratch_ / "p", {.detail = false});
  ASSERT_TRUE(without);
  EXPECT_FALSE(without->threads()[0].detail);
  EXPECT_TRUE(without->threads()[0].warnings.empty());
}

TEST_F(AtfSession, ADetailFileIsNoSession) { EXPECT_FALSE(Session::open(scratch_.write("d", "ATD2"))); }

TEST(ErrorText, NamesEverythingItKnows) {
  Error error{.code = "E_X", .message = "do this"};
  EXPECT_EQ(error.text(), "do this [E_X]");
  error.file = "f";
  error.offset = 3;
  error.field = "size";
  error.expected = "1";
  EXPECT_EQ(error.text(), "f: at byte 3: size: expected 1: do this [E_X]");
}

} // namespace
