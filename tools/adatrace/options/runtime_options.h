// Reads, changes and writes ADA_OPTIONS.
//
//   std::string problem;
//   auto options = parseOptions("format=1:include='ns::*'", problem);
//   setOption(*options, "overflow", "drop");
//   joinOptions(*options);   // "format=1:include='ns::*':overflow=drop"
#pragma once

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

/// The heading under which help and manual list it.
const char *headingOf(const RuntimeOption &option);

/// The option's name in `adatrace record`: "--stack-size".
std::string flagOf(const RuntimeOption &option);

/// What is wrong with `value`, in words; empty if nothing is.
std::string problemOf(const RuntimeOption &option, std::string_view value);

/// The same for an option given by name; the name may be unknown.
std::string problemOf(std::string_view name, std::string_view value);

using OptionList = std::vector<std::pair<std::string, std::string>>;

/// Reads ADA_OPTIONS as the runtime does. Returns nothing, with a sentence in `problem`, if a quote is not closed or a
/// part has no '='. Names are not checked.
std::optional<OptionList> parseOptions(std::string_view text, std::string &problem);
/// The value in effect (the last one), or nullptr if the option is not in the list.
const std::string *findOption(const OptionList &options, std::string_view name);
/// Replaces any value that the option already has.
void setOption(OptionList &options, std::string_view name, std::string_view value);
/// False if a value can't be written because it contains a separator and both kinds of quote.
bool canQuote(std::string_view value);
std::string joinOptions(const OptionList &options);

} // namespace ada::cli
