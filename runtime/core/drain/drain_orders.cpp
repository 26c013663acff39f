// The drain's part of control: orders from other processes, and how the thread sleeps while recording is stopped.
//
// Other processes write to the page of orders. So it is read once, into memory of our own, and nothing in it can lead
// out of that memory.
#include "drain.h"

namespace ada::runtime {
namespace {

// A parked thread looks that often whether it is the last one in the process; see Identity::isAlone. With rights that
// the program may give up it looks more often, to give them up as well.
constexpr uint64_t kParkedNs = 60000000000, kParkedWithRightsNs = 1000000000;

} // namespace

// Executes the order that waits, if there is one. True if it is to be answered after the pass.
bool Drain::takeOrder() {
  if (__atomic_exchange_n(&goesOn_, 0, __ATOMIC_ACQ_REL))
    goOn();
  endLease();
  ada_ring_orders &orders = ring_->orders();
  orderNumber_ = __atomic_load_n(&orders.asked, __ATOMIC_ACQUIRE);
  if (orderNumber_ == __atomic_load_n(&orders.done, __ATOMIC_RELAXED) || !execute_)
    return false;
  __atomic_store_n(&orders.begun, orderNumber_, __ATOMIC_SEQ_CST);
  order_.begin(orders.text, sizeof orders.text, orders.asked_ns);
  if (execute_(order_))
    return true;
  answerOrder();
  return false;
}

void Drain::answerOrder() {
  ada_ring_orders &orders = ring_->orders();
  if (order_.isSnapshot && !dumpFailure_.empty())
    order_.refuse(dumpFailure_.c_str());
  else if (order_.isSnapshot)
    order_.answer << (isFlight_ ? lastDump() : directory());
  orders.result = order_.result;
  __builtin_memcpy(orders.answer, order_.answer.c_str(), order_.answer.size() + 1);
  __atomic_store_n(&orders.done, orderNumber_, __ATOMIC_RELEASE);
  sys::sharedFutexWake(&orders.done, INT32_MAX);
}

// A controller that has promised to stop recording may have been killed.
void Drain::endLease() {
  ada_ring_orders &orders = ring_->orders();
  const uint64_t lease = __atomic_load_n(&orders.lease_ns, __ATOMIC_RELAXED);
  if (__builtin_expect(lease == 0, 1) || isParked_ || sys::nowNs() < lease || !execute_)
    return;
  order_.begin("stop", sizeof "stop", lease);
  execute_(order_);
}

void Drain::finishParked() {
  mustPark_ = false;
  ada_ring_header &h = ring_->header();
  if (!isParked_) {
    __atomic_store_n(&h.stopped_ns, sys::nowNs(), __ATOMIC_RELAXED);
    __atomic_store_n(&ring_->orders().lease_ns, 0, __ATOMIC_RELAXED);
    trace_.sched().pause();
  }
  __atomic_store_n(&isParked_, true, __ATOMIC_RELEASE);
  if (!isFlight_) { // its files are in memory, and nobody reads them
    ending_ = Ending::Stopped;
    trace_.manifestIsNew();
    trace_.finish(ending_, 0);
  }
  __atomic_store_n(&h.state, ADA_RING_STOPPED, __ATOMIC_RELEASE);
}

void Drain::goOn() {
  mustPark_ = false;
  if (!isParked_)
    return;
  __atomic_store_n(&isParked_, false, __ATOMIC_RELEASE);
  ending_ = Ending::Running;
  manifestDueNs_ = 0;
  trace_.sched().goOn();
  ada_ring_header &h = ring_->header();
  __atomic_store_n(&h.started_ns, sys::nowNs(), __ATOMIC_RELAXED);
  __atomic_store_n(&h.stopped_ns, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&h.state, ADA_RING_RECORDING, __ATOMIC_RELEASE);
}

void Drain::askToGoOn() {
  if (!__atomic_load_n(&isParked_, __ATOMIC_ACQUIRE))
    return;
  __atomic_store_n(&goesOn_, 1, __ATOMIC_RELEASE);
  flush();
}

// Sleeps after a pass that took that many records, unless the wake-up word has changed since it was `seen`.
void Drain::sleepUnless(uint32_t seen, uint64_t records) {
  SchedLane &sched = trace_.sched();
  const uint64_t ns = isParked_                       ? identity_.hasRights() ? kParkedWithRightsNs : kParkedNs
                      : sched.isBusy()                ? 1000000
                      : sched.isNarrow()              ? 5000000
                      : records > 0 || sched.isUsed() ? 10000000
                                                      : 100000000;
  ada_ring_orders &orders = ring_->orders();
  __atomic_store_n(&orders.sleeping, 1, __ATOMIC_SEQ_CST);
  sys::sharedFutexWait(&orders.wake, seen, ns);
  __atomic_store_n(&orders.sleeping, 0, __ATOMIC_RELEASE);
}

} // namespace ada::runtime
