// Which functions are recorded: first the options' globs, then the program's own choices.
#pragma once

#include "core/facts/options.h"
#include "entry.h"

namespace ada::runtime {

// What a rule does to the functions that match it.
enum class Choice : uint8_t { Select, Deselect, Detail, NoDetail };

// Rules in order. The last one that matches a function decides whether it is recorded, and the last one about detail
// whether it is recorded with detail.
// Guarded by the images' lock.
class Selection {
public:
  void start(const Options &options);
  // False if there are too many rules. `glob` is copied.
  bool add(const char *glob, Choice choice);
  // The arguments of a function whose contents are recorded: the list after the glob of option `detail` that matches
  // it; null if it has none. Any thread, signal handlers too, because start()'s rules do not change.
  const char *argumentsOf(const ada_function &f) const;
  bool hasArguments() const { return hasArguments_; }
  // The enable byte of a function while recording is on.
  uint8_t byteOf(const ada_function &f) const;
  // Whether every function is selected, without detail, so that functions need not be checked.
  bool selectsAll() const { return count_ == 0 && selectedByDefault_ && !detailsCoroutines_; }
  static bool means(const char *glob, const ada_function &f);

private:
  struct Rule {
    const char *glob;
    Choice choice;
    const char *arguments; // see argumentsOf(); null: none
  };
  static constexpr size_t kMaxRules = 256, kMaxBytes = 16384;
  Rule rules_[kMaxRules] = {};
  uint32_t usedBy_[kMaxRules] = {}; // how much of storage_ this rule and those before it take
  char storage_[kMaxBytes] = {};
  size_t count_ = 0, optionCount_ = 0, used_ = 0;
  bool selectedByDefault_ = true, detailsCoroutines_ = false, hasArguments_ = false;

  // A copy with a NUL after it; null if there is no room.
  const char *keep(TextPiece text);
  bool addDetail(const char *globs);
  bool append(const char *glob, Choice choice);
  void dropOverridden(const char *glob, Choice choice);
};

} // namespace ada::runtime
