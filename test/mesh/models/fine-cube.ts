import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';

/** Creates a cube of 2 mm, each side of 2 * n² triangles. */
export function makeFineCube(n: number): IndexedMesh {
  const vertices = new Map<string, number>();
  const positions: number[] = [];
  const triangles: number[] = [];
  const findOrAddVertex = (point: readonly number[]): number => {
    const key = point.join();
    const existing = vertices.get(key);
    if (existing !== undefined) return existing;
    positions.push(...point);
    vertices.set(key, vertices.size);
    return vertices.size - 1;
  };
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [-1, 1]) {
      const vertexAt = (i: number, j: number): number => {
        const point = [0, 0, 0];
        point[axis] = side;
        point[(axis + 1) % 3] = (2 * i) / n - 1;
        point[(axis + 2) % 3] = (2 * j) / n - 1;
        return findOrAddVertex(point);
      };
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < n; j++) {
          const [a, b, c, d] = [vertexAt(i, j), vertexAt(i + 1, j), vertexAt(i + 1, j + 1), vertexAt(i, j + 1)];
          if (side > 0) triangles.push(a, b, c, a, c, d);
          else triangles.push(a, c, b, a, d, c);
        }
      }
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}
