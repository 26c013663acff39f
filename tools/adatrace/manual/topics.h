// The pages of the manual, and `adatrace help`.
#pragma once

#include "page.h"

#include <string>
#include <vector>

namespace ada::cli {

struct Topic {
  std::string name; ///< "report", "options"
  Page page;
};

/// All of them: adatrace, its commands, and what else has a page.
std::vector<Topic> topics();

/// `adatrace help`, with what follows: lists the topics, or shows the page of one. With man if standard output is a
/// terminal and there is one, otherwise as text. Returns the exit status.
int showTopic(const std::vector<std::string> &names);

} // namespace ada::cli
