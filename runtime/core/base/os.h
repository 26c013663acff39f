// The system and architecture that the runtime is built for.
//
// Every folder in arch/ and os/ has the same header names; the build puts one of each on the include path.
#pragma once

#include "cpu.h"
#include "mutex.h"
#include "signals_blocked.h"
#include "sys.h"
