// Makes a session directory from readable text.
//
// Usage: ada-make-session FILE [DIRECTORY]
//
// Takes the lines of FILE that begin with "T:", so that a test has its input, its RUN lines and its expected
// output in one file. Without DIRECTORY it writes the session that ADA_OPTIONS names, as a traced program
// does.
//
//   T: process 4711                  starts directory pid_4711 (4711_2: after an exec)
//   T: argv ./app -v                 fields of its manifest
//   T: executable /bin/app
//   T: ppid 4700
//   T: pipe stdin pipe:[7]           also: stdout, stderr
//   T: cores 2                       of the machine
//   T: clock 90 1000                 when its recorder started and ended
//   T: exit code 0                   or: signal 9, exec, running
//   T: option overflow drop
//   T: recorder ring /dev/shm/x
//   T: module 0 /bin/app 0123abcd    number, path, build id
//   T: function 5 _Z1fi a.cpp:12     id (0x… or decimal), name, file and line
//   T: external 5                    that function is a library's
//   T: inlined 6                     copies of the other one of that name, inlined into others
//   T: coroutine 7                   creates coroutines or is a part of one, or of a future of Rust
//   T: types 5 i0:s32;n:i0:s32       of that function, as docs/reference/types.md has them
//   T: window 100 900 50 40 slow 5 700 0   start, end, pre-roll asked and there (ms),
//                                    cause, its function (or -), time and thread (or -)
//   T: no manifest
//   T: thread 0 tid 4711 name main   also: format 1, packed, unfinished (no footer), unlisted
//   T: dropped ring_full 12          of the thread
//   T: gap 200 300 12                of the thread: from, to, and how many events were lost, if that is known
//   T: count inferred_count 2        a number of the thread's entry in the manifest
//   T: 100 call _Z1fi                time, kind (or its number), function (name or id)
//   T: 100 call _Z1fi detail 10 0x2 v 4004000000000000 stack 0011   general registers,
//                                    vector registers (hex), bytes of the stack
//   T: repeat 1000 50                the lines up to `end` 1000 times, each time 50 ns
//   T: end                           later; repeats may contain repeats
#include "ada/trace/atf_detail.h"
#include "formats/native/detail/detail_writer.h"
#include "formats/native/index/index_writer.h"
#include "trace/names.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

struct Line {
  size_t number;
  std::vector<std::string> words;
};

[[noreturn]] void die(const std::string &message) {
  std::cerr << "ada-make-session: " << message << '\n';
  std::exit(1);
}
[[noreturn]] void die(const Line &line, const std::string &message) {
  die("line " + std::to_string(line.number) + ": " + message);
}

uint64_t number(const Line &line, const std::string &word) {
  try {
    size_t end = 0;
    const uint64_t value = std::stoull(word, &end, 0);
    if (end == word.size())
      return value;
  } catch (const std::exception &) {
  }
  die(line, "'" + word + "' is not a number");
}

// One process directory while it is being made.
class Process {
public:
  Process(fs::path directory, const std::string &name) : directory(std::move(directory)) {
    fs::create_directories(this->directory);
    manifest["format_version"] = "2.1";
    manifest["time_start_ns"] = 0;
    manifest["time_end_ns"] = 0;
    manifest["clock_type"] = 3;
    manifest["process"] = {{"pid", std::strtoull(name.c_str(), nullptr, 10)},
                           {"exit", {{"how", "code"}, {"value", 0}}}};
    manifest["threads"] = ordered_json::array();
    manifest["modules"] = ordered_json::array();
    manifest["symbols"] = ordered_json::array();
  }

