import type { MeshGeometry } from '../core/mesh.js';

/**
 * Moves all vertices in a cube of a grid to one of them (vertex clustering; Rossignac & Borrel 1993). Drops triangles
 * with two equal corners. A closed mesh stays closed, but its triangles may then touch or overlap. Linear time.
 */
export function clusterVertices({ positions, triangles }: MeshGeometry, cubeMm: number): MeshGeometry {
  const clusterOf = new Uint32Array(positions.length / 3); // vertex → the vertex that it moves to
  const firstIn = new Map<string, number>(); // cube → its first vertex
  for (let vertex = 0; vertex < clusterOf.length; vertex++) {
    const [x, y, z] = [0, 1, 2].map((k) => Math.floor(positions[vertex * 3 + k] / cubeMm));
    const cube = `${x},${y},${z}`;
    clusterOf[vertex] = firstIn.get(cube) ?? vertex;
    firstIn.set(cube, clusterOf[vertex]);
  }
  const remaining = new Uint32Array(triangles.length);
  let count = 0;
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => clusterOf[triangles[offset + k]]);
    if (a === b || b === c || c === a) continue;
    remaining.set([a, b, c], count);
    count += 3;
  }
  return { positions, triangles: remaining.slice(0, count) };
}

/** Drops the triangles that have the same corners and the same winding as another. */
export function dropEqualTriangles({ positions, triangles }: MeshGeometry): MeshGeometry {
  const distinct = new Map<string, number>(); // corners, the lowest first → offset of the first such triangle
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const corners = triangles.subarray(offset, offset + 3);
    const first = corners.indexOf(Math.min(...corners));
    const key = `${corners[first]},${corners[(first + 1) % 3]},${corners[(first + 2) % 3]}`;
    if (!distinct.has(key)) distinct.set(key, offset);
  }
  const remaining = new Uint32Array(distinct.size * 3);
  let count = 0;
  for (const offset of distinct.values()) {
    remaining.set(triangles.subarray(offset, offset + 3), count);
    count += 3;
  }
  return { positions, triangles: remaining };
}
