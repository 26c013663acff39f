// ADA_OPTIONS: the list, reading and writing.
//
//   std::string problem;
//   auto options = parseOptions("format=1:include='ns::*'", problem);
//   setOption(*options, "overflow", "drop");
//   joinOptions(*options);   // "format=1:include='ns::*':overflow=drop"
#ifndef ADATRACE_RUNTIME_OPTIONS_H
#define ADATRACE_RUNTIME_OPTIONS_H

#include "shared/options/options.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::cli {

using RuntimeOption = options::Option;

std::span<const RuntimeOption> runtimeOptions();

/// What `adatrace record` calls it: "--stack-size".
std::string flagOf(const RuntimeOption &option);

/// What is wrong with `value`, in words; empty if nothing is.
std::string problemOf(const RuntimeOption &option, std::string_view value);

/// The same for an option by name, which may be unknown.
std::string problemOf(std::string_view name, std::string_view value);

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// Reads ADA_OPTIONS as the runtime does; nothing and a sentence in `problem` if
/// a quote is not closed or a part has no '='. Names are not checked.
std::optional<OptionList> parseOptions(std::string_view text, std::string &problem);
/// The value that wins (the last), nullptr if the option is not there.
const std::string *findOption(const OptionList &options, std::string_view name);
/// Replaces what is there.
void setOption(OptionList &options, std::string_view name, std::string_view value);
/// False if a value can't be written: it has a separator and both kinds of quote.
bool canQuote(std::string_view value);
std::string joinOptions(const OptionList &options);

} // namespace ada::cli
#endif // ADATRACE_RUNTIME_OPTIONS_H
