// Reads folded stacks into the model.
//
// They are sums, so most of a trace has to be made up. The count of a line is the time in its last frame, right after
// the time of the line before it. Frames that the two stacks have in common stay open between them. A count of 1 is a
// nanosecond.
#include "operations.h"

#include "formats/import/met_names.h"
#include "trace/base/try.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ada::formats {

static constexpr size_t kMaxLineBytes = 4 << 20, kMaxFrames = 1 << 16;

static std::optional<uint64_t> numberOf(std::string_view digits) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  return error == std::errc() && end == digits.end() && !digits.empty() ? std::optional(number) : std::nullopt;
}

std::optional<FoldedLine> foldedLineOf(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  const size_t space = line.find_last_of(" \t");
  if (space == line.npos || space == 0)
    return std::nullopt;
  const auto count = numberOf(line.substr(space + 1));
  if (!count)
    return std::nullopt;
  line = line.substr(0, space);
  while (!line.empty() && line.back() == ' ')
    line.remove_suffix(1);
  if (line.empty())
    return std::nullopt;
  return FoldedLine{line, *count};
}

namespace {

// Splits "main (tid 4711)" into name and number.
std::optional<std::pair<std::string_view, uint64_t>> labelOf(std::string_view frame, std::string_view what) {
  const size_t at = frame.rfind(what);
  if (at == frame.npos || frame.back() != ')')
    return std::nullopt;
  const size_t digits = at + what.size();
  const auto number = numberOf(frame.substr(digits, frame.size() - digits - 1));
  return number ? std::optional(std::pair(frame.substr(0, at), *number)) : std::nullopt;
}

class Reader {
public:
  Reader(model::TraceSink &sink, model::LossList &lost) : out_(sink, lost), names_(lost) {}

  // False if the line has too many frames, or the sum of counts is too large.
  bool take(const FoldedLine &line);
  Expected<void> finish();
  const Expected<void> &status() const { return out_.status(); }

private:
  struct ThreadState {
    uint32_t index = 0, process = 0;
    uint64_t nowNs = 0;
    std::vector<uint32_t> open; // functions, outermost first
  };
  ThreadState &threadOf();
  std::string keyOf(std::string_view frame) { return std::string(names_.limit.kept(frame)); }

  // The numbers are those of MetNames, but items are announced at once.
  template <class Item> uint32_t announce(const std::vector<Item> &known) { return out_.add(known.back()); }
  uint32_t functionOf(uint32_t process, std::string_view name) {
    const uint32_t function = names_.function(process, name);
    if (function == out_.functions())
      announce(names_.functions);
    return function;
  }
  void put(model::Kind kind, const ThreadState &thread, uint32_t function) {
    out_.events().add({.timeNs = thread.nowNs, .thread = thread.index, .function = function, .kind = kind});
  }

