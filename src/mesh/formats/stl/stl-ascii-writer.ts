import type { IndexedMesh } from '../../core/mesh.js';

const TRIANGLES_PER_CHUNK = 2_000;

/** Serializes a mesh as ASCII STL with one `solid`. Each number is the shortest that reads back as the same float64. */
export function* serializeStlAscii(mesh: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  const { positions, triangles } = mesh;
  const vertexLine = (vertex: number) => {
    const offset = vertex * 3;
    return `      vertex ${positions[offset] + 0} ${positions[offset + 1] + 0} ${positions[offset + 2] + 0}\n`;
  };
  let text = 'solid model\n';
  for (let offset = 0; offset < triangles.length; offset += 3) {
    text += `  facet normal ${computeUnitNormal(positions, triangles, offset).join(' ')}\n    outer loop\n`;
    for (let k = 0; k < 3; k++) text += vertexLine(triangles[offset + k]);
    text += '    endloop\n  endfacet\n';
    if ((offset / 3) % TRIANGLES_PER_CHUNK === TRIANGLES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(`${text}endsolid model\n`);
}

function computeUnitNormal(positions: Float64Array, triangles: Uint32Array, offset: number): number[] {
  const [a, b, c] = [triangles[offset] * 3, triangles[offset + 1] * 3, triangles[offset + 2] * 3];
  const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
  const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
  const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...normal);
  return length > 0 ? normal.map((part) => Math.fround(part / length) + 0) : [0, 0, 1];
}
