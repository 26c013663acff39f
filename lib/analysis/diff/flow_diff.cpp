// Finds where two runs of a program did different things.
#include "flow_diff.h"

#include "analysis/calls/call_reader.h"
#include "analysis/events/early_end.h"
#include "analysis/events/session_match.h"
#include "trace/base/try.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace ada::analysis {

FlowOutput::~FlowOutput() = default;

uint32_t FlowFunctions::number(const model::Function &function) {
  const std::string key = !function.name.empty()          ? function.name
                          : !function.displayName.empty() ? function.displayName
                                                          : "#" + std::to_string(function.id);
  const std::lock_guard lock(mutex_);
  const auto [at, isNew] = numbers_.try_emplace(key, static_cast<uint32_t>(functions_.size()));
  if (isNew)
    functions_.push_back(function);
  return at->second;
}

namespace {

constexpr size_t kLookAhead = 1 << 17; // tokens per side
constexpr size_t kMaxSiblings = 256;   // calls of one caller searched for a pair

// The begin or the end of a call. After the last one of a thread comes a token that is neither.
struct Token {
  enum What : uint8_t { Begin, End, Nothing };
  What what = Nothing;
  SpanEnd how = SpanEnd::Return; // End
  uint32_t function = 0;
  uint64_t seq = 0, timeNs = 0;
  std::string text; // arguments or result
};

// Passes tokens from the thread that reads a trace to the one that compares. It holds at most a few lists of tokens.
class Channel {
public:
  using List = std::vector<Token>;
  // Returns false if no more are wanted.
  bool put(List &&list) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lists_.size() < 4 || isClosed_; });
    if (isClosed_)
      return false;
    lists_.push_back(std::move(list));
    changed_.notify_all();
    return true;
  }
  // Returns an empty list at the end.
  List take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !lists_.empty() || isClosed_; });
    List list;
    if (!lists_.empty()) {
      list = std::move(lists_.front());
      lists_.pop_front();
    }
    changed_.notify_all();
    return list;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    isClosed_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<List> lists_;
  bool isClosed_ = false;
};

// Turns one thread's events into tokens.
class Tokens : public TableSink {
public:
  Tokens(TraceTable &table, const FlowOptions &options, FlowFunctions &functions, Channel &channel)
      : TableSink(table), functions_(functions), channel_(channel), rules_(options.filter, table), texts_(table),
        hasValues_(options.values), calls_(*this, rules_, options.values ? &texts_ : nullptr) {}

  bool wantsDetails() const override { return hasValues_; }
  Expected<void> events(const model::Batch &batch) override {
    calls_.take(batch);
    return list_.size() < kListSize || send() ? Expected<void>() : earlyEnd();
  }
  Expected<void> finish() override {
    calls_.finish();
    return send() ? Expected<void>() : earlyEnd();
  }

  // Called by CallReader.
  void begin(uint64_t seq, const model::Event &call, bool shown, std::string &&arguments) {
    beganShown_.push_back(shown);
    if (shown)
      list_.push_back({Token::Begin, {}, number(call.function), seq, call.timeNs, std::move(arguments)});
  }
  void end(const Span &span, bool, std::string &&result) {
    if (beganShown_.back())
      list_.push_back({Token::End, span.how, number(span.functionIndex), span.endSeq, span.endNs, std::move(result)});
    beganShown_.pop_back();
  }

private:
  static constexpr size_t kListSize = 4096;
  bool send() {
    const bool isWanted = list_.empty() || channel_.put(std::move(list_));
    list_ = {};
    return isWanted;
  }
  uint32_t number(uint32_t function) {
    constexpr uint32_t kUnknown = ~uint32_t(0);
    if (function >= numbers_.size())
      numbers_.resize(table().functions.size(), kUnknown);
    if (numbers_[function] == kUnknown)
      numbers_[function] = functions_.number(table().functions[function]);
    return numbers_[function];
  }

  FlowFunctions &functions_;
  Channel &channel_;
  FunctionRules rules_;
  ValueTexts texts_;
  bool hasValues_;
  CallReader<Tokens> calls_;
  std::vector<bool> beganShown_;
  std::vector<uint32_t> numbers_; // by the number in the trace
  Channel::List list_;
};

