// Triggers, windows, and the detail events that wait for them.
#include "windows.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {
namespace {

// The bits of a pending trigger's kind. The other 61 bits are nanoseconds: 73 years of uptime.
constexpr unsigned kKindBits = 3;

} // namespace

void Windows::start(const Options &options, const TriggerRules &rules) {
  active_ = options.detail_mode[0] == 'w';
  rules_ = &rules;
  for (unsigned i = 0; i < rules.count; ++i)
    slowRules_ |= static_cast<uint8_t>((rules.rules[i].kind == TriggerKind::Slow) << i);
  preNs_ = nanoseconds(options.pre_roll_ms), postNs_ = nanoseconds(options.post_roll_ms);
  droppedToNs_ = sys::nowNs(); // nothing was recorded before
  if (active_)
    windows_ = static_cast<Window *>(sys::mapMemory(kMaxWindows * sizeof(Window)));
}

void Windows::trigger(uint64_t ns, TriggerKind kind) {
  uint64_t word = ns << kKindBits | static_cast<uint64_t>(kind);
  uint32_t first = __atomic_fetch_add(&pendingNext_, 1, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < kPending; ++i) {
    uint64_t free = 0;
    if (__atomic_compare_exchange_n(&pending_[(first + i) % kPending], &free, word, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return;
  }
  __atomic_store_n(&pending_[first % kPending], word, __ATOMIC_RELEASE); // too many: the newest are kept
}

void Windows::takePending() {
  for (uint64_t &place : pending_)
    if (__atomic_load_n(&place, __ATOMIC_RELAXED)) {
      uint64_t word = __atomic_exchange_n(&place, 0, __ATOMIC_ACQ_REL);
      open({word >> kKindBits, UINT64_MAX, UINT32_MAX, static_cast<TriggerKind>(word & ((1 << kKindBits) - 1))});
    }
}

bool Windows::look(const ring::Event &e, uint8_t rules, uint32_t thread) {
  bool caught = false;
  for (unsigned i = 0; rules; ++i, rules >>= 1) {
    if (!(rules & 1))
      continue;
    const TriggerRule &r = rules_->rules[i];
    bool slow = r.kind == TriggerKind::Slow && e.kind != ring::kCall && e.timestampNs - e.beginNs > r.limitNs;
    bool hit = r.kind == TriggerKind::Call        ? e.kind == ring::kCall
               : r.kind == TriggerKind::Exception ? e.kind == ring::kException
                                                  : slow;
    if (hit)
      open({e.timestampNs, e.functionId, thread, r.kind});
    caught |= slow;
  }
  return caught;
}

// Opens or extends a window. Triggers of different threads need not come in time order.
void Windows::open(const Trigger &t) {
  if (!windows_)
    return;
  uint64_t start = t.ns > preNs_ ? t.ns - preNs_ : 0, end = t.ns + postNs_;
  uint64_t i = windowCount_;
  while (i > 0 && windows_[i - 1].endNs >= start)
    --i; // the first window that does not end before this one starts
  if (i < windowCount_ && windows_[i].startNs <= end)
    return extend(i, t, start, end);
  if (windowCount_ == kMaxWindows)
    return;
  for (uint64_t k = windowCount_; k > i; --k)
    windows_[k] = windows_[k - 1];
  ++windowCount_;
  Window &w = windows_[i];
  w.startNs = start, w.endNs = end, w.firstTriggerNs = t.ns;
  w.availableFromNs = droppedToNs_ > start ? droppedToNs_ : start;
  w.triggerCount = 1;
  w.triggers[0] = t;
  noteChange(i);
}

void Windows::noteChange(uint64_t at) {
  windows_[at].isNews = windows_[at].isOpen = true;
  manifestIsBehind_ = hasNews_ = areOpen_ = true;
  firstChanged_ = at < firstChanged_ ? at : firstChanged_;
}

// Extends window `at`, which touches [start, end], by that, and merges the windows that it then touches.
void Windows::extend(uint64_t at, const Trigger &t, uint64_t start, uint64_t end) {
  Window &w = windows_[at];
  if (start < w.startNs) {
    // It is known what was dropped in the new part. That matters only if nothing is missing in the old part.
    if (w.availableFromNs == w.startNs)
      w.availableFromNs = droppedToNs_ > start ? (droppedToNs_ < w.startNs ? droppedToNs_ : w.startNs) : start;
    w.startNs = start;
  }
  w.endNs = end > w.endNs ? end : w.endNs;
  w.firstTriggerNs = t.ns < w.firstTriggerNs ? t.ns : w.firstTriggerNs;
  if (w.triggerCount < manifest::kMaxTriggers)
    w.triggers[w.triggerCount] = t;
  ++w.triggerCount;
  while (at + 1 < windowCount_ && windows_[at + 1].startNs <= w.endNs) {
    const Window &n = windows_[at + 1];
    w.endNs = n.endNs > w.endNs ? n.endNs : w.endNs;
    w.firstTriggerNs = n.firstTriggerNs < w.firstTriggerNs ? n.firstTriggerNs : w.firstTriggerNs;
    for (uint64_t k = 0; k < n.triggerCount && k < manifest::kMaxTriggers; ++k)
      if (w.triggerCount + k < manifest::kMaxTriggers)
        w.triggers[w.triggerCount + k] = n.triggers[k];
    w.triggerCount += n.triggerCount;
    for (uint64_t k = at + 1; k + 1 < windowCount_; ++k)
      windows_[k] = windows_[k + 1];
    --windowCount_;
  }
  noteChange(at);
}

Windows::Fate Windows::fateOf(uint64_t ns, uint64_t undrainedNs) const {
  uint64_t i = windowCount_;
  while (i > 0 && windows_[i - 1].startNs > ns)
    --i;
  if (i > 0 && ns <= windows_[i - 1].endNs)
    return Fate::Write;
  return undrainedNs > preNs_ && ns < undrainedNs - preNs_ ? Fate::Drop : Fate::Wait;
}

void Windows::noteDropped(uint64_t ns) {
  droppedToNs_ = ns > droppedToNs_ ? ns : droppedToNs_;
  for (uint64_t i = windowCount_; i > 0 && windows_[i - 1].endNs >= ns; --i)
    if (Window &w = windows_[i - 1]; w.startNs <= ns && w.availableFromNs < ns) {
      w.availableFromNs = ns;
      w.isNews = manifestIsBehind_ = hasNews_ = true;
      firstChanged_ = i - 1 < firstChanged_ ? i - 1 : firstChanged_;
    }
}

void Windows::noteWritten() {
  for (uint64_t i = firstChanged_; i < windowCount_; ++i)
    if (windows_[i].isOpen)
      windows_[i].isOpen = false, windows_[i].isNews = hasNews_ = true;
  areOpen_ = false;
}

void Windows::writeManifest(JsonWriter &json) {
  if (!active_)
    return;
  manifestIsBehind_ = false;
  json.line().beginArray(manifest::kWindows);
  for (uint64_t i = 0; i < windowCount_; ++i)
    write(json.line(), windows_[i]);
  json.endArray();
  noteTold();
}

void Windows::writeNews(JsonWriter &json) {
  if (!hasNews_)
    return;
  json.beginArray(manifest::kWindows);
  for (uint64_t i = firstChanged_; i < windowCount_; ++i)
    if (windows_[i].isNews)
      write(json, windows_[i]);
  json.endArray();
  noteTold();
}

void Windows::noteTold() {
  for (uint64_t i = firstChanged_; i < windowCount_; ++i)
    windows_[i].isNews = false;
  hasNews_ = false;
  if (!areOpen_)
    firstChanged_ = UINT64_MAX;
}

void Windows::write(JsonWriter &json, const Window &w) const {
  json.beginObject().number(manifest::kStartNs, w.startNs).number(manifest::kEndNs, w.endNs);
  json.number(manifest::kTriggerCount, w.triggerCount).beginArray(manifest::kTriggers);
  for (uint64_t k = 0; k < w.triggerCount && k < manifest::kMaxTriggers; ++k) {
    const Trigger &t = w.triggers[k];
    json.beginObject().text(manifest::kKind, options::kTriggerKinds[static_cast<int>(t.kind)]);
    if (t.functionId != UINT64_MAX)
      json.hex(manifest::kFunctionId, t.functionId, 16);
    json.number(manifest::kTimeNs, t.ns);
    if (t.thread != UINT32_MAX)
      json.number(manifest::kThread, t.thread);
    json.endObject();
  }
  json.endArray().number(manifest::kPreRollMs, preNs_ / 1000000);
  const uint64_t first = w.firstTriggerNs;
  const uint64_t from = w.isOpen && unsafeToNs_ > w.availableFromNs ? unsafeToNs_ : w.availableFromNs;
  json.number(manifest::kPreRollAvailableMs, first > from ? (first - from) / 1000000 : 0);
  json.endObject();
}

} // namespace ada::runtime
