// Prints events as lines of text or JSON.
//
// Scripts read dumps of a few hundred million lines. So a line is put together from pieces that were formatted once per
// thread or once per function, and three to five numbers.
#include "dump_lines.h"
#include "terminal/line_text.h"

#include "trace/base/json.h"
#include "trace/base/text.h"
#include "trace/names.h"

#include <algorithm>

namespace ada::cli {

using model::Kind;

// {"pid":4711,"process":"pid_4711","thread":0,"tid":4711,"seq":
static std::string jsonHeadOf(const TraceInput &input, const model::Thread &thread) {
  const model::Process &process = input.table().processOf(thread);
  JsonMembers json;
  json.number("pid", process.pid).text("process", process.label);
  json.number("thread", thread.number).number("tid", thread.tid);
  return "{" + json.list() + ",\"seq\":";
}

DumpThread::DumpThread(const TraceInput &input, uint32_t number, analysis::FunctionRules &rules)
    : jsonHead_(jsonHeadOf(input, input.table().threads[number])), calls_(*this, rules) {
  const model::Thread &thread = input.table().threads[number];
  textHead_ = input.severalProcesses() ? oneLine(input.table().processOf(thread).label) + " " : "";
  textHead_ += fmt::format("thread {} ", thread.number);
}

bool DumpThread::take(uint64_t seq, const model::Event &event) {
  const CallStackWalker::Step step = calls_.take(seq, event, {});
  depth_ = step.depth;
  if (event.isEarlier) // has no line of its own, but calls inside it are deeper
    return false;
  if (calls_.filter().showsAll())
    return true;
  if (isText(event.kind) || event.kind == Kind::Call) // a text belongs to the innermost open call, if there is one
    return calls_.filter().isShown();
  return step.finished.empty() ? calls_.filter().showsStray(event.function, event.timeNs) : isEndShown_;
}

const DumpLines::Function &DumpLines::makeFunction(uint32_t number) {
  if (number >= functions_.size())
    functions_.resize(functionList_.size());
  Function &known = functions_[number];
  if (!known.known) {
    const model::Function &about = functionList_[number];
    known.json = fmt::format(",\"function_id\":\"{}\",\"name\":{},\"depth\":", functionIdText(about.id),
                             jsonString(about.displayName));
    known.text = oneLine(about.displayName);
    known.kind = about.kind;
    if (about.isExternal)
      known.more = ",\"external\":true";
    if (about.isInlined)
      known.more += ",\"inlined\":true";
    if (about.kind != SymbolKind::Function)
      known.more += fmt::format(",\"annotation\":\"{}\"", kindName(about.kind));
    known.known = true;
  }
  return known;
}

// Enough for all numbers and punctuation in a line.
static constexpr size_t kLineBytes = 256;

void DumpLines::writeJson(const DumpThread &thread, uint64_t seq, const model::Event &event,
                          const model::Batch &batch) {
  if (isText(event.kind)) {
    const model::Text &text = batch.texts[event.extra];
    const std::string what = fmt::format(",\"function_id\":null,\"name\":{},\"depth\":", jsonString(text.name));
    putJson(thread, seq, event, batch, what, "");
    out_.print(",\"data\":{}}}\n", text.json.empty() ? "null" : text.json);
    return;
  }
  const Function &about = function(event.function);
  putJson(thread, seq, event, batch, about.json, about.more);
  if (!event.details) {
    out_.write("}\n");
    return;
  }
  if (const auto detail = values_.detailOf(event, batch))
    out_.write("," + atf::detailJson(*detail, values_.archOf(event)));
  out_.write("}\n");
}

// Writes the fields that events of every kind have, and then `end`.
void DumpLines::putJson(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch,
                        std::string_view what, std::string_view end) {
  char *at = out_.reserve(kLineBytes + thread.jsonHead_.size() + what.size());
  at = put(at, thread.jsonHead_);
  at = put(at, seq);
  at = put(at, ",\"ts\":");
  at = put(at, event.timeNs);
  at = put(at, ",\"kind\":\"");
  at = put(at, kindName(event.kind));
  at = put(at, "\"");
  at = put(at, what);
  at = put(at, uint64_t(thread.depth()));
  at = put(at, ",\"detail_seq\":");
  at = event.details ? put(at, batch.details[event.extra].seq) : put(at, "null");
  out_.commit(put(at, end));
}

void DumpLines::writeText(const DumpThread &thread, uint64_t seq, const model::Event &event,
                          const model::Batch &batch) {
  // Seconds with nine decimals, event number, thread, then the indented call.
  const size_t indent = 2 * std::min<size_t>(thread.depth(), 40);
  std::string own; // for a call with arguments or a result, or an event without a function
  if (isText(event.kind)) {
    const model::Text &text = batch.texts[event.extra];
    own = oneLine(fmt::format("{}{}{}", text.name, event.kind == Kind::Value ? "=" : " ", text.json));
  } else if (event.details) {
    const Function &about = function(event.function);
    own = analysis::withArguments(about.text, values_.arguments(event, batch), about.kind);
    if (const std::string result = values_.result(event, batch); !result.empty())
      own += " → " + result;
  }
  const std::string &what = own.empty() ? function(event.function).text : own;
  char *at = out_.reserve(kLineBytes + indent + thread.textHead_.size() + what.size());
  const bool isBefore = event.timeNs < originNs_;
  const uint64_t time = isBefore ? originNs_ - event.timeNs : event.timeNs - originNs_;
  const uint64_t seconds = time / 1'000'000'000;
  at = isBefore ? putDecimal(put(at, "       -"), seconds) : putRight(at, seconds, 8);
  at = putNineDigits(put(at, "."), static_cast<uint32_t>(time % 1'000'000'000));
  at = put(put(at, " "), thread.textHead_);
  char *const number = at;
  at = put(put(at, "#"), seq);
  at = putBlanks(at, at - number < 9 ? static_cast<size_t>(10 - (at - number)) : 1);
  at = putLeft(at, kindName(event.kind), 9);
  at = put(putBlanks(at, 1 + indent), what);
  if (event.details)
    at = put(put(put(at, " [detail "), batch.details[event.extra].seq), "]");
  at = put(at, "\n");
  out_.commit(at);
}

void DumpLines::write(const DumpThread &thread, uint64_t seq, const model::Event &event, const model::Batch &batch) {
  if (json_)
    writeJson(thread, seq, event, batch);
  else
    writeText(thread, seq, event, batch);
}

} // namespace ada::cli
