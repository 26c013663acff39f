// The arguments of a call, one by one.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ada::query {

/// Calls use(name, value, isNumber) for each member of a JSON object such as {"n":10}; texts without quotes, objects
/// and lists as JSON. False if `use` returned that.
bool forEachArgument(std::string_view json,
                     const std::function<bool(std::string_view, const std::string &, bool)> &use);

} // namespace ada::query
