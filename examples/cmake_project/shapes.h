// A small class hierarchy, so that the trace shows virtual calls in a second file.
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
  explicit Circle(double radius) : radius_(radius) {}
  double area() const override;

private:
  double radius_;
};

class Rectangle final : public Shape {
public:
  Rectangle(double width, double height) : width_(width), height_(height) {}
  double area() const override;

private:
  double width_, height_;
};

double totalArea(const std::vector<std::unique_ptr<Shape>> &shapes);