  TraceBuilder out_;
  MetNames names_;
  std::vector<std::string_view> frames_; // of the current line
  std::map<std::string, uint32_t, std::less<>> processes_;
  std::map<std::pair<std::string, std::string>, ThreadState, std::less<>> threads_; // by process and thread frame
};

// Removes the frames that name the process and the thread, and returns that thread.
Reader::ThreadState &Reader::threadOf() {
  std::string_view processFrame, threadFrame;
  size_t taken = 0;
  const auto pid = labelOf(frames_[0], " (pid ");
  if (pid && frames_.size() > 1 && labelOf(frames_[1], " (tid "))
    processFrame = frames_[taken++];
  const auto tid = labelOf(frames_[taken], " (tid ");
  if (tid)
    threadFrame = frames_[taken++];
  frames_.erase(frames_.begin(), frames_.begin() + static_cast<ptrdiff_t>(taken));
  const auto [found, isNew] = threads_.try_emplace({keyOf(processFrame), keyOf(threadFrame)});
  ThreadState &state = found->second;
  if (!isNew)
    return state;
  const auto [process, isNewProcess] = processes_.try_emplace(keyOf(processFrame));
  if (isNewProcess) {
    model::Process about;
    about.name = "stacks";
    if (!processFrame.empty()) {
      about.pid = pid->second;
      about.name = "pid_" + std::to_string(pid->second);
      if (pid->first != about.name)
        about.executable = names_.limit.take(pid->first);
    }
    process->second = names_.add(std::move(about));
    out_.add(MetNames::described(names_.processes.back()));
  }
  model::Thread thread;
  thread.process = process->second;
  thread.name = tid ? names_.limit.take(tid->first) : "stacks";
  thread.tid = tid ? tid->second : 0;
  state.process = thread.process;
  state.index = names_.add(std::move(thread));
  model::Thread &about = names_.threads.back();
  if (about.name == "thread " + std::to_string(about.number))
    about.name.clear(); // a thread without a name is written like this
  announce(names_.threads);
  return state;
}

bool Reader::take(const FoldedLine &line) {
  frames_.clear();
  for (std::string_view rest = line.stack;;) {
    const size_t end = rest.find(';');
    frames_.push_back(rest.substr(0, end));
    if (end == rest.npos)
      break;
    rest.remove_prefix(end + 1);
  }
  if (frames_.size() > kMaxFrames)
    return false;
  ThreadState &thread = threadOf();
  uint64_t after = 0;
  if (__builtin_add_overflow(thread.nowNs, line.count, &after))
    return false;
  size_t common = 0;
  std::vector<uint32_t> stack;
  stack.reserve(frames_.size());
  for (const std::string_view frame : frames_)
    stack.push_back(functionOf(thread.process, frame));
  while (common < stack.size() && common < thread.open.size() && stack[common] == thread.open[common])
    ++common;
  for (size_t i = thread.open.size(); i > common; --i)
    put(model::Kind::Return, thread, thread.open[i - 1]);
  for (size_t i = common; i < stack.size(); ++i)
    put(model::Kind::Call, thread, stack[i]);
  thread.open = std::move(stack);
  thread.nowNs = after;
  return true;
}

Expected<void> Reader::finish() {
  for (auto &[frames, thread] : threads_)
    for (; !thread.open.empty(); thread.open.pop_back())
      put(model::Kind::Return, thread, thread.open.back());
  return out_.finish();
}

} // namespace

Expected<void> FoldedSource::read(model::TraceSink &sink) {
  ADA_TRY(restart());
  Reader reader(sink, lost_);
  std::string line; // the part of the line that has arrived
  uint64_t offset = 0, bad = 0, badAt = 0, good = 0;
  bool isTooLong = false;
  const auto take = [&] {
    const bool isEmpty = line.find_first_not_of(" \t\r") == line.npos && !isTooLong;
    const auto read = isTooLong ? std::nullopt : foldedLineOf(line);
    if (read && reader.take(*read))
      ++good;
    else if (!isEmpty && bad++ == 0)
      badAt = offset;
    offset += line.size() + 1;
    line.clear();
    isTooLong = false;
    return reader.status() && (good > 0 || bad == 0);
  };
  bool goesOn = true;
  const auto read = pushAll(input(), [&](std::span<const std::byte> piece) {
    std::string_view text(reinterpret_cast<const char *>(piece.data()), piece.size());
    while (goesOn && !text.empty()) {
      const size_t end = text.find('\n');
      const std::string_view part = text.substr(0, end);
      if (isTooLong || line.size() + part.size() > kMaxLineBytes) {
        isTooLong = true;
        offset += part.size();
      } else {
        line.append(part);
      }
      text.remove_prefix(std::min(text.size(), part.size() + 1));
      goesOn = end == std::string_view::npos || take();
    }
    return goesOn;
  });
  if (!read)
    return read;
  if (goesOn && (!line.empty() || isTooLong))
    take();
  if (!reader.status())
    return reader.status();
  if (input().damage())
    errors_.push_back(*input().damage());
  if (good == 0 && bad > 0)
    return Error{.code = "E_BAD_MAGIC",
                 .message = "not a trace: text, but its first line is not a stack followed by a number",
                 .file = place_.name(),
                 .offset = badAt};
  if (bad)
    problem("E_BAD_LINE",
            std::to_string(bad) + (bad == 1 ? " line is" : " lines are") +
                " not a stack followed by a number, or too large; the others were read",
            badAt);
  return reader.finish();
}

} // namespace ada::formats
