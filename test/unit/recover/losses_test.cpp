// The manifest has what a killed process lost, and also losses only discovered when its last records are read.
#include "ada/trace/recover.h"
#include "dead_process.h"
#include "scratch_directory.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ada;
using namespace ada::test;

namespace {

using Json = nlohmann::json;

class Losses : public testing::Test {
protected:
  // The manifest after recovery.
  Json recover() {
    ring_.write(directory_ + "/ring");
    const auto result = recoverProcess(directory_);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    return Json::parse(readFile(directory_ + "/manifest.json"));
  }
  static Json::object_t droppedIn(const Json &json) {
    return json.contains("dropped") ? json["dropped"].get<Json::object_t>() : Json::object_t();
  }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_ / "pid_4194305";
  RingBuilder ring_;
};

// Counts that belong to a cursor become valid with it: only one of the two cursors counts.
TEST_F(Losses, OfTheCursorThatHolds) {
  ada_ring_thread &t = ring_.thread();
  t.lost[ADA_LOST_RING_FULL] = 10;
  t.cursor[0].gaps = -2;
  t.cursor[0].lost[ADA_LOST_NO_MODULE] = 3;
  t.cursor[1].gaps = 100;
  t.cursor[1].lost[ADA_LOST_INTERRUPTED] = 100;
  const Json manifest = recover();
  EXPECT_EQ(droppedIn(manifest["threads"][0]), (Json::object_t{{"ring_full", 8}, {"no_module", 3}}));
  EXPECT_EQ(droppedIn(manifest), Json::object_t());
}

// Recovery rewrites the manifest. Fields that it does not know stay, wherever they are.
TEST_F(Losses, UnknownFieldsSurvive) {
  std::filesystem::create_directories(directory_);
  std::ofstream(directory_ + "/manifest.json") << R"({"newer": [1, {"x": 18446744073709551615}], "options": {"a": 1},
    "threads": [{"id": 0, "newer": 1.5, "name": "old", "dropped": {"newer": 2}}], "recorder": {"ring": "r", "newer": true},
    "process": {"pid": 7, "newer": null, "exit": "running"}, "modules": [{"module_id": 0, "newer": "b"}]})";
  std::ofstream(directory_ + "/modules.jsonl") << R"({"modules": [{"module_id": 0}, {"module_id": 1, "newer": 2}],)"
                                               << R"( "symbols": [{"module_id": 1, "symbol_index": 3}]})";
  ring_.add(1, 1, ADA_RECORD_CALL);
  const Json manifest = recover();
  EXPECT_EQ(manifest["newer"], Json::parse(R"([1, {"x": 18446744073709551615}])"));
  EXPECT_EQ(manifest["options"], Json::parse(R"({"a": 1})"));
  EXPECT_EQ(manifest["threads"][0]["newer"], 1.5);
  EXPECT_EQ(manifest["threads"][0]["event_count"], 1);
  EXPECT_EQ(droppedIn(manifest["threads"][0]), (Json::object_t{{"newer", 2}}));
  EXPECT_EQ(manifest["recorder"], Json::parse(R"({"ring": "r", "newer": true})"));
  EXPECT_EQ(manifest["process"], Json::parse(R"({"pid": 7, "newer": null, "exit": {"how": "unknown"}})"));
  EXPECT_EQ(manifest["modules"], Json::parse(R"([{"module_id": 0, "newer": "b"}, {"module_id": 1, "newer": 2}])"));
  EXPECT_EQ(manifest["symbols"], Json::parse(R"([{"module_id": 1, "symbol_index": 3}])"));
}

// More events were made up around gaps than the first reason has lost.
TEST_F(Losses, GapsOfTwoReasons) {
  ada_ring_thread &t = ring_.thread();
  t.lost[ADA_LOST_RING_FULL] = 1, t.lost[ADA_LOST_NO_MEMORY] = 5;
  t.cursor[0].gaps = -3;
  EXPECT_EQ(droppedIn(recover()["threads"][0]), (Json::object_t{{"no_memory", 3}}));
}

TEST_F(Losses, OfFunctionsInNoModule) {
  ring_.add(1, 1, ADA_RECORD_CALL);
  ring_.add(2, 99, ADA_RECORD_CALL);
  ring_.add(3, 99, ADA_RECORD_RETURN);
  ring_.add(4, 1, ADA_RECORD_RETURN);
  const Json manifest = recover();
  EXPECT_EQ(manifest["threads"][0]["event_count"], 2);
  EXPECT_EQ(droppedIn(manifest["threads"][0]), (Json::object_t{{"no_module", 2}}));
}

