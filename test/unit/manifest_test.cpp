// Reading manifest.json: all fields, odd ones, damaged ones, and large ones quickly.
#include "ada/trace/manifest.h"
#include "growth.h"
#include "scratch_directory.h"
#include "shared/manifest_keys.h"
#include "trace/base/json_document.h"
#include "trace/base/json_object.h"
#include "trace/base/json_repair.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace ada;
using ada::test::ScratchDirectory;

namespace {

constexpr const char *kFull = R"json({
  "format_version": "2.1", "unknown": [1, {"x": null}],
  "time_start_ns": 9007199254740993, "time_end_ns": 18446744073709551615,
  "clock_type": 3,
  "threads": [
    {"id": 1, "has_detail": true, "tid": 4712, "name": "worker", "event_count": 7,
     "detail_count": 2, "dropped": {"ring_full": 5, "odd": "x"},
     "gaps": [{"from_ns": 30, "to_ns": 40, "events": 3}, {"from_ns": 10, "to_ns": "0x14"}, {"from_ns": 9, "to_ns": 8},
              {"from_ns": 50}, 7, {"from_ns": 40, "to_ns": 40, "events": "many"}],
     "time_start_ns": 5, "time_end_ns": 9007199254740995},
    {"id": 0}],
  "modules": [
    {"module_id": 0, "path": "/bin/app", "base_address": "0x0000560000000000",
     "size": 4096, "uuid": "01234567-89ab-cdef-0123-456789abcdef", "build_id": "0123",
     "loaded_ns": 3, "unloaded_ns": 4},
    {"path": "no id"}],
  "symbols": [
    {"function_id": "0x0000000100000002", "module_id": 1, "symbol_index": 2,
     "name": "_ZN1A4workEi", "file": "a.cpp", "line": 12, "address": "0x1234",
     "signature": "void work(int)"
},
    {"module_id": 0, "symbol_index": 5, "name": "main"},
    {"function_id": "zzz", "name": "left out"},
    17],
  "process": {"pid": 4711, "ppid": 1, "executable": "/bin/app", "argv": ["app", "-x"],
              "cwd": "/home", "exit": {"signal": 9}},
  "host": {"name": "box", "core_count": 2},
  "clock": {"source": "tsc", "anchors": [{"counter": 10, "time_ns": 20}]},
  "timing_anchors": [{"host_time_ns": 8, "media_time": {"value": -1, "timescale": 600},
                      "label": "start"}],
  "budget": {"share": "5%", "call_ns": 19, "functions": [
    {"function_id": "0x0000000100000002", "off_ns": 9, "calls": 1000, "estimated_calls": 9007199254740993},
    {"function_id": "0x0000000000000005", "off_ns": 10, "on_ns": 12, "calls": 1, "estimated_calls": 2},
    {"off_ns": 11}, 17]},
  "options": {"format": "2", "enabled": true},
  "recorder": {"name": "adatrace", "abi": 1},
  "recovered": {"when": "today"}
})json";

