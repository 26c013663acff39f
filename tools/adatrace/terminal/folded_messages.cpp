// Tells kinds of messages apart.
#include "folded_messages.h"

#include "analysis/events/trace_table.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/text.h"

#include <algorithm>
#include <utility>

namespace ada::cli {

// Words with a digit or a '/' are numbers, names with a number, or paths.
static std::string kindOf(const std::string &text) {
  std::string kind;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    kind += word.find_first_of("0123456789/") == std::string::npos ? word + " " : "… ";
    at = end + 1;
  }
  return kind;
}

void FoldedMessages::add(const std::string &text) {
  if (all_.empty())
    return say_(text);
  constexpr size_t kMaxKinds = 1000; // damaged files say anything; the rest is one kind
  std::string name = kindOf(text);
  if (kinds_.size() >= kMaxKinds && !kinds_.contains(name))
    name.clear();
  Kind &kind = kinds_[std::move(name)];
  if (kind.first.empty() || said_ < analysis::kMaxListed) {
    ++said_;
    kind.first = kind.first.empty() ? text : kind.first;
    return say_(text);
  }
  ++kind.unsaid;
}

void FoldedMessages::finish() {
  for (auto &[name, kind] : kinds_)
    if (kind.unsaid > 0)
      say_(fmt::format("{} more {}: {} ({} lists all)", formatCount(std::exchange(kind.unsaid, 0)),
                       name.empty() ? "of other kinds, such as" : "like this one", kind.first, all_));
}

std::string verifyEach(const std::string &path) {
  return fmt::format("`adatrace verify --each {}`", pathForShell(path));
}

} // namespace ada::cli
