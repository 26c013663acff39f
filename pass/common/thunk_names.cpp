// Reads call offsets: "h" and a number, or "v" and two, after "c" two of them.
#include "thunk_names.h"

namespace ada::pass {

static const std::string kThunk = "_ZT";

bool movesResult(const std::string &thunk) { return thunk.compare(0, kThunk.size() + 1, kThunk + "c") == 0; }

std::string thunkTarget(const std::string &symbol) {
  if (symbol.compare(0, kThunk.size(), kThunk) != 0)
    return "";
  size_t at = kThunk.size();
  const auto take = [&](char c) {
    const bool isThere = at < symbol.size() && symbol[at] == c;
    at += isThere;
    return isThere;
  };
  const auto takeNumber = [&] {
    take('n'); // negative
    const size_t first = at;
    while (at < symbol.size() && symbol[at] >= '0' && symbol[at] <= '9')
      ++at;
    return at > first && take('_');
  };
  for (int offsets = take('c') ? 2 : 1; offsets > 0; --offsets) {
    const bool isVirtual = take('v');
    if ((!isVirtual && !take('h')) || !takeNumber() || (isVirtual && !takeNumber()))
      return "";
  }
  return at < symbol.size() ? "_Z" + symbol.substr(at) : "";
}

} // namespace ada::pass