TEST(Manifest, AllFields) {
  auto opened = Manifest::parse(kFull, "manifest.json");
  ASSERT_TRUE(opened) << opened.error().text();
  const Manifest &m = *opened;
  EXPECT_EQ(m.formatVersion, "2.1");
  EXPECT_EQ(m.timeStartNs, 9007199254740993u) << "64 bits, not a double";
  EXPECT_EQ(m.timeEndNs, 18446744073709551615u);
  EXPECT_EQ(m.clockType, 3u);
  EXPECT_EQ(m.budget, "5%");
  EXPECT_EQ(m.budgetCallNs, 19u);
  ASSERT_EQ(m.switchedOff.size(), 2u) << "one without a function is left out";
  EXPECT_EQ(m.switchedOff[0].functionId, 0x100000002u);
  EXPECT_EQ(m.switchedOff[0].offNs, 9u);
  EXPECT_FALSE(m.switchedOff[0].onNs);
  EXPECT_EQ(m.switchedOff[0].calls, 1000u);
  EXPECT_EQ(m.switchedOff[1].onNs, 12u);
  EXPECT_EQ(m.allEstimated(), 9007199254740995u);
  ASSERT_EQ(m.threads.size(), 2u);
  EXPECT_EQ(m.threads[0].id, 1u);
  EXPECT_EQ(m.threads[0].tid, 4712u);
  EXPECT_EQ(m.threads[0].name, "worker");
  EXPECT_EQ(m.threads[0].hasDetail, true);
  EXPECT_EQ(m.threads[0].eventCount, 7u);
  EXPECT_EQ(m.threads[0].detailCount, 2u);
  EXPECT_EQ(m.threads[0].timeEndNs, 9007199254740995u);
  EXPECT_EQ(m.threads[0].dropped.size(), 1u);
  EXPECT_EQ(m.threads[0].dropped.at("ring_full"), 5u);
  ASSERT_EQ(m.threads[0].gaps.size(), 3u);
  EXPECT_EQ(m.threads[0].gaps[0].fromNs, 10u);
  EXPECT_EQ(m.threads[0].gaps[0].toNs, 20u);
  EXPECT_FALSE(m.threads[0].gaps[0].events);
  EXPECT_EQ(m.threads[0].gaps[1].fromNs, 30u);
  EXPECT_EQ(m.threads[0].gaps[1].events, 3u);
  EXPECT_EQ(m.threads[0].gaps[2].toNs, 40u);
  EXPECT_FALSE(m.threads[0].gaps[2].events);
  EXPECT_EQ(m.threads[1].id, 0u);
  EXPECT_FALSE(m.threads[1].tid);
  ASSERT_EQ(m.modules.size(), 1u);
  EXPECT_EQ(m.modules[0].baseAddress, 0x560000000000u);
  EXPECT_EQ(m.modules[0].unloadedNs, 4u);
  EXPECT_EQ(m.pid, 4711u);
  EXPECT_EQ(m.argv, (std::vector<std::string>{"app", "-x"}));
  EXPECT_EQ(m.exit.how, "signal");
  EXPECT_EQ(m.exit.value, 9);
  EXPECT_EQ(m.host.list()[1], std::pair(std::string("core_count"), std::string("2")));
  EXPECT_EQ(m.options.list()[1].second, "true");
  EXPECT_EQ(m.clockAnchors.at(0).timeNs, 20u);
  EXPECT_EQ(m.timingAnchors.at(0).mediaValue, -1);
  EXPECT_EQ(m.timingAnchors.at(0).mediaTimescale, 600);
  EXPECT_TRUE(m.wasRecovered);

  ASSERT_EQ(m.ownSymbols().size(), 2u);
  const std::optional<Symbol> work = m.find(0x100000002);
  ASSERT_TRUE(work);
  EXPECT_EQ(work->name, "_ZN1A4workEi");
  EXPECT_EQ(work->file, "a.cpp");
  EXPECT_EQ(work->line, 12u);
  EXPECT_EQ(work->address, 0x1234u);
  EXPECT_EQ(m.displayName(0x100000002), "A::work(int)");
  EXPECT_EQ(m.shortDisplayName(0x100000002), "A::work(..)");
  EXPECT_EQ(m.displayName(5), "main") << "id from module and index";
  EXPECT_EQ(m.displayName(6), "0x0000000000000006");
  EXPECT_EQ(m.moduleOfFunction(5)->path, "/bin/app");
  EXPECT_EQ(m.moduleOfFunction(0x100000002), nullptr);
  ASSERT_EQ(m.warnings.size(), 1u);
  EXPECT_EQ(m.warnings[0].code, "W_SYMBOLS_LEFT_OUT");
}

TEST(Manifest, WhatIsRefused) {
  for (const char *text : {"",
                           " ",
                           "{",
                           "nonsense",
                           "[]",
                           "3",
                           "{}",
                           R"({"threads": 3})",
                           R"({"threads": {}})",
                           R"({"threads": [5]})",
                           R"({"threads": [{}]})",
                           R"({"threads": [{"id": "0"}]})",
                           R"({"threads": [{"id": "../../x"}]})",
                           R"({"threads": [{"id": -1}]})",
                           R"({"threads": [{"id": 1.5}]})",
                           R"({"threads": [{"id": 1.0}]})",
                           R"({"threads": [{"id": true}]})",
                           R"({"threads": [{"id": 4294967296}]})",
                           R"({"threads": [{"id": null}]})",
                           R"({"threads": [{"id": 99999999999999999999999}]})",
                           R"({"threads": []} x)"}) {
    auto manifest = Manifest::parse(text, "manifest.json");
    ASSERT_FALSE(manifest) << text;
    EXPECT_EQ(manifest.error().code, "E_BAD_MANIFEST") << text;
    EXPECT_EQ(manifest.error().file, "manifest.json");
  }
  std::string deep(100000, '[');
  EXPECT_FALSE(Manifest::parse(deep)) << "no stack overflow";
  deep = R"({"threads": [], "x": )" + deep + std::string(100000, ']') + "}";
  EXPECT_FALSE(Manifest::parse(deep));
}

