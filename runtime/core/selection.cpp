// selection.cpp - keeps and applies the rules that choose functions.
#include "selection.h"
#include "select/function_glob.h"
#include "text.h"

namespace ada {

void Selection::start(const Options &options) {
  count_ = used_ = 0;
  selectedByDefault_ = options.include[0] == 0;
  if (options.include[0])
    add(options.include, true);
  if (options.exclude[0])
    add(options.exclude, false);
}

bool Selection::add(const char *glob, bool select) {
  size_t n = length(glob) + 1;
  if (count_ == kMostRules || n > kMostBytes - used_)
    return false;
  copyBytes(storage_ + used_, glob, n);
  rules_[count_++] = {storage_ + used_, select};
  used_ += n;
  return true;
}

bool Selection::means(const char *glob, const ada_function &f) {
  return select::means(glob, {textAt(f, f.name_off), textAt(f, f.pretty_off), textAt(f, f.file_off)});
}

bool Selection::selects(const ada_function &f) const {
  for (size_t i = count_; i-- > 0;)
    if (means(rules_[i].glob, f))
      return rules_[i].select;
  return selectedByDefault_;
}

} // namespace ada
