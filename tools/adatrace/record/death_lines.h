// Says what is known of the signal that killed a process.
#pragma once

#include "terminal/terminal.h"

#include "ada/trace/manifest.h"

namespace ada::cli {

/// "no memory is mapped at 0x10 (SEGV_MAPERR)", "sent by process 4711 of user 0"
std::string causeOf(const Manifest &manifest);

/// Prints the cause and the registers; nothing if they are not known.
void printDeath(Output &out, const Palette &palette, const Manifest &manifest);

} // namespace ada::cli
