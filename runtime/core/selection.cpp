// Keeps and applies the rules that choose functions.
#include "selection.h"
#include "shared/select/function_glob.h"
#include "text.h"

namespace ada {

void Selection::start(const Options &options) {
  count_ = used_ = 0;
  selectedByDefault_ = options.include[0] == 0;
  if (options.include[0])
    add(options.include, Choice::Select);
  if (options.exclude[0])
    add(options.exclude, Choice::Deselect);
  if (options.detail[0])
    add(options.detail, Choice::Detail);
  detailsCoroutines_ = options.coroutines;
}

bool Selection::add(const char *glob, Choice choice) {
  size_t n = length(glob) + 1;
  if (count_ == kMostRules || n > kMostBytes - used_)
    return false;
  __builtin_memcpy(storage_ + used_, glob, n);
  rules_[count_++] = {storage_ + used_, choice};
  used_ += n;
  return true;
}

bool Selection::means(const char *glob, const ada_function &f) {
  if (!annotationOf(f) && f.shown_off && select::means(glob, {nullptr, textAt(f, f.shown_off), nullptr}))
    return true;
  return select::means(glob, {nameOf(f), annotationOf(f) ? nullptr : textAt(f, f.pretty_off), fileOf(f)});
}

uint8_t Selection::byteOf(const ada_function &f) const {
  bool selected = selectedByDefault_, detail = detailsCoroutines_ && (f.flags & ADA_FUNCTION_COROUTINE),
       selectedKnown = false, detailKnown = false;
  for (size_t i = count_; i-- > 0 && !(selectedKnown && detailKnown);) {
    const Rule &r = rules_[i];
    bool aboutDetail = r.choice == Choice::Detail || r.choice == Choice::NoDetail;
    if ((aboutDetail ? detailKnown : selectedKnown) || !means(r.glob, f))
      continue;
    if (aboutDetail)
      detailKnown = true, detail = r.choice == Choice::Detail;
    else
      selectedKnown = true, selected = r.choice == Choice::Select;
  }
  detail &= !annotationOf(f); // their arguments are recorded in any case
  return !selected ? 0 : detail ? ADA_ENABLE_INDEX | ADA_ENABLE_DETAIL : ADA_ENABLE_INDEX;
}

} // namespace ada
