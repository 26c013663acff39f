// Checks dial9 streams.
#include "operations.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <unordered_set>

namespace ada::formats {

namespace {

// Counts pool ids that no frame of their segment defines. They are not errors of the stream.
class Dial9Check : public dial9::Visitor {
public:
  void onSegment(uint64_t) override {
    finish();
    ++segments;
  }
  void onSchema(const dial9::Schema &, uint64_t) override { ++schemas; }
  void onEvent(const dial9::EventView &event) override {
    ++events;
    for (const dial9::Value &value : event.values)
      if (value.type() == dial9::FieldType::PooledString)
        usedStrings_.insert(value.poolId());
      else if (value.type() == dial9::FieldType::PooledStackFrames)
        usedStacks_.insert(value.poolId());
  }
  void onStringPool(dial9::StringPoolView entries, uint64_t) override {
    for (const dial9::StringPoolEntry entry : entries)
      strings_.insert(entry.id);
  }
  void onStackPool(dial9::StackPoolView entries, uint64_t) override {
    for (const dial9::StackPoolEntry entry : entries)
      stacks_.insert(entry.id);
  }
  void finish() {
    for (const uint32_t id : usedStrings_)
      undefined += !strings_.contains(id);
    for (const uint32_t id : usedStacks_)
      undefined += !stacks_.contains(id);
    usedStrings_.clear();
    usedStacks_.clear();
    strings_.clear();
    stacks_.clear();
  }

  uint64_t events = 0, schemas = 0, segments = 1, undefined = 0;

private:
  std::unordered_set<uint32_t> usedStrings_, usedStacks_, strings_, stacks_;
};

} // namespace

Expected<CheckSummary> verifyDial9(TraceLocation &place, const CheckReport &report) {
  Dial9Check check;
  const auto read = ADA_TRY(readDial9(*place.bytes, check));
  check.finish();
  if (read.problem)
    report.problem(read.problem->text());
  if (check.undefined)
    report.note(place.name() + ": " + formatCount(check.undefined) +
                " ids of pooled strings and stacks are used, but never defined");
  return CheckSummary{.place = place.name(),
                      .counts = {{check.events, "event"}, {check.schemas, "schema"}, {check.segments, "segment"}}};
}

} // namespace ada::formats
