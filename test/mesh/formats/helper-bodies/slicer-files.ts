import { makeBoxBetween } from '../../models/cube.js';
import { joined } from '../../models/mesh-of.js';
import { createZip } from '../zip/zip-bytes.js';

/** A box by its opposite corners, with the properties of a volume of a slicer. */
export interface SlicerBox {
  min: readonly [number, number, number];
  max: readonly [number, number, number];
  name?: string;
  /** The role in the words of the slicer. Default: a part. */
  role?: string;
}

function listRows(values: ArrayLike<number>): number[][] {
  return Array.from({ length: values.length / 3 }, (_, i) => [0, 1, 2].map((k) => values[i * 3 + k] ?? 0));
}

/** Lists the corners of boxes, and their triangles, with 8 corners and 12 triangles for each. */
function listBoxRows(boxes: readonly SlicerBox[]): { points: number[][]; triangles: number[][] } {
  const { positions, triangles } = joined(...boxes.map(({ min, max }) => makeBoxBetween(min, max)));
  return { points: listRows(positions), triangles: listRows(triangles) };
}

/** Returns boxes as one mesh of 3MF. */
export function meshOfBoxes(boxes: readonly SlicerBox[]): string {
  const { points, triangles } = listBoxRows(boxes);
  const vertices = points.map(([x, y, z]) => `<vertex x="${x}" y="${y}" z="${z}"/>`);
  const rows = triangles.map(([a, b, c]) => `<triangle v1="${a}" v2="${b}" v3="${c}"/>`);
  return `<mesh><vertices>${vertices.join('')}</vertices><triangles>${rows.join('')}</triangles></mesh>`;
}

/** Returns a model part of 3MF. */
export function modelText(resources: string, build: string, attributes = ''): string {
  return `<?xml version="1.0"?><model unit="millimeter" ${attributes}><resources>${resources}</resources><build>${build}</build></model>`;
}

/** Returns a PrusaSlicer project: each object is one mesh, and a list has the ranges of its volumes. */
export function prusaProject(
  objects: readonly (readonly SlicerBox[])[],
  items = objects.map((_, index) => `<item objectid="${index + 1}"/>`).join(''),
): Buffer {
  const resources = objects.map((boxes, index) => `<object id="${index + 1}">${meshOfBoxes(boxes)}</object>`);
  return createZip({ '3D/3dmodel.model': modelText(resources.join(''), items), [PRUSA_CONFIG]: prusaConfig(objects) });
}

/** The path of the list of PrusaSlicer. */
export const PRUSA_CONFIG = 'Metadata/Slic3r_PE_model.config';

/** Returns the list of the volumes of PrusaSlicer. */
export function prusaConfig(objects: readonly (readonly SlicerBox[])[]): string {
  const entries = objects.map((boxes, index) => {
    const volumes = boxes.map(({ name = '', role = 'ModelPart' }, box) => {
      const metadata = `<metadata type="volume" key="name" value="${name}"/><metadata type="volume" key="volume_type" value="${role}"/>`;
      return `<volume firstid="${box * 12}" lastid="${box * 12 + 11}">${metadata}</volume>`;
    });
    return `<object id="${index + 1}"><metadata type="object" key="name" value="object ${index + 1}"/>${volumes.join('')}</object>`;
  });
  return `<config>${entries.join('')}</config>`;
}

/** The path of the list of Bambu Studio and OrcaSlicer. */
export const BAMBU_CONFIG = 'Metadata/model_settings.config';

/**
 * Returns a Bambu Studio project: each object has a component for each volume, with its mesh in another model part. `more`:
 * further elements of the list.
 */
export function bambuProject(objects: readonly (readonly SlicerBox[])[], { more = '', build = '' } = {}): Buffer {
  const files: Record<string, string> = {};
  let nextId = 1;
  const resources: string[] = [];
  const entries: string[] = [];
  const items: string[] = [];
  for (const [index, boxes] of objects.entries()) {
    const path = `/3D/Objects/object_${index + 1}.model`;
    const ids = boxes.map(() => nextId++);
    const meshes = boxes.map((box, i) => {
      const type = box.role === undefined ? 'model' : 'other';
      return `<object id="${ids[i]}" type="${type}">${meshOfBoxes([box])}</object>`;
    });
    files[path.slice(1)] = modelText(meshes.join(''), '');
    const objectId = nextId++;
    const components = ids.map((id) => `<component p:path="${path}" objectid="${id}"/>`);
    resources.push(`<object id="${objectId}" type="model"><components>${components.join('')}</components></object>`);
    const parts = boxes.map(({ name = '', role = 'normal_part' }, i) => {
      return `<part id="${ids[i]}" subtype="${role}"><metadata key="name" value="${name}"/></part>`;
    });
    entries.push(
      `<object id="${objectId}"><metadata key="name" value="object ${index + 1}"/>${parts.join('')}</object>`,
    );
    items.push(`<item objectid="${objectId}"/>`);
  }
  return createZip({
    '3D/3dmodel.model': modelText(resources.join(''), build || items.join(''), 'requiredextensions="p"'),
    ...files,
    [BAMBU_CONFIG]: `<config>${entries.join('')}${more}</config>`,
  });
}

/** Returns an AMF of PrusaSlicer. `instances`: the content of its constellation. */
export function prusaAmf(boxes: readonly SlicerBox[], instances = '<instance objectid="0"/>'): Buffer {
  const { points, triangles } = listBoxRows(boxes);
  const vertices = points.map(
    ([x, y, z]) => `<vertex><coordinates><x>${x}</x><y>${y}</y><z>${z}</z></coordinates></vertex>`,
  );
  const volumes = boxes.map(({ name = '', role = 'ModelPart' }, box) => {
    const rows = triangles.slice(box * 12, box * 12 + 12).map(([a, b, c]) => {
      return `<triangle><v1>${a}</v1><v2>${b}</v2><v3>${c}</v3></triangle>`;
    });
    const metadata = `<metadata type="name">${name}</metadata><metadata type="slic3r.volume_type">${role}</metadata>`;
    return `<volume>${metadata}${rows.join('')}</volume>`;
  });
  return Buffer.from(
    `<?xml version="1.0"?><amf unit="millimeter"><metadata type="cad">Slic3r 2.5.0</metadata><object id="0"><metadata type="name">thing</metadata><mesh><vertices>${vertices.join('')}</vertices>${volumes.join('')}</mesh></object><constellation id="1">${instances}</constellation></amf>`,
  );
}
