// Reads a manifest's numbers and symbols, and converts symbols to functions of a trace.
#ifndef ADA_LIB_ATF_SYMBOL_ENTRIES_H
#define ADA_LIB_ATF_SYMBOL_ENTRIES_H

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <vector>

namespace ada::atf {

/// A number in a manifest: an integer or a hexadecimal string. Fields for which other writers use either form are
/// accepted in both.
std::optional<uint64_t> asNumber(simdjson::dom::element value);

/// Reads an entry of `symbols`. The parser owns the texts. Nothing if the entry has no usable id or no name.
std::optional<Symbol> symbolOf(const simdjson::dom::object &entry);

/// Sets `original` of the inlined copies: the function with the same name and place in the same module. If the linker
/// dropped that function, the first copy stands for all.
void findOriginals(std::vector<Symbol> &symbols);

/// Sets everything that the symbol says about a function, except for its display name.
void describe(model::Function &function, const Symbol &symbol);

} // namespace ada::atf

#endif // ADA_LIB_ATF_SYMBOL_ENTRIES_H
