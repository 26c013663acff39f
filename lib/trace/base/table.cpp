// How the values of tables are written.
#include "table.h"

#include "trace/base/json.h"
#include "trace/base/quantities.h"

namespace ada {

Json jsonTexts(const std::vector<std::string> &texts) {
  JsonMembers list;
  for (const std::string &text : texts)
    list.text({}, text);
  return {"[" + list.list() + "]"};
}

void appendMember(std::string &members, const ColumnInfo &column, const Value &value) {
  if (std::holds_alternative<Absent>(value))
    return;
  if (!members.empty())
    members += ',';
  appendJsonString(members, column.key);
  members += ':';
  if (const auto *number = std::get_if<uint64_t>(&value))
    members += std::to_string(*number);
  else if (const auto *flag = std::get_if<bool>(&value))
    members += *flag ? "true" : "false";
  else if (const auto *text = std::get_if<std::string>(&value); text && !(column.orNull && text->empty()))
    appendJsonString(members, *text);
  else if (const auto *json = std::get_if<Json>(&value))
    members += json->text;
  else
    members += "null";
}

std::string textOf(const ColumnInfo &column, const Value &value) {
  if (const auto *number = std::get_if<uint64_t>(&value))
    return column.holds == Holds::Duration || column.holds == Holds::Moment ? formatDuration(*number)
           : column.holds == Holds::Count                                   ? formatCount(*number)
                                                                            : std::to_string(*number);
  if (const auto *flag = std::get_if<bool>(&value))
    return *flag ? "yes" : "no";
  if (const auto *text = std::get_if<std::string>(&value))
    return *text;
  if (const auto *json = std::get_if<Json>(&value))
    return json->text;
  return std::holds_alternative<Absent>(value) ? "" : "-";
}

static std::string typeOf(const ColumnInfo &column) {
  static constexpr const char *kTypes[] = {"int",  "int",   "int",    "int",     "any", "text",
                                           "bool", "texts", "object", "objects", "any"};
  return kTypes[static_cast<size_t>(column.holds)] + std::string(column.orNull ? "?" : "");
}

std::string columnsPage(const ColumnList &all) {
  ColumnList columns;
  for (const ColumnInfo *column : all)
    if (!(column->json & kNever))
      columns.push_back(column);
  std::string page = "| key | type | meaning |\n|---|---|---|\n";
  for (size_t i = 0; i < columns.size();) {
    const ColumnInfo &first = *columns[i];
    std::string keys;
    do
      keys += std::string(keys.empty() ? "" : ", ") + "`" + columns[i]->key + "`";
    while (++i < columns.size() && !*columns[i]->help);
    const std::string_view help = first.help;
    page += "| " + keys + " | " + (help.ends_with("see above") ? "" : "`" + typeOf(first) + "` ") + "| " +
            std::string(help) + " |\n";
  }
  return page;
}

} // namespace ada
