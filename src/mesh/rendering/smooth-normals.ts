import type { ProjectedMesh } from './camera.js';

// Triangles that meet at a sharper angle than this are seen as facets; others as one curved surface.
const CREASE_COSINE = Math.cos((35 * Math.PI) / 180);

// Twice the area in samples below which a triangle is as good as flat: most are in a mesh of millions.
const SMALL_AREA = 4;
const MAX_NEIGHBORS = 64;

/** Which corners of triangles lie at a vertex: those from `starts[vertex]` to `starts[vertex + 1]` in `corners`. */
interface VertexCorners {
  starts: Uint32Array;
  corners: Uint32Array;
}

const buildVertexCorners = ({ points, triangles }: ProjectedMesh): VertexCorners => {
  const starts = new Uint32Array(points.length / 3 + 1);
  for (let corner = 0; corner < triangles.length; corner++) starts[triangles[corner] + 1]++;
  for (let vertex = 1; vertex < starts.length; vertex++) starts[vertex] += starts[vertex - 1];
  const next = starts.slice();
  const corners = new Uint32Array(triangles.length);
  for (let corner = 0; corner < triangles.length; corner++) corners[next[triangles[corner]]++] = corner;
  return { starts, corners };
};

/** Normals of the surface as it looks: of one triangle at a time, which is kept while the samples ask for the same one. */
export class SmoothNormals {
  readonly #model: ProjectedMesh;
  readonly #around: VertexCorners;
  /** The normals at the corners of `#triangle`, of length one. */
  readonly #corners = new Float64Array(9);
  readonly #flat = new Float64Array(3);
  readonly #other = new Float64Array(3);
  #triangle = -1;
  // Its first corner, its sides from there, and twice its area, as seen.
  #ax = 0;
  #ay = 0;
  #ux = 0;
  #uy = 0;
  #vx = 0;
  #vy = 0;
  #area = 0;

  constructor(model: ProjectedMesh) {
    this.#model = model;
    this.#around = buildVertexCorners(model);
  }

  /** Whether the viewer sees the front of a triangle. */
  isFront(triangle: number): boolean {
    if (triangle !== this.#triangle) this.#loadTriangle(triangle);
    return this.#area < 0; // y points down
  }

  /** Writes the normal of a triangle at a sample: x to the right, y down, z toward the viewer; of length one. */
  normalAt(triangle: number, x: number, y: number, normal: Float64Array): void {
    if (triangle !== this.#triangle) this.#loadTriangle(triangle);
    const corners = this.#corners;
    const [px, py] = [x - this.#ax, y - this.#ay];
    // Shares of the second and the third corner; a sample at the border of the triangle may lie a little outside.
    const beta = Math.min(1, Math.max(0, (px * this.#vy - py * this.#vx) / this.#area));
    const gamma = Math.min(1 - beta, Math.max(0, (this.#ux * py - this.#uy * px) / this.#area));
    const alpha = 1 - beta - gamma;
    normal[0] = corners[0] * alpha + corners[3] * beta + corners[6] * gamma;
    normal[1] = corners[1] * alpha + corners[4] * beta + corners[7] * gamma;
    normal[2] = corners[2] * alpha + corners[5] * beta + corners[8] * gamma;
    normalize(normal, 0);
  }

  #loadTriangle(triangle: number): void {
    this.#triangle = triangle;
    const { starts, corners } = this.#around;
    const { points, triangles } = this.#model;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    this.#ax = points[a];
    this.#ay = points[a + 1];
    this.#ux = points[b] - points[a];
    this.#uy = points[b + 1] - points[a + 1];
    this.#vx = points[c] - points[a];
    this.#vy = points[c + 1] - points[a + 1];
    this.#area = this.#ux * this.#vy - this.#uy * this.#vx;
    this.#writeNormal(triangle, this.#flat);
    normalize(this.#flat, 0);
    const sums = this.#corners.fill(0);
    if (Math.abs(this.#area) < SMALL_AREA) {
      for (let k = 0; k < 9; k += 3) sums.set(this.#flat, k);
      return;
    }
    for (let k = 0; k < 3; k++) {
      const vertex = triangles[triangle * 3 + k];
      // Of a vertex with hundreds of triangles, the hub of a fan, only some are looked at: they lie in one plane, or it is a tip.
      const end = Math.min(starts[vertex + 1], starts[vertex] + MAX_NEIGHBORS);
      for (let i = starts[vertex]; i < end; i++) this.#accumulateNormal((corners[i] - (corners[i] % 3)) / 3, k * 3);
      if (sums[k * 3] === 0 && sums[k * 3 + 1] === 0 && sums[k * 3 + 2] === 0) sums.set(this.#flat, k * 3);
      normalize(sums, k * 3);
    }
  }

  /** Adds the normal of a neighbour, by its area, unless it meets the triangle at an edge to be seen. */
  #accumulateNormal(neighbor: number, offset: number): void {
    const flat = this.#flat;
    const other = this.#other;
    this.#writeNormal(neighbor, other);
    const size = Math.sqrt(other[0] * other[0] + other[1] * other[1] + other[2] * other[2]);
    if (flat[0] * other[0] + flat[1] * other[1] + flat[2] * other[2] < CREASE_COSINE * size) return;
    for (let k = 0; k < 3; k++) this.#corners[offset + k] += other[k];
  }

  /** The normal by the order of the corners, twice as long as the area. */
  #writeNormal(triangle: number, normal: Float64Array): void {
    const { points, triangles } = this.#model;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    const ux = points[b] - points[a];
    const uy = points[b + 1] - points[a + 1];
    const uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a];
    const vy = points[c + 1] - points[a + 1];
    const vz = points[c + 2] - points[a + 2];
    // y points down, which mirrors: the cross product is turned round.
    normal[0] = uz * vy - uy * vz;
    normal[1] = ux * vz - uz * vx;
    normal[2] = uy * vx - ux * vy;
  }
}

/** Makes three numbers, from `offset` on, a vector of length one. */
function normalize(vector: Float64Array, offset: number): void {
  const length = Math.sqrt(
    vector[offset] * vector[offset] + vector[offset + 1] * vector[offset + 1] + vector[offset + 2] * vector[offset + 2],
  );
  if (length > 0) for (let k = offset; k < offset + 3; k++) vector[k] /= length;
}
