// The lists of what a query may use.
#include "allowed.h"

#include <algorithm>
#include <string>
#include <strings.h>

namespace ada::query {

namespace {

// Functions of their arguments, of rows and of the clock. Not listed: those of SQLite's full-text and R-tree indices
// (fts3_tokenizer() gives out an address), of the connection (changes, last_insert_rowid), of its build, and of files.
constexpr std::string_view kFunctions[] = {
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "extract_arg",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_insert",
    "json_array_length",
    "json_error_position",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_patch",
    "json_pretty",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "percentile",
    "percentile_cont",
    "percentile_disc",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "soundex",
    "sqlite_version",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
};
static_assert(std::ranges::is_sorted(kFunctions));

// They describe tables and functions, and change nothing whatever their argument is.
constexpr std::string_view kPragmas[] = {"database_list", "function_list", "table_info", "table_list", "table_xinfo"};

bool isIn(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::any_of(list, [&](std::string_view one) {
    return one.size() == name.size() && strncasecmp(one.data(), name.data(), name.size()) == 0;
  });
}

} // namespace

const char *kAllowedModules[] = {"json_each", "json_tree", "generate_series", nullptr};

std::span<const std::string_view> allowedFunctions() { return kFunctions; }
bool isAllowedFunction(std::string_view name) { return isIn(kFunctions, name); }
bool isAllowedPragma(std::string_view name) { return isIn(kPragmas, name); }

} // namespace ada::query
