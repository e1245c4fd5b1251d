import type { IndexedMesh, ObjectRange } from '../../core/mesh.js';
import { textChunks } from '../text/text-chunks.js';
import { encodeXml } from '../text/xml-text.js';
import { PartVertices, splitIntoParts } from '../writing/split-into-parts.js';
import { serializeZip } from '../zip/zip-writer.js';

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MODEL_CONTENT_TYPE = 'application/vnd.ms-package.3dmanufacturing-3dmodel+xml';
const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="${MODEL_CONTENT_TYPE}"/></Types>\n`;
const RELATIONSHIPS = `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/></Relationships>\n`;

/**
 * Serializes a mesh as 3MF in millimeters, with one object per object of the mesh. Each number is the shortest that
 * reads back as the same float64. Skips triangles with two equal corners, which 3MF does not allow.
 */
export function serializeThreeMf(mesh: IndexedMesh): Iterable<Uint8Array> {
  return serializeZip([
    { name: '[Content_Types].xml', chunks: textChunks([CONTENT_TYPES]) },
    { name: '_rels/.rels', chunks: textChunks([RELATIONSHIPS]) },
    { name: '3D/3dmodel.model', chunks: textChunks(modelText(mesh)) },
  ]);
}

function* modelText(mesh: IndexedMesh): Iterable<string> {
  const parts = splitIntoParts(mesh);
  const vertices = new PartVertices(mesh.positions.length / 3);
  yield `${XML}<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">\n<resources>\n`;
  for (const [index, part] of parts.entries()) yield* objectText(mesh, part, vertices, index + 1);
  yield '</resources>\n<build>\n';
  for (const index of parts.keys()) yield `<item objectid="${index + 1}"/>\n`;
  yield '</build>\n</model>\n';
}

function* objectText(mesh: IndexedMesh, part: ObjectRange, partVertices: PartVertices, id: number): Iterable<string> {
  const { positions } = mesh;
  const { vertices, corners } = partVertices.renumber(mesh, part);
  const name = part.name === '' ? '' : ` name="${encodeXml(part.name)}"`;
  yield `<object id="${id}" type="model"${name}>\n<mesh>\n<vertices>\n`;
  for (let i = 0; i < vertices.length; i++) {
    const offset = vertices[i] * 3;
    yield `<vertex x="${positions[offset] + 0}" y="${positions[offset + 1] + 0}" z="${positions[offset + 2] + 0}"/>\n`;
  }
  yield '</vertices>\n<triangles>\n';
  for (let offset = 0; offset < corners.length; offset += 3) {
    const [a, b, c] = [corners[offset], corners[offset + 1], corners[offset + 2]];
    if (a !== b && b !== c && c !== a) yield `<triangle v1="${a}" v2="${b}" v3="${c}"/>\n`;
  }
  yield '</triangles>\n</mesh>\n</object>\n';
}