TEST(Manifest, OddFieldsAreLeftOut) {
  auto m = Manifest::parse(
      R"({"threads": [{"id": 4294967295, "name": 5, "tid": "x"}, {"id": 3}, {"id": 3}],
          "modules": 3, "symbols": {}, "process": [], "clock": 1, "clock_type": "x",
          "host": 5, "time_start_ns": -4})");
  ASSERT_TRUE(m) << m.error().text();
  ASSERT_EQ(m->threads.size(), 2u) << "an id that comes twice counts once";
  EXPECT_EQ(m->threads[0].name, "");
  EXPECT_FALSE(m->threads[0].tid);
  EXPECT_TRUE(m->ownSymbols().empty());
  EXPECT_EQ(m->timeStartNs, 0u);
}

TEST(Manifest, ExitForms) {
  auto exitOf = [](const std::string &exit) {
    auto m = Manifest::parse(R"({"threads": [], "process": {"exit": )" + exit + "}}");
    EXPECT_TRUE(m);
    return m->exit.how + ":" + (m->exit.value ? std::to_string(*m->exit.value) : "");
  };
  EXPECT_EQ(exitOf(R"("running")"), "running:");
  EXPECT_EQ(exitOf(R"({"code": 3})"), "code:3");
  EXPECT_EQ(exitOf(R"({"how": "signal", "value": 11})"), "signal:11");
  EXPECT_EQ(exitOf(R"({"how": "signal", "signal": 11})"), "signal:11");
  EXPECT_EQ(exitOf("5"), ":");
}

TEST(Manifest, BytesAndNumbersThatJsonForbidsAreRepaired) {
  auto m = Manifest::parse("{\"threads\": [{\"id\": 0, \"name\": \"a\xff\xc3(\"}],"
                           "\"x\": 123456789012345678901234567890, \"y\": -1e999,"
                           "\"z\": \"\\\"12345678901234567890123\", \"clock_type\": 3}");
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->threads.at(0).name, "a\xef\xbf\xbd\xef\xbf\xbd(");
  EXPECT_EQ(m->clockType, 3u);
  ASSERT_EQ(m->warnings.size(), 1u);
  EXPECT_EQ(m->warnings[0].code, "W_MANIFEST_REPAIRED");
}

