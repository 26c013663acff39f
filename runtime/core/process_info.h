// What the manifest says of the process and the machine.
#ifndef ADA_RUNTIME_CORE_PROCESS_INFO_H
#define ADA_RUNTIME_CORE_PROCESS_INFO_H

#include "json.h"
#include "session_writer.h"

namespace ada {

// Reads what may change or need libc's help; before the drain starts.
void gatherProcessInfo();
// The same of the machine. It takes a while, and only who records needs it: once something is recorded.
void gatherHostInfo();
// The process that it was gathered in: a forked child has another name and number.
uint32_t processInfoIsOf();
// The first part of the kernel's version, as the machine was gathered.
uint64_t kernelMajor();

// What the system calls a thread of this process, as for pthread_setname_np. `name` stays as it is if there is none.
void readThreadName(uint32_t tid, char (&name)[16]);

void writeProcess(JsonWriter &json, Ending ending, int status);
void writeHost(JsonWriter &json);

} // namespace ada
#endif