// One thread's tokens. Another thread of the program reads them while they are compared.
class Stream {
public:
  Stream(const FlowSide &side, uint32_t thread, const FlowOptions &options, FlowFunctions &functions)
      : source_(side.source->another()), table_(*side.table) {
    reader_ = std::thread([this, thread, &options, &functions] {
      Tokens tokens(table_, options, functions, channel_);
      model::ReadRequest request;
      request.threads = {thread};
      request.isFurther = true;
      status_ = source_->readPart(tokens, request);
      channel_.close();
    });
  }
  ~Stream() { (void)stop(); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  // The token `ahead` of the next one; nothing if the thread ends before it.
  const Token &peek(size_t ahead = 0) {
    static const Token nothing;
    while (tokens_.size() <= ahead) {
      Channel::List list = isOver_ ? Channel::List() : channel_.take();
      if (list.empty()) {
        isOver_ = true;
        return nothing;
      }
      std::move(list.begin(), list.end(), std::back_inserter(tokens_));
    }
    return tokens_[ahead];
  }
  void drop(size_t count) { tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<ptrdiff_t>(count)); }
  /// Returns how the reading ended.
  Expected<void> stop() {
    channel_.close();
    if (reader_.joinable())
      reader_.join();
    return status_ || isEarlyEnd(status_.error()) ? Expected<void>() : status_;
  }

private:
  std::unique_ptr<model::TraceSource> source_;
  TraceTable table_;
  Channel channel_;
  Expected<void> status_;
  std::deque<Token> tokens_;
  bool isOver_ = false;
  std::thread reader_;
};

// The calls that follow in the same caller, found one by one.
class Siblings {
public:
  explicit Siblings(Stream &stream) : stream_(stream) {}

  // Whether there is an i-th call; if so, finds where it begins among the tokens.
  bool has(size_t i) {
    while (starts_.size() <= i && !isOver_)
      find();
    return i < starts_.size();
  }
  // True if the caller ends after `count` of them. Use only after has(count) returned false.
  bool endsAt(size_t count) const { return isOver_ && !isCut_ && starts_.size() == count; }
  size_t start(size_t i) const { return i < starts_.size() ? starts_[i] : next_; }
  const Token &token(size_t i) { return stream_.peek(starts_[i]); }

private:
  void find() {
    const Token &first = stream_.peek(next_);
    if (first.what != Token::Begin) {
      isOver_ = true;
      return;
    }
    const size_t start = next_;
    size_t at = next_ + 1;
    for (size_t depth = 1; depth > 0; ++at) {
      if (at >= kLookAhead) {
        isOver_ = isCut_ = true;
        return;
      }
      const Token &token = stream_.peek(at);
      if (token.what == Token::Nothing)
        break;
      token.what == Token::Begin ? ++depth : --depth;
    }
    starts_.push_back(start);
    next_ = at;
    isCut_ = isOver_ = starts_.size() == kMaxSiblings;
  }

  Stream &stream_;
  std::vector<size_t> starts_;
  size_t next_ = 0;
  bool isOver_ = false, isCut_ = false;
};

// Compares one pair of threads.
class Comparison {
public:
  Comparison(Stream &a, Stream &b, bool values, const FlowFunctions &functions, FlowOutput &output)
      : a_(a), b_(b), hasValues_(values), functions_(functions), output_(output) {}

  // Returns false if no more is wanted.
  bool run() {
    while (true) {
      const Token &a = a_.peek(), &b = b_.peek();
      if (a.what == Token::Nothing && b.what == Token::Nothing)
        return true;
      const bool isSame = a.what == b.what && (a.what == Token::End || a.function == b.function);
      if (isSame ? !takeBoth(a, b) : !findPair())
        return false;
    }
  }
  uint64_t sameCalls() const { return allSame_; }

private:
  bool takeBoth(const Token &a, const Token &b) {
    bool goOn = true;
    if (a.what == Token::Begin) {
      if (hasValues_ && a.text != b.text) {
        goOn = tell(FlowKind::Arguments, one(a, a), one(b, b));
      } else {
        ++same_;
        ++allSame_;
      }
      callers_.push_back(a.function);
    } else {
      if (a.how != b.how || (hasValues_ && a.text != b.text))
        goOn = tell(FlowKind::End, one(a, a), one(b, b));
      callers_.pop_back();
    }
    a_.drop(1);
    b_.drop(1);
    return goOn;
  }

