// Arguments and results of calls, as text.
#pragma once

#include "ada/trace/thread_reader.h"
#include "analysis/events/trace_table.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// Knows the types of a trace's functions; parses them on first use. Not thread-safe.
class ValueTexts {
public:
  enum class Of { All, Annotations };

  /// With Of::Annotations, there are values of annotations only.
  explicit ValueTexts(const TraceTable &table, Of of = Of::All) : table_(table), of_(of) {}

  /// The registers and stack recorded with an event, if any. Valid as long as the batch.
  std::optional<atf::EventDetail> detailOf(const model::Event &event, const model::Batch &batch);
  /// "(n=10)"; empty if nothing was recorded with the event, or it is not a call.
  std::string arguments(const model::Event &event, const model::Batch &batch);
  /// The same as an object, {"n":10}: for calls that have arguments().
  std::string argumentsJson(const model::Event &event, const model::Batch &batch);
  /// "55"; empty if nothing was recorded with the event, it is not a return, or the function returns nothing.
  std::string result(const model::Event &event, const model::Batch &batch);

  uint8_t archOf(const model::Event &event) const { return table_.threads[event.thread].arch; }

private:
  const types::FunctionTypes &typesOf(uint32_t function, uint8_t arch);

  const TraceTable &table_;
  Of of_;
  std::vector<std::unique_ptr<const types::FunctionTypes>> known_; // by function
};

/// Shortens a list of arguments: more of it says little, and hides the rest of the line.
std::string shortened(std::string text);

/// Adds a named value to a list of arguments: "(n=10)" and `x=true` give "(n=10, x=true)".
void addValue(std::string &arguments, const model::Text &value);

/// The same for an object: {"n":10} and `x=true` give {"n":10,"x":true}; an empty text gives {"x":true}.
void addValueJson(std::string &object, const model::Text &value);

/// The call as the source would write it: `name` is "f(..)", "f(int) const" or "f"; `arguments` "(n=10)" or empty.
std::string withArguments(const std::string &name, const std::string &arguments);
/// The same for symbols of any kind: an annotation's name is used as it is, and a counter is "queue = 5".
std::string withArguments(const std::string &name, const std::string &arguments, SymbolKind kind);

/// Whether some process of a trace has annotations with arguments.
bool hasAnnotatedValues(const TraceTable &table);

} // namespace ada::analysis
