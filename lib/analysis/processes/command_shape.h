// Which command lines are alike: those of one program that differ only in what they work on.
#pragma once

#include <string>
#include <vector>

namespace ada::analysis {

/// "cc -O2 -c … -o …": the program, its options without their values, the word after the program if it is a name like
/// "commit", and "…" for everything else.
std::string commandShape(const std::string &program, const std::vector<std::string> &arguments);

/// The command line in one line, as a shell would take it, shortened to about 100 columns.
std::string commandText(const std::string &program, const std::vector<std::string> &arguments);

} // namespace ada::analysis
