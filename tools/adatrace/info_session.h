//===- info_session.h - adatrace info for sessions ------------------------===//
#ifndef ADATRACE_INFO_SESSION_H
#define ADATRACE_INFO_SESSION_H

#include "terminal.h"

#include "ada/trace/session.h"

namespace ada::cli {

/// Prints what there is. False if a part of it can't be read; that is said, too.
bool printSession(Output &out, const Palette &palette, const atf::Session &session,
                  bool all);

} // namespace ada::cli
#endif // ADATRACE_INFO_SESSION_H
