// Properties of calls that may be the reason why some are slow: arguments, first calls, the thread, and so on.
#pragma once

#include "outliers.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace ada::analysis {

/// An argument's value, or the result's: a number, or anything else as text.
using CallValue = std::variant<double, std::string>;
/// By call in the sample: the values by name. Empty where nothing was read.
using CallValues = std::vector<std::map<std::string, CallValue>>;

/// Reads the arguments and results of at most `most` calls of each kind. Empty maps if none were recorded.
Expected<CallValues> valuesOf(model::TraceSource &source, TraceTable &table, const CallSample &sample,
                              size_t most = 2000);

/// Something that is true of some calls.
struct Property {
  FactorKind kind = FactorKind::Argument;
  std::string what;
  std::vector<bool> holds; ///< by call in the sample
  std::vector<bool> known; ///< by call; empty: for all
  /// For properties of which all calls of the function are known: how many of them have it. 0: only the sample counts.
  uint64_t marked = 0;
  double tested = 1;          ///< how many of its kind were looked at, for the correction
  std::vector<double> mostNs; ///< by call: the most that it can explain; empty: no limit
};

/// Looks at all properties of a kind; it need not keep those that can't be the best.
using PropertyUse = std::function<void(const Property &)>;

void argumentProperties(const CallSample &sample, const CallValues &values, const std::vector<bool> &isOpen,
                        const PropertyUse &use);
void exceptionProperties(const CallSample &sample, const PropertyUse &use);
void firstCallProperties(const CallSample &sample, const TraceTable &table, const PropertyUse &use);
/// How many page faults it had, in about: see docs/formats/sched.md.
void faultProperties(const CallSample &sample, const TraceTable &table, const std::vector<bool> &isOpen,
                     const PropertyUse &use);
void threadProperties(const CallSample &sample, const TraceTable &table, const PropertyUse &use);
void beforeProperties(const CallSample &sample, const PropertyUse &use);
void concurrentProperties(const CallSample &sample, const TraceTable &table, uint64_t windowNs, const PropertyUse &use);
/// Bursts and periods of the slow calls that isOpen.
void timeProperties(const CallSample &sample, const std::vector<bool> &isOpen, uint64_t originNs,
                    const PropertyUse &use);

} // namespace ada::analysis
