// Option `budget`: how much recording slows the program down, and which functions have to go off so that it is less.
//
// The drain counts the calls of each function that it reads. From time to time it compares what recording them took
// with the processor time of the program: calls times what two readings of the clock take, which is what hooks take,
// against the time of the process without that, and without the drain's. What is beyond the budget adds up, what is
// below it makes up for it. When the sum is kMostDebtNs, the functions that took most since it began to grow go off,
// as few as possible, and stay off. See docs/design.md.
//
// The drain thread's own.
#ifndef ADA_RUNTIME_CORE_BUDGET_H
#define ADA_RUNTIME_CORE_BUDGET_H

#include "function_figures.h"
#include "options.h"
#include "shared/ring/expander.h"

namespace ada {

class Images;
class JsonWriter;
class Ring;

// The sums, without the system's clocks.
class BudgetAccount {
public:
  // A burst of less than that is let pass.
  static constexpr uint64_t kMostDebtNs = 20000000;

  // `share`: in hundredths of a percent.
  void start(uint64_t share) { *this = BudgetAccount(), share_ = share; }
  // What came to pass: the program and the hooks in it took `busyNs`, of which recording took `costNs`, for `units` of
  // it. Returns the program's own time.
  uint64_t add(uint64_t busyNs, uint64_t costNs, uint64_t units) {
    // Costs are an estimate. Of nothing at all there would be no share.
    const uint64_t mostNs = busyNs / 10 * 9;
    costNs = costNs < mostNs ? costNs : mostNs;
    const uint64_t ownNs = busyNs - costNs, allowed = shareOf(ownNs);
    const bool hadDebt = debtNs_ != 0;
    debtNs_ = debtNs_ + costNs > allowed ? debtNs_ + costNs - allowed : 0;
    // What takes too much began somewhere in the first window. What the program did before says nothing of it.
    if (debtNs_ == 0 || !hadDebt)
      clearPeriod();
    else
      ownNs_ += ownNs, costNs_ += costNs, units_ += units;
    return ownNs;
  }
  // Not while the period has too little of what takes too much to say how often that is called.
  bool isOver() const { return debtNs_ > kMostDebtNs && costNs_ > shareOf(ownNs_); }
  // How many of the period's units are within the budget.
  uint64_t allowedUnits() const {
    return costNs_ ? (uint64_t)((unsigned __int128)shareOf(ownNs_) * units_ / costNs_) : units_;
  }
  // Since the window in which a debt began: the program's own time, and with what recording took.
  uint64_t periodOwnNs() const { return ownNs_; }
  uint64_t periodBusyNs() const { return ownNs_ + costNs_; }
  uint64_t periodUnits() const { return units_; }
  uint32_t period() const { return period_; }
  void beginPeriod() { clearPeriod(), debtNs_ = 0; }

private:
  void clearPeriod() { ++period_, ownNs_ = costNs_ = units_ = 0; }
  uint64_t shareOf(uint64_t ns) const { return (uint64_t)((unsigned __int128)ns * share_ / 10000); }

  uint64_t share_ = 0, debtNs_ = 0;
  uint32_t period_ = 1;
  uint64_t ownNs_ = 0, costNs_ = 0, units_ = 0; // of the period
};

// How much faster a program becomes by what was switched off. Hooks overlap with the program's own work, and take more
// where memory is new to it. So it is anything from nothing to a multiple of what they take by themselves. The calls of
// the other functions tell: how many there are in a time, before and after.
class SpeedUp {
public:
  static constexpr uint64_t kOne = 1024;

