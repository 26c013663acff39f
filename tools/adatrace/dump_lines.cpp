//===- dump_lines.cpp - events as lines of text or JSON -------------------===//
//
// Scripts read dumps of some hundred million lines, so a line is put together
// from pieces that were formatted once a thread or once a function, and three
// to five numbers.
//
//===----------------------------------------------------------------------===//
#include "dump_lines.h"
#include "detail_json.h"
#include "json_text.h"

#include "ada/trace/names.h"

#include <algorithm>
#include <cstring>
#include <fmt/compile.h>

namespace ada::cli {

DumpThread::DumpThread(const InputThread &thread, const SessionTypes &types,
                       bool withProcess)
    : thread(&thread), values(thread, types) {
  const std::optional<uint64_t> pid = thread.process->pid();
  jsonHead = "{";
  if (withProcess && pid)
    jsonHead += fmt::format("\"pid\":{},", *pid);
  jsonHead +=
      fmt::format("\"thread\":{},\"tid\":{},\"seq\":", thread.thread->id,
                  thread.thread->tid());
  textHead = withProcess ? fmt::format("{} ", thread.process->name()) : "";
  textHead += fmt::format("thread {} ", thread.thread->id);
}

const DumpThread::Function &DumpThread::function(uint64_t functionId) {
  const uint32_t number = index.add(functionId);
  if (number >= functions.size())
    functions.resize(number + 1);
  Function &known = functions[number];
  if (!known.known) {
    const std::string_view name = thread->process->displayName(functionId);
    known.json = fmt::format(",\"function_id\":\"{}\",\"name\":{},\"depth\":",
                             functionIdText(functionId), jsonText(name));
    known.text = name;
    for (char &c : known.text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        c = '?';
    known.known = true;
  }
  return known;
}

static char *put(char *to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

static char *put(char *to, uint64_t number) {
  return fmt::format_to(to, FMT_COMPILE("{}"), number);
}

// Enough for all numbers and punctuation of a line.
static constexpr size_t kLineBytes = 256;

void DumpLines::writeJson(DumpThread &thread, uint64_t seq,
                          const atf::IndexEvent &event, uint32_t depth) {
  const DumpThread::Function &function = thread.function(event.functionId);
  char *at =
      out.reserve(kLineBytes + thread.jsonHead.size() + function.json.size());
  at = put(at, thread.jsonHead);
  at = put(at, seq);
  at = put(at, ",\"ts\":");
  at = put(at, event.timestampNs);
  at = put(at, ",\"kind\":\"");
  at = put(at, kindName(event.kind));
  at = put(at, "\"");
  at = put(at, function.json);
  at = put(at, uint64_t(depth));
  at = put(at, ",\"detail_seq\":");
  at = event.detailSeq == atf::kNoDetail ? put(at, std::string_view("null"))
                                         : put(at, event.detailSeq);
  if (event.detailSeq != atf::kNoDetail) {
    if (const auto detail = thread.values.events().detail(seq, event)) {
      out.commit(at);
      out.write(detailJson(*detail, thread.values.events().arch()));
      at = out.reserve(kLineBytes);
    }
  }
  at = put(at, "}\n");
  out.commit(at);
}

void DumpLines::writeText(DumpThread &thread, uint64_t seq,
                          const atf::IndexEvent &event, uint32_t depth) {
  const DumpThread::Function &function = thread.function(event.functionId);
  // Seconds with nine decimals, event number, thread, then the call, indented.
  const size_t indent = 2 * std::min<size_t>(depth, 40);
  std::string call; // with arguments or result
  if (event.detailSeq != atf::kNoDetail)
    call = withArguments(function.text, thread.values.arguments(seq)) +
           thread.values.result(seq);
  const std::string &what = call.empty() ? function.text : call;
  char *at = out.reserve(kLineBytes + thread.textHead.size() + what.size());
  at = fmt::format_to(at, FMT_COMPILE("{:>8}.{:09} {}#{:<8} {:<9} "),
                      event.timestampNs / 1000000000,
                      event.timestampNs % 1000000000, thread.textHead, seq,
                      kindName(event.kind));
  std::memset(at, ' ', indent);
  at = put(at + indent, what);
  if (event.detailSeq != atf::kNoDetail)
    at = fmt::format_to(at, FMT_COMPILE(" [detail {}]"), event.detailSeq);
  at = put(at, "\n");
  out.commit(at);
}

void DumpLines::write(DumpThread &thread, uint64_t seq,
                      const atf::IndexEvent &event, uint32_t depth) {
  if (json)
    writeJson(thread, seq, event, depth);
  else
    writeText(thread, seq, event, depth);
}

} // namespace ada::cli
