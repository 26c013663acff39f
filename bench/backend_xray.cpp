// LLVM XRay: off means that its sleds are not patched.
#include "harness.h"

extern "C" int __xray_patch();
extern "C" int __xray_unpatch();

const bool kCanSwitchOff = true;

void start() { __xray_patch(); }
void stop() { __xray_unpatch(); }
void flush() {}