  // `units`: of the functions that are still on.
  void start(uint64_t busyNs, uint64_t ownNs, uint64_t units) {
    *this = SpeedUp();
    busyNs_ = busyNs > ownNs ? busyNs : ownNs + 1, units_ = units, isLearning_ = true;
    most_ = busyNs_ * kOne / (ownNs > busyNs_ / 20 ? ownNs : busyNs_ / 20 + 1);
  }
  bool isLearning() const { return isLearning_; }
  void stop() { isLearning_ = false; }
  // What came after. The first one is the time in which they went off.
  void add(uint64_t busyNs, uint64_t units) {
    constexpr uint64_t kEnoughNs = 1000000000;
    if (!isOff_) {
      isOff_ = true;
      return;
    }
    busyAfterNs_ += busyNs, unitsAfter_ += units;
    isLearning_ = busyAfterNs_ < kEnoughNs;
  }
  // Times kOne.
  uint64_t value() const {
    constexpr uint64_t kFewest = 32;
    if (units_ < kFewest || unitsAfter_ < kFewest || busyAfterNs_ == 0) {
      uint64_t root = kOne; // the mean of nothing and most
      while (root * root < most_ * kOne)
        ++root;
      return root;
    }
    const uint64_t seen = (uint64_t)((unsigned __int128)unitsAfter_ * busyNs_ / units_ * kOne / busyAfterNs_);
    const uint64_t most = 4 * most_; // at first there are page faults, too
    return seen < kOne ? kOne : seen < most ? seen : most;
  }

private:
  uint64_t busyNs_ = 1, units_ = 0, most_ = kOne;
  uint64_t busyAfterNs_ = 0, unitsAfter_ = 0;
  bool isLearning_ = false, isOff_ = false;
};

class Budget {
public:
  void start(Ring &ring, Images &images, const Options &options);
  bool active() const { return images_ != nullptr; }

  // An event of the ring, be it in a file or not.
  void count(const ring::Event &e, bool hasDetail) {
    if (e.kind != ring::kCall)
      return;
    const uint64_t module = e.functionId >> 32, at = e.functionId & UINT32_MAX;
    if (__builtin_expect(module != module_, 0))
      enter(module);
    if (__builtin_expect(at >= functions_, 0))
      return;
    const unsigned units = hasDetail ? kUnitsOfDetail : 1;
    allUnits_ += units;
    FunctionFigures &f = figures_[at];
    ++f.calls;
    if (__atomic_load_n(&f.state, __ATOMIC_RELAXED) != FunctionFigures::Counted)
      return;
    if (f.period != account_.period())
      f.period = account_.period(), f.newCalls = f.newUnits = 0;
    ++f.newCalls, f.newUnits += units, units_ += units;
  }

  // Around a pass of the drain. `isBehind`: it did not take all that was recorded before. endPass() is true if it
  // switched functions off.
  void beginPass();
  bool endPass(bool isBehind);

  void writeManifest(JsonWriter &json);
  // The estimates have grown since the last one.
  bool manifestIsBehind() const { return writtenNs_ && busyNs_ > writtenNs_ + stepNs_; }

private:
  // A record with registers and stack, in units of one without: README.md has the measurements.
  static constexpr unsigned kUnitsOfDetail = 3;
  // Short, for a program that begins to do something else does so in the middle of one.
  static constexpr uint64_t kWindowNs = 20000000, kMostWindowNs = 200000000;
  struct Times {
    uint64_t nowNs, busyNs, drainNs; // busyNs: of the process without the drain
  };

  void enter(uint64_t module);
  static Times times();
  uint64_t callPs() const;
  uint64_t costOf(const Times &to) const;
  void learn(uint64_t busyNs);
  bool switchOff();

  Images *images_ = nullptr;
  Ring *ring_ = nullptr;
  uint64_t share_ = 0, clockPs_ = 0; // of one reading
  uint64_t processors_ = 1;
  BudgetAccount account_;

  // Of the module that calls were counted of last.
  uint64_t module_ = UINT64_MAX, functions_ = 0;
  FunctionFigures *figures_ = nullptr;

  // The window that is being counted.
  Times from_ = {}, to_ = {};
  bool isAtItsEnd_ = false;
  uint64_t units_ = 0, allUnits_ = 0; // of functions that may go off, and of all

  SpeedUp speedUp_;
  uint64_t busyNs_ = 0; // in all windows
  // With functions that are off: what that was when a manifest was written, and how much more is worth another one.
  uint64_t writtenNs_ = 0, stepNs_ = 0;
};

} // namespace ada
#endif
