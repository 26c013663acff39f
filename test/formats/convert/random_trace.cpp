// Random traces.
#include "random_trace.h"

#include "trace/names.h"

#include <algorithm>
#include <random>

namespace ada::test {

using namespace model;

namespace {

class Maker {
public:
  explicit Maker(const RandomOptions &options) : options_(options), random_(options.seed) {}

  RecordedTrace make() {
    trace_.isRoot = one(2);
    const unsigned processes = trace_.isRoot ? 1 + below(3) : 1;
    for (unsigned i = 0; i < processes; ++i)
      addProcess(i);
    const unsigned threads = 1 + below(4);
    trace_.events.resize(threads);
    for (unsigned i = 0; i < threads; ++i)
      addThread(i);
    // Each style of time also gets traces with only that style.
    timeStyle_ = below(5);
    for (unsigned i = 0; i < threads; ++i)
      fill(i);
    return std::move(trace_);
  }

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool one(unsigned in) { return below(in) == 0; }
  uint64_t any64() { return random_() >> below(64); }

  std::string name() {
    static const char *const kNames[] = {"main",
                                         "f",
                                         "_Z1fi",
                                         "ns::f(int, char)",
                                         "wtf.zone#set",
                                         "ada.end",
                                         "operator<",
                                         "std::vector<int, A>::push_back(int&&)",
                                         "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
                                         "with space",
                                         "f (2)",
                                         "two\nlines",
                                         "tab\t",
                                         "\"q\\\"",
                                         "wtf.scope#enter",
                                         "x"};
    if (one(300)) // as long as readers keep them
      return std::string(8'000 + below(193), 'n');
    std::string text = kNames[below(std::size(kNames))];
    if (one(3))
      text += std::to_string(below(4));
    if (options_.anyBytes && one(4))
      text += "\xFF\xC3";
    return text;
  }

  void addProcess(unsigned index) {
    Process process;
    process.index = index;
    process.pid = 4711 + index;
    process.name = "pid_" + std::to_string(4711 + index);
    process.executable = one(2) ? "/bin/app" : "";
    process.clockType = static_cast<uint8_t>(1 + below(3));
    trace_.processes.push_back(process);
    const unsigned functions = 1 + below(6);
    for (unsigned i = 0; i < functions; ++i) {
      Function f;
      f.index = static_cast<uint32_t>(trace_.functions.size());
      f.process = index;
      f.id = one(5) ? ~uint64_t{0} - i : uint64_t{below(3)} << 32 | i;
      f.name = one(6) ? std::string() : name();
      f.displayName = f.name.empty() ? functionIdText(f.id) : demangle(f.name);
      if (!f.name.empty() && one(2)) {
        f.file = "dir/file.cpp";
        f.line = below(5000);
        f.signature = one(2) ? "void f(int)" : "";
        f.types = one(2) ? "i32(i32 n)" : "";
        f.address = any64();
      }
      trace_.functions.push_back(f);
    }
  }

  void addThread(unsigned index) {
    Thread thread;
    thread.index = index;
    // One process after the other, the order in which sessions are read.
    thread.process =
        index * static_cast<uint32_t>(trace_.processes.size()) / static_cast<uint32_t>(trace_.events.size());
    thread.number = index + 10 * thread.process;
    thread.tid = 1 + (any64() & 0xFFFFFFFF);
    thread.name = one(3) ? std::string() : name();
    thread.arch = static_cast<uint8_t>(1 + below(2));
    thread.os = static_cast<uint8_t>(1 + below(5));
    thread.fileThreadId = static_cast<uint32_t>(any64());
    trace_.threads.push_back(thread);
  }

  uint64_t step(uint64_t now) {
    switch (timeStyle_) {
    case 0: // any time at all
      return any64();
    case 1: // whole microseconds
      return (now / 1000 + below(50)) * 1000;
    case 2: // hours apart
      return now + below(3) * 3'600'000'000'000ull + below(1000);
    case 3: // mostly forward
      return one(20) && now > 500 ? now - below(500) : now + below(5000);
    default:
      return now + below(5000);
    }
  }

  RecordedDetail detail(uint64_t now) {
    RecordedDetail result;
    result.type = one(3) ? below(0x10000) : 3 + below(2);
    result.flags = one(4) ? below(0x10000) : 0;
    result.timeNs = one(3) ? any64() : now;
    for (unsigned n = below(one(5) ? 400 : 20); n > 0; --n)
      result.payload += static_cast<char>(below(256));
    return result;
  }

  void fill(unsigned thread) {
    const uint32_t process = trace_.threads[thread].process;
    std::vector<uint32_t> mine, stack;
    for (const Function &f : trace_.functions)
      if (f.process == process)
        mine.push_back(f.index);
    uint64_t now = timeStyle_ == 0 ? any64() : 1'700'000'000'123'456'789ull;
    const unsigned count = one(10) ? 0 : below(one(30) ? 400 : 40);
    for (unsigned i = 0; i < count; ++i) {
      now = step(now);
      RecordedEvent event;
      event.timeNs = now;
      const unsigned choice = below(100);
      event.function = mine[below(static_cast<unsigned>(mine.size()))];
      if (choice < 45 || (choice < 85 && stack.empty())) {
        event.kind = Kind::Call;
        stack.push_back(event.function);
      } else if (choice < 85) {
        event.kind = one(5) ? Kind::Exception : Kind::Return;
        // The innermost call, or an outer one; then the calls inside it have no end.
        size_t depth = one(6) ? below(unsigned(stack.size())) + 1 : 1;
        while (--depth)
          stack.pop_back();
        event.function = stack.back();
        stack.pop_back();
      } else if (choice < 90) {
        event.kind = one(2) ? Kind::Exception : Kind::Return; // may be a stray exit
        while (!stack.empty() && std::ranges::find(stack, event.function) != stack.end())
          if (std::exchange(stack.back(), 0) == event.function) {
            stack.pop_back();
            break;
          } else {
            stack.pop_back();
          }
      } else if (choice < 93 || !options_.texts) {
        event.kind =
            eventKindOf(one(3) ? 4 + below(20) : static_cast<uint32_t>(4 + any64() % (options_.maxKind - 3ull)));
      } else {
        text(event);
      }
      if (options_.details && one(4) && !isText(event.kind))
        for (unsigned n = 1 + below(3); n > 0; --n)
          event.details.push_back(detail(now));
      trace_.events[thread].push_back(std::move(event));
    }
  }

  void text(RecordedEvent &event) {
    static const char *const kJson[] = {"",    "null",          "true",     "-12",
                                        "1.5", "\"a\\u0000b\"", "[1,2,[]]", "{\"a\":{\"b\":[1]},\"c\":null}"};
    event.kind = one(2) ? Kind::Mark : Kind::Value;
    event.function = 0;
    event.name = one(30) ? std::string() : name();
    event.json = kJson[below(std::size(kJson))];
  }

  RandomOptions options_;
  std::mt19937_64 random_;
  RecordedTrace trace_;
  unsigned timeStyle_ = 0;
};

} // namespace

RecordedTrace randomTrace(const RandomOptions &options) { return Maker(options).make(); }

} // namespace ada::test
