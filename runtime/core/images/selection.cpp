// Keeps and applies the rules that choose functions.
#include "selection.h"
#include "core/base/text.h"
#include "shared/select/argument_list.h"
#include "shared/select/function_glob.h"

namespace ada::runtime {

void Selection::start(const Options &options) {
  count_ = used_ = optionCount_ = 0;
  hasArguments_ = false;
  selectedByDefault_ = options.include[0] == 0;
  if (options.include[0])
    append(options.include, Choice::Select);
  if (options.exclude[0])
    append(options.exclude, Choice::Deselect);
  if (options.detail[0])
    addDetail(options.detail);
  optionCount_ = count_;
  detailsCoroutines_ = options.coroutines;
}

const char *Selection::keep(TextPiece text) {
  if (text.size + 1 > kMaxBytes - used_)
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
    return append(globs, Choice::Detail);
  return !select::anyGlob(globs, [&](TextPiece one) {
    const select::DetailGlob split = select::splitArguments(one);
    const char *glob = count_ < kMaxRules ? keep(split.glob) : nullptr;
    const char *arguments = glob && split.arguments.data ? keep(split.arguments) : nullptr;
    if (glob) {
      rules_[count_] = {glob, Choice::Detail, arguments};
      usedBy_[count_++] = static_cast<uint32_t>(used_);
    }
    return !glob;
  });
}

const char *Selection::argumentsOf(const ada_function &f) const {
  for (size_t i = optionCount_; hasArguments_ && i-- > 0;)
    if (rules_[i].choice == Choice::Detail && means(rules_[i].glob, f))
      return rules_[i].arguments;
  return nullptr;
}

static bool isAboutDetail(Choice choice) { return choice == Choice::Detail || choice == Choice::NoDetail; }

// Removes rules of the program that a later one with this glob overrides: all of its kind if the glob matches every
// name. Then a program may switch the same functions on and off for ever.
void Selection::dropOverridden(const char *glob, Choice choice) {
  const bool matchesAll = equal(glob, "*");
  size_t kept = optionCount_;
  for (size_t i = optionCount_; i < count_; ++i) {
    const Rule rule = rules_[i];
    if (isAboutDetail(rule.choice) == isAboutDetail(choice) && (matchesAll || equal(rule.glob, glob)))
      continue;
    // Rules are kept in the order of their texts, so texts only move down.
    const size_t bytes = length(rule.glob) + 1;
    char *to = kept == 0 ? storage_ : storage_ + usedBy_[kept - 1];
    __builtin_memmove(to, rule.glob, bytes);
    rules_[kept] = {to, rule.choice, nullptr};
    usedBy_[kept++] = static_cast<uint32_t>(to - storage_ + bytes);
  }
  count_ = kept;
  used_ = kept == 0 ? 0 : usedBy_[kept - 1];
}

bool Selection::add(const char *glob, Choice choice) {
  dropOverridden(glob, choice);
  return append(glob, choice);
}

bool Selection::append(const char *glob, Choice choice) {
  const char *kept = count_ < kMaxRules ? keep(glob) : nullptr;
  if (kept) {
    rules_[count_] = {kept, choice, nullptr};
    usedBy_[count_++] = static_cast<uint32_t>(used_);
  }
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
    bool aboutDetail = isAboutDetail(r.choice);
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

} // namespace ada::runtime
