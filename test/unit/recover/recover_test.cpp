// The files of a killed process are completed, wherever they were cut.
// Every event has its detail if that was written, links lead to something that exists, and the ring's content follows.
#include "ada/trace/recover.h"
#include "dead_process.h"
#include "formats/native/session/link_check.h"
#include "scratch_directory.h"
#include "thorough.h"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace ada;
using namespace ada::atf;
using namespace ada::test;

namespace {

struct Variant {
  uint8_t format; // of the ring: an ATF version, or packed index files
  bool windows, ring;
  // What older versions recorded: ATF detail beside a packed index; packed threads that have a directory.
  bool plainDetail = false, packedInDirectory = false;
  bool isPacked() const { return format == ADA_FORMAT_PACKED; }
  bool hasPackedDetail() const { return isPacked() && !plainDetail; }
  bool hasDirectory() const { return !isPacked() || plainDetail || packedInDirectory; }
  uint8_t version() const { return isPacked() ? 2 : format; }
};

// Four calls of function 1, each with detail at entry and return; the last two of them are only in the ring.
class CutFiles : public testing::TestWithParam<Variant> {
protected:
  static constexpr uint64_t kFunction = 1ull << 32 | 1;
  static constexpr unsigned kInFile = 4, kInAll = 8;

  void SetUp() override {
    ring_.header().format = GetParam().format;
    ring_.header().detail_windows = GetParam().windows;
    auto index = IndexWriter::create(index_, {.version = GetParam().version(),
                                              .packed = GetParam().isPacked(),
                                              .linksFollow = true,
                                              .threadId = RingBuilder::kTid});
    auto detail = DetailWriter::create(
        detail_,
        {.version = GetParam().version(), .packed = GetParam().hasPackedDetail(), .threadId = RingBuilder::kTid});
    ASSERT_TRUE(index && detail);
    for (unsigned i = 0; i < kInAll; ++i) {
      const bool call = i % 2 == 0;
      if (i == kInFile)
        ring_.thread().cursor[0] = {.events = kInFile, .chunk_seq = 0, .record = recordOf(kInFile)};
      ring_.add(time(i), 1, (call ? ADA_RECORD_CALL : ADA_RECORD_RETURN) | ADA_RECORD_DETAIL, i, call ? 1 : 0);
      if (i >= kInFile)
        continue;
      const IndexEvent event{.timestampNs = time(i),
                             .functionId = kFunction,
                             .detailSeq = detail->size(),
                             .kind = call ? EventKind::Call : EventKind::Return,
                             .threadId = RingBuilder::kTid,
                             .storedDepth = 0};
      ASSERT_TRUE(index->append(event));
      DetailEvent head{.type = call ? kDetailFunctionCall : kDetailFunctionReturn,
                       .indexSeq = i,
                       .threadId = RingBuilder::kTid,
                       .timestampNs = time(i)};
      FunctionPayload payload{.functionId = kFunction};
      payload.registers[0] = i;
      ASSERT_TRUE(detail->append(head, payload));
      if (!call)
        continue;
      RawVectorPayload raw{};
      raw.functionId = kFunction, raw.count = 1, raw.bytesEach = 16;
      std::byte bytes[sizeof raw + 16] = {};
      std::memcpy(bytes, &raw, sizeof raw);
      head.type = kDetailVectors;
      ASSERT_TRUE(detail->append(head, std::span<const std::byte>(bytes)));
    }
  }

  // The position of event `i`'s record in the chunk: a call takes 9 units, a return 8.
  static uint32_t recordOf(unsigned i) { return i / 2 * 17 + i % 2 * 9; }

  static uint64_t time(unsigned i) { return 1000 + 10 * i; }

  // Restores the process as it was when it was killed.
  void lay(const std::string &index, const std::string &detail) {
    std::filesystem::remove_all(directory_);
    writeFile(index_, index);
    writeFile(detail_, detail);
    if (GetParam().ring)
      ring_.write(directory_ + "/ring");
  }

  RecoverResult recover() {
    auto result = recoverProcess(directory_);
    EXPECT_TRUE(result) << result.error().text();
    if (!result)
      return {};
    for (const Error &failure : result->failures)
      ADD_FAILURE() << failure.text();
    EXPECT_FALSE(std::filesystem::exists(directory_ + "/ring"));
    return *result;
  }

