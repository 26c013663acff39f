// What is wrong with a program, without being asked about a function.
//
//   Damage damage;
//   auto found = findAll(trace, "ada-traces/session_1", damage);
//   for (const Finding &finding : found->findings)
//     use(finding.text, finding.share());
#pragma once

#include "analysis/calls/thread_workers.h"
#include "finding.h"

namespace ada::analysis {

inline constexpr size_t kMaxFindings = 5;

/// The findings of the given threads, the most time at stake first. `session` is put into commands.
/// Memory: that of `waits`, and some kilobytes for each function and path.
Expected<Findings> findAll(const Trace &trace, const std::string &session, Damage &damage);

} // namespace ada::analysis
