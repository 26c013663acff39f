//===- trace_input.cpp - opening what a subcommand reads ------------------===//
#include "trace_input.h"
#include "exit_codes.h"
#include "quantities.h"
#include "session_place.h"
#include "terminal.h"

#include "ada/trace/convert.h"
#include "select/function_glob.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace ada::cli {

std::string InputThread::label(bool withProcess) const {
  std::string text;
  if (withProcess)
    text = fmt::format("{} ", process->name());
  text += fmt::format("thread {} (tid {}", thread->id, thread->tid());
  if (!thread->name().empty())
    text += fmt::format(", {}", thread->name());
  return text + ")";
}

void declareSessionArgument(CLI::App &app, std::string &path) {
  app.add_option("session", path,
                 "A session, or one process directory, thread directory or index.atf "
                 "of it [the newest session under ./ada-traces]")
      ->type_name("");
}

void declareInput(CLI::App &app, InputOptions &options) {
  declareSessionArgument(app, options.path);
  app.add_option("--thread", options.threads,
                 "Only this thread: its number, else its system thread id, or a glob for its "
                 "name; may be repeated")
      ->type_name("N|TID|NAME")
      ->allow_extra_args(false);
  app.add_option("--from", options.from,
                 "Only calls that go on at or after this time since the start of the "
                 "trace (10us, 1.5ms, 2s; @N: N nanoseconds on the trace's clock)")
      ->type_name("TIME");
  app.add_option("--to", options.to, "Only calls that begin before this time")
      ->type_name("TIME");
}

// True for what `adatrace convert` could make a session of.
static bool isOtherFormat(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char head[12] = {};
  file.read(head, sizeof head);
  const auto size = static_cast<size_t>(file.gcount());
  const model::Format format = model::sniff(std::as_bytes(std::span(head, size)));
  return format == model::Format::Dial9 || format == model::Format::Wtf ||
         format == model::Format::Gzip;
}

std::optional<atf::Session> openSession(const std::string &path,
                                        const atf::OpenOptions &options) {
  std::string place = path;
  if (place.empty()) {
    const Expected<std::string> newest = atf::newestSession(kDefaultOutput);
    if (!newest) {
      complain(fmt::format(
          "there is no session under ./{}; name one, or record one with `adatrace "
          "record PROGRAM`",
          kDefaultOutput));
      return std::nullopt;
    }
    place = *newest;
  }
  Expected<atf::Session> session = atf::Session::open(place, options);
  if (!session) {
    if (isOtherFormat(place))
      complain(fmt::format("{} is a trace of another format; `adatrace convert {} SESSION` makes "
                           "a session of it",
                           place, place));
    else
      complain(session.error().text());
    return std::nullopt;
  }
  return std::move(*session);
}

// Reads --from or --to. "@N" is absolute, anything else counts from `start`.
static bool readTime(const char *option, const std::string &text, uint64_t start,
                     uint64_t &time) {
  if (text.empty())
    return true;
  if (text[0] == '@') {
    const char *end = text.data() + text.size();
    const auto [next, error] = std::from_chars(text.data() + 1, end, time);
    if (error == std::errc() && next == end)
      return true;
  } else if (const std::optional<uint64_t> offset = parseDuration(text)) {
    if (__builtin_add_overflow(start, *offset, &time))
      time = ~uint64_t(0);
    return true;
  }
  complain(fmt::format("{}: '{}' is not a time like 10us, 1.5ms, 2s or @123456789",
                       option, text));
  return false;
}

// What --thread says: a thread's number; where no thread has that number, the system's
// thread id; or a glob for the name.
class ThreadSelectors {
public:
  ThreadSelectors(const std::vector<std::string> &texts, const atf::Session &session) {
    for (const std::string &text : texts) {
      Selector selector{text, false};
      for (const atf::ProcessTrace &process : session.processes())
        for (const atf::ThreadTrace &thread : process.threads())
          selector.isNumber |= std::to_string(thread.id) == text;
      selectors.push_back(selector);
    }
  }
  bool want(const atf::ThreadTrace &thread) const {
    const auto wants = [&](const Selector &selector) {
      const std::string &text = selector.text;
      if (selector.isNumber)
        return std::to_string(thread.id) == text;
      return std::to_string(thread.tid()) == text ||
             ada::select::matchOne({text.data(), text.size()},
                                   {thread.name().data(), thread.name().size()});
    };
    return selectors.empty() || std::any_of(selectors.begin(), selectors.end(), wants);
  }

private:
  struct Selector {
    std::string text;
    bool isNumber;
  };
  std::vector<Selector> selectors;
};

