// Where a process that has recorded nothing finds orders: see shared/control/waiting.h.
#pragma once

#include "order.h"
#include "shared/control/waiting.h"

namespace ada::runtime::waiting {

// Tells controllers what the process does.
void setProcess(WaitingBlock::Process process);
void setEnabled(bool isEnabled);

// Tells controllers about an image's enable bytes. The caller holds the images' lock.
void addRange(const EnableRange &range);
// Returns when no controller writes to them any more.
void removeRange(uint64_t begin);

enum class Found { Nothing, NotYet, Order };
// Looks for an order for this process. `order` is filled in only with Found::Order; answer() follows.
Found take(uint32_t processId, Order &order, uint64_t &leaseNs);
void answer(const Order &order);

} // namespace ada::runtime::waiting
