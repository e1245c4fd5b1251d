// Checks whether OFF and STL files contain a solid, with the exact predicates of CGAL, and counts its shells and their
// handles: prints one JSON object per file and line. A judge that is independent of the kernel. For benchmarks and tests on a developer machine only: CGAL is
// GPL and not part of the package.
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/IO/polygon_soup_io.h>
#include <CGAL/Polygon_mesh_processing/connected_components.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orientation.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/repair_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
namespace processing = CGAL::Polygon_mesh_processing;

static bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Returns V - E + F. Vertices of no triangle do not count.
static long euler_characteristic(const Mesh& mesh) {
  long used = 0;
  for (const auto vertex : vertices(mesh)) used += mesh.is_isolated(vertex) ? 0 : 1;
  return used - static_cast<long>(mesh.number_of_edges()) + static_cast<long>(mesh.number_of_faces());
}

// Returns the signed volume of each shell of a closed mesh: negative if it faces inward.
static std::vector<double> shell_volumes(Mesh& mesh) {
  const auto shell_of = mesh.add_property_map<Mesh::Face_index, std::size_t>("f:shell", 0).first;
  std::vector<double> volumes(processing::connected_components(mesh, shell_of), 0);
  // Relative to a vertex of the mesh: far from the origin, the terms would be much larger than their sum.
  const auto origin = mesh.point(mesh.source(mesh.halfedge(*faces(mesh).begin())));
  for (const auto face : faces(mesh)) {
    const auto first = mesh.halfedge(face), second = mesh.next(first);
    volumes[shell_of[face]] += CGAL::to_double(CGAL::volume(
        origin, mesh.point(mesh.source(first)), mesh.point(mesh.source(second)), mesh.point(mesh.target(second))));
  }
  return volumes;
}

static void print_numbers(const std::vector<double>& numbers) {
  std::cout << "[";
  for (std::size_t i = 0; i < numbers.size(); i++) std::cout << (i == 0 ? "" : ",") << numbers[i];
  std::cout << "]";
}

static void judge(const std::string& file) {
  std::vector<Kernel::Point_3> points;
  std::vector<std::vector<std::size_t>> polygons;
  const bool is_read = CGAL::IO::read_polygon_soup(file, points, polygons);
  // An STL has no shared vertices, so equal points are merged. In an OFF, two vertices with equal coordinates are
  // distinct.
  if (ends_with(file, ".stl")) processing::merge_duplicate_points_in_polygon_soup(points, polygons);
  const bool is_mesh = is_read && !polygons.empty() && processing::is_polygon_soup_a_polygon_mesh(polygons);
  bool is_closed = false, bounds_volume = false;
  std::size_t degenerate = 0, crossing = 0;
  double volume = 0, check_ms = 0;
  long euler = 0;
  std::vector<double> volumes;
  if (is_mesh) {
    Mesh mesh;
    processing::polygon_soup_to_polygon_mesh(points, polygons, mesh);
    is_closed = CGAL::is_closed(mesh);
    for (const auto face : faces(mesh)) degenerate += processing::is_degenerate_triangle_face(face, mesh) ? 1 : 0;
    std::vector<std::pair<Mesh::Face_index, Mesh::Face_index>> pairs;
    const auto start = std::chrono::steady_clock::now();
    processing::self_intersections(mesh, std::back_inserter(pairs));
    check_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    crossing = pairs.size();
    if (is_closed) {
      volume = CGAL::to_double(processing::volume(mesh));
      euler = euler_characteristic(mesh);
      volumes = shell_volumes(mesh);
      // Only defined for a surface without self-intersections.
      bounds_volume = crossing == 0 && degenerate == 0 && processing::does_bound_a_volume(mesh);
    }
  }
  std::cout.precision(17);
  std::cout << "{\"triangles\":" << polygons.size() << ",\"isPolygonMesh\":" << (is_mesh ? "true" : "false")
            << ",\"isClosed\":" << (is_closed ? "true" : "false") << ",\"degenerateTriangles\":" << degenerate
            << ",\"intersectingPairs\":" << crossing << ",\"boundsVolume\":" << (bounds_volume ? "true" : "false")
            << ",\"volumeMm3\":" << volume << ",\"selfIntersectionsMs\":" << check_ms
            << ",\"eulerCharacteristic\":" << euler << ",\"shellVolumesMm3\":";
  print_numbers(volumes);
  std::cout << "}" << std::endl;
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; i++) judge(argv[i]);
  return 0;
}