TEST(JsonRepair, ChangesNothingThatIsGood) {
  for (const char *text :
       {"", "{}", "[0, -0, 18446744073709551615, -9223372036854775808, 1e308, 0.1]",
        "\"123456789012345678901234 \\\" \\\\\", 5", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"", "\"unfinished \\"})
    EXPECT_EQ(repairJson(text), text);
  EXPECT_EQ(repairJson("18446744073709551616"), "18446744073709551616e0");
  EXPECT_EQ(repairJson("[-9223372036854775809,1,1e999]"), "[-9223372036854775809e0,1,null]");
  EXPECT_EQ(repairJson(std::string(400, '9')), "null");
  EXPECT_EQ(repairJson("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "a surrogate";
  EXPECT_EQ(repairJson("\"\\\xff\""), "\"\\\xef\xbf\xbd\"");
}

TEST(JsonObject, FieldsThatNobodyKnowsSurviveAnUpdate) {
  JsonObject json(R"({"new": [1, {"x": null}], "previous": "a", "before": {"dropped": {"ring_full": 1}, "newer": 1.5},)"
                  R"( "number": "one"})");
  ManifestPart part;
  part.number = 2, part.next = "b\n", part.before.emplace().leftOutCount = 7;
  const auto fields = [](auto &f, auto &p) { manifest::partFields(f, p); };
  json.update(part, fields);
  EXPECT_EQ(json.text(), R"({"new":[1,{"x":null}],"before":{"newer":1.5,"left_out_count":7},"number":2,"start_ns":0,)"
                         R"("next":"b\n"})");
  part.before.reset(), part.next.clear();
  json.update(part, fields);
  EXPECT_EQ(json.text(), R"({"new":[1,{"x":null}],"number":2,"start_ns":0})");

  ManifestPart read;
  const JsonDocument document(json.text());
  ASSERT_TRUE(document.object());
  EXPECT_TRUE(FieldReader::read(*document.object(), read, fields));
  EXPECT_EQ(read.number, 2u);
}

TEST(JsonObject, KeepsWhatIsNestedNotTooDeeply) {
  EXPECT_TRUE(JsonObject("[]").empty());
  EXPECT_TRUE(JsonObject("{").empty());
  const JsonObject deep(R"({"a": )" + std::string(2000, '[') + std::string(2000, ']') + R"(, "b": 1})");
  ASSERT_TRUE(deep.find("b"));
  EXPECT_EQ(*deep.find("b"), "1");
  JsonObject lists(R"({"a": [1], "b": 2})");
  for (const char *key : {"a", "b", "c"})
    lists.append(key, "3,4");
  lists.append("c", "");
  EXPECT_EQ(lists.text(), R"({"a":[1,3,4],"b":[3,4],"c":[3,4]})");
}

TEST(Manifest, FieldsThatComeTwiceCountOnce) {
  const auto m =
      Manifest::parse(R"({"threads": [{"id": 1, "name": "a", "name": "b"}], "clock_type": 3, "clock_type": 4})");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->threads.at(0).name, "a");
  EXPECT_EQ(m->clockType, 3u);
}

static std::string manifestOf(size_t symbols) {
  std::string text = R"({"threads": [{"id": 0}], "symbols": [)";
  for (size_t i = 0; i < symbols; ++i) {
    char entry[300];
    std::snprintf(entry, sizeof entry,
                  "%s{\"function_id\": \"0x%016zx\", \"module_id\": 0, \"symbol_index\": %zu, \"name\": "
                  "\"_ZN9name%05zu4workEi\", "
                  "\"file\": \"/src/dir/file%zu.cpp\", \"line\": %zu, \"address\": \"0x%08zx\", \"signature\": \"void "
                  "work(int)\"}\n",
                  i ? "," : "", i, i, i, i % 500, i, i * 16);
    text += entry;
  }
  return text + "]}";
}

TEST(Manifest, TimeGrowsWithTheSymbols) {
  const double growth = costOfFourTimes(25000, [](size_t symbols) {
    const std::string text = manifestOf(symbols);
    const auto m = Manifest::parse(text);
    ASSERT_TRUE(m) << m.error().text();
    EXPECT_EQ(m->ownSymbols().size(), symbols);
    EXPECT_EQ(m->find(symbols - 1)->line, symbols - 1);
  });
  EXPECT_LT(growth, 10);
}

TEST(Manifest, NamesMayBeAskedForByManyThreads) {
  std::string text = R"({"threads": [], "symbols": [)";
  for (int i = 0; i < 500; ++i)
    text += (i ? "," : "") + std::string(R"({"module_id": 0, "symbol_index": )") + std::to_string(i) +
            R"(, "name": "_Z1fi"})";
  auto m = Manifest::parse(text + "]}");
  ASSERT_TRUE(m);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (uint64_t id = 0; id < 600; ++id) {
        bool known = id < 500;
        wrong += known != (m->displayName(id) == "f(int)");
        wrong += known != (m->shortDisplayName(id) == "f(..)");
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Manifest, ModulesThatCameLaterAreInAFileOfTheirOwn) {
  ScratchDirectory scratch;
  auto write = [&](const char *name, std::string_view text) {
    std::ofstream(scratch / name, std::ios::binary) << text;
    auto m = Manifest::read(scratch / "manifest.json");
    EXPECT_TRUE(m);
    return std::move(*m);
  };
  Manifest m = write("manifest.json", R"({"threads": [], "modules": [{"module_id": 1, "path": "a"}],
    "symbols": [{"function_id": "0x100000000", "name": "f"}]})");
  EXPECT_EQ(m.modules.size(), 1u);
  m = write("modules.jsonl",
            R"({"modules": [{"module_id": 1, "path": "again"}, {"module_id": 2, "path": "b"}], "symbols": [)"
            R"({"function_id": "0x100000000", "name": "again"}, {"function_id": "0x200000000", "name": "g"}]})"
            "\n"
            R"({"modules": [{"module_id": 3, "path": ")"
            "\xff"
            R"("}], "symbols": [{"function_id": "0x300000000", "name": "h"}]})"
            "\n"
            R"({"modules": [{"module_id": 4, "pa)");
  ASSERT_EQ(m.modules.size(), 3u);
  EXPECT_EQ(m.modules[1].path, "b");
  EXPECT_EQ(m.displayName(0x100000000), "f");
  EXPECT_EQ(m.displayName(0x200000000), "g");
  EXPECT_EQ(m.displayName(0x300000000), "h");
  ASSERT_NE(m.moduleOfFunction(0x300000000), nullptr);
  EXPECT_EQ(m.ownSymbols().size(), 3u);
}

