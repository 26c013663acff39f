// The pages of the manual that are not about commands of adatrace.
#pragma once

#include "page.h"

namespace ada::cli {

/// ADA_OPTIONS, from shared/options/options.inc.
Page optionsPage();
/// The compiler wrappers, from shared/options/compile_options.inc.
Page clangPage();
/// Files that users write: rules of `check`, ignore lists of the compiler wrappers, credentials of `load`.
Page rulesPage();
Page ignoreListPage();
Page credentialsPage();

} // namespace ada::cli
