// Fuzzes SQL on a trace: whatever the text is, each of its statements ends with rows or with an error that says why.
#include "memory_file.h"
#include "require.h"

#include "ada/trace/convert.h"
#include "ada/trace/sql.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

using namespace ada;
using namespace ada::fuzz;

namespace {

constexpr std::string_view kTrace =
    R"([{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"it's"}},
{"ph":"X","pid":1,"tid":1,"ts":1,"dur":90,"name":"main"},
{"ph":"X","pid":1,"tid":1,"ts":2,"dur":30,"name":"work","args":{"n":1,"text":"a \" b"}},
{"ph":"X","pid":1,"tid":1,"ts":3,"dur":10,"name":"');--"},
{"ph":"X","pid":1,"tid":1,"ts":40,"dur":30,"name":"work","args":{"n":2.5}},
{"ph":"C","pid":1,"tid":1,"ts":41,"name":"load","args":{"load":7}},
{"ph":"i","pid":1,"tid":1,"ts":42,"name":"here","s":"t"},
{"ph":"B","pid":1,"tid":2,"ts":5,"name":"work"},
{"ph":"X","pid":2,"tid":3,"ts":5,"dur":1,"name":"main"}])";

query::SqlDatabase &database() {
  static const auto one = [] {
    const MemoryFile file;
    require(file.write(kTrace.data(), kTrace.size()), "a file in memory can be written");
    auto made = query::SqlDatabase::open();
    auto source = model::openTrace(file.path());
    require(made && source && (*made)->attach("main", *std::move(source)), "the trace can be asked");
    return *std::move(made);
  }();
  return *one;
}

// Ends statements that go on for ever.
std::atomic<uint64_t> input = 0;
std::atomic<bool> isRunning = false;
void watch() {
  for (uint64_t last = 0;; last = input) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (isRunning && input == last)
      database().interrupt();
  }
}

void ask(std::string_view sql) {
  constexpr int kMaxRows = 200;
  while (!sql.empty()) {
    const size_t before = sql.size();
    auto query = database().query(sql, &sql);
    if (!query)
      return requireSpeaking(query.error());
    require(sql.size() < before, "each statement takes some of the text");
    if (!*query)
      continue;
    (void)(*query)->plan();
    for (int rows = 0; rows < kMaxRows; ++rows) {
      const auto row = (*query)->next();
      if (!row)
        return requireSpeaking(row.error());
      if (!*row)
        break;
      for (size_t column = 0; column < (*query)->columns().size(); ++column)
        (void)(*query)->value(column);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool isWatched = (std::thread(watch).detach(), true);
  (void)isWatched;
  const std::string_view sql(reinterpret_cast<const char *>(data), size);
  // SQLite's printf('%.*c', 2000000000, 'x') takes ten seconds, and nothing ends it.
  std::string lower(sql);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  if (lower.find("printf") != lower.npos || lower.find("format") != lower.npos)
    return 0;
  database().resume();
  ++input;
  isRunning = true;
  ask(sql);
  isRunning = false;
  return 0;
}
