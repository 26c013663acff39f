// What every thread of the program has before its first event.
#include "thread.h"

__thread AdaThread ada_thread = {kPositionParked, 0, kPositionParked, nullptr, nullptr, 0, 0, 0};
