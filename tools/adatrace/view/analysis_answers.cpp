// Answers /api/findings, /api/why and /api/outliers.
#include "analysis_answers.h"

#include "analysis/outliers/outlier_table.h"
#include "analysis/view/session_analysis.h"
#include "output/why_lines.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/text.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::cli {

using analysis::WhyPart;

namespace {

// Lists of parts and of waits are as long as a person can read.
constexpr size_t kMaxParts = 40, kDeepest = 8;

/// A session that was asked about, with all that an answer needs after the request is gone.
struct AskedSession {
  std::shared_ptr<const ViewSession::Opened> opened;
  uint64_t startNs = 0;

  int64_t sinceStart(uint64_t ns) const { return static_cast<int64_t>(ns) - static_cast<int64_t>(startNs); }
};

/// A call that was asked about, likewise.
struct AskedCall : AskedSession {
  uint64_t seq = 0;
  uint32_t thread = 0;

  Expected<view::CallDetails> details() const {
    auto call = ADA_TRY(view::callDetails(*opened->view, thread, seq));
    if (!call)
      return Error{.code = "E_RANGE", .message = fmt::format("no call begins with event {} of this thread", seq)};
    return *std::move(call);
  }
};

AskedCall callOf(ApiRequest &request) {
  const auto seq = request.number("seq");
  if (!seq)
    throw ApiError{400, "seq (the number of the event that began the call) is missing"};
  return {{.opened = request.openedShared(), .startNs = request.session().startNs()}, *seq, request.thread()};
}

std::string keyOf(const char *what, const ApiRequest &request, const AskedCall &call, uint64_t events) {
  return fmt::format("{} {} {} {} {} {}", what, request.session().id(), call.opened->madeOf, call.thread, call.seq,
                     events);
}

void writePart(JsonText &json, const AskedCall &call, const view::AnalysedPart &part) {
  json.text("state", part.isTooLong ? "too_long" : "ready").boolean("is_whole", part.isWhole);
  json.number("from_ns", call.sinceStart(part.fromNs)).number("to_ns", call.sinceStart(part.toNs));
}

class WhyJson {
public:
  WhyJson(JsonText &json, const AskedCall &call, const view::Reader &reader)
      : json_(json), call_(call), trace_{reader.table, [&table = reader.table](uint32_t function) {
                                           return nameOf(table.functions[function], NameStyle::Short);
                                         }} {}

  void write(const analysis::Why &why) {
    json_.boolean("has_sched", why.hasSched).number("total_ns", why.endNs - why.beginNs);
    writeParts(why.parts, why.thread, 0);
    json_.beginArray("waits");
    for (const analysis::WhyWait &wait : why.waits) {
      json_.beginObject().number("from_ns", call_.sinceStart(wait.fromNs)).number("to_ns", call_.sinceStart(wait.toNs));
      json_.text("kind", analysis::waitKindName(wait.kind));
      if (wait.thread == analysis::kNobody)
        json_.null("thread");
      else
        json_.number("thread", call_.opened->threadIds[wait.thread]);
      wait.wokenNs ? json_.number("woken_ns", call_.sinceStart(wait.wokenNs)) : json_.null("woken_ns");
      wait.takerDepth == analysis::kNobody ? json_.null("depth") : json_.number("depth", wait.takerDepth);
      json_.endObject();
    }
    json_.endArray();
  }

private:
  void begin(const char *kind, const std::string &text, uint64_t ns, uint32_t thread, uint64_t inNs) {
    json_.beginObject().text("kind", kind).text("text", oneLine(text)).number("total_ns", ns);
    json_.number("thread", call_.opened->threadIds[thread]).number("in_ns", call_.sinceStart(inNs));
  }
  // The longest parts, and the sum of the others.
  void writeParts(const std::vector<WhyPart> &parts, uint32_t thread, size_t depth) {
    json_.beginArray("parts");
    uint64_t rest = 0, count = 0;
    for (const WhyPart &part : parts) {
      if (count++ >= kMaxParts) {
        rest += part.ns;
        continue;
      }
      begin(whyPartKind(part), whyPartText(trace_, part, depth == 0), part.ns, thread, part.inNs);
      json_.beginArray("holders");
      if (depth < kDeepest)
        for (const WhyPart::Holder &holder : part.holders) {
          const model::Thread &about = trace_.table.threads[holder.thread];
          const std::string name = about.label.empty() ? fmt::format("thread {}", about.tid) : about.label;
          begin("holder", whyHolderText(part, holder, name), holder.ns, holder.thread, holder.inNs);
          writeParts(holder.parts, holder.thread, depth + 1);
          json_.endObject();
        }
      json_.endArray().endObject();
    }
    json_.endArray();
    json_.number("other_parts", count - std::min<uint64_t>(count, kMaxParts)).number("other_ns", rest);
  }

