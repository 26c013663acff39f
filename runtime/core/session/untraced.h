// What a process that could not start recording leaves behind.
#pragma once

namespace ada::runtime {

// Writes a manifest with the reason to its directory, as far as that is possible.
void leaveUntraced(const char *directory, const char *why);

} // namespace ada::runtime
