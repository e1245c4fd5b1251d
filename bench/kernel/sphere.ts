import type { IndexedMesh } from '../../src/mesh/core/mesh.js';

/** Returns a closed, bumpy sphere of about 2 * rings² triangles, 100 mm across. */
export function makeSphere(rings: number): IndexedMesh {
  const positions = new Float64Array((2 + (rings - 1) * rings) * 3);
  positions[2] = 50;
  positions[positions.length - 1] = -50;
  let index = 3;
  for (let ring = 1; ring < rings; ring++) {
    for (let spoke = 0; spoke < rings; spoke++) {
      const [polar, around] = [(Math.PI * ring) / rings, (2 * Math.PI * spoke) / rings];
      const radius = 50 + Math.sin(9 * polar) * Math.cos(7 * around);
      positions[index++] = radius * Math.sin(polar) * Math.cos(around);
      positions[index++] = radius * Math.sin(polar) * Math.sin(around);
      positions[index++] = radius * Math.cos(polar);
    }
  }
  return { positions, triangles: createTriangles(rings) };
}

function createTriangles(rings: number): Uint32Array {
  const triangles = new Uint32Array(2 * rings * (rings - 1) * 3);
  const last = 1 + (rings - 1) * rings;
  const vertexAt = (ring: number, spoke: number) => 1 + (ring - 1) * rings + (spoke % rings);
  let offset = 0;
  const push = (...corners: number[]) => {
    triangles.set(corners, offset);
    offset += 3;
  };
  for (let spoke = 0; spoke < rings; spoke++) {
    push(0, vertexAt(1, spoke), vertexAt(1, spoke + 1));
    for (let ring = 1; ring + 1 < rings; ring++) {
      push(vertexAt(ring, spoke), vertexAt(ring + 1, spoke), vertexAt(ring, spoke + 1));
      push(vertexAt(ring, spoke + 1), vertexAt(ring + 1, spoke), vertexAt(ring + 1, spoke + 1));
    }
    push(last, vertexAt(rings - 1, spoke + 1), vertexAt(rings - 1, spoke));
  }
  return triangles;
}