bool TraceInput::select(const InputOptions &options, int &exitCode) {
  const ThreadSelectors selectors(options.threads, *opened);
  size_t number = 0;
  bool any = false;
  for (const atf::ProcessTrace &process : opened->processes()) {
    for (const atf::ThreadTrace &thread : process.threads()) {
      if (thread.index && !thread.index->empty()) {
        const uint64_t first = (*thread.index)[0].timestampNs;
        start = any ? std::min(start, first) : first;
        any = true;
      }
      if (thread.index && selectors.want(thread))
        selected.push_back({&process, &thread, number});
    }
    ++number;
  }
  if (selected.empty() && !options.threads.empty()) {
    exitCode = fail(kWrongUsage,
                    "no readable thread of {} is named by --thread; `adatrace info` "
                    "lists them",
                    opened->path());
    return false;
  }
  if (!readTime("--from", options.from, start, from) ||
      !readTime("--to", options.to, start, to)) {
    exitCode = kWrongUsage;
    return false;
  }
  return true;
}

// Damaged detail spoils nothing but the values of arguments and results.
void TraceInput::warnAboutDetail(const InputThread &input) {
  if (!*input.thread->detail) {
    complain(input.thread->detail->error().text());
    code = kProblemsFound;
    return;
  }
  atf::DetailReader reader = **input.thread->detail;
  for (const Warning &flaw : reader.warnings())
    warning("{}: {}", reader.path(), flaw.message);
  if (const Expected<void> checked = reader.verifyChecksum(); !checked) {
    warning("{}; its values are shown, but some may be wrong", checked.error().text());
    code = kProblemsFound;
  }
}

// Whatever is damaged is said once, and what is whole gets used.
void TraceInput::warnAndCheck() {
  for (const Warning &flaw : opened->warnings())
    warning("{}: {}", opened->path(), flaw.message);
  for (const Error &failure : opened->failures()) {
    complain(failure.text());
    code = kProblemsFound;
  }
  for (const atf::ProcessTrace &process : opened->processes()) {
    for (const Warning &flaw : process.warnings()) {
      // The thread's own error says it better.
      if (flaw.code.starts_with("W_THREAD_UNREADABLE"))
        continue;
      warning("{}: {}", process.path(), flaw.message);
    }
    for (const atf::ThreadTrace &thread : process.threads())
      if (!thread.index) {
        complain(thread.index.error().text());
        code = kProblemsFound;
      }
  }
  for (const InputThread &input : selected) {
    for (const Warning &flaw : input.events().warnings())
      warning("{}: {}", input.events().path(), flaw.message);
    if (input.thread->detail)
      warnAboutDetail(input);
    atf::IndexReader reader = input.events();
    if (const Expected<void> checked = reader.verifyChecksum(); !checked) {
      warning("{}; its events are shown, but some may be wrong",
              checked.error().text());
      code = kProblemsFound;
    }
  }
}

std::optional<TraceInput> TraceInput::open(const InputOptions &options,
                                           int &exitCode) {
  TraceInput input;
  input.opened = openSession(
      options.path, {.checksum = atf::ChecksumPolicy::Defer, .detail = options.detail});
  if (!input.opened) {
    exitCode = kCantRead;
    return std::nullopt;
  }
  if (!input.select(options, exitCode))
    return std::nullopt;
  input.warnAndCheck();
  if (input.selected.empty() && input.code != kOk) {
    exitCode = kCantRead;
    return std::nullopt;
  }
  return input;
}

uint64_t TraceInput::eventCount() const {
  uint64_t count = 0;
  for (const InputThread &input : selected)
    count += input.events().size();
  return count;
}

} // namespace ada::cli