  // Whether event `i` must have its detail if the detail file held the first `details` events.
  bool keepsDetail(unsigned i, uint64_t details) const {
    if (i >= kInFile)
      return GetParam().ring && !GetParam().windows;
    const unsigned seq = i / 2 * 3 + i % 2 * 2; // calls have a second event for their vector registers
    return seq < details;
  }

  // Returns the finished files; `details` as above.
  void expectWhole(unsigned events, uint64_t details) {
    auto process = ProcessTrace::open(directory_);
    ASSERT_TRUE(process) << process.error().text();
    ASSERT_EQ(process->threads().size(), 1u);
    const ThreadTrace &thread = process->threads()[0];
    ASSERT_TRUE(thread.index) << thread.index.error().text();
    EXPECT_TRUE(thread.index->isComplete());
    EXPECT_TRUE(thread.warnings.empty()) << thread.warnings[0].message;
    if (thread.detail) {
      ASSERT_TRUE(*thread.detail);
      EXPECT_TRUE((*thread.detail)->isComplete());
    }
    checkLinks(thread, [](const LinkFlaw &flaw) { ADD_FAILURE() << flaw.seq << ": " << flaw.text(); });
    ASSERT_EQ(thread.index->size(), events);
    for (unsigned i = 0; i < events; ++i) {
      const IndexEvent event = (*thread.index)[i];
      EXPECT_EQ(event.timestampNs, time(i));
      EXPECT_EQ(event.functionId, kFunction);
      const auto detail = thread.detail ? (*thread.detail)->at(event.detailSeq) : std::nullopt;
      ASSERT_EQ(detail.has_value(), keepsDetail(i, details)) << "event " << i;
      if (detail) {
        ASSERT_TRUE(detail->function());
        EXPECT_EQ(detail->function()->registers[0], i);
      }
    }
  }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_.path() + "/pid_1";
  std::string place_ = scratch_ / (GetParam().hasDirectory() ? "pid_1/thread_0/" : "pid_1/thread_0.");
  std::string index_ = place_ + (GetParam().isPacked() ? "index.atp" : "index.atf");
  std::string detail_ = place_ + (GetParam().hasPackedDetail() ? "detail.atp" : "detail.atf");
  RingBuilder ring_;
};

TEST_P(CutFiles, DetailCutAnywhere) {
  const std::string index = readFile(index_), detail = readFile(detail_);
  for (size_t size = 0; size <= detail.size(); size += test::stride(13)) {
    SCOPED_TRACE("detail file cut to " + std::to_string(size) + " of " + std::to_string(detail.size()) + " bytes");
    lay(index, detail.substr(0, size));
    uint64_t details = 0, dangling = kInFile;
    if (auto reader = DetailReader::open(detail_))
      details = reader->size();
    for (unsigned i = 0; i < kInFile; ++i)
      dangling -= keepsDetail(i, details);
    const RecoverResult result = recover();
    EXPECT_EQ(result.linksCleared, GetParam().isPacked() ? 0 : dangling); // packed files have no links
    expectWhole(GetParam().ring ? kInAll : kInFile, details);
    if (HasFailure())
      return;
  }
}

TEST_P(CutFiles, DetailOfFinishedFileCutAnywhere) {
  // A program that continued after a failed exec and was then killed leaves this: detail is finished first.
  const std::string index = readFile(index_);
  {
    auto writer = DetailWriter::resume(detail_, UINT64_MAX);
    ASSERT_TRUE(writer && writer->finish());
  }
  const std::string detail = readFile(detail_);
  for (size_t size = detail.size() - kFooterBytes - 1; size <= detail.size(); ++size) {
    SCOPED_TRACE("detail file cut to " + std::to_string(size) + " of " + std::to_string(detail.size()) + " bytes");
    lay(index, detail.substr(0, size));
    uint64_t details = 0;
    if (auto reader = DetailReader::open(detail_))
      details = reader->size();
    recover();
    expectWhole(GetParam().ring ? kInAll : kInFile, details);
    if (HasFailure())
      return;
  }
}

TEST_P(CutFiles, IndexCutAnywhere) {
  const std::string index = readFile(index_), detail = readFile(detail_);
  for (size_t size = 0; size <= index.size(); size += test::stride(13)) {
    SCOPED_TRACE("index file cut to " + std::to_string(size) + " bytes");
    lay(index.substr(0, size), detail);
    const auto cut = IndexReader::open(index_, {.checksum = ChecksumPolicy::Defer});
    const unsigned events = cut ? static_cast<uint32_t>(cut->size()) : 0;
    if (!GetParam().ring && !cut)
      continue; // nothing says which thread the details belong to
    // The valid cursor of the journal is the one that matches the file's content.
    ring_.thread().cursor[0] = {.events = events, .chunk_seq = 0, .record = recordOf(events)};
    if (GetParam().ring)
      ring_.write(directory_ + "/ring");
    recover();
    if (!GetParam().ring)
      expectWhole(events, UINT64_MAX);
    else if (GetParam().windows)
      expectWhole(kInAll, events / 2 * 3 + events % 2 * 2);
    else
      expectWhole(kInAll, UINT64_MAX);
    if (HasFailure())
      return;
  }
}

// Queries don't keep a recovery from its work; a process that is still recording does.
TEST(Recover, AProcessThatWasKilledWhileItStarted) {
  ScratchDirectory scratch;
  const std::string dead = scratch / "pid_4194305", alive = scratch / ("pid_" + std::to_string(::getpid()));
  for (const std::string &directory : {dead, alive}) {
    test::writeFile(directory + "/ring", std::string(ADA_CHUNK_BYTES, '\0'));
    const int fd = ::open((directory + "/ring").c_str(), O_RDWR);
    void *memory = directory == alive ? ::mmap(nullptr, ADA_CHUNK_BYTES, PROT_READ, MAP_SHARED, fd, 0) : nullptr;
    ::close(fd);
    const auto result = recoverProcess(directory, {});
    EXPECT_EQ(bool(result), directory == dead) << directory;
    EXPECT_EQ(std::filesystem::exists(directory + "/ring"), directory == alive);
    if (memory)
      ::munmap(memory, ADA_CHUNK_BYTES);
  }
}

TEST(RecordingLock, QuestionsDoNotDisturb) {
  ScratchDirectory scratch;
  const std::string directory = scratch.path() + "/pid_1";
  RingBuilder ring;
  std::atomic<bool> stop = false;
  std::thread asking([&] {
    while (!stop)
      (void)isRecording(directory);
  });
  for (int i = 0; i < 200; ++i) {
    std::filesystem::create_directories(directory);
    ring.write(directory + "/ring");
    const auto result = recoverProcess(directory);
    EXPECT_TRUE(result) << result.error().text();
  }
  stop = true;
  asking.join();

  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(fd, LOCK_EX | LOCK_NB), 0);
  ring.write(directory + "/ring");
  EXPECT_TRUE(isRecording(directory));
  const auto result = recoverProcess(directory);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "E_RUNNING");
  EXPECT_TRUE(std::filesystem::exists(directory + "/ring"));
  ::close(fd);
  EXPECT_FALSE(isRecording(directory));
  EXPECT_TRUE(recoverProcess(directory));
}

INSTANTIATE_TEST_SUITE_P(
    Both, CutFiles,
    testing::Values(Variant{1, false, true}, Variant{2, false, true}, Variant{2, true, true}, Variant{1, true, true},
                    Variant{1, false, false}, Variant{2, false, false}, Variant{ADA_FORMAT_PACKED, false, true},
                    Variant{ADA_FORMAT_PACKED, true, true}, Variant{ADA_FORMAT_PACKED, false, false},
                    Variant{ADA_FORMAT_PACKED, false, true, true}, Variant{ADA_FORMAT_PACKED, false, true, false, true},
                    Variant{ADA_FORMAT_PACKED, false, false, false, true}),
    [](const auto &info) {
      return (info.param.isPacked() ? "Packed" : "Version" + std::to_string(info.param.format)) +
             (info.param.plainDetail ? "PlainDetail" : "") + (info.param.packedInDirectory ? "InDirectory" : "") +
             (info.param.windows ? "Windows" : "") + (info.param.ring ? "" : "WithoutRing");
    });

} // namespace
