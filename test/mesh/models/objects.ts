import type { IndexedMesh, ObjectRange } from '../../../src/mesh/core/mesh.js';
import { gatherPositions, weldPoints } from '../../../src/mesh/welding/weld.js';
import { joined } from './mesh-of.js';

/** Joins meshes with common vertices, as a reader does. Each is an object, named `part 0`, `part 1`, … */
export function joinObjects(...meshes: IndexedMesh[]): IndexedMesh {
  const { positions, triangles } = joined(...meshes);
  const { vertexOf, firstPoint } = weldPoints(positions);
  let firstTriangle = 0;
  const objects = meshes.map((mesh, index): ObjectRange => {
    const triangleCount = mesh.triangles.length / 3;
    firstTriangle += triangleCount;
    return { name: `part ${index}`, firstTriangle: firstTriangle - triangleCount, triangleCount };
  });
  const welded = triangles.map((vertex) => vertexOf[vertex] ?? 0);
  return { positions: gatherPositions(positions, firstPoint), triangles: welded, objects };
}