namespace {

// A session with processes whose manifests refer to files in `binaries`.
class SharedBinaries {
public:
  void writeBinary(const std::string &name, const std::string &text) {
    scratch_.write("binaries/" + name + ".json", text);
  }
  Manifest process(const std::string &name, const std::string &modules, const std::string &symbols = "[]") {
    scratch_.write(name + "/manifest.json",
                   R"({"threads": [], "modules": )" + modules + R"(, "symbols": )" + symbols + "}");
    auto manifest = Manifest::read(scratch_ / (name + "/manifest.json"));
    EXPECT_TRUE(manifest);
    return *std::move(manifest);
  }

private:
  ScratchDirectory scratch_;
};

constexpr char kBinary[] = R"({"format_version": "1", "path": "/a", "build_id": "ab", "functions": 4, "symbols": [
{"name": "_Z1fv", "file": "a.cpp", "line": 3, "address": "0x10"}, 7, {"name": "_Z1gv", "inlined": true},
{"name": "mark", "kind": "instant", "types": "int x"}]})";

} // namespace

TEST(Manifest, ProcessesShareTheSymbolsOfABinary) {
  SharedBinaries session;
  session.writeBinary("ab-01", kBinary);
  const Manifest first =
      session.process("pid_1", R"([{"module_id": 0, "base_address": "0x1000", "functions": 4, "binary": "ab-01"}])");
  const Manifest second = session.process(
      "pid_2", R"([{"module_id": 0}, {"module_id": 2, "base_address": "0x2000", "functions": 4, "binary": "ab-01"}])",
      R"([{"function_id": "0x1", "name": "own"}, {"function_id": "0x200000000", "name": "replaced"}])");
  EXPECT_EQ(first.functionCount(), 4u);
  EXPECT_EQ(second.functionCount(), 6u);
  ASSERT_TRUE(first.find(0));
  EXPECT_EQ(first.find(0)->address, 0x1010u);
  EXPECT_EQ(first.find(2)->name.data(), second.find(0x200000002)->name.data()) << "kept once";
  EXPECT_EQ(first.displayName(0), "f()");
  EXPECT_EQ(first.displayName(2).data(), second.displayName(0x200000002).data()) << "made once";
  EXPECT_EQ(second.find(0x200000002)->functionId, 0x200000002u);
  EXPECT_EQ(second.find(0x200000002)->original, 0x200000002u);
  EXPECT_EQ(second.displayName(0x200000000), "replaced") << "the manifest's own symbols come first";
  EXPECT_EQ(second.displayName(1), "own");
  EXPECT_FALSE(first.find(1)) << "not an object";
  EXPECT_FALSE(first.find(4));
  EXPECT_EQ(first.displayName(4), "0x0000000000000004");
  EXPECT_TRUE(first.hasAnnotatedValues());
  EXPECT_TRUE(first.binaryFlaws().empty());
  std::vector<uint64_t> ids;
  second.eachSymbol([&](const Symbol &symbol) { ids.push_back(symbol.functionId); });
  EXPECT_EQ(ids, (std::vector<uint64_t>{1, 0x200000000, 0x200000000, 0x200000002, 0x200000003}));
  ids.clear();
  second.eachSymbol([&](const Symbol &symbol) { ids.push_back(symbol.functionId); },
                    [](const ManifestModule &module) { return module.binary != "ab-01"; });
  EXPECT_EQ(ids, (std::vector<uint64_t>{1, 0x200000000}));
}

