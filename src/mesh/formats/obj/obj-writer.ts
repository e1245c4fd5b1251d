import type { IndexedMesh } from '../../core/mesh.js';

const LINES_PER_CHUNK = 10_000;

/** Serializes a mesh with named objects as OBJ. Each number is the shortest that reads back as the same float64. */
export function* serializeObj(mesh: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  const { positions, triangles } = mesh;
  let text = '# millimetres\n';
  for (let offset = 0; offset < positions.length; offset += 3) {
    text += `v ${positions[offset] + 0} ${positions[offset + 1] + 0} ${positions[offset + 2] + 0}\n`;
    if ((offset / 3) % LINES_PER_CHUNK === LINES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  const objects = mesh.objects ?? [];
  let nextObject = 0;
  for (let offset = 0; offset < triangles.length; offset += 3) {
    const object = objects[nextObject];
    if (object?.firstTriangle === offset / 3) {
      text += `o ${object.name.replace(/[\s\\]+/g, ' ')}\n`;
      nextObject++;
    }
    text += `f ${triangles[offset] + 1} ${triangles[offset + 1] + 1} ${triangles[offset + 2] + 1}\n`;
    if ((offset / 3) % LINES_PER_CHUNK === LINES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(text);
}
