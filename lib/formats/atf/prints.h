// Numbers that stand for what the finished threads of a process hold.
#ifndef ADA_LIB_FORMATS_ATF_PRINTS_H
#define ADA_LIB_FORMATS_ATF_PRINTS_H

#include "ada/trace/model.h"
#include "ada/trace/session.h"

#include <optional>

namespace ada::atf {

/// Of the packed threads of process number `process`, numbered as a source numbers them: those that can be read, in all
/// processes. Nothing if there are none, or if no process was opened but a thread or file, which has no place of its
/// own.
std::optional<model::Prints> printsOf(const Session &session, std::uint32_t process);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_PRINTS_H
