// Merges a function and its inlined copies into one function.
#include "merge_copies.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ada::formats {

namespace {

class MergeCopies : public model::TraceSink {
public:
  MergeCopies(model::TraceSink &sink, std::unique_ptr<model::TraceSink> owned)
      : sink_(sink), owned_(std::move(owned)) {}

  Expected<void> begin(const model::TraceInfo &info) override { return sink_.begin(info); }
  Expected<void> addProcess(const model::Process &process) override { return sink_.addProcess(process); }
  Expected<void> addThread(const model::Thread &thread) override { return sink_.addThread(thread); }
  Expected<void> addFunction(const model::Function &function) override {
    const uint32_t next = count_;
    const auto [at, isNew] = known_.try_emplace({function.process, function.commonId(), function.types}, Known{next});
    Known &known = at->second;
    // Other formats may have several functions with the same id.
    const bool isAnother = !isNew && !function.isInlined && known.hasOriginal;
    known.hasOriginal = known.hasOriginal || !function.isInlined;
    numbers_.push_back(isAnother ? next : known.number);
    areOther_ = areOther_ || numbers_.back() != function.index;
    if (!isNew && !isAnother)
      return {};
    ++count_;
    model::Function common = function; // the first one stands for all
    common.index = next;
    common.id = function.commonId();
    common.isInlined = false;
    return sink_.addFunction(common);
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!areOther_)
      return sink_.events(batch);
    events_.assign(batch.events.begin(), batch.events.end());
    for (model::Event &event : events_)
      if (event.function < numbers_.size())
        event.function = numbers_[event.function];
    model::Batch mapped = batch;
    mapped.events = events_;
    return sink_.events(mapped);
  }
  Expected<void> endThread(uint32_t thread) override { return sink_.endThread(thread); }
  Expected<void> finish() override { return sink_.finish(); }
  bool needsRange() const override { return sink_.needsRange(); }
  bool wantsDetails() const override { return sink_.wantsDetails(); }
  bool wantsUnused() const override { return sink_.wantsUnused(); }
  bool sharesFunctions() const override { return sink_.sharesFunctions(); }
  bool wantsNumbers() const override { return sink_.wantsNumbers(); }
  std::vector<model::Loss> losses() const override { return sink_.losses(); }

private:
  struct Known {
    uint32_t number = 0;
    bool hasOriginal = false;
  };

  model::TraceSink &sink_;
  std::unique_ptr<model::TraceSink> owned_; // the same, or null
  std::map<std::tuple<uint32_t, uint64_t, std::string>, Known> known_;
  uint32_t count_ = 0;            // number of functions that the sink knows
  std::vector<uint32_t> numbers_; // by the source's number
  std::vector<model::Event> events_;
  bool areOther_ = false; // some number differs from the source's
};

} // namespace

std::unique_ptr<model::TraceSink> mergeCopies(model::TraceSink &sink) {
  return std::make_unique<MergeCopies>(sink, nullptr);
}

std::unique_ptr<model::TraceSink> mergeCopies(std::unique_ptr<model::TraceSink> sink) {
  if (!sink || sink->takesSymbols())
    return sink;
  model::TraceSink &to = *sink;
  return std::make_unique<MergeCopies>(to, std::move(sink));
}

} // namespace ada::formats