// An exit whose call was lost makes no event. Without notes, it cannot be known where that call was open.
TEST_F(Losses, WithoutNotes) {
  ring_.thread().lost[ADA_LOST_RING_FULL] = 1;
  ring_.thread().cursor[0].notes = ADA_NOTES_MISSING;
  ring_.add(1, 1, ADA_RECORD_RETURN);
  const Json manifest = recover();
  EXPECT_EQ(manifest["threads"][0]["event_count"], 0);
  EXPECT_EQ(droppedIn(manifest["threads"][0]), (Json::object_t{{"ring_full", 2}}));
}

// ATF has exits of a call that no hook saw as exceptions: the journal counts them. Exits without an open call are
// counted.
TEST_F(Losses, ExitsThatNoHookSaw) {
  ring_.thread().inferred[0] = 3;
  ring_.add(1, 1, ADA_RECORD_CALL);
  ring_.add(2, 2, ADA_RECORD_CALL);
  ring_.add(3, 1, ADA_RECORD_RETURN);
  ring_.add(4, 2, ADA_RECORD_RETURN);
  const Json manifest = recover();
  EXPECT_EQ(manifest["inferred_count"], 4);
  EXPECT_EQ(manifest["threads"][0]["inferred_count"], 4);
  EXPECT_EQ(manifest["threads"][0]["stray_count"], 1);
  EXPECT_EQ(manifest["threads"][0]["event_count"], 4);
}

// The file is shorter than the journal says.
TEST_F(Losses, OfEventsThatWereInTheFile) {
  ring_.thread().cursor[0].events = 7;
  EXPECT_EQ(droppedIn(recover()["threads"][0]), (Json::object_t{{"write_error", 7}}));
}

//===--- where ------------------------------------------------------------===//

Json gap(uint64_t fromNs, uint64_t toNs, uint64_t events) {
  return {{"from_ns", fromNs}, {"to_ns", toNs}, {"events", events}};
}
uint64_t lostBefore(uint64_t total) { return total << 4 | ADA_RECORD_LOST; }

// Losses known from records that the drain had not read. Nothing followed the last loss.
TEST_F(Losses, LieBetweenRecords) {
  ring_.thread().lost[ADA_LOST_RING_FULL] = 60;
  ring_.thread().lost_in_gaps[0] = 10; // the drain has handled these
  ring_.add(100, 1, ADA_RECORD_CALL);
  ring_.add(200, lostBefore(35));
  ring_.add(201, 2, ADA_RECORD_CALL);
  ring_.add(300, 2, ADA_RECORD_RETURN);
  const Json thread = recover()["threads"][0];
  EXPECT_EQ(droppedIn(thread), (Json::object_t{{"ring_full", 60}}));
  EXPECT_EQ(thread["gaps"], Json::array({gap(100, 201, 25), gap(300, 300, 25)}));
}

TEST_F(Losses, OfTheFileAndOfTheRing) {
  ring_.thread().cursor[0].events = 7;
  ring_.thread().lost[ADA_LOST_NO_MEMORY] = 2;
  ring_.add(100, lostBefore(2));
  ring_.add(101, 1, ADA_RECORD_CALL);
  const Json thread = recover()["threads"][0];
  EXPECT_EQ(thread["gaps"], Json::array({gap(0, 101, 9)}));
}

// The last manifest lists older gaps. The gap that nothing had followed is now known more precisely.
TEST_F(Losses, OfTheManifestAndOfTheRing) {
  const Json known = {{"threads",
                       {{{"id", 0},
                         {"time_end_ns", 90},
                         {"gaps", {gap(70, 80, 4), gap(10, 20, 3), "odd", {{"from_ns", 9}}, gap(90, 95, 9)}}}}}};
  writeFile(directory_ + "/manifest.json", known.dump());
  ring_.thread().lost[ADA_LOST_RING_FULL] = 20;
  ring_.thread().lost_in_gaps[0] = 7;
  ring_.add(96, 1, ADA_RECORD_CALL);
  ring_.add(100, lostBefore(20));
  ring_.add(101, 1, ADA_RECORD_RETURN);
  const Json thread = recover()["threads"][0];
  EXPECT_EQ(thread["gaps"], Json::array({gap(10, 20, 3), gap(70, 80, 4), gap(96, 101, 13)}));
}