TEST(Manifest, BinariesThatCantBeReadHaveNoNames) {
  SharedBinaries session;
  const auto flaw = [&](const std::string &binary) {
    const Manifest manifest =
        session.process("pid_1", R"([{"module_id": 0, "functions": 4, "binary": ")" + binary + R"("}])");
    EXPECT_FALSE(manifest.find(9));
    EXPECT_EQ(manifest.displayName(9), "0x0000000000000009");
    const std::vector<Error> flaws = manifest.binaryFlaws();
    return flaws.empty() ? std::string() : flaws[0].text();
  };
  const auto has = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(flaw("00"), "00.json"));
  session.writeBinary("01", "");
  EXPECT_TRUE(has(flaw("01"), "empty"));
  session.writeBinary("02", std::string(kBinary).substr(0, 150));
  EXPECT_TRUE(has(flaw("02"), "not JSON"));
  session.writeBinary("03", R"({"symbols": {}})");
  EXPECT_TRUE(has(flaw("03"), "array"));
  session.writeBinary("04", R"({"functions": 99999999999999999999, "symbols": [{"name": "f"}]})");
  EXPECT_TRUE(has(flaw("04"), "1 functions instead of 4"));
  // Names that lead elsewhere are not references at all.
  session.writeBinary("../manifest", kBinary);
  for (const char *name : {"../manifest", "..", ".", "", "ab-01.json", "AB", "/etc/passwd"})
    EXPECT_EQ(flaw(name), "") << name;
}

// They only grow: a line may be older than the manifest, and newer versions replace what they have grown over.
TEST(Manifest, TakesLateWindowsAndSwitchedOffFunctions) {
  ScratchDirectory scratch;
  const auto write = [&](const char *file, const std::string &text) {
    std::ofstream(scratch / file) << text;
    auto m = Manifest::read(scratch / "manifest.json");
    EXPECT_TRUE(m);
    return *std::move(m);
  };
  const auto window = [](int start, int end, int triggers, int available) {
    return R"({"start_ns": )" + std::to_string(start) + R"(, "end_ns": )" + std::to_string(end) +
           R"(, "trigger_count": )" + std::to_string(triggers) + R"(, "pre_roll_available_ms": )" +
           std::to_string(available) + "}";
  };
  const auto off = [](int id, int calls, const std::string &more = "") {
    return R"({"function_id": "0x)" + std::to_string(id) + R"(", "estimated_calls": )" + std::to_string(calls) + more +
           "}";
  };
  const auto fields = [](const std::string &windows, const std::string &functions) {
    return R"({"threads": [], "windows": [)" + windows + R"(], "budget": {"share": "5%", "functions": [)" + functions +
           "]}}\n";
  };
  write("manifest.json", fields(window(10, 20, 2, 1) + "," + window(30, 40, 1, 1) + "," + window(50, 60, 1, 1),
                                off(1, 10) + "," + off(2, 20, R"(, "on_ns": 7)")));
  const Manifest m = write("modules.jsonl", fields(window(10, 18, 1, 5) + "," + window(70, 80, 1, 0), off(1, 9)) +
                                                fields(window(70, 80, 1, 3) + "," + window(25, 60, 3, 2),
                                                       off(2, 30) + "," + off(1, 11) + "," + off(3, 1)));
  std::vector<std::vector<uint64_t>> windows, functions;
  for (const DetailWindow &w : m.windows)
    windows.push_back({w.startNs, w.endNs, w.triggerCount, w.preRollAvailableMs});
  for (const SwitchedOffFunction &f : m.switchedOff)
    functions.push_back({f.functionId, f.estimatedCalls, f.onNs.value_or(0)});
  EXPECT_EQ(windows, (std::vector<std::vector<uint64_t>>{{10, 20, 2, 1}, {25, 60, 3, 2}, {70, 80, 1, 3}}));
  EXPECT_EQ(functions, (std::vector<std::vector<uint64_t>>{{1, 11, 0}, {2, 20, 7}, {3, 1, 0}}));
}

TEST(Manifest, FilesThatCannotBeReadAreErrors) {
  ScratchDirectory scratch;
  auto m = Manifest::read(scratch / "manifest.json");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.error().code, "E_IO");
}

} // namespace
