import type { IndexedMesh } from '../../core/mesh.js';

const LINES_PER_CHUNK = 10_000;

/** Serializes a mesh as ASCII OFF in millimeters. Each number is the shortest that reads back as the same float64. */
export function* serializeOff({ positions, triangles }: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `OFF\n${positions.length / 3} ${triangles.length / 3} 0\n`;
  const lineCount = (positions.length + triangles.length) / 3;
  for (let line = 0; line < lineCount; line++) {
    const offset = line * 3;
    const triangle = offset - positions.length;
    text +=
      triangle < 0
        ? `${positions[offset] + 0} ${positions[offset + 1] + 0} ${positions[offset + 2] + 0}\n`
        : `3 ${triangles[triangle]} ${triangles[triangle + 1]} ${triangles[triangle + 2]}\n`;
    if (line % LINES_PER_CHUNK === LINES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(text);
}
