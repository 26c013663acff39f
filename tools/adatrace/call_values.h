//===- call_values.h - arguments and results of calls, for output ---------===//
#ifndef ADATRACE_CALL_VALUES_H
#define ADATRACE_CALL_VALUES_H

#include "trace_input.h"

#include "ada/trace/thread_reader.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ada::cli {

/// The types of all functions of a session, by process.
class SessionTypes {
public:
  explicit SessionTypes(const TraceInput &input);
  const types::Catalog &of(const InputThread &thread) const {
    return *catalogs[thread.processNumber];
  }

private:
  std::vector<std::unique_ptr<types::Catalog>> catalogs;
};

/// What a thread's calls were passed and what they returned, as text. A call is named by
/// the numbers of its events.
class CallValues {
public:
  CallValues(const InputThread &thread, const SessionTypes &types)
      : reader(*thread.thread, types.of(thread)) {}

  /// "(n=10)"; empty if the call has no detail.
  std::string arguments(uint64_t beginSeq) const;
  /// " → 55"; empty if the call has no detail, did not return, or returned nothing.
  std::string result(uint64_t endSeq) const;
  /// A number that is the same for calls with the same arguments and result.
  uint64_t fingerprint(uint64_t beginSeq, uint64_t endSeq) const;

  const atf::ThreadReader &events() const { return reader; }

private:
  atf::ThreadReader reader;
};

/// The call as the source would write it: `name` is "f(..)", "f(int) const" or "f";
/// `arguments` "(n=10)" or empty.
std::string withArguments(const std::string &name, const std::string &arguments);

} // namespace ada::cli
#endif // ADATRACE_CALL_VALUES_H
