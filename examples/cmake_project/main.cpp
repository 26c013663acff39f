// Makes three shapes and prints the sum of their areas.
#include "shapes.h"

#include <cstdio>

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Circle>(1));
  shapes.push_back(std::make_unique<Rectangle>(2, 3));
  shapes.push_back(std::make_unique<Circle>(0.5));
  std::printf("total area: %.3f\n", totalArea(shapes));
  return 0;
}
