// The exit statuses of adatrace.
//
// `record` adds those of env(1): 126 and 127 if the program can't be started, 128+n if signal n killed it, and
// otherwise the program's own status.
#pragma once

namespace ada::cli {

enum ExitCode : int {
  kOk = 0,
  kProblemsFound = 1, // the trace was read and has problems
  kWrongUsage = 2,    // an option, an argument or ADA_OPTIONS is wrong
  kCantRead = 3,      // the input can't be read, or the output can't be written
  // load:
  kServerDown = 4,   // no server answers, or it was overloaded for too long
  kAccessDenied = 5, // the server rejects the user or the password
  kOtherSchema = 6,  // the database does not exist, or has tables of another version
  kServerFull = 7,   // the server's disk is full
  kRecordFailed = 125,
  kCantExecute = 126,
  kNotFound = 127,
  kSignalBase = 128,
};

} // namespace ada::cli
