// Prints the values of counters.
#include "counter_lines.h"
#include "base/quantities.h"
#include "json_fields.h"

namespace ada::cli {

using analysis::CounterRow;
using analysis::CounterValue;

static std::string jsonOf(const CounterRow &row, const TraceInput &input) {
  JsonMembers json = processFields(input.table().processes[row.process]);
  json.text("counter", row.function->displayName).textOrNull("source", sourceOf(*row.function));
  json.number("count", row.count);
  const auto add = [&](const char *key, const CounterValue &value) {
    json.json(key, value.isFinite() ? value.text() : jsonString(value.text()));
  };
  add("min", row.least);
  add("max", row.most);
  add("last", row.last);
  return json.object();
}

void printCounters(Output &out, const Palette &palette, const analysis::Counters &counters, const TraceInput &input,
                   const ReportLineOptions &options) {
  if (options.format == "json" || options.format == "jsonl") {
    JsonList lines(out, options.format == "json");
    for (const CounterRow &row : counters.rows) {
      lines.next();
      out.write(jsonOf(row, input));
    }
    return lines.finish();
  }
  const bool processes = input.severalProcesses();
  if (options.format == "csv") {
    out.write("process,counter,source,count,min,max,last\n");
    for (const CounterRow &row : counters.rows)
      out.print("{},{},{},{},{},{},{}\n", processes ? input.table().processes[row.process].name : "",
                csvField(row.function->displayName), csvField(sourceOf(*row.function)), row.count, row.least.text(),
                row.most.text(), row.last.text());
    return;
  }
  out.print("{}", palette.dim);
  if (processes)
    out.print("{:<12}", "process");
  out.print("{:>12} {:>15} {:>15} {:>15}  counter{}\n", "values", "min", "max", "last", palette.reset);
  for (const CounterRow &row : counters.rows) {
    if (processes)
      out.print("{:<12}", input.table().processes[row.process].name);
    out.print("{:>12} {:>15} {:>15} {}{:>15}{}  {}{}{}", formatCount(row.count), row.least.text(), row.most.text(),
              palette.number, row.last.text(), palette.reset, palette.name, nameOf(*row.function, options.names.style),
              palette.reset);
    if (const std::string source = sourceOf(*row.function); options.names.source && !source.empty())
      out.print("  {}{}{}", palette.dim, source, palette.reset);
    out.write("\n");
  }
}

} // namespace ada::cli
