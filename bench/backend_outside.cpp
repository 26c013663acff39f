// Tracers that a program can't talk to (uftrace): always on.
#include "harness.h"

const bool kCanSwitchOff = false;

void start() {}
void stop() {}
void flush() {}