  void take(const Line &line) {
    const std::vector<std::string> &words = line.words;
    const std::string &what = words[0];
    if (what == "argv")
      manifest["process"]["argv"] = std::vector<std::string>(words.begin() + 1, words.end());
    else if (what == "executable")
      manifest["process"]["executable"] = at(line, 1);
    else if (what == "ppid")
      manifest["process"]["ppid"] = number(line, at(line, 1));
    else if (what == "pipe")
      manifest["process"][at(line, 1) + "_pipe"] = at(line, 2);
    else if (what == "cores")
      manifest["host"]["cores"] = number(line, at(line, 1));
    else if (what == "clock")
      for (const size_t word : {1, 2})
        manifest["clock"]["anchors"].push_back({{"counter", 0}, {"time_ns", number(line, at(line, word))}});
    else if (what == "exit")
      takeExit(line);
    else if (what == "option" || what == "recorder")
      manifest[what == "option" ? "options" : "recorder"][at(line, 1)] = at(line, 2);
    else if (what == "module")
      manifest["modules"].push_back({{"module_id", number(line, at(line, 1))},
                                     {"path", at(line, 2)},
                                     {"base_address", "0x400000"},
                                     {"size", 4096},
                                     {"uuid", ""},
                                     {"build_id", words.size() > 3 ? words[3] : ""}});
    else if (what == "function")
      takeFunction(line);
    else if (what == "types")
      takeTypes(line);
    else if (what == "external" || what == "inlined" || what == "coroutine")
      symbolOf(line)[what] = true;
    else if (what == "window")
      takeWindow(line);
    else if (what == "no")
      withManifest = false;
    else if (what == "thread")
      startThread(line);
    else if (what == "dropped")
      (*thread)["dropped"][at(line, 1)] = number(line, at(line, 2));
    else if (what == "count")
      (*thread)[at(line, 1)] = number(line, at(line, 2));
    else if (what == "gap") {
      ordered_json gap = {{"from_ns", number(line, at(line, 1))}, {"to_ns", number(line, at(line, 2))}};
      if (line.words.size() > 3)
        gap["events"] = number(line, line.words[3]);
      (*thread)["gaps"].push_back(gap);
    } else
      die(line, "unknown word '" + what + "'");
  }

  void event(const Line &line, uint64_t later) {
    using Kind = ada::EventKind;
    static const std::map<std::string, Kind> kinds = {{"call", Kind::Call},
                                                      {"return", Kind::Return},
                                                      {"exception", Kind::Exception},
                                                      {"inferred", Kind::Inferred},
                                                      {"missing", Kind::Missing}};
    if (!writer)
      die(line, "an event without a thread");
    const auto kind = kinds.find(at(line, 1));
    ada::atf::IndexEvent event;
    event.timestampNs = number(line, line.words[0]) + later;
    event.kind = kind != kinds.end() ? kind->second : Kind{static_cast<uint32_t>(number(line, line.words[1]))};
    const auto known = functions.find(at(line, 2));
    event.functionId = known != functions.end() ? known->second : number(line, line.words[2]);
    event.threadId = tid;
    if (line.words.size() > 3)
      takeDetail(line, event);
    if (const auto done = writer->append(event); !done)
      die(line, done.error().text());
    if (events++ == 0)
      (*thread)["time_start_ns"] = event.timestampNs;
    (*thread)["time_end_ns"] = event.timestampNs;
    (*thread)["event_count"] = events;
  }

  void finish() {
    finishThread();
    if (withManifest)
      std::ofstream(directory / "manifest.json") << manifest.dump(1) << '\n';
  }

private:
  static const std::string &at(const Line &line, size_t i) {
    if (i >= line.words.size())
      die(line, "something is missing at the end");
    return line.words[i];
  }

  void takeExit(const Line &line) {
    ordered_json exit = {{"how", at(line, 1)}};
    if (line.words.size() > 2)
      exit["value"] = number(line, line.words[2]);
    manifest["process"]["exit"] = exit;
  }

  void takeTypes(const Line &line) {
    std::string text;
    for (size_t i = 2; i < line.words.size(); ++i)
      text += (i > 2 ? " " : "") + line.words[i];
    symbolOf(line)["types"] = text;
  }

  /// The function whose id is LINE's first word.
  ordered_json &symbolOf(const Line &line) {
    const std::string id = ada::functionIdText(number(line, at(line, 1)));
    for (ordered_json &symbol : manifest["symbols"])
      if (symbol["function_id"] == id)
        return symbol;
    die(line, "no such function");
  }

  void takeWindow(const Line &line) {
    ordered_json trigger = {{"kind", at(line, 5)}};
    if (at(line, 6) != "-")
      trigger["function_id"] = ada::functionIdText(number(line, at(line, 6)));
    trigger["time_ns"] = number(line, at(line, 7));
    if (at(line, 8) != "-")
      trigger["thread"] = number(line, at(line, 8));
    manifest["windows"].push_back({{"start_ns", number(line, at(line, 1))},
                                   {"end_ns", number(line, at(line, 2))},
                                   {"trigger_count", 1},
                                   {"triggers", {trigger}},
                                   {"pre_roll_ms", number(line, at(line, 3))},
                                   {"pre_roll_available_ms", number(line, at(line, 4))}});
  }

