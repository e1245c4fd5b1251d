import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { computeBounds, diagonalOf } from '../../../src/mesh/geometry/bounds.js';
import { measureGroups } from '../../../src/mesh/geometry/measure-groups.js';
import { findIntersections } from '../../../src/mesh/intersections/find-intersections.js';
import { createLattice } from '../../../src/mesh/spatial/lattice.js';
import { computeLatticeWindings } from '../../../src/mesh/spatial/lattice-windings.js';
import { buildEdges, findTwins } from '../../../src/mesh/topology/edges.js';
import { joined, turnedOver, without } from './mesh-of.js';
import { createRandom } from './random.js';
import { rotated } from './transform.js';

type Random = () => number;

/** A kind of damage to a solid, and the required accuracy of the volume after a repair. */
export interface Spoil {
  /** Returns the damaged mesh. */
  spoil: (mesh: IndexedMesh, random: Random) => IndexedMesh;
  /** Allowed deviation, as a fraction of the volume. */
  tolerance: number;
  /** Computes the expected volume. Default: the volume of the solid. */
  truthMm3?: (spoilt: IndexedMesh) => number;
}

/** Thirteen kinds of damage. */
export const SPOILS: Record<string, Spoil> = {
  'a third turned over': {
    spoil: (mesh, random) => turnedOver(mesh, ...selectTriangles(mesh, 0.3, random)),
    tolerance: 1e-4,
  },
  'inside out': { spoil: (mesh) => turnedOver(mesh), tolerance: 1e-4 },
  'a hundredth missing': {
    spoil: (mesh, random) => without(mesh, ...selectTriangles(mesh, 0.01, random)),
    tolerance: 0.01,
  },
  'a large hole': { spoil: withLargeHole, tolerance: 0.05 },
  'every corner a little off': {
    spoil: (mesh, random) => withSeparateCorners(mesh, random, diagonalOf(computeBounds(mesh.positions)) * 4e-7),
    tolerance: 1e-4,
  },
  'a twentieth twice': {
    spoil: (mesh, random) =>
      withTriangles(
        mesh,
        selectTriangles(mesh, 0.05, random).flatMap((triangle) => cornersOf(mesh, triangle)),
      ),
    tolerance: 1e-4,
  },
  'every wall from both sides': { spoil: (mesh) => joined(mesh, turnedOver(mesh)), tolerance: 1e-4 },
  'edges split on one side': { spoil: withSplitSides, tolerance: 1e-4 },
  'a membrane inside': { spoil: withMembrane, tolerance: 1e-4 },
  'stray triangles': { spoil: withStrays, tolerance: 1e-4 },
  'a copy that overlaps': { spoil: withCopy, tolerance: 0.01, truthMm3: (spoilt) => estimateVolumeMm3(spoilt) },
  spikes: { spoil: withSpikes, tolerance: 0.015, truthMm3: (spoilt) => estimateVolumeMm3(spoilt) },
  'several of these': {
    spoil: (mesh, random) => {
      const turned = turnedOver(mesh, ...selectTriangles(mesh, 0.1, random));
      const doubled = withTriangles(
        turned,
        selectTriangles(turned, 0.02, random).flatMap((triangle) => cornersOf(turned, triangle)),
      );
      return withStrays(without(doubled, ...selectTriangles(mesh, 0.005, random)), random);
    },
    tolerance: 0.01,
  },
};

/** Further kinds of damage, for combinations: they are off by up to a millionth of the diagonal along each axis. */
export const NEAR_SPOILS: Record<string, Spoil> = {
  'every corner off by a millionth': {
    spoil: (mesh, random) => withSeparateCorners(mesh, random, diagonalOf(computeBounds(mesh.positions)) * 2e-6),
    tolerance: 0.01,
  },
  'a twentieth nearly twice': { spoil: withNearDuplicates, tolerance: 0.01 },
};

/** Adds near-duplicates of a twentieth of the triangles, half of them reversed. */
function withNearDuplicates(mesh: IndexedMesh, random: Random): IndexedMesh {
  const corners = selectTriangles(mesh, 0.05, random).flatMap((triangle) => {
    const [a = 0, b = 0, c = 0] = cornersOf(mesh, triangle);
    return random() < 0.5 ? [a, b, c] : [a, c, b];
  });
  const copies = { ...mesh, triangles: Uint32Array.from(corners) };
  return joined(mesh, withSeparateCorners(copies, random, diagonalOf(computeBounds(mesh.positions)) * 2e-6));
}

