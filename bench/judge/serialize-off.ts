import type { IndexedMesh } from '../../src/mesh/core/mesh.js';

/** Returns a mesh as OFF text with full precision. */
export function serializeOff({ positions, triangles }: IndexedMesh): string {
  const lines = ['OFF', `${positions.length / 3} ${triangles.length / 3} 0`];
  for (let i = 0; i < positions.length; i += 3) lines.push(`${positions[i]} ${positions[i + 1]} ${positions[i + 2]}`);
  for (let i = 0; i < triangles.length; i += 3) lines.push(`3 ${triangles[i]} ${triangles[i + 1]} ${triangles[i + 2]}`);
  return `${lines.join('\n')}\n`;
}
