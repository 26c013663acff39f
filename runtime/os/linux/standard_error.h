// Whether descriptor 2 is the standard error that the process was given.
//
// A program that is started with it closed, or closes it, gives its number to the next file that it opens: a database,
// a socket. Whatever the runtime wrote there would be in that file. So it is noted at the start which file descriptor 2
// is, and only that file gets messages.
#pragma once

namespace ada::runtime {

// Called once, as early as possible. `isLate`: code of the program may have run before, so the file may be one that it
// has opened. Then files of kinds that are hardly ever given to a program as standard error get no messages: what exec
// would have closed (FD_CLOEXEC), a regular file that is open for reading as well, and a socket that is not standard
// output, too.
void noteStandardError(bool isLate);

// Async-signal-safe.
bool isStandardErrorOpen();
bool isStandardErrorTerminal();
// Whether 0, 1 and 2 are files, so that none of ours would get a number that the program expects for one of its own.
bool areStandardFilesOpen();

} // namespace ada::runtime
