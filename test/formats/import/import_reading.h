// Reads a trace that a test has as bytes, and describes the events in short words.
#pragma once

#include "recorded_trace.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ada::test {

struct Reading {
  RecordedTrace trace;
  std::vector<Error> problems;
  std::vector<model::Loss> losses;
  std::optional<Error> error;

  uint64_t lossOf(std::string_view what) const {
    for (const model::Loss &loss : losses)
      if (loss.what.find(what) != loss.what.npos)
        return loss.count;
    return 0;
  }
  /// "10 +f 11 n=1 12 ready 20 -f", '+' a call, '-' a return, '!' an exceptional exit.
  std::string thread(size_t number) const {
    std::ostringstream text;
    if (number >= trace.events.size())
      return "no such thread";
    for (const RecordedEvent &event : trace.events[number]) {
      text << (text.tellp() > 0 ? " " : "") << event.timeNs << ' ';
      switch (event.kind) {
      case model::Kind::Value:
        text << event.name << '=' << event.json;
        break;
      case model::Kind::Mark:
        text << event.name << event.json;
        break;
      default:
        text << (event.kind == model::Kind::Call     ? '+'
                 : event.kind == model::Kind::Return ? '-'
                                                     : '!')
             << trace.functions[event.function].displayName;
      }
    }
    return text.str();
  }
};

inline Reading readPath(const std::string &path) {
  Reading reading;
  auto source = model::openTrace(path);
  if (!source) {
    reading.error = source.error();
    return reading;
  }
  Recorder recorder;
  if (auto done = (*source)->read(recorder); !done)
    reading.error = done.error();
  reading.trace = std::move(recorder.trace);
  reading.problems = (*source)->problems();
  reading.losses = (*source)->losses();
  return reading;
}
inline Reading readBytes(const std::string &bytes) {
  MemoryFile file;
  file.assign(bytes);
  return readPath(file.path());
}

/// Every prefix of the bytes can be read: no crash, and only events that the whole trace begins with.
inline void expectCutsAreBeginnings(const std::string &bytes, size_t threads) {
  const Reading whole = readBytes(bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Reading part = readBytes(bytes.substr(0, size));
    for (size_t i = 0; i < threads && i < part.trace.events.size(); ++i)
      EXPECT_LE(part.trace.events[i].size(), whole.trace.events[i].size()) << size;
  }
}

} // namespace ada::test
