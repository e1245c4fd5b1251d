import { GrowableFloat64Array } from '../core/growable-float64-array.js';
import type { IndexedMesh } from '../core/mesh.js';
import type { Grid } from '../spatial/grid.js';
import { Float32VertexTable } from '../welding/float32-vertex-table.js';
import { type Block, type BlockSampler, countCorners } from './block.js';
import { TETRAHEDRA, TETRAHEDRON_CASES } from './tetrahedron-cases.js';

/** Cubes along each side of a block. Larger blocks share more corners, smaller ones follow the surface more closely. */
const BLOCK_CELLS = 8;

/**
 * Minimum distance of a vertex from the corners of the grid, as a fraction of its edge. It keeps triangles from
 * degenerating and sheets of the surface from touching.
 */
const MIN_EDGE_T = 0.02;

/**
 * Extracts the surface where a field is zero by marching tetrahedra (Doi & Koide 1991), as a mesh that faces away from
 * the negative side. The mesh is closed, manifold and free of intersections for any field: each cube is split into six
 * tetrahedra in the same way, and within a tetrahedron one planar piece separates the negative corners from the others.
 * The outermost corners of the grid count as outside, so that a body that extends beyond the grid is cut off there.
 *
 * Memory: about 100 bytes per triangle, and one block of the grid at a time. `onProgress` may throw to abort.
 */
export function isosurface(grid: Grid, sample: BlockSampler, onProgress?: (progress: number) => void): IndexedMesh {
  const surface = new SurfaceBuilder(grid);
  const [countX, countY, countZ] = grid.cells;
  const values = new Float64Array((BLOCK_CELLS + 1) ** 3);
  for (let z = 0; z < countZ; z += BLOCK_CELLS) {
    onProgress?.(z / countZ);
    for (let y = 0; y < countY; y += BLOCK_CELLS) {
      for (let x = 0; x < countX; x += BLOCK_CELLS) {
        const cells = [countX - x, countY - y, countZ - z].map((remaining) => Math.min(BLOCK_CELLS, remaining));
        const block: Block = { first: [x, y, z], cells: [cells[0], cells[1], cells[2]] };
        const part = values.subarray(0, countCorners(block));
        const side = sample(block, part);
        if (side > 0) continue;
        if (side < 0) part.fill(-1);
        const sealedCount = sealGridBoundary(grid, block, part);
        if (side === 0 || sealedCount > 0) surface.add(block, part);
      }
    }
  }
  return surface.mesh();
}

/** Makes the values at the outermost corners of the grid non-negative. Returns the number of changed values. */
function sealGridBoundary({ cells }: Grid, { first, cells: count }: Block, values: Float64Array): number {
  let sealedCount = 0;
  for (let z = 0, index = 0; z <= count[2]; z++) {
    for (let y = 0; y <= count[1]; y++) {
      for (let x = 0; x <= count[0]; x++, index++) {
        const isInner =
          first[0] + x > 0 &&
          first[0] + x < cells[0] &&
          first[1] + y > 0 &&
          first[1] + y < cells[1] &&
          first[2] + z > 0 &&
          first[2] + z < cells[2];
        if (isInner || values[index] >= 0) continue;
        values[index] = -values[index];
        sealedCount++;
      }
    }
  }
  return sealedCount;
}

/** Collects the triangles of the surface, block by block. */
class SurfaceBuilder {
  readonly #grid: Grid;
  readonly #positions = new GrowableFloat64Array();
  readonly #triangles = new GrowableFloat64Array();
  /**
   * Assigns indices to vertices by the midpoint of their edge, in half cubes, which is unique among the tetrahedra's
   * edges.
   */
  readonly #table = new Float32VertexTable(1024);

  constructor(grid: Grid) {
    this.#grid = grid;
  }

  add(block: Block, values: Float64Array): void {
    const [countX, countY, countZ] = block.cells;
    const row = countX + 1;
    const layer = row * (countY + 1);
    const cornerOffsets = Int32Array.from({ length: 8 }, (_, k) => (k & 1) + ((k >> 1) & 1) * row + (k >> 2) * layer);
    for (let z = 0; z < countZ; z++) {
      for (let y = 0; y < countY; y++) {
        for (let x = 0; x < countX; x++) {
          const offset = z * layer + y * row + x;
          let mask = 0; // bit k: corner k of the cube is inside
          for (let k = 0; k < 8; k++) if (values[offset + cornerOffsets[k]] < 0) mask |= 1 << k;
          if (mask !== 0 && mask !== 255) this.#addCube(block, [x, y, z], mask, values, offset, cornerOffsets);
        }
      }
    }
  }

  mesh(): IndexedMesh {
    return { positions: this.#positions.values().slice(), triangles: Uint32Array.from(this.#triangles.values()) };
  }

  #addCube(
    { first }: Block,
    [x, y, z]: readonly [number, number, number],
    mask: number,
    values: Float64Array,
    offset: number,
    cornerOffsets: Int32Array,
  ): void {
    for (const tetrahedron of TETRAHEDRA) {
      let insideMask = 0;
      for (let k = 0; k < 4; k++) insideMask |= ((mask >> tetrahedron[k]) & 1) << k;
      for (const [inside, outside] of TETRAHEDRON_CASES[insideMask]) {
        const a = tetrahedron[inside];
        const b = tetrahedron[outside];
        const parameter =
          values[offset + cornerOffsets[a]] / (values[offset + cornerOffsets[a]] - values[offset + cornerOffsets[b]]);
        this.#triangles.push(this.#vertexOn(first[0] + x, first[1] + y, first[2] + z, a, b, parameter));
      }
    }
  }

  /**
   * Returns the vertex on the edge from corner `a` to corner `b` of a cube; adds it at `parameter` (0..1) if it is new.
   */
  #vertexOn(x: number, y: number, z: number, a: number, b: number, parameter: number): number {
    const [ax, ay, az] = [x + (a & 1), y + ((a >> 1) & 1), z + (a >> 2)];
    const [bx, by, bz] = [x + (b & 1), y + ((b >> 1) & 1), z + (b >> 2)];
    const count = this.#positions.length / 3;
    const vertex = this.#table.add(ax + bx, ay + by, az + bz);
    if (vertex < count) return vertex;
    // The parameter is NaN if the field is infinite at both ends.
    const t = Number.isNaN(parameter) ? 0.5 : Math.min(1 - MIN_EDGE_T, Math.max(MIN_EDGE_T, parameter));
    const { min, stepMm } = this.#grid;
    this.#positions.push(min[0] + (ax + t * (bx - ax)) * stepMm);
    this.#positions.push(min[1] + (ay + t * (by - ay)) * stepMm);
    this.#positions.push(min[2] + (az + t * (bz - az)) * stepMm);
    return vertex;
  }
}
