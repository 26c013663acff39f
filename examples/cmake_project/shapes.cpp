// Areas of the shapes, and their sum.
#include "shapes.h"

double Circle::area() const { return 3.14159265358979 * radius_ * radius_; }

double Rectangle::area() const { return width_ * height_; }

double totalArea(const std::vector<std::unique_ptr<Shape>> &shapes) {
  double sum = 0;
  for (const std::unique_ptr<Shape> &shape : shapes)
    sum += shape->area();
  return sum;
}
