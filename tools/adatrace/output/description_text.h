// Prints the description of a trace, for people and for programs.
#ifndef ADATRACE_DESCRIPTION_TEXT_H
#define ADATRACE_DESCRIPTION_TEXT_H

#include "terminal/terminal.h"

#include "formats/description.h"

namespace ada::cli {

/// `all`: print every row of every table, however many there are.
void printText(Output &out, const Palette &palette, const model::Description &description, bool all);
/// Prints one JSON object on one line (docs/json.md).
void printJson(Output &out, const model::Description &description);

} // namespace ada::cli
#endif // ADATRACE_DESCRIPTION_TEXT_H
