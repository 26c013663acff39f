// What all readers of a trace share.
#include "shared_trace.h"

#include "trace/base/try.h"
#include "trace/spool.h"

#include <algorithm>
#include <utility>

namespace ada::query {

namespace {

// Functions that a manifest names come before any event, in the manifest's order.
struct Announcements : analysis::TableSink {
  using TableSink::TableSink;
  bool wantsUnused() const override { return true; }
};

// Hands on functions that were not announced, in the order of their first events.
class NewFunctions : public model::TraceSink {
public:
  explicit NewFunctions(FunctionNumbers &numbers) : numbers_(numbers) {}
  Expected<void> addFunction(const model::Function &function) override {
    numbers_.add(function);
    return {};
  }
  Expected<void> events(const model::Batch &) override { return {}; }

private:
  FunctionNumbers &numbers_;
};

} // namespace

Expected<std::unique_ptr<SharedTrace>> SharedTrace::open(std::unique_ptr<model::TraceSource> given) {
  std::unique_ptr<SharedTrace> trace(new SharedTrace(ADA_TRY(model::makeThreadwise(std::move(given)))));
  model::ReadRequest nothing;
  nothing.threads.emplace();
  analysis::TableSink plain(trace->plainTable_);
  ADA_TRY(trace->source_->readPart(plain, nothing));
  trace->plain_ = trace->source_->another();
  Announcements sink(trace->table_);
  ADA_TRY(trace->source_->readPart(sink, nothing));
  trace->problems_ = trace->source_->problems();
  trace->warnings_ = trace->source_->warnings();
  for (const model::Function &function : trace->table_.functions)
    trace->numberOf_.push_back(trace->numbers_.add(function));
  const auto isUnknown = [&](const model::Thread &thread) {
    return thread.extent && thread.extent->events > 0 && !trace->numbers_.describes(thread.process);
  };
  if (std::ranges::any_of(trace->table_.threads, isUnknown))
    ADA_TRY(trace->learnAll());
  return trace;
}

Expected<void> SharedTrace::learnAll() {
  hasLearnt_ = true;
  NewFunctions sink(numbers_);
  model::ReadRequest all;
  all.isFurther = true;
  return source_->another()->readPart(sink, all);
}

uint32_t SharedTrace::numberOfNew(const model::Function &function) {
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(function))
    return *known;
  if (!std::exchange(hasLearnt_, true))
    (void)learnAll(); // whatever stops it will stop the reader, too
  return numbers_.add(function);
}

void SharedTrace::addDamage(const std::vector<Error> &problems, const std::vector<Warning> &warnings) {
  const std::lock_guard lock(mutex_);
  for (const Error &problem : problems)
    if (std::ranges::find(problems_, problem.text(), &Error::text) == problems_.end())
      problems_.push_back(problem);
  for (const Warning &flaw : warnings)
    if (std::ranges::find(warnings_, flaw.message, &Warning::message) == warnings_.end())
      warnings_.push_back(flaw);
}

std::vector<Error> SharedTrace::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

std::vector<Warning> SharedTrace::warnings() const {
  const std::lock_guard lock(mutex_);
  return warnings_;
}

} // namespace ada::query
