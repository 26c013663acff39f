// shapes.cpp - areas of the shapes, and their sum.
#include "shapes.h"

double Circle::area() const { return 3.14159265358979 * radius * radius; }

double Rectangle::area() const { return width * height; }

double totalArea(const std::vector<std::unique_ptr<Shape>> &shapes) {
  double sum = 0;
  for (const std::unique_ptr<Shape> &shape : shapes)
    sum += shape->area();
  return sum;
}
