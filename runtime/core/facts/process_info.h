// What the manifest has about the process and the machine.
#pragma once

#include "core/base/json.h"
#include "ending.h"
#include "shared/ring/ring_file.h"

namespace ada::runtime {

// Reads data that may change or needs libc's help; called before the drain starts.
void gatherProcessInfo();
// In the child of a fork, which `parent` called; it may have ended since. Returns the child's number.
uint32_t noteFork(uint32_t parent);
// Which pipes the standard streams are, as texts that are equal if the pipes are. The drain has no such streams.
void findPipes();
// Reads about the machine. It takes a while, and only a process that records needs it, so it is done once something is
// recorded.
void gatherHostInfo();
// The process in which it was gathered: a forked child has a different name and number.
uint32_t processInfoIsOf();
// The first part of the kernel's version, from the gathered data.
uint64_t kernelMajor();

// Gets the kernel's name of a thread of this process, as set by pthread_setname_np. `name` is unchanged if there is
// none.
void readThreadName(uint32_t tid, char (&name)[16]);

// `ring` may be null if the process recorded nothing.
void writeProcess(JsonWriter &json, const ada_ring_header *ring, Ending ending, int status);
void writeHost(JsonWriter &json);

} // namespace ada::runtime