function cornersOf({ triangles }: IndexedMesh, triangle: number): number[] {
  return [...triangles.subarray(triangle * 3, triangle * 3 + 3)];
}

/** Selects about this fraction of the triangles at random, at least one. */
function selectTriangles(mesh: IndexedMesh, fraction: number, random: Random): number[] {
  const count = mesh.triangles.length / 3;
  const selected = Array.from({ length: count }, (_, i) => i).filter(() => random() < fraction);
  return selected.length > 0 ? selected : [Math.floor(random() * count)];
}

/** Appends triangles, given by their corners. */
function withTriangles(mesh: IndexedMesh, corners: readonly number[]): IndexedMesh {
  return { ...mesh, triangles: Uint32Array.from([...mesh.triangles, ...corners]) };
}

/** Removes a triangle and its neighbors up to three edges away, at most 2 % of the mesh. */
function withLargeHole(mesh: IndexedMesh, random: Random): IndexedMesh {
  const twins = findTwins(mesh.triangles, buildEdges(mesh.triangles, mesh.positions.length / 3));
  const count = mesh.triangles.length / 3;
  const removed = new Set([Math.floor(random() * count)]);
  for (let round = 0; round < 3; round++) {
    for (const triangle of [...removed]) {
      for (let h = triangle * 3; h < triangle * 3 + 3; h++) {
        const twin = twins[h] ?? -1;
        if (twin >= 0 && removed.size < Math.max(2, count / 50)) removed.add(Math.floor(twin / 3));
      }
    }
  }
  return without(mesh, ...removed);
}

/** Gives each corner a vertex of its own, displaced by up to half of `amplitudeMm` along each axis. */
function withSeparateCorners(mesh: IndexedMesh, random: Random, amplitudeMm: number): IndexedMesh {
  const positions = Float64Array.from(
    [...mesh.triangles].flatMap((vertex) => [...mesh.positions.subarray(vertex * 3, vertex * 3 + 3)]),
    (value) => value + (random() - 0.5) * amplitudeMm,
  );
  return { positions, triangles: Uint32Array.from({ length: mesh.triangles.length }, (_, i) => i) };
}

