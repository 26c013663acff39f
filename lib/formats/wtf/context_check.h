// The only check of context info that all readers make: its type is "script".
#pragma once

#include "ada/trace/error.h"

#include <optional>
#include <string_view>

namespace ada::wtf {

/// E_BAD_CONTEXT, at `offset`, unless the text is a JSON object with "contextType": "script".
Expected<void> checkContext(std::string_view json, std::optional<uint64_t> offset);

} // namespace ada::wtf
