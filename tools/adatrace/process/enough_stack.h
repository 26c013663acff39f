// Runs the command on a stack that is large enough, whatever the user's limit is.
#pragma once

#include <functional>

namespace ada::cli {

/// Runs it and returns its result. If the limit of the stack (ulimit -s) is small, it runs in a thread of its own, and
/// the threads that it starts get as much. Programs that it starts have the user's limit.
int withEnoughStack(const std::function<int()> &run);

} // namespace ada::cli