/** Splits one of the two triangles at some edges at the midpoint: T-junctions. */
function withSplitSides(mesh: IndexedMesh, random: Random): IndexedMesh {
  const positions = [...mesh.positions];
  const triangles = [...mesh.triangles];
  for (const triangle of selectTriangles(mesh, 0.03, random)) {
    const [a = 0, b = 0, c = 0] = cornersOf(mesh, triangle);
    const midpoint = positions.length / 3;
    for (let k = 0; k < 3; k++) positions.push(((positions[a * 3 + k] ?? 0) + (positions[b * 3 + k] ?? 0)) / 2);
    triangles[triangle * 3 + 1] = midpoint;
    triangles.push(midpoint, b, c);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** A solid may have no vertex with room for a membrane, such as one with walls of a single triangle. */
const MAX_MEMBRANE_ATTEMPTS = 200;

/**
 * Adds an interior wall between the neighbors of a vertex. Its outer edges are non-manifold. At a concave vertex it would
 * be outside: whether the pocket behind it belongs to the solid could then not be known. Returns the mesh unchanged if
 * it finds no other vertex.
 */
function withMembrane(mesh: IndexedMesh, random: Random): IndexedMesh {
  const count = countIntersections(mesh);
  for (let attempt = 0; attempt < MAX_MEMBRANE_ATTEMPTS; attempt++) {
    const vertex = Math.floor((random() * mesh.positions.length) / 3);
    const result = withMembraneAt(mesh, vertex);
    const added = result.triangles.subarray(mesh.triangles.length);
    const isInside = computeVolumeMm3(mesh, added) < computeVolumeMm3(mesh, listTrianglesAt(mesh, vertex));
    if (isInside && countIntersections(result) === count) return result; // not in the surface or partly outside
  }
  return mesh;
}

/** Returns the corners of the triangles at a vertex. */
function listTrianglesAt(mesh: IndexedMesh, vertex: number): number[] {
  return Array.from({ length: mesh.triangles.length / 3 }, (_, triangle) => cornersOf(mesh, triangle))
    .filter((corners) => corners.includes(vertex))
    .flat();
}

/** Computes the volume of the cone from the origin to triangles, given by their corners. Negative if they face it. */
function computeVolumeMm3({ positions }: IndexedMesh, corners: ArrayLike<number>): number {
  const triangles = Uint32Array.from(corners);
  return measureGroups({ positions, triangles }, new Uint32Array(triangles.length / 3), 1).volumeMm3[0] ?? 0;
}

function countIntersections(mesh: IndexedMesh): number {
  const { crossing, overlapping } = findIntersections(mesh);
  return crossing.length + overlapping.length;
}

/** Adds a fan of triangles between the neighbors of `vertex`. */
function withMembraneAt(mesh: IndexedMesh, vertex: number): IndexedMesh {
  const nextNeighbor = new Map<number, number>(); // neighbor → next neighbor around the vertex
  for (let offset = 0; offset < mesh.triangles.length; offset += 3) {
    const corners = [...mesh.triangles.subarray(offset, offset + 3)];
    const index = corners.indexOf(vertex);
    if (index >= 0) nextNeighbor.set(corners[(index + 1) % 3] ?? 0, corners[(index + 2) % 3] ?? 0);
  }
  const [first = 0] = nextNeighbor.keys();
  const corners: number[] = [];
  let a = nextNeighbor.get(first) ?? first;
  for (let b = nextNeighbor.get(a) ?? first; b !== first; b = nextNeighbor.get(b) ?? first) {
    corners.push(first, a, b);
    a = b;
  }
  return withTriangles(mesh, corners);
}

/** Adds ten small, disconnected triangles outside the mesh. */
function withStrays(mesh: IndexedMesh, random: Random): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const sizeMm = diagonalOf({ min, max }) * 0.01;
  const centers = Array.from({ length: 10 }, () =>
    [0, 1, 2].map((k) => (max[k] ?? 0) + sizeMm * (1 + random()) + random() * ((max[k] ?? 0) - (min[k] ?? 0)) * 0.1),
  );
  const positions = centers.flatMap((center) =>
    [0, 1, 2].flatMap(() => center.map((value) => value + random() * sizeMm)),
  );
  const strays = { positions: Float64Array.from(positions), triangles: Uint32Array.from({ length: 30 }, (_, i) => i) };
  return joined(mesh, strays);
}

/** Adds a slightly translated copy of the mesh. */
function withCopy(mesh: IndexedMesh, random: Random): IndexedMesh {
  const maxOffsetMm = diagonalOf(computeBounds(mesh.positions)) * 0.04;
  const offset = [0, 1, 2].map(() => (0.5 + random() / 2) * maxOffsetMm);
  const positions = mesh.positions.map((value, i) => value + (offset[i % 3] ?? 0));
  return joined(mesh, { ...mesh, positions });
}

/** Moves three vertices far outward. */
function withSpikes(mesh: IndexedMesh, random: Random): IndexedMesh {
  const { min, max } = computeBounds(mesh.positions);
  const positions = mesh.positions.slice();
  const lengthMm = diagonalOf({ min, max }) * 0.05;
  for (let spike = 0; spike < 3; spike++) {
    const vertex = Math.floor((random() * positions.length) / 3);
    const outward = [0, 1, 2].map((k) => (positions[vertex * 3 + k] ?? 0) - ((min[k] ?? 0) + (max[k] ?? 0)) / 2);
    const length = Math.hypot(...outward) || 1;
    outward.forEach((part, k) => {
      positions[vertex * 3 + k] = (positions[vertex * 3 + k] ?? 0) + (part / length) * lengthMm;
    });
  }
  return { ...mesh, positions };
}

/**
 * Estimates the volume with a nonzero winding number, by counting the points of a fine lattice. Rotates the mesh first,
 * so that the lattice is not aligned with its faces.
 */
function estimateVolumeMm3(upright: IndexedMesh): number {
  const mesh = rotated(upright);
  const { min, max } = computeBounds(mesh.positions);
  const stepMm = diagonalOf({ min, max }) / 400;
  const cells = [0, 1, 2].map((k) => Math.ceil(((max[k] ?? 0) - (min[k] ?? 0)) / stepMm) + 2);
  const lattice = createLattice({
    min: [min[0] - 0.9 * stepMm, min[1] - 0.8 * stepMm, min[2] - 0.7 * stepMm],
    stepMm,
    cells: [cells[0] ?? 0, cells[1] ?? 0, cells[2] ?? 0],
  });
  return (
    computeLatticeWindings(mesh, lattice).reduce((count, winding) => count + (winding === 0 ? 0 : 1), 0) * stepMm ** 3
  );
}

/** Returns the damaged mesh. Deterministic for each seed. */
export function spoilt(mesh: IndexedMesh, { spoil }: Spoil, seed: number): IndexedMesh {
  return spoil(mesh, createRandom(seed * 2654435761));
}
