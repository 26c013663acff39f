// The columns of tables about waits.
#pragma once

#include "analysis/events/function_names.h"
#include "object_names.h"
#include "waits.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// A trace, and how its functions are called.
struct NamedTrace {
  const TraceTable &table;
  std::function<std::string(uint32_t)> functionName;
  std::shared_ptr<const ObjectNames> objects = {};

  /// Empty for kNobody.
  std::string name(uint32_t function) const { return function == kNobody ? std::string() : functionName(function); }
};

NamedTrace namedTrace(const TraceTable &table, NameStyle style);

/// Only the identity: "0x55d0c0de", "3<-4", "thread 2"; empty if it is not known.
std::string objectName(const TraceTable &table, const WaitedFor &object);
/// The variable that the object is, or is in: "store.rows.lock"; empty if it is in none, or none is known.
std::string variableName(const NamedTrace &trace, const WaitedFor &object);
/// Kind, and the best name: "mutex store.rows.lock", "mutex made in Pool::Pool() (0x55d0c0de)", "mutex 0x55d0c0de",
/// "pipe 3<-4", "join of thread 2".
std::string objectText(const NamedTrace &trace, const WaitedFor &object);

using DeadlockCycle = std::vector<DeadlockThread>;

struct WaitLine {
  const WaitRow *row;
  const NamedTrace *trace;
  const std::vector<DeadlockCycle> *deadlocks;
};
Columns<WaitLine> waitColumns();

struct CallerLine {
  const WaitCaller *caller;
  const NamedTrace *trace;
};
Columns<CallerLine> callerColumns();

struct HolderLine {
  const WaitHolder *holder;
  const NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[holder->thread]; }
};
Columns<HolderLine> holderColumns();

struct DeadlockLine {
  const DeadlockThread *waiting;
  const NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[waiting->thread]; }
};
Columns<DeadlockLine> deadlockColumns();
/// The threads of the first of these deadlocks for which `isMeant(thread)` holds, as JSON; null if there is none.
Value deadlockValue(const NamedTrace &trace, const std::vector<DeadlockCycle> &deadlocks,
                    const std::function<bool(const DeadlockThread &)> &isMeant);

/// By a word of sortWords(waitColumns()), the largest first, or by "object".
void sortWaits(std::vector<WaitLine> &lines, std::string_view word);

} // namespace ada::analysis
