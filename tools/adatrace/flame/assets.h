// The parts of the flame page, embedded by the build (cmake/AdaEmbed.cmake).
#ifndef ADATRACE_FLAME_ASSETS_H
#define ADATRACE_FLAME_ASSETS_H

#include <string_view>

namespace ada::flame_assets {

extern const std::string_view page_html, flame_css, flame_js, numbers_js;

} // namespace ada::flame_assets

#endif // ADATRACE_FLAME_ASSETS_H
