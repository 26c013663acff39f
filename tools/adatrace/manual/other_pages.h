// The pages of the manual that are not about commands of adatrace.
#pragma once

#include "page.h"

namespace ada::cli {

/// ADA_OPTIONS, from shared/options/options.inc.
Page optionsPage();
/// The compiler wrappers, from shared/options/compile_options.inc.
Page clangPage();

} // namespace ada::cli