  // The bytes of a text of hex digits. If `size` is given, the text is a number of `size` bytes: its first digits are
  // the last bytes.
  static std::vector<std::byte> hexBytes(const Line &line, std::string text, size_t size) {
    if (size)
      text.insert(0, 2 * size > text.size() ? 2 * size - text.size() : 0, '0');
    std::vector<std::byte> bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(number(line, "0x" + text.substr(i, 2))));
    if (size)
      std::reverse(bytes.begin(), bytes.end());
    return bytes;
  }

  // Takes the detail event of an index event that is not yet written, and its vectors, if any.
  void takeDetail(const Line &line, ada::atf::IndexEvent &event) {
    const std::vector<std::string> &words = line.words;
    if (words[3] != "detail")
      die(line, "unknown word '" + words[3] + "'");
    ada::atf::FunctionPayload payload;
    payload.functionId = event.functionId;
    payload.lr = 0x401000, payload.fp = 0x7ffc0000, payload.sp = 0x7ffb0000;
    std::vector<std::byte> vectors, stack;
    size_t count = 0;
    for (size_t i = 4; i < words.size(); ++i) {
      if (words[i] == "v") {
        const auto bytes = hexBytes(line, at(line, ++i), 16);
        vectors.insert(vectors.end(), bytes.begin(), bytes.end());
      } else if (words[i] == "stack") {
        stack = hexBytes(line, at(line, ++i), 0);
      } else if (count < payload.registers.size()) {
        payload.registers[count++] = number(line, words[i]);
      }
    }
    payload.stack = stack;
    if (!details) {
      auto made = ada::atf::DetailWriter::create(detailPath, options);
      if (!made)
        die(line, made.error().text());
      details.emplace(std::move(*made));
    }
    event.detailSeq = details->size();
    ada::atf::DetailEvent head;
    head.type = event.kind == ada::EventKind::Return ? ada::atf::kDetailFunctionReturn : ada::atf::kDetailFunctionCall;
    head.indexSeq = events;
    head.threadId = tid;
    head.timestampNs = event.timestampNs;
    auto done = details->append(head, payload);
    if (done && !vectors.empty()) {
      ada::atf::RawVectorPayload raw{};
      raw.functionId = event.functionId;
      raw.count = static_cast<uint8_t>(vectors.size() / 16);
      raw.bytesEach = 16;
      const auto *start = reinterpret_cast<const std::byte *>(&raw);
      vectors.insert(vectors.begin(), start, start + sizeof raw);
      head.type = ada::atf::kDetailVectors;
      done = details->append(head, vectors);
    }
    if (!done)
      die(line, done.error().text());
    (*thread)["has_detail"] = true;
    (*thread)["detail_count"] = details->size();
  }

  void takeFunction(const Line &line) {
    const uint64_t id = number(line, at(line, 1));
    ordered_json symbol = {{"function_id", ada::functionIdText(id)},
                           {"module_id", ada::moduleOf(id)},
                           {"symbol_index", ada::symbolOf(id)},
                           {"name", at(line, 2)}};
    if (line.words.size() > 3) {
      const size_t colon = line.words[3].rfind(':');
      symbol["file"] = line.words[3].substr(0, colon);
      if (colon != std::string::npos)
        symbol["line"] = number(line, line.words[3].substr(colon + 1));
    }
    functions[line.words[2]] = id;
    manifest["symbols"].push_back(symbol);
  }

  void startThread(const Line &line) {
    finishThread();
    const uint64_t id = number(line, at(line, 1));
    options = {};
    bool listed = true;
    ordered_json entry = {{"id", id}, {"has_detail", false}};
    tid = static_cast<uint32_t>(id);
    finished = true;
    for (size_t i = 2; i < line.words.size(); ++i) {
      const std::string &word = line.words[i];
      if (word == "tid")
        entry["tid"] = tid = static_cast<uint32_t>(number(line, at(line, ++i)));
      else if (word == "name")
        entry["name"] = at(line, ++i);
      else if (word == "format")
        options.version = static_cast<uint8_t>(number(line, at(line, ++i)));
      else if (word == "packed")
        options.packed = true;
      else if (word == "unfinished")
        finished = false;
      else if (word == "unlisted")
        listed = false;
      else
        die(line, "unknown word '" + word + "'");
    }
    entry["event_count"] = events = 0;
    entry["dropped"] = ordered_json::object();
    hidden = entry;
    if (listed)
      manifest["threads"].push_back(entry);
    thread = listed ? &manifest["threads"].back() : &hidden;
    options.threadId = tid;
    const std::string path = (directory / ("thread_" + std::to_string(id))).string();
    fs::create_directories(options.packed ? directory : fs::path(path));
    auto made = ada::atf::IndexWriter::create(path + (options.packed ? ".index.atp" : "/index.atf"), options);
    if (!made)
      die(line, made.error().text());
    writer.emplace(std::move(*made));
    detailPath = path + (options.packed ? ".detail.atp" : "/detail.atf");
  }

  void finishThread() {
    if (writer && finished)
      if (const auto done = writer->finish(details.has_value()); !done)
        die(done.error().text());
    if (details && finished)
      if (const auto done = details->finish(); !done)
        die(done.error().text());
    writer.reset();
    details.reset();
  }

  fs::path directory;
  ordered_json manifest, hidden;
  ordered_json *thread = nullptr;
  bool withManifest = true, finished = true;
  std::map<std::string, uint64_t> functions;
  std::optional<ada::atf::IndexWriter> writer;
  std::optional<ada::atf::DetailWriter> details;
  ada::atf::WriterOptions options;
  std::string detailPath;
  uint32_t tid = 0;
  uint64_t events = 0;
};

