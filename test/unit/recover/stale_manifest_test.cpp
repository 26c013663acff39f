// A killed process's last manifest may be old: what modules.jsonl and the ring know better.
#include "ada/trace/atf_detail.h"
#include "ada/trace/recover.h"
#include "dead_process.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ada;
using namespace ada::test;

namespace {

using Json = nlohmann::json;

Json windowOf(uint64_t startNs, uint64_t endNs, uint64_t triggers = 1) {
  return {{"start_ns", startNs},
          {"end_ns", endNs},
          {"trigger_count", triggers},
          {"pre_roll_ms", 1},
          {"pre_roll_available_ms", 1}};
}

class StaleManifest : public testing::Test {
protected:
  // The manifest after recovery.
  Json recover(const Json &manifest, const std::string &late, const RecoverOptions &options = {}) {
    writeFile(directory_ + "/manifest.json", manifest.dump());
    writeFile(directory_ + "/modules.jsonl", late);
    ring_.write(directory_ + "/ring");
    const auto result = recoverProcess(directory_, options);
    EXPECT_TRUE(result) << (result ? "" : result.error().text());
    EXPECT_FALSE(std::filesystem::exists(directory_ + "/modules.jsonl"));
    return Json::parse(readFile(directory_ + "/manifest.json"));
  }

  ScratchDirectory scratch_;
  std::string directory_ = scratch_ / "pid_4194305";
  RingBuilder ring_;
};

TEST_F(StaleManifest, TakesWindowsAndTheirDetail) {
  ring_.header().detail_windows = 1;
  for (uint64_t ns = 100; ns <= 900; ns += 200) {
    ring_.add(ns, 1, ADA_RECORD_CALL | ADA_RECORD_DETAIL, ns);
    ring_.add(ns + 10, 1, ADA_RECORD_RETURN);
  }
  const Json late = {{"windows", {windowOf(250, 550, 2), windowOf(850, 2000)}}};
  const Json manifest =
      recover({{"windows", {windowOf(50, 60), windowOf(300, 400)}}}, late.dump() + "\n{\"windows\": [{");
  EXPECT_EQ(manifest["windows"], Json::array({windowOf(50, 60), windowOf(250, 550, 2), windowOf(850, 2000)}));
  const auto details = atf::DetailReader::open(directory_ + "/thread_0/detail.atf");
  ASSERT_TRUE(details);
  std::vector<uint64_t> times;
  details->forEach([&](const atf::DetailEvent &e) { times.push_back(e.timestampNs); });
  EXPECT_EQ(times, (std::vector<uint64_t>{300, 500, 900}));
}

// The window of the process's death becomes one with those that it touches.
TEST_F(StaleManifest, JoinsTheWindowOfTheDeath) {
  ring_.header().detail_windows = 1;
  ring_.header().death_pre_roll = 1000001;
  ring_.header().alive_ns = 5000000;
  const Json manifest = recover({{"windows", {windowOf(10, 20), windowOf(3000000, 4500000, 3)}}}, "", {.signal = 9});
  ASSERT_EQ(manifest["windows"].size(), 2u);
  const Json &last = manifest["windows"][1];
  EXPECT_EQ(last["start_ns"], 3000000);
  EXPECT_EQ(last["end_ns"], 5000000);
  EXPECT_EQ(last["trigger_count"], 4);
  EXPECT_EQ(last["triggers"].back()["kind"], "signal");
}

// On the trace's clock. Without the difference to the time of day, that is not known.
TEST_F(StaleManifest, SaysWhenTheProcessEnded) {
  const RecoverOptions options{.signal = 9, .endedUtcNs = 1'700'000'000'000'003'500};
  const Json clock = {{"source", "tsc"}, {"epoch_offset_ns", 1'700'000'000'000'000'000}};
  EXPECT_EQ(recover({{"clock", clock}}, "", options)["process"]["exit"]["ended_ns"], 3500);
  EXPECT_FALSE(recover({{"clock", {{"source", "tsc"}}}}, "", options)["process"]["exit"].contains("ended_ns"));
}

TEST_F(StaleManifest, TakesSwitchedOffFunctions) {
  const auto budget = [](const Json &functions) {
    return Json{{"share", "5%"}, {"call_ns", 40}, {"functions", functions}};
  };
  const auto off = [](const char *id, uint64_t estimated) {
    return Json{{"function_id", id}, {"off_ns", 5}, {"calls", 3}, {"estimated_calls", estimated}};
  };
  const Json first = off("0x0000000000000001", 10), second = off("0x0000000000000002", 20);
  const Json manifest = recover({{"budget", budget(Json::array({first}))}},
                                Json{{"budget", budget(Json::array({off("0x0000000000000001", 4), second}))}}.dump());
  EXPECT_EQ(manifest["budget"]["share"], "5%");
  ASSERT_EQ(manifest["budget"]["functions"].size(), 2u);
  EXPECT_EQ(manifest["budget"]["functions"][0]["estimated_calls"], 10);
  EXPECT_EQ(manifest["budget"]["functions"][1]["function_id"], "0x0000000000000002");
}

TEST_F(StaleManifest, TakesTheClockFromTheRing) {
  ada_ring_header &h = ring_.header();
  h.clock = ADA_CLOCK_COUNTER, h.times = ADA_TIMES_TICK, h.tick_ns = 20000, h.counter_faults = 2;
  h.tick_gaps = 1 << 20, h.tick_gaps_squared = (uint64_t{1} << 20) * 3000 >> 16, h.tick_longest = 7000;
  ring_.addAnchor({1000, 500}), ring_.addAnchor({2000, 1000});
  const Json manifest = recover({{"clock", {{"source", "tsc"}, {"times", "tick"}, {"resolution_ns", 20000}}}}, "");
  EXPECT_EQ(manifest["clock"], (Json{{"source", "tsc"},
                                     {"times", "tick"},
                                     {"resolution_ns", 1500},
                                     {"longest_tick_ns", 3500},
                                     {"counter_faults", 2}}));
}

} // namespace
