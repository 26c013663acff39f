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
  if (__atomic_exchange_n(&requests_.goesOn, 0, __ATOMIC_ACQ_REL))
    goOn();
  endLease();
  ada_ring_orders &orders = ring_->orders();
  control_.number = __atomic_load_n(&orders.asked, __ATOMIC_ACQUIRE);
  if (control_.number == __atomic_load_n(&orders.done, __ATOMIC_RELAXED) || !control_.execute)
    return false;
  __atomic_store_n(&orders.begun, control_.number, __ATOMIC_SEQ_CST);
  control_.order.begin(orders.text, sizeof orders.text, orders.asked_ns);
  if (control_.execute(control_.order))
    return true;
  answerOrder();
  return false;
}

void Drain::answerOrder() {
  ada_ring_orders &orders = ring_->orders();
  if (control_.order.isSnapshot && flight_.hasFailed())
    control_.order.refuse(flight_.failure());
  else if (control_.order.isSnapshot)
    control_.order.answer << (flight_.isOn() ? lastDump() : directory());
  orders.result = control_.order.result;
  __builtin_memcpy(orders.answer, control_.order.answer.c_str(), control_.order.answer.size() + 1);
  __atomic_store_n(&orders.done, control_.number, __ATOMIC_RELEASE);
  sys::sharedFutexWake(&orders.done, INT32_MAX);
}

// A controller that has promised to stop recording may have been killed.
void Drain::endLease() {
  ada_ring_orders &orders = ring_->orders();
  const uint64_t lease = __atomic_load_n(&orders.lease_ns, __ATOMIC_RELAXED);
  if (__builtin_expect(lease == 0, 1) || isParked() || sys::nowNs() < lease || !control_.execute)
    return;
  control_.order.begin("stop", sizeof "stop", lease);
  control_.execute(control_.order);
}

void Drain::finishParked() {
  ada_ring_header &h = ring_->header();
  if (!isParked()) {
    __atomic_store_n(&h.stopped_ns, sys::nowNs(), __ATOMIC_RELAXED);
    __atomic_store_n(&ring_->orders().lease_ns, 0, __ATOMIC_RELAXED);
    trace_.sched().pause();
  }
  setMode(Mode::Parked);
  if (!flight_.isOn()) { // its files are in memory, and nobody reads them
    ending_ = Ending::Stopped;
    trace_.manifestIsNew();
    trace_.finish(ending_, 0);
  }
  __atomic_store_n(&h.state, ADA_RING_STOPPED, __ATOMIC_RELEASE);
}

void Drain::goOn() {
  const bool wasParked = isParked();
  setMode(Mode::Recording);
  if (!wasParked)
    return;
  ending_ = Ending::Running;
  manifestDueNs_ = 0;
  trace_.sched().goOn();
  ada_ring_header &h = ring_->header();
  __atomic_store_n(&h.started_ns, sys::nowNs(), __ATOMIC_RELAXED);
  __atomic_store_n(&h.stopped_ns, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&h.state, ADA_RING_RECORDING, __ATOMIC_RELEASE);
}

void Drain::askToGoOn() {
  if (!isParked())
    return;
  __atomic_store_n(&requests_.goesOn, 1, __ATOMIC_RELEASE);
  flush();
}

// Sleeps after a pass that took that many records, unless the wake-up word has changed since it was `seen`.
void Drain::sleepUnless(uint32_t seen, uint64_t records) {
  SchedLane &sched = trace_.sched();
  const uint64_t ns = isParked()                      ? identity_.hasRights() ? kParkedWithRightsNs : kParkedNs
                      : sched.isBusy()                ? 1000000
                      : sched.isNarrow()              ? 2500000
                      : records > 0 || sched.isUsed() ? 10000000
                                                      : 100000000;
  ada_ring_orders &orders = ring_->orders();
  __atomic_store_n(&orders.sleeping, 1, __ATOMIC_SEQ_CST);
  sys::sharedFutexWait(&orders.wake, seen, ns);
  __atomic_store_n(&orders.sleeping, 0, __ATOMIC_RELEASE);
}

} // namespace ada::runtime
