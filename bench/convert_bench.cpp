// How fast traces are converted, one thread, from and to files in the page cache:
//
//   convert_bench FOLDER [EVENTS]
//   convert_bench session FOLDER EVENTS
//
// makes a session of four threads in FOLDER, converts it into every format and each result back into a session, removes
// everything, and prints events per second as JSON, one figure per set. The second form only makes the session, for
// other programs to read.
#include "sets.h"

#include "ada/trace/convert.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace ada::model;
namespace fs = std::filesystem;

namespace {
constexpr int kSets = 3;

[[noreturn]] void die(const std::string &what) {
  std::fprintf(stderr, "convert_bench: %s\n", what.c_str());
  std::exit(1);
}

void check(const ada::Expected<void> &done) {
  if (!done)
    die(done.error().text());
}

/// Calls and returns of a program that nests 30 deep.
void makeSession(const std::string &path, uint64_t events) {
  constexpr uint32_t kThreads = 4, kFunctions = 2000;
  auto sink = makeAtfSessionSink(path);
  check(sink->begin({.range = {}, .isRoot = true}));
  check(sink->addProcess({.name = "pid_1", .pid = 1, .executable = "/bin/app"}));
  for (uint32_t i = 0; i < kThreads; ++i)
    check(sink->addThread({.index = i, .number = i, .tid = 4711 + i}));
  for (uint32_t i = 0; i < kFunctions; ++i)
    check(sink->addFunction({.index = i, .id = i, .name = "_ZN3app6Module8functionILi" + std::to_string(i) + "EEEvi"}));
  for (uint32_t thread = 0; thread < kThreads; ++thread) {
    uint64_t time = 1'700'000'000'000'000'000, random = thread + 1;
    std::vector<uint32_t> stack;
    std::vector<Event> batch;
    for (uint64_t i = 0; i < events / kThreads; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      time += random >> 58;
      Event event;
      event.timeNs = time;
      event.thread = thread;
      if (stack.empty() || (stack.size() < 30 && (random >> 40 & 1))) {
        stack.push_back(event.function = static_cast<uint32_t>(random >> 41) % kFunctions);
      } else {
        event.kind = Kind::Return;
        event.function = stack.back();
        stack.pop_back();
      }
      batch.push_back(event);
      if (batch.size() == 4096 || i + 1 == events / kThreads) {
        check(sink->events({batch, {}, {}}));
        batch.clear();
      }
    }
    check(sink->endThread(thread));
  }
  check(sink->finish());
}

std::unique_ptr<TraceSink> makeSink(const std::string &format, const std::string &path, std::FILE *&file) {
  if (format.starts_with("atf"))
    return makeAtfSessionSink(path, {.version = static_cast<uint8_t>(format == "atf1" ? 1 : 2)});
  file = std::fopen(path.c_str(), "wb");
  if (!file)
    die("can't write " + path);
  auto bytes = [file](std::span<const std::byte> data) {
    return std::fwrite(data.data(), 1, data.size(), file) == data.size();
  };
  if (format == "dial9")
    return makeDial9Sink(bytes);
  return makeWtfSink(bytes, {.dialect = format == "wtf" ? ada::wtf::Dialect::BigEndian : ada::wtf::Dialect::Chunked});
}

void convertOnce(const std::string &from, const std::string &format, const std::string &to) {
  auto source = openTrace(from);
  if (!source)
    die(source.error().text());
  std::FILE *file = nullptr;
  auto sink = makeSink(format, to, file);
  check(convert(**source, *sink));
  if (file && std::fclose(file) != 0)
    die("can't write " + to);
  if (!(*source)->problems().empty() || !sink->losses().empty())
    die(from + " did not become " + format + " whole");
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 4 && argv[1] == std::string("session")) {
    makeSession(argv[2], std::stoull(argv[3]));
    return 0;
  }
  if (argc != 2 && argc != 3)
    die("usage: convert_bench FOLDER [EVENTS] | convert_bench session FOLDER EVENTS");
  const uint64_t events = argc == 3 ? std::stoull(argv[2]) : 10'000'000;
  const std::string folder = std::string(argv[1]) + "/convert";
  fs::create_directories(folder);
  const std::string session = folder + "/session";
  makeSession(session, events);
  for (const std::string format : {"atf1", "atf2", "dial9", "wtf", "cff"}) {
    const std::string to = folder + "/to." + format, back = folder + "/back";
    addSets("to " + format, kSets, events, [=] { fs::remove_all(to); }, [=] { convertOnce(session, format, to); });
    addSets("from " + format, kSets, events, [=] { fs::remove_all(back); }, [=] { convertOnce(to, "atf2", back); });
  }
  runSets(argv[0]);
  fs::remove_all(folder);
}
