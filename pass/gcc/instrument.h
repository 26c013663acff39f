// The passes: hooks on entry and exits of each chosen function, and what the runtime needs to know about it.
//
//     on = ada_enabled byte
//     if (on) __ada_enter (x) [static-chain: &ada_frame + on]
//     …
//     if (on) __ada_exit (r) [static-chain: &ada_frame + on]
//     return r
//
// They run for one function after the other, after all inlining: the functions are those in the machine code.
#pragma once

#include "common/options.h"

namespace ada::pass {

/// Registers the passes and what else has to happen during a compilation; PLUGIN is our name in GCC.
void setUpInstrumentation(const char *plugin, const PassOptions &options);

} // namespace ada::pass
