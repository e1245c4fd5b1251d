import { GrowableFloat64Array } from '../core/growable-float64-array.js';
import type { SparseField } from './sparse-field.js';

/** Minimum distance of a crossing from the corners of the lattice, as a fraction of the edge. */
const MIN_T = 0.02;
const NO_VERTEX = -1;
/** Cubes along each side of a page of the vertex table. */
const PAGE = 8;

/** The quadrilaterals of a surface, one around each edge of the lattice that it crosses. Lengths are in cubes. */
export interface Quads {
  /** quad → its four vertices, counterclockwise from outside */
  corners: Float64Array;
  /** quad → x, y, z of the first corner of its edge, axis of the edge, parameter of the crossing */
  edges: Float64Array;
  /** vertex → x, y, z of the first corner of its cube */
  cubes: Float64Array;
  /** vertex → the mean of the crossings of its cube's edges, as x, y, z from the first corner */
  means: Float64Array;
}

/** Finds the edges that the surface of a well-composed body crosses, and creates a vertex in each cube beside them. */
export function findQuads(field: SparseField): Quads {
  const corners = new GrowableFloat64Array();
  const edges = new GrowableFloat64Array();
  const vertices = new CubeVertices(field);
  const cube: [number, number, number] = [0, 0, 0];
  const crossing: [number, number, number] = [0, 0, 0];
  field.forEachCorner((x, y, z) => {
    const value = field.get(x, y, z);
    const isInside = value < 0;
    for (let axis = 0; axis < 3; axis++) {
      const next = field.get(axis === 0 ? x + 1 : x, axis === 1 ? y + 1 : y, axis === 2 ? z + 1 : z);
      if (isInside === next < 0) continue;
      const parameter = value / (value - next);
      // The parameter is NaN if the field is infinite at both ends.
      const t = Number.isNaN(parameter) ? 0.5 : Math.min(1 - MIN_T, Math.max(MIN_T, parameter));
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      crossing[0] = x;
      crossing[1] = y;
      crossing[2] = z;
      crossing[axis] += t;
      for (let quarter = 0; quarter < 4; quarter++) {
        // Counterclockwise around the axis, or clockwise if the surface faces in the opposite direction.
        const turn = isInside ? quarter : 3 - quarter;
        cube[0] = x;
        cube[1] = y;
        cube[2] = z;
        if (turn === 1 || turn === 2) cube[i]--;
        if (turn >= 2) cube[j]--;
        corners.push(vertices.add(cube[0], cube[1], cube[2], crossing));
      }
      edges.push(x);
      edges.push(y);
      edges.push(z);
      edges.push(axis);
      edges.push(t);
    }
  });
  return { corners: corners.values(), edges: edges.values(), cubes: vertices.cubes.values(), means: vertices.means() };
}

/** The vertices of the cubes of a lattice, in the order of their first crossing. */
class CubeVertices {
  readonly cubes = new GrowableFloat64Array();
  readonly #sums = new GrowableFloat64Array(); // vertex → sums of x, y, z of the crossings, and their number
  /** page → cube of the page → its vertex or `NO_VERTEX` */
  readonly #pages: (Int32Array | undefined)[] = [];
  readonly #pageCounts: readonly [number, number];

  constructor({ lattice: { counts } }: SparseField) {
    this.#pageCounts = [Math.ceil(counts[0] / PAGE), Math.ceil(counts[1] / PAGE)];
  }

  /** Adds a crossing to the vertex of a cube, which is created if there is none. Returns the vertex. */
  add(x: number, y: number, z: number, crossing: readonly [number, number, number]): number {
    const pageIndex = ((z >> 3) * this.#pageCounts[1] + (y >> 3)) * this.#pageCounts[0] + (x >> 3);
    let page = this.#pages[pageIndex];
    if (!page) {
      page = new Int32Array(PAGE ** 3).fill(NO_VERTEX);
      this.#pages[pageIndex] = page;
    }
    const index = ((z & 7) << 6) | ((y & 7) << 3) | (x & 7);
    let vertex = page[index];
    if (vertex === NO_VERTEX) {
      vertex = this.cubes.length / 3;
      page[index] = vertex;
      this.cubes.push(x);
      this.cubes.push(y);
      this.cubes.push(z);
      for (let k = 0; k < 4; k++) this.#sums.push(0);
    }
    this.#sums.increase(vertex * 4, crossing[0] - x);
    this.#sums.increase(vertex * 4 + 1, crossing[1] - y);
    this.#sums.increase(vertex * 4 + 2, crossing[2] - z);
    this.#sums.increase(vertex * 4 + 3, 1);
    return vertex;
  }

  /** Returns the mean of the crossings of each vertex, from the first corner of its cube. */
  means(): Float64Array {
    const sums = this.#sums.values();
    const means = new Float64Array(this.cubes.length);
    for (let i = 0; i < means.length; i++) {
      const vertex = Math.floor(i / 3);
      means[i] = sums[vertex * 4 + (i % 3)] / sums[vertex * 4 + 3];
    }
    return means;
  }
}
