// The files of the viewer's page, embedded by the build (cmake/AdaEmbed.cmake).
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ada::view_assets {

/// The name and text of each file.
extern const std::span<const std::array<std::string_view, 2>> files;

} // namespace ada::view_assets
