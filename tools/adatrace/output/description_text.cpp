// Prints the description of a trace, for people and for programs.
#include "description_text.h"

#include "base/json.h"
#include "base/quantities.h"

namespace ada::cli {

using model::Description;
using model::InfoField;
using model::InfoRow;
using model::InfoSection;
using model::InfoTable;

static void printTable(Output &out, const Palette &palette, const InfoTable &table, bool all) {
  if (table.heading.empty())
    return; // for programs only
  out.print("  {}{}{}\n", palette.dim, table.heading, palette.reset);
  size_t listed = 0;
  for (const InfoRow &row : table.rows) {
    if (row.isProblem)
      out.print("  {}unreadable{}    {}\n", palette.error, palette.reset, row.text);
    else if (listed++ < table.shown || all)
      out.print("  {}{}{}{}{}\n", row.text, palette.name, row.name, palette.reset, row.rest);
  }
  if (listed > table.shown && !all)
    out.print("  {}... and {} more {}; --all lists them{}\n", palette.dim, formatCount(listed - table.shown),
              table.what, palette.reset);
}

static void printSection(Output &out, const Palette &palette, const InfoSection &section, bool all) {
  if (section.isNamed)
    out.print("{}{}{}\n", palette.name, section.title, palette.reset);
  else if (!section.title.empty())
    out.print("{}\n", section.title);
  for (const InfoField &field : section.fields)
    if (!field.label.empty())
      out.print("  {}{:<13}{} {}\n", palette.dim, field.label, palette.reset, field.text);
  for (const std::string &text : section.warnings)
    out.print("  {}warning{}       {}\n", palette.warn, palette.reset, text);
  for (const std::string &text : section.problems)
    out.print("  {}unreadable{}    {}\n", palette.error, palette.reset, text);
  for (const InfoTable &table : section.tables)
    printTable(out, palette, table, all);
}

void printText(Output &out, const Palette &palette, const Description &description, bool all) {
  printSection(out, palette, description.whole, all);
  for (const InfoSection &process : description.processes)
    printSection(out, palette, process, all);
}

static JsonMembers membersOf(const InfoSection &section) {
  JsonMembers json;
  json.raw(section.members.list());
  for (const InfoField &field : section.fields)
    json.raw(field.members.list());
  json.texts("warnings", section.warnings).texts("problems", section.problems);
  for (const InfoTable &table : section.tables) {
    json.beginArray(table.key);
    for (const InfoRow &row : table.rows)
      json.json({}, row.members.object());
    json.endArray();
  }
  return json;
}

void printJson(Output &out, const Description &description) {
  InfoSection whole = description.whole;
  for (const Warning &flaw : description.warnings)
    whole.warnings.push_back(flaw.message);
  if (description.problem)
    whole.problems.push_back(description.problem->text());
  JsonMembers json = membersOf(whole);
  json.beginArray("processes");
  for (const InfoSection &process : description.processes)
    json.json({}, membersOf(process).object());
  out.write(json.endArray().object() + "\n");
}

} // namespace ada::cli