  // The sides diverge: continues where they meet again.
  bool findPair() {
    Siblings a(a_), b(b_);
    // Tries pairs (i, j) in the order of the number of calls before them.
    for (size_t sum = 1; sum <= kMaxSiblings; ++sum) {
      for (size_t i = 0; i <= sum; ++i) {
        const size_t j = sum - i;
        const bool hasA = a.has(i), hasB = b.has(j);
        if (hasA && hasB ? a.token(i).function == b.token(j).function : a.endsAt(i) && b.endsAt(j))
          return skip(a, i, b, j);
      }
    }
    return skipCaller();
  }

  bool skip(Siblings &a, size_t i, Siblings &b, size_t j) {
    const bool goOn = tell(FlowKind::Calls, list(a_, a, i), list(b_, b, j));
    a_.drop(a.start(i));
    b_.drop(b.start(j));
    return goOn;
  }

  // Gives up on the rest of the innermost caller.
  bool skipCaller() {
    FlowPart a = one(a_.peek(), Token()), b = one(b_.peek(), Token());
    a.more = skipToEnd(a_);
    b.more = skipToEnd(b_);
    return tell(FlowKind::Rest, std::move(a), std::move(b));
  }
  // Returns how many calls the caller itself made.
  static uint64_t skipToEnd(Stream &stream) {
    uint64_t calls = 0;
    for (size_t depth = 0;; stream.drop(1)) {
      const Token &token = stream.peek();
      if (token.what == Token::Nothing || (token.what == Token::End && depth == 0))
        return calls;
      calls += token.what == Token::Begin && depth == 0;
      token.what == Token::Begin ? ++depth : --depth;
    }
  }

  FlowPart one(const Token &at, const Token &call) const {
    FlowPart part;
    part.timeNs = at.timeNs;
    if (call.what != Token::Nothing)
      part.calls.push_back({call.seq, call.function, 1, call.what == Token::Begin ? call.text : std::string()});
    if (call.what == Token::End)
      part.end = call.how == SpanEnd::Return ? call.text : std::string(spanEndName(call.how));
    return part;
  }
  // Lists the first `count` siblings.
  static FlowPart list(Stream &stream, Siblings &siblings, size_t count) {
    FlowPart part;
    part.timeNs = stream.peek().timeNs;
    for (size_t i = 0; i < count; ++i) {
      const Token &call = siblings.token(i);
      if (!part.calls.empty() && part.more == 0 && part.calls.back().function == call.function)
        ++part.calls.back().times;
      else if (part.calls.size() == FlowDifference::kListed)
        ++part.more;
      else
        part.calls.push_back({call.seq, call.function, 1, call.text});
    }
    return part;
  }

  bool tell(FlowKind kind, FlowPart a, FlowPart b) {
    FlowDifference difference{kind, same_, callers_, std::move(a), std::move(b)};
    if (kind == FlowKind::End)
      difference.callers.pop_back(); // it is the call itself
    same_ = 0;
    return output_.difference(difference, functions_);
  }

  Stream &a_, &b_;
  bool hasValues_;
  const FlowFunctions &functions_;
  FlowOutput &output_;
  std::vector<uint32_t> callers_;
  uint64_t same_ = 0, allSame_ = 0;
};

} // namespace

Expected<FlowThreads> compareFlows(const FlowSide &a, const FlowSide &b, const FlowOptions &options,
                                   FlowOutput &output) {
  FlowThreads threads;
  const std::vector<std::string> keysA = threadKeys(*a.table), keysB = threadKeys(*b.table);
  std::map<std::string, uint32_t> others;
  for (const uint32_t thread : b.threads)
    others.emplace(keysB[thread], thread);
  FlowFunctions functions;
  for (const uint32_t thread : a.threads) {
    const auto other = others.find(keysA[thread]);
    if (other == others.end()) {
      threads.onlyA.push_back(thread);
      continue;
    }
    output.beginThread(thread, other->second);
    {
      Stream streamA(a, thread, options, functions), streamB(b, other->second, options, functions);
      Comparison comparison(streamA, streamB, options.values, functions, output);
      threads.isCut = !comparison.run();
      if (!threads.isCut)
        output.endThread(comparison.sameCalls());
      for (Stream *stream : {&streamA, &streamB})
        ADA_TRY(stream->stop());
    }
    others.erase(other);
    if (threads.isCut) {
      threads.onlyA.clear();
      return threads;
    }
  }
  for (const uint32_t thread : b.threads)
    if (others.contains(keysB[thread]))
      threads.onlyB.push_back(thread);
  return threads;
}

} // namespace ada::analysis
