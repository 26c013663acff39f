// process_info.h - what the manifest says of the process and the machine.
#ifndef ADA_RUNTIME_CORE_PROCESS_INFO_H
#define ADA_RUNTIME_CORE_PROCESS_INFO_H

#include "drain.h"
#include "json.h"

namespace ada {

// Reads what may change or need libc's help; before the drain starts.
void gatherProcessInfo();

void writeProcess(JsonWriter &json, Ending ending, int status);
void writeHost(JsonWriter &json);

} // namespace ada
#endif
