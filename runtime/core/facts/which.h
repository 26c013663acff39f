// Which elements of a manifest's array are written: all, or those that the last writing did not have.
#pragma once

namespace ada::runtime {

enum class Which { All, New };

} // namespace ada::runtime