// Threads whose slots now belong to others keep the manifest's figures.
class LossesOfEndedThreads : public Losses {
protected:
  // Adds a thread whose file has one event, at 50 ns. `known` is its entry in the manifest.
  void addThread(unsigned number, Json known) {
    const std::string thread = directory_ + "/thread_" + std::to_string(number);
    std::filesystem::create_directories(thread);
    auto writer = atf::IndexWriter::create(thread + "/index.atf", {.threadId = number});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append({.timestampNs = 50, .functionId = 1, .kind = EventKind::Call}));
    ASSERT_TRUE(writer->finish(false));
    known["id"] = number;
    known_.push_back(std::move(known));
  }
  // Returns the threads by number.
  std::map<unsigned, Json> recoverThreads() {
    writeFile(directory_ + "/manifest.json", Json{{"threads", known_}}.dump());
    manifest_ = recover();
    std::map<unsigned, Json> threads;
    for (const Json &thread : manifest_["threads"])
      threads[thread["id"]] = thread;
    return threads;
  }

  Json manifest_;

private:
  std::vector<Json> known_;
};

TEST_F(LossesOfEndedThreads, AreInTheManifest) {
  const Json gaps = Json::array({gap(50, 60, 2)});
  addThread(5, {{"dropped", {{"ring_full", 2}}}, {"time_end_ns", 50}, {"gaps", gaps}});
  ring_.header().events_ended = 6;
  EXPECT_EQ(recoverThreads()[5]["gaps"], gaps);
  EXPECT_EQ(droppedIn(manifest_), (Json::object_t{{"ended_threads", 4}}));
}

// An exit was lost, the manifest was written, and then the thread's records showed which call it had ended: the exit is
// now an event. The thread's file shows whose exit it was.
TEST_F(LossesOfEndedThreads, AreTakenBackFromTheManifest) {
  addThread(5, {{"dropped", {{"ring_full", 8}}}, {"time_end_ns", 50}});
  addThread(6, {{"dropped", {{"ring_full", 1}, {"no_memory", 9}}},
                {"time_end_ns", 40},
                {"gaps", Json::array({gap(20, 40, 10)})}});
  addThread(7, {{"dropped", "odd"}, {"time_end_ns", 40}});
  ring_.header().events_ended = 15;
  auto threads = recoverThreads();
  EXPECT_EQ(droppedIn(threads[5]), (Json::object_t{{"ring_full", 8}}));
  EXPECT_EQ(droppedIn(threads[6]), (Json::object_t{{"no_memory", 7}}));
  EXPECT_EQ(threads[6]["gaps"], Json::array({gap(20, 40, 7)}));
  EXPECT_EQ(droppedIn(manifest_), Json::object_t());
}

// A thread's slot is given back in steps, and the process may be killed after each step.
TEST_F(Losses, OfAThreadThatGivesBackItsSlot) {
  struct Step {
    uint32_t state;
    uint64_t inHeader, inSlot;
    Json::object_t ofThread, ofOthers;
  };
  const Json::object_t five = {{"ended_threads", 5}}, twelve = {{"ended_threads", 12}};
  for (const Step &step :
       {Step{ADA_THREAD_ENDED, 5, 0, {{"ring_full", 7}}, five}, Step{ADA_THREAD_ENDED, 5, 12, {{"ring_full", 7}}, five},
        Step{ADA_THREAD_GONE, 5, 12, {}, twelve}, Step{ADA_THREAD_GONE, 12, 12, {}, twelve},
        Step{ADA_THREAD_FREE, 12, 12, {}, twelve}}) {
    ada_ring_thread &t = ring_.thread();
    t.lost[ADA_LOST_RING_FULL] = 7;
    t.state = step.state, t.events_ended = step.inSlot;
    ring_.header().events_ended = step.inHeader;
    const Json manifest = recover();
    EXPECT_EQ(manifest["threads"].empty() ? Json::object_t() : droppedIn(manifest["threads"][0]), step.ofThread);
    EXPECT_EQ(droppedIn(manifest), step.ofOthers);
    std::filesystem::remove_all(directory_);
  }
}

} // namespace
