// Executes orders from other processes: `adatrace start`, `stop`, `enable` and the like.
#pragma once

#include "core/control/order.h"

namespace ada::runtime {

// Executes an order, in the drain's thread. True if it is to be answered after the next pass.
bool executeOrder(Order &order);

} // namespace ada::runtime
