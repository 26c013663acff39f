// What a manifest says of functions: its numbers and symbols, read, and as functions of a trace.
#ifndef ADA_LIB_ATF_SYMBOL_ENTRIES_H
#define ADA_LIB_ATF_SYMBOL_ENTRIES_H

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <vector>

namespace ada::atf {

/// A number of a manifest: an integer, or a hexadecimal string; fields that other writers give as the one or the other
/// are taken as either.
std::optional<std::uint64_t> asNumber(simdjson::dom::element value);

/// An entry of `symbols`; the texts are the parser's. Nothing if it has no usable id or no name.
std::optional<Symbol> symbolOf(const simdjson::dom::object &entry);

/// Sets `original` of the inlined copies: the function of the same name and place in the same module. Where the linker
/// dropped that, the first copy stands for all.
void findOriginals(std::vector<Symbol> &symbols);

/// What the symbol says of a function, but for its name for people.
void describe(model::Function &function, const Symbol &symbol);

} // namespace ada::atf

#endif // ADA_LIB_ATF_SYMBOL_ENTRIES_H
