// The rows of tables that are made of single events: events, args, counters, marks, flows.
#pragma once

#include "list_tables.h"

#include <string_view>

namespace ada::query {

Expected<void> readEventTable(SharedTrace &trace, std::string_view table, const ListRequest &request,
                              const std::atomic<bool> &stop, const RowVisitor &visit);

} // namespace ada::query
