// Prints how a call spent its time.
#ifndef ADATRACE_WHY_LINES_H
#define ADATRACE_WHY_LINES_H

#include "function_names.h"
#include "terminal/terminal.h"
#include "trace/trace_input.h"

#include "analysis/waits/why.h"
#include "base/table.h"

namespace ada::cli {

void printWhy(Output &out, const Palette &palette, const TraceInput &input, const analysis::Why &why, NameStyle style);
/// Prints one object.
void printWhyJson(Output &out, const TraceInput &input, const analysis::Why &why, NameStyle style);
ColumnList whyTable();
ColumnList whyPartTable();
ColumnList whyHolderTable();

} // namespace ada::cli
#endif // ADATRACE_WHY_LINES_H
