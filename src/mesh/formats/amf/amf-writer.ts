import type { IndexedMesh, ObjectRange } from '../../core/mesh.js';
import { textChunks } from '../text/text-chunks.js';
import { encodeXml } from '../text/xml-text.js';
import { PartVertices, splitIntoParts } from '../writing/split-into-parts.js';

/**
 * Serializes a mesh as uncompressed AMF in millimeters, with one object per object of the mesh. Each number is the
 * shortest that reads back as the same float64.
 */
export function serializeAmf(mesh: IndexedMesh): Iterable<Uint8Array> {
  return textChunks(amfText(mesh));
}

function* amfText(mesh: IndexedMesh): Iterable<string> {
  const vertices = new PartVertices(mesh.positions.length / 3);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<amf unit="millimeter" version="1.1">\n';
  for (const [id, part] of splitIntoParts(mesh).entries()) yield* objectText(mesh, part, vertices, id);
  yield '</amf>\n';
}

function* objectText(mesh: IndexedMesh, part: ObjectRange, partVertices: PartVertices, id: number): Iterable<string> {
  const { positions } = mesh;
  const { vertices, corners } = partVertices.renumber(mesh, part);
  yield `<object id="${id}">\n`;
  if (part.name !== '') yield `<metadata type="name">${encodeXml(part.name)}</metadata>\n`;
  yield '<mesh>\n<vertices>\n';
  for (let i = 0; i < vertices.length; i++) {
    const offset = vertices[i] * 3;
    const [x, y, z] = [positions[offset] + 0, positions[offset + 1] + 0, positions[offset + 2] + 0];
    yield `<vertex><coordinates><x>${x}</x><y>${y}</y><z>${z}</z></coordinates></vertex>\n`;
  }
  yield '</vertices>\n<volume>\n';
  for (let offset = 0; offset < corners.length; offset += 3) {
    yield `<triangle><v1>${corners[offset]}</v1><v2>${corners[offset + 1]}</v2><v3>${corners[offset + 2]}</v3></triangle>\n`;
  }
  yield '</volume>\n</mesh>\n</object>\n';
}
