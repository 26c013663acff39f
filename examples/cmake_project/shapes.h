// shapes.h - a small class hierarchy, so that the trace shows virtual calls in a second file.
#pragma once
#include <memory>
#include <vector>

class Shape {
public:
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

class Circle final : public Shape {
public:
  explicit Circle(double radius) : radius(radius) {}
  double area() const override;

private:
  double radius;
};

class Rectangle final : public Shape {
public:
  Rectangle(double width, double height) : width(width), height(height) {}
  double area() const override;

private:
  double width, height;
};

double totalArea(const std::vector<std::unique_ptr<Shape>> &shapes);
