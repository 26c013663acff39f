// A trace made from a line of text, for tests of what analysis computes.
#pragma once

#include "analysis/events/trace_table.h"
#include "trace/spool.h"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ada::analysis {

// A trace whose threads come mixed, as in a stream: "0 A10 | 1 B11 | 0 x=5 | 0 a20" is a thread, then a call (capital),
// its return (small), its exceptional exit ('!'), or one of its values.
class MixedSource : public model::TraceSource {
public:
  explicit MixedSource(std::string text, uint32_t threads = 2) : text_(std::move(text)), threads_(threads) {}

  Expected<void> read(model::TraceSink &sink) override {
    (void)sink.begin({});
    (void)sink.addProcess({.index = 0, .name = "pid_7", .pid = 7});
    for (uint32_t i = 0; i < threads_; ++i)
      (void)sink.addThread({.index = i, .process = 0, .number = i, .tid = 100 + i, .name = "t" + std::to_string(i)});
    for (uint32_t i = 0; i < 26; ++i)
      (void)sink.addFunction({.index = i, .process = 0, .id = i, .displayName = std::string(1, char('A' + i))});
    std::istringstream in(text_);
    uint32_t thread;
    for (std::string word; in >> thread >> word;) {
      model::Event event;
      event.thread = thread;
      model::Text text;
      const bool isException = word[0] == '!';
      word.erase(0, isException);
      const size_t equals = word.find('=');
      if (equals != std::string::npos) {
        event.kind = model::Kind::Value;
        text = {std::string_view(word).substr(0, equals), std::string_view(word).substr(equals + 1)};
      } else {
        event.kind = isException ? model::Kind::Exception : word[0] < 'a' ? model::Kind::Call : model::Kind::Return;
        event.function = static_cast<uint32_t>(word[0] < 'a' ? word[0] - 'A' : word[0] - 'a');
        time_ = std::stoull(word.substr(1));
      }
      event.timeNs = time_;
      if (auto done = sink.events({{&event, 1}, {&text, 1}, {}}); !done)
        return done;
      in >> word; // the bar
    }
    return sink.finish();
  }
  const std::vector<Error> &problems() const override { return none_; }
  const std::vector<Warning> &warnings() const override { return no_; }

private:
  std::string text_;
  uint32_t threads_;
  uint64_t time_ = 0;
  std::vector<Error> none_;
  std::vector<Warning> no_;
};

inline std::unique_ptr<model::TraceSource> threadwise(const std::string &text, uint32_t threads = 2) {
  auto source = model::makeThreadwise(std::make_unique<MixedSource>(text, threads));
  EXPECT_TRUE(source);
  return *std::move(source);
}

// Its processes and threads, as far as commands know them before reading.
inline TraceTable tableOf(model::TraceSource &source) {
  TraceTable table;
  TableSink sink(table);
  model::ReadRequest nothing;
  nothing.threads.emplace();
  EXPECT_TRUE(source.readPart(sink, nothing));
  return table;
}

} // namespace ada::analysis
