// Option `budget`: how much recording slows the program down, and which functions must be switched off to reduce that.
//
// The drain counts the calls of each function that it reads. From time to time it compares the time that recording them
// took with the processor time of the program. Recording took the number of calls times two readings of the clock,
// which is what the hooks cost. The program's time is the time of the process without that, and without the drain's.
// Time over the budget adds up to a debt, and time below it reduces the debt. When the debt reaches kMaxDebtNs, the
// functions that took most since it began to grow are switched off, as few as possible, and stay off. See
// docs/explanation/drain.md.
//
// Owned by the drain thread.
#pragma once

#include "core/facts/options.h"
#include "core/images/function_figures.h"
#include "shared/ring/expander.h"
#include "shared/wide.h"

namespace ada::runtime {

class Images;
class JsonWriter;
class Ring;

// The accounting, without the system's clocks.
class BudgetAccount {
public:
  // A shorter burst is tolerated.
  static constexpr uint64_t kMaxDebtNs = 20000000;

  // `share`: in hundredths of a percent.
  void start(uint64_t share) { *this = BudgetAccount(), share_ = share; }
  // Adds a window: the program and its hooks took `busyNs`, of which recording `units` took `costNs`. Returns the
  // program's own time.
  uint64_t add(uint64_t busyNs, uint64_t costNs, uint64_t units) {
    // Costs are an estimate. If they took everything, no share could be computed.
    const uint64_t mostNs = busyNs / 10 * 9;
    costNs = costNs < mostNs ? costNs : mostNs;
    const uint64_t ownNs = busyNs - costNs, allowed = shareOf(ownNs);
    const bool hadDebt = debtNs_ != 0;
    debtNs_ = debtNs_ + costNs > allowed ? debtNs_ + costNs - allowed : 0;
    // The expensive calls began somewhere in the first window. What the program did before them says nothing about
    // them.
    if (debtNs_ == 0 || !hadDebt)
      clearPeriod();
    else
      ownNs_ += ownNs, costNs_ += costNs, units_ += units;
    return ownNs;
  }
  // False while the period has too few of the expensive calls to show how frequent they are.
  bool isOver() const { return debtNs_ > kMaxDebtNs && costNs_ > shareOf(ownNs_); }
  // The number of the period's units that are within the budget.
  uint64_t allowedUnits() const {
    return costNs_ ? static_cast<uint64_t>(Wide{shareOf(ownNs_)} * units_ / costNs_) : units_;
  }
  // Since the window in which a debt began: the program's own time, and that plus the time of recording.
  uint64_t periodOwnNs() const { return ownNs_; }
  uint64_t periodBusyNs() const { return ownNs_ + costNs_; }
  uint64_t periodUnits() const { return units_; }
  uint32_t period() const { return period_; }
  void beginPeriod() { clearPeriod(), debtNs_ = 0; }

private:
  void clearPeriod() { ++period_, ownNs_ = costNs_ = units_ = 0; }
  uint64_t shareOf(uint64_t ns) const { return static_cast<uint64_t>(Wide{ns} * share_ / 10000); }

  uint64_t share_ = 0, debtNs_ = 0;
  uint32_t period_ = 1;
  uint64_t ownNs_ = 0, costNs_ = 0, units_ = 0; // of the period
};

// What the clocks showed at one time.
struct BudgetTimes {
  uint64_t nowNs, busyNs, drainNs; // busyNs: of the process without the drain

  // The clocks of the process and of the drain are read one after the other, so their difference may have become a
  // little smaller if the program did nothing. It counts as unchanged.
  static BudgetTimes after(const BudgetTimes &before, uint64_t nowNs, uint64_t processNs, uint64_t drainNs) {
    const bool isLater = processNs > drainNs && processNs - drainNs > before.busyNs;
    return {.nowNs = nowNs, .busyNs = isLater ? processNs - drainNs : before.busyNs, .drainNs = drainNs};
  }
};

// How much faster a program becomes once functions are switched off. Hooks overlap with the program's own work, and
// take longer where memory is new to it, so the gain is anything from nothing to a multiple of what the hooks take by
// themselves. It is estimated from the rate of calls of the other functions, before and after.
class SpeedUp {
public:
  static constexpr uint64_t kOne = kSpeedUpOne;

  // `units`: those of the functions that are still on.
  void start(uint64_t busyNs, uint64_t ownNs, uint64_t units) {
    *this = SpeedUp();
    busyNs_ = busyNs > ownNs ? busyNs : ownNs + 1, units_ = units, isLearning_ = true;
    most_ = busyNs_ * kOne / (ownNs > busyNs_ / 20 ? ownNs : busyNs_ / 20 + 1);
  }
  bool isLearning() const { return isLearning_; }
  void stop() { isLearning_ = false; }
  // Adds a window after that. In the first one the functions were being switched off.
  void add(uint64_t busyNs, uint64_t units) {
    constexpr uint64_t kEnoughNs = 1000000000;
    if (!isOff_) {
      isOff_ = true;
      return;
    }
    busyAfterNs_ += busyNs, unitsAfter_ += units;
    isLearning_ = busyAfterNs_ < kEnoughNs;
  }
  // The factor times kOne.
  uint64_t value() const {
    constexpr uint64_t kFewest = 32;
    if (units_ < kFewest || unitsAfter_ < kFewest || busyAfterNs_ == 0) {
      uint64_t root = kOne; // the mean of no speed-up and the largest
      while (root * root < most_ * kOne)
        ++root;
      return root;
    }
    const auto seen = static_cast<uint64_t>(Wide{unitsAfter_} * busyNs_ / units_ * kOne / busyAfterNs_);
    const uint64_t most = 4 * most_; // at first there are also page faults
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

  // Counts an event of the ring, whether it goes to a file or not.
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

  // Called around a pass of the drain. `isBehind`: the pass did not take everything that was recorded before it.
  // endPass() returns true if it switched functions off.
  void beginPass();
  bool endPass(bool isBehind);

  void writeManifest(JsonWriter &json);
  // The same if functions were switched off since.
  void writeNews(JsonWriter &json);
  // Whether the estimates have grown since the last manifest.
  bool manifestIsBehind() const { return writtenNs_ && busyNs_ > writtenNs_ + stepNs_; }

private:
  // The cost of a record with registers and stack in units of one without; README.md has the measurements.
  static constexpr unsigned kUnitsOfDetail = 3;
  // Short, because a program that begins to do something else does so in the middle of a window.
  static constexpr uint64_t kWindowNs = 20000000, kMaxWindowNs = 200000000;

  void enter(uint64_t module);
  BudgetTimes times() const;
  uint64_t callPs() const;
  uint64_t costOf(const BudgetTimes &to) const;
  void learn(uint64_t busyNs);
  bool switchOff();

  Images *images_ = nullptr;
  Ring *ring_ = nullptr;
  uint64_t share_ = 0, clockPs_ = 0; // of one reading
  uint64_t processors_ = 1;
  BudgetAccount account_;

  // The module of the last counted call.
  uint64_t module_ = UINT64_MAX, functions_ = 0;
  FunctionFigures *figures_ = nullptr;

  // The window that is being counted.
  BudgetTimes from_ = {}, to_ = {};
  bool isAtItsEnd_ = false;
  uint64_t units_ = 0, allUnits_ = 0; // of functions that may go off, and of all

  SpeedUp speedUp_;
  uint64_t busyNs_ = 0; // in all windows
  // If functions are off: busyNs_ when a manifest was last written, and the increase that justifies another one.
  uint64_t writtenNs_ = 0, stepNs_ = 0;
  bool hasNews_ = false;
};

} // namespace ada::runtime
