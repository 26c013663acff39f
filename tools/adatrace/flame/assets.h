// The parts of the flame page, embedded by the build (cmake/AdaEmbed.cmake).
#pragma once

#include <string_view>

namespace ada::flame_assets {

extern const std::string_view page_html, flame_css, flame_js, numbers_js;

} // namespace ada::flame_assets
