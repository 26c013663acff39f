// AdaTrace, through its public API.
#include "harness.h"

#include <ada/trace.h>

const bool kCanSwitchOff = true;

void start() { ada_start(); }
void stop() { ada_stop(); }
void flush() { ada_flush(); }
