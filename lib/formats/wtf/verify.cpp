// Checks wtf-trace files.
#include "follower.h"
#include "operations.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

namespace ada::formats {

namespace {

class WtfCheck : public WtfFollower {
public:
  uint64_t unclosed = 0, records = 0;
  std::vector<std::string> problems;
  const wtf::Timeline &lines() const { return timeline_; }

private:
  void takeRecord(const wtf::Record &, std::optional<wtf::ItemKind>, size_t, const wtf::Zone &) override { ++records; }
  void takeUnclosed(const wtf::Item &) override { ++unclosed; }
  void takeWarning(const Warning &flaw) override { problems.push_back(flaw.message + " [" + flaw.code + "]"); }
};

} // namespace

Expected<CheckSummary> verifyWtf(TraceLocation &place, const CheckReport &report) {
  WtfCheck check;
  wtf::Decoder decoder(check, wtfOptions(*place.bytes));
  const auto read = ADA_TRY(readWtf(*place.bytes, decoder));
  check.finish();
  for (const std::string &problem : check.problems)
    report.problem(place.name() + ": " + problem);
  if (read.problem)
    report.problem(read.problem->text());
  uint64_t strays = 0, lost = 0;
  for (size_t i = 0; i < check.lines().zoneCount(); ++i) {
    strays += check.lines().zone(i).strayLeaves;
    lost += check.lines().zone(i).lostData;
  }
  const auto note = [&](uint64_t count, const char *text) {
    if (count)
      report.note(place.name() + ": " + formatCount(count) + " " + text);
  };
  note(strays, "scopes end that did not begin in the trace");
  note(check.unclosed, "scopes do not end");
  note(lost, "values are added outside of any scope");
  return CheckSummary{.place = place.name(),
                      .counts = {{check.records, "record"}, {check.lines().zoneCount(), "zone"}}};
}

} // namespace ada::formats
