// Measures how far the surface of an OFF file is from that of another: at its vertices, and at points that are distributed
// at random by area. Prints one JSON object. Shares no code with the kernel. For benchmarks and tests on a developer
// machine only: CGAL is GPL and not part of the package.
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/IO/polygon_soup_io.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>
#include <string>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Triangles = std::vector<Kernel::Triangle_3>;
using Primitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, Primitive>>;

// Reads the triangles of a file, without degenerate ones: these have no points that their neighbors have not.
static Triangles read_triangles(const std::string& file) {
  std::vector<Point> points;
  std::vector<std::vector<std::size_t>> polygons;
  if (!CGAL::IO::read_polygon_soup(file, points, polygons)) throw std::runtime_error("Could not read " + file);
  Triangles triangles;
  for (const auto& polygon : polygons) {
    const Kernel::Triangle_3 triangle(points[polygon[0]], points[polygon[1]], points[polygon[2]]);
    if (!triangle.is_degenerate()) triangles.push_back(triangle);
  }
  return triangles;
}

struct Range {
  double min = std::numeric_limits<double>::infinity(), max = 0;
  void add(double distance) {
    min = std::min(min, distance);
    max = std::max(max, distance);
  }
};

static Range measure_vertices(const Triangles& from, const Tree& to) {
  Range range;
  std::vector<Point> vertices;
  for (const auto& triangle : from)
    for (int k = 0; k < 3; k++) vertices.push_back(triangle.vertex(k));
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  for (const auto& vertex : vertices) range.add(std::sqrt(to.squared_distance(vertex)));
  return range;
}

static Range measure_random_points(const Triangles& from, const Tree& to, int count) {
  std::vector<double> areas;
  for (const auto& triangle : from) areas.push_back(std::sqrt(triangle.squared_area()));
  std::mt19937 random(1);  // the same points each time
  std::discrete_distribution<std::size_t> choose(areas.begin(), areas.end());
  std::uniform_real_distribution<double> fraction;
  Range range;
  for (int i = 0; i < count; i++) {
    const auto& triangle = from[choose(random)];
    double s = fraction(random), t = fraction(random);
    if (s + t > 1) s = 1 - s, t = 1 - t;
    const auto point = triangle[0] + s * (triangle[1] - triangle[0]) + t * (triangle[2] - triangle[0]);
    range.add(std::sqrt(to.squared_distance(point)));
  }
  return range;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto from = read_triangles(argv[1]), to = read_triangles(argv[2]);
  const Tree tree(to.begin(), to.end());
  const auto vertices = measure_vertices(from, tree);
  const auto points = measure_random_points(from, tree, std::stoi(argv[3]));
  std::cout.precision(17);
  std::cout << "{\"minMm\":" << std::min(vertices.min, points.min) << ",\"maxMm\":" << std::max(vertices.max, points.max)
            << ",\"maxAtVerticesMm\":" << vertices.max << "}" << std::endl;
  return 0;
}
