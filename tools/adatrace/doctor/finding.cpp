// The columns of findings.
#include "finding.h"

namespace ada::cli {

namespace {

constexpr Column<Finding> kFindings[] = {
    {ColumnInfo{"status", Holds::Text, "`ok`, `note` (something does less than it could), `problem`"},
     [](const Finding &f) -> Value { return levelName(f.level); }},
    {ColumnInfo{"check", Holds::Text, "what was looked at, in a word"},
     [](const Finding &f) -> Value { return f.about; }},
    {ColumnInfo{"finding", Holds::Text, "a sentence"}, [](const Finding &f) -> Value { return f.text; }},
    {ColumnInfo{"remedy", Holds::Text, "what to do about it"} | kOrNull,
     [](const Finding &f) -> Value { return f.remedy.empty() ? Value() : Value(f.remedy); }},
};

} // namespace

Columns<Finding> findingColumns() { return kFindings; }

} // namespace ada::cli
