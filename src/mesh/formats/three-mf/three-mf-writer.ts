import type { HelperBodies, IndexedMesh } from '../../core/mesh.js';
import { textChunks } from '../text/text-chunks.js';
import { encodeXml } from '../text/xml-text.js';
import { PartVertices, splitIntoParts } from '../writing/split-into-parts.js';
import { serializeZip } from '../zip/zip-writer.js';
import { isWritten, type OutputBody, type OutputObject, type OutputPackage } from './output-package.js';
import { planHelpers } from './plan-helpers.js';

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MODEL_CONTENT_TYPE = 'application/vnd.ms-package.3dmanufacturing-3dmodel+xml';
const CONTENT_TYPES = `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="model" ContentType="${MODEL_CONTENT_TYPE}"/>`;
const CONFIG_TYPE = '<Default Extension="config" ContentType="application/xml"/>';
const RELATIONSHIPS = `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rel0" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" Target="/3D/3dmodel.model"/></Relationships>\n`;

/**
 * Serializes a mesh as 3MF in millimeters, with one object per object of the mesh. Each number is the shortest that
 * reads back as the same float64. Skips triangles with two equal corners, which 3MF does not allow. Helper bodies are
 * written in the layout of their slicer, which has their roles.
 */
export function serializeThreeMf(mesh: IndexedMesh, helpers?: HelperBodies): Iterable<Uint8Array> {
  const { config, ...content } = helpers ? planHelpers(mesh, helpers) : planParts(mesh);
  const types = `${CONTENT_TYPES}${config ? CONFIG_TYPE : ''}</Types>\n`;
  return serializeZip([
    { name: '[Content_Types].xml', chunks: textChunks([types]) },
    { name: '_rels/.rels', chunks: textChunks([RELATIONSHIPS]) },
    { name: '3D/3dmodel.model', chunks: textChunks(modelText(content)) },
    ...(config ? [{ name: config.path, chunks: textChunks([`${XML}${config.text}`]) }] : []),
  ]);
}

function planParts(mesh: IndexedMesh): OutputPackage {
  const objects = splitIntoParts(mesh).map((range, index): OutputObject => {
    return { id: index + 1, type: 'model', name: range.name, bodies: [{ mesh, range }], components: [] };
  });
  return { objects, items: objects.map(({ id }) => id) };
}

function* modelText({ objects, items }: OutputPackage): Iterable<string> {
  const tables = new Map<IndexedMesh, PartVertices>();
  yield `${XML}<model unit="millimeter" xml:lang="en-US" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">\n<resources>\n`;
  for (const object of objects) yield* objectText(object, tables);
  yield '</resources>\n<build>\n';
  for (const id of items) yield `<item objectid="${id}"/>\n`;
  yield '</build>\n</model>\n';
}

function* objectText(
  { id, type, name, bodies, components }: OutputObject,
  tables: Map<IndexedMesh, PartVertices>,
): Iterable<string> {
  const nameText = name === '' ? '' : ` name="${encodeXml(name)}"`;
  yield `<object id="${id}" type="${type}"${nameText}>\n`;
  if (bodies.length > 0) yield* meshText(bodies, tables);
  if (components.length > 0) {
    const rows = components.map((objectId) => `<component objectid="${objectId}"/>\n`);
    yield `<components>\n${rows.join('')}</components>\n`;
  }
  yield '</object>\n';
}

/** Writes bodies as one mesh, in which they share no vertices. */
function* meshText(bodies: readonly OutputBody[], tables: Map<IndexedMesh, PartVertices>): Iterable<string> {
  const parts = bodies.map(({ mesh, range }) => {
    const table = tables.get(mesh) ?? new PartVertices(mesh.positions.length / 3);
    tables.set(mesh, table);
    return { positions: mesh.positions, ...table.renumber(mesh, range) };
  });
  yield '<mesh>\n<vertices>\n';
  for (const { positions, vertices } of parts) {
    for (let i = 0; i < vertices.length; i++) {
      const offset = vertices[i] * 3;
      yield `<vertex x="${positions[offset] + 0}" y="${positions[offset + 1] + 0}" z="${positions[offset + 2] + 0}"/>\n`;
    }
  }
  yield '</vertices>\n<triangles>\n';
  let first = 0;
  for (const { vertices, corners } of parts) {
    for (let offset = 0; offset < corners.length; offset += 3) {
      const [a, b, c] = [corners[offset] + first, corners[offset + 1] + first, corners[offset + 2] + first];
      if (isWritten(a, b, c)) yield `<triangle v1="${a}" v2="${b}" v3="${c}"/>\n`;
    }
    first += vertices.length;
  }
  yield '</triangles>\n</mesh>\n';
}
