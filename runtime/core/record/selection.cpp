// Keeps and applies the rules that choose functions.
#include "selection.h"
#include "core/base/text.h"
#include "shared/select/argument_list.h"
#include "shared/select/function_glob.h"

namespace ada {

void Selection::start(const Options &options) {
  count_ = used_ = 0;
  hasArguments_ = false;
  selectedByDefault_ = options.include[0] == 0;
  if (options.include[0])
    add(options.include, Choice::Select);
  if (options.exclude[0])
    add(options.exclude, Choice::Deselect);
  if (options.detail[0])
    addDetail(options.detail);
  optionCount_ = count_;
  detailsCoroutines_ = options.coroutines;
}

const char *Selection::keep(TextPiece text) {
  if (text.size + 1 > kMostBytes - used_)
    return nullptr;
  char *to = storage_ + used_;
  __builtin_memcpy(to, text.data, text.size);
  to[text.size] = 0;
  used_ += text.size + 1;
  return to;
}

// Globs without a list stay one rule, because a literal name may contain '|'.
bool Selection::addDetail(const char *globs) {
  select::anyGlob(globs, [&](TextPiece one) { return hasArguments_ = select::splitArguments(one).arguments.data; });
  if (!hasArguments_)
    return add(globs, Choice::Detail);
  return !select::anyGlob(globs, [&](TextPiece one) {
    const select::DetailGlob split = select::splitArguments(one);
    const char *glob = count_ < kMostRules ? keep(split.glob) : nullptr;
    const char *arguments = glob && split.arguments.data ? keep(split.arguments) : nullptr;
    if (glob)
      rules_[count_++] = {glob, Choice::Detail, arguments};
    return !glob;
  });
}

const char *Selection::argumentsOf(const ada_function &f) const {
  for (size_t i = optionCount_; hasArguments_ && i-- > 0;)
    if (rules_[i].choice == Choice::Detail && means(rules_[i].glob, f))
      return rules_[i].arguments;
  return nullptr;
}

bool Selection::add(const char *glob, Choice choice) {
  const char *kept = count_ < kMostRules ? keep(glob) : nullptr;
  if (kept)
    rules_[count_++] = {kept, choice, nullptr};
  return kept;
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
  detail &= !annotationOf(f); // their arguments are always recorded
  return !selected ? 0 : detail ? ADA_ENABLE_INDEX | ADA_ENABLE_DETAIL : ADA_ENABLE_INDEX;
}

} // namespace ada