  JsonText &json_;
  const AskedCall &call_;
  analysis::NamedTrace trace_;
};

void writeOutliers(JsonText &json, const AskedCall &call, const analysis::Outliers &outliers,
                   const analysis::FunctionTimes &times) {
  json.number("calls", outliers.calls).number("slow_calls", outliers.slowCalls);
  json.number("ordinary_calls", outliers.ordinaryCalls).number("calls_needed", outliers.callsNeeded);
  json.number("slow_from_ns", outliers.slowFromNs)
      .number("ordinary_from_ns", outliers.ordinaryFromNs)
      .number("ordinary_to_ns", outliers.ordinaryToNs);
  json.number("slower_calls", times.slower);
  json.json("ordinary_mean_ns", fmt::format("{:.0f}", outliers.ordinaryMeanNs));
  json.json("extra_ns", fmt::format("{:.0f}", outliers.callExtraNs)).boolean("is_slow", outliers.isCallSlow);
  json.text("verdict", analysis::outlierVerdictName(outliers.verdict()));
  json.beginArray("factors");
  for (const analysis::OutlierFactor &factor : outliers.factors) {
    json.beginObject().text("kind", analysis::factorKindName(factor.kind)).text("what", oneLine(factor.what));
    json.text("how", oneLine(factor.how)).json("of_call_ns", fmt::format("{:.0f}", factor.ofCallNs));
    json.json("explains_ns", fmt::format("{:.0f}", factor.explainsNs))
        .json("p_value", fmt::format("{:.3g}", factor.pValue))
        .text("sure", analysis::factorSureName(factor));
    json.json("of_slow", fmt::format("{:.4f}", factor.ofSlow))
        .json("of_ordinary", fmt::format("{:.4f}", factor.ofOrdinary));
    json.endObject();
  }
  json.endArray().beginArray("slowest");
  for (const analysis::SlowExample &slow : outliers.slowest) {
    json.beginObject().number("thread", call.opened->threadIds[slow.thread]).number("seq", slow.seq);
    json.number("total_ns", slow.durationNs).endObject();
  }
  json.endArray();
}

void writeTexts(JsonText &json, const char *name, const std::vector<std::string> &texts) {
  json.beginArray(name);
  for (const std::string &text : texts)
    json.text({}, oneLine(text));
  json.endArray();
}

void textOrNull(JsonText &json, const char *name, const std::string &text) {
  text.empty() ? json.null(name) : json.text(name, oneLine(text));
}

void writeFindings(JsonText &json, const AskedSession &of, const analysis::Findings &found) {
  writeTexts(json, "requests", found.requests);
  json.number("request_calls", found.requestCalls).number("total_ns", found.totalNs()).number("run_ns", found.runNs);
  json.beginArray("findings");
  for (const analysis::Finding &finding : found.findings) {
    json.beginObject().text("kind", analysis::findingKindName(finding.kind));
    textOrNull(json, "function", finding.function);
    textOrNull(json, "object", finding.object);
    json.number("stake_ns", finding.stakeNs).number("of_ns", finding.totalNs);
    json.text("sure", analysis::sureName(finding.sure)).text("text", oneLine(finding.text));
    writeTexts(json, "evidence", finding.evidence);
    textOrNull(json, "command", finding.command);
    if (finding.place) {
      json.beginObject("place").number("thread", of.opened->threadIds[finding.place->thread]);
      finding.place->seq ? json.number("seq", *finding.place->seq)
                         : json.number("at", of.sinceStart(finding.place->ns));
      json.endObject();
    } else {
      json.null("place");
    }
    json.endObject();
  }
  json.endArray().beginArray("cannot_say");
  for (const analysis::CannotSay &missing : found.cannotSay) {
    json.beginObject().text("what", oneLine(missing.what));
    textOrNull(json, "command", missing.command);
    json.endObject();
  }
  json.endArray();
}

} // namespace

// The page names the state that it asks about, because a session that is still recorded is another one at each look.
HttpReply AnalysisAnswers::findings(ApiRequest &request) {
  constexpr std::chrono::minutes kMaxTime{10};
  const ViewSession &session = request.session();
  const AskedSession of{.opened = request.openedShared(), .startNs = session.startNs()};
  const std::string *state = request.text("of");
  const std::string key =
      fmt::format("findings {} {}", session.id(), state ? "of " + *state : std::to_string(of.opened->madeOf));
  return jobs_.ask(key, 0, kMaxTime,
                   [of, path = session.path()](const view::AnalysisLimits &limits) -> Expected<std::string> {
                     const analysis::Findings found = ADA_TRY(view::findInSession(*of.opened->view, path, limits));
                     std::string text;
                     JsonText json(text);
                     json.beginObject().text("state", "ready");
                     writeFindings(json, of, found);
                     json.endObject();
                     return text;
                   });
}

// Asks for an analysis in the background. `analyse` writes its members, and returns the part of the trace that it read.
template <class Analyse>
HttpReply AnalysisAnswers::answer(const char *what, ApiRequest &request, uint64_t mostEvents,
                                  std::chrono::seconds mostTime, const Analyse &analyse) {
  const AskedCall call = callOf(request);
  const uint64_t events = std::min(request.number("events", mostEvents), mostEvents);
  return jobs_.ask(keyOf(what, request, call, events), events, mostTime,
                   [call, analyse](const view::AnalysisLimits &limits) -> Expected<std::string> {
                     std::string text;
                     JsonText json(text);
                     const auto details = ADA_TRY(call.details());
                     json.beginObject();
                     writePart(json, call, ADA_TRY(analyse(json, call, details, limits)));
                     json.endObject();
                     return text;
                   });
}

HttpReply AnalysisAnswers::why(ApiRequest &request) {
  return answer(
      "why", request, 4'000'000, std::chrono::seconds(15),
      [](JsonText &json, const AskedCall &call, const view::CallDetails &details, const view::AnalysisLimits &limits) {
        return view::explainCall(
            *call.opened->view, details, limits,
            [&](const analysis::Why &why, const view::Reader &reader) { WhyJson(json, call, reader).write(why); });
      });
}

HttpReply AnalysisAnswers::outliers(ApiRequest &request) {
  return answer(
      "outliers", request, 20'000'000, std::chrono::seconds(30),
      [](JsonText &json, const AskedCall &call, const view::CallDetails &details, const view::AnalysisLimits &limits) {
        return view::compareCall(*call.opened->view, details, limits,
                                 [&](const analysis::Outliers &found, const analysis::FunctionTimes &times,
                                     const view::Reader &) { writeOutliers(json, call, found, times); });
      });
}

} // namespace ada::cli
