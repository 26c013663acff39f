// windows.cpp - triggers, windows, and the detail events that wait for them.
#include "windows.h"
#include "json.h"
#include "message.h"
#include "text.h"

namespace ada {
namespace {

const char *const kKindNames[] = {"call", "slow", "exception", "signal", "api", "outside"};

bool startsWith(const char *s, const char *prefix) {
  while (*prefix)
    if (*s++ != *prefix++)
      return false;
  return true;
}

// "5ms" in nanoseconds; false if it is no duration.
bool parseDuration(const char *s, uint64_t &ns) {
  uint64_t v = 0;
  const char *p = s;
  for (; *p >= '0' && *p <= '9'; ++p)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
      return false;
  uint64_t unit = equal(p, "ns") ? 1 : equal(p, "us") ? 1000 : equal(p, "ms") ? 1000000 : equal(p, "s") ? 1000000000 : 0;
  return p != s && unit && !__builtin_mul_overflow(v, unit, &ns);
}

} // namespace

bool TriggerRules::parse(const char *text) {
  static char storage[8192];
  size_t used = 0;
  auto wrong = [](const char *what, const char *why) {
    say(Message("option 'trigger' in ADA_OPTIONS: '") << what << "' " << why << ". This program runs untraced.");
    return false;
  };
  while (*text) {
    char *one = storage + used;
    while (*text && *text != ';' && used + 2 < sizeof storage)
      storage[used++] = *text++;
    storage[used++] = 0;
    if (*text == ';')
      ++text;
    else if (*text)
      return wrong("…", "is longer than 8 KiB");
    if (!*one)
      continue;
    if (count == kMost)
      return wrong(one, "is one trigger too many: 8 is the limit");
    TriggerRule &r = rules[count];
    if (equal(one, "signal")) {
      onSignal = true;
      continue;
    }
    if (startsWith(one, "call:"))
      r = {TriggerKind::Call, one + 5, 0};
    else if (startsWith(one, "exception:"))
      r = {TriggerKind::Exception, one + 10, 0};
    else if (startsWith(one, "slow:")) {
      r = {TriggerKind::Slow, one + 5, 0};
      char *limit = nullptr; // the last '>': names may hold others
      for (char *p = one; *p; ++p)
        if (*p == '>')
          limit = p;
      if (!limit || !parseDuration(limit + 1, r.limitNs))
        return wrong(one, "has no limit: write slow:GLOB>5ms (ns, us, ms or s)");
      *limit = 0;
    } else
      return wrong(one, "is none of call:GLOB, slow:GLOB>5ms, exception:GLOB, signal");
    if (!*r.glob)
      return wrong(one, "has no glob");
    ++count;
  }
  return true;
}

void Windows::start(const Options &options, const TriggerRules &rules) {
  active_ = options.detail_mode[0] == 'w';
  rules_ = &rules;
  auto milliseconds = [](uint64_t ms) { return ms < (1ull << 40) ? ms * 1000000 : UINT64_MAX / 4; };
  preNs_ = milliseconds(options.pre_roll_ms), postNs_ = milliseconds(options.post_roll_ms);
  blocksLeft_ = options.detail_buffer / sizeof(Retained::Block);
  if (blocksLeft_ < 4)
    blocksLeft_ = 4;
  beganNs_ = sys::nowNs();
  if (active_)
    windows_ = (Window *)sys::mapMemory(kMostWindows * sizeof(Window));
}

void Windows::trigger(uint64_t ns, TriggerKind kind) {
  uint64_t n = __atomic_fetch_add(&pendingHead_, 1, __ATOMIC_ACQ_REL);
  Pending &p = pending_[n % kPending];
  p.kind = kind;
  __atomic_store_n(&p.ns, ns, __ATOMIC_RELEASE);
}

void Windows::takePending() {
  uint64_t head = __atomic_load_n(&pendingHead_, __ATOMIC_ACQUIRE);
  if (head - pendingTail_ > kPending) // more than fit: the newest are kept
    pendingTail_ = head - kPending;
  for (; pendingTail_ < head; ++pendingTail_) {
    Pending &p = pending_[pendingTail_ % kPending];
    uint64_t ns = __atomic_exchange_n(&p.ns, 0, __ATOMIC_ACQ_REL);
    if (ns == 0)
      return; // being written
    open({ns, UINT64_MAX, UINT32_MAX, p.kind});
  }
}

void Windows::look(const ring::Event &e, uint8_t rules, uint32_t thread) {
  for (unsigned i = 0; rules; ++i, rules >>= 1) {
    if (!(rules & 1))
      continue;
    const TriggerRule &r = rules_->rules[i];
    bool hit = r.kind == TriggerKind::Call        ? e.kind == ring::kCall
               : r.kind == TriggerKind::Exception ? e.kind == ring::kException
                                                  : e.kind != ring::kCall && e.timestampNs - e.beginNs > r.limitNs;
    if (hit)
      open({e.timestampNs, e.functionId, thread, r.kind});
  }
}

// Opens a window, or makes one longer. Triggers of different threads need not come in order of time.
void Windows::open(const Trigger &t) {
  if (!windows_)
    return;
  manifestIsBehind_ = true;
  uint64_t start = t.ns > preNs_ ? t.ns - preNs_ : 0, end = t.ns + postNs_;
  uint64_t i = windowCount_;
  while (i > 0 && windows_[i - 1].endNs >= start)
    --i; // the first window that does not end before this one starts
  if (i < windowCount_ && windows_[i].startNs <= end) {
    Window &w = windows_[i];
    w.startNs = start < w.startNs ? start : w.startNs;
    w.endNs = end > w.endNs ? end : w.endNs;
    if (w.triggerCount < kTriggersKept)
      w.triggers[w.triggerCount] = t;
    ++w.triggerCount;
    while (i + 1 < windowCount_ && windows_[i + 1].startNs <= w.endNs) { // it may reach the next ones now
      const Window &n = windows_[i + 1];
      w.endNs = n.endNs > w.endNs ? n.endNs : w.endNs;
      for (uint64_t k = 0; k < n.triggerCount && k < kTriggersKept; ++k)
        if (w.triggerCount + k < kTriggersKept)
          w.triggers[w.triggerCount + k] = n.triggers[k];
      w.triggerCount += n.triggerCount;
      for (uint64_t k = i + 1; k + 1 < windowCount_; ++k)
        windows_[k] = windows_[k + 1];
      --windowCount_;
    }
    return;
  }
  if (windowCount_ == kMostWindows)
    return;
  for (uint64_t k = windowCount_; k > i; --k)
    windows_[k] = windows_[k - 1];
  ++windowCount_;
  Window &w = windows_[i];
  uint64_t available = droppedToNs_ > beganNs_ ? droppedToNs_ : beganNs_;
  w.startNs = start, w.endNs = end;
  w.availableFromNs = available > start ? available : start;
  w.triggerCount = 1;
  w.triggers[0] = t;
}

Retained::Block *Windows::takeBlock(Retained &r) {
  Retained::Block *b = freeBlocks_;
  if (b)
    freeBlocks_ = b->next;
  else if (blocksLeft_ > 0 && (b = (Retained::Block *)sys::mapMemory(sizeof *b)))
    --blocksLeft_;
  else if (r.first_ && r.first_ != r.last_) { // this thread's own oldest block makes room
    while (r.first_->begin < r.first_->end) {
      const Retained::Entry *e = r.oldest();
      droppedToNs_ = e->ns > droppedToNs_ ? e->ns : droppedToNs_;
      r.first_->begin += (uint32_t)((sizeof *e + e->bytes + 7) & ~7ull);
    }
    b = r.first_;
    r.first_ = b->next;
  } else
    return nullptr;
  b->next = nullptr;
  b->begin = b->end = 0;
  return b;
}

void Windows::freeBlock(Retained::Block *b) {
  b->next = freeBlocks_;
  freeBlocks_ = b;
}

void Windows::keep(Retained &r, uint64_t ns, uint64_t indexSeq, const unsigned char *data, uint32_t bytes,
                   uint32_t count) {
  uint32_t all = (uint32_t)((sizeof(Retained::Entry) + bytes + 7) & ~7ull);
  if (!r.last_ || sizeof r.last_->data - r.last_->end < all) {
    Retained::Block *b = takeBlock(r);
    if (!b) {
      droppedToNs_ = ns;
      return;
    }
    (r.first_ ? r.last_->next : r.first_) = b;
    r.last_ = b;
  }
  Retained::Entry *e = (Retained::Entry *)(r.last_->data + r.last_->end);
  *e = {ns, indexSeq, bytes, count};
  copyBytes(e + 1, data, bytes);
  r.last_->end += all;
}

Windows::Fate Windows::fateOf(const Retained::Entry &e, uint64_t undrainedNs) const {
  uint64_t i = windowCount_;
  while (i > 0 && windows_[i - 1].startNs > e.ns)
    --i;
  if (i > 0 && e.ns <= windows_[i - 1].endNs)
    return Fate::Write;
  return undrainedNs > preNs_ && e.ns < undrainedNs - preNs_ ? Fate::Drop : Fate::Wait;
}

void Windows::removeOldest(Retained &r) {
  Retained::Block *b = r.first_;
  b->begin += (uint32_t)((sizeof(Retained::Entry) + r.oldest()->bytes + 7) & ~7ull);
  if (b->begin < b->end)
    return;
  r.first_ = b->next;
  if (!r.first_)
    r.last_ = nullptr;
  freeBlock(b);
}

void Windows::writeManifest(JsonWriter &json) {
  manifestIsBehind_ = false;
  if (!active_)
    return;
  json.line().beginArray("windows");
  for (uint64_t i = 0; i < windowCount_; ++i) {
    const Window &w = windows_[i];
    json.line().beginObject();
    json.number("start_ns", w.startNs).number("end_ns", w.endNs);
    json.number("trigger_count", w.triggerCount).beginArray("triggers");
    for (uint64_t k = 0; k < w.triggerCount && k < kTriggersKept; ++k) {
      const Trigger &t = w.triggers[k];
      json.beginObject().text("kind", kKindNames[(int)t.kind]);
      if (t.functionId != UINT64_MAX)
        json.hex("function_id", t.functionId, 16);
      json.number("time_ns", t.ns);
      if (t.thread != UINT32_MAX)
        json.number("thread", t.thread);
      json.endObject();
    }
    json.endArray().number("pre_roll_ms", preNs_ / 1000000);
    uint64_t first = w.startNs + preNs_; // the earliest trigger
    json.number("pre_roll_available_ms", first > w.availableFromNs ? (first - w.availableFromNs) / 1000000 : 0);
    json.endObject();
  }
  json.endArray();
}

} // namespace ada