class Maker {
public:
  Maker(std::vector<Line> lines, fs::path session) : lines(std::move(lines)), session(std::move(session)) {}

  void run() {
    fs::create_directories(session);
    for (size_t i = 0; i < lines.size();)
      i = take(i, 0);
    if (process)
      process->finish();
  }

private:
  // Takes line `i`, or a whole repeat up to its end; returns the number of the next line.
  size_t take(size_t i, uint64_t later) {
    const Line &line = lines[i];
    const std::string &what = line.words[0];
    if (what == "process") {
      if (process)
        process->finish();
      if (line.words.size() < 2)
        die(line, "which process?");
      process.emplace(session / ("pid_" + line.words[1]), line.words[1]);
      return i + 1;
    }
    if (!process)
      die(line, "the first line must be `process N`");
    if (what == "repeat") {
      if (line.words.size() < 3)
        die(line, "repeat TIMES STEP");
      const uint64_t times = number(line, line.words[1]);
      const uint64_t step = number(line, line.words[2]);
      size_t next = i;
      for (uint64_t n = 0; n < times; ++n) {
        for (next = i + 1; next < lines.size() && lines[next].words[0] != "end";)
          next = take(next, later + n * step);
      }
      if (next >= lines.size() || next == i)
        die(line, "repeat without end, or no times");
      return next + 1;
    }
    if (std::isdigit(static_cast<unsigned char>(what[0])))
      process->event(line, later);
    else
      process->take(line);
    return i + 1;
  }

  std::vector<Line> lines;
  fs::path session;
  std::optional<Process> process;
};

std::string sessionOfOptions() {
  const char *options = std::getenv("ADA_OPTIONS");
  const std::string text = options ? options : "";
  const size_t at = text.find("session=");
  if (at == std::string::npos)
    die("no directory given, and ADA_OPTIONS names no session");
  std::string path = text.substr(at + 8);
  if (!path.empty() && (path[0] == '\'' || path[0] == '"'))
    return path.substr(1, path.find(path[0], 1) - 1);
  return path.substr(0, path.find_first_of(": "));
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2)
    die("usage: ada-make-session FILE [DIRECTORY]");
  std::ifstream file(argv[1]);
  if (!file)
    die(std::string("can't read ") + argv[1]);
  std::vector<Line> lines;
  std::string text;
  for (size_t n = 1; std::getline(file, text); ++n) {
    if (text.rfind("T:", 0) != 0)
      continue;
    std::istringstream words(text.substr(2));
    Line line{n, {}};
    for (std::string word; words >> word;)
      line.words.push_back(word);
    if (!line.words.empty())
      lines.push_back(line);
  }
  Maker(std::move(lines), argc > 2 ? argv[2] : sessionOfOptions()).run();
}
