import type { HelperBodies, HelperRole, IndexedMesh } from '../../core/mesh.js';
import { encodeXml } from '../text/xml-text.js';
import { splitIntoParts } from '../writing/split-into-parts.js';
import { isWritten, type OutputBody, type OutputObject, type OutputPackage } from './output-package.js';

/** Role → its names in the lists of the slicers. They refuse files with objects of other types, which are left out. */
const ROLE_NAMES: Readonly<Partial<Record<HelperRole, { prusa: string; bambu: string }>>> = {
  negative: { prusa: 'NegativeVolume', bambu: 'negative_part' },
  modifier: { prusa: 'ParameterModifier', bambu: 'modifier_part' },
  supportEnforcer: { prusa: 'SupportEnforcer', bambu: 'support_enforcer' },
  supportBlocker: { prusa: 'SupportBlocker', bambu: 'support_blocker' },
};
/** The roles that are written. */
export const WRITTEN_ROLES = Object.keys(ROLE_NAMES) as HelperRole[]; // the keys of a table without others
const PART_NAMES = { prusa: 'ModelPart', bambu: 'normal_part' };

/** An object of a slicer: its parts and its helper bodies, of which each has a role in the lists of the slicers. */
type Group = readonly OutputBody[];

/**
 * Plans the objects of a model with helper bodies in the layout of the slicer that they come from. PrusaSlicer reads the
 * bodies of an object as ranges of one mesh, Bambu Studio as components.
 */
export function planHelpers(mesh: IndexedMesh, helpers: HelperBodies): OutputPackage {
  const groups = groupBodies(mesh, helpers);
  return helpers.slicer === 'prusa' ? planRanges(groups) : planComponents(groups);
}

/**
 * Groups parts and helper bodies by their object. An operation that united the parts has left them without one: then all are
 * one object. Groups without a part are left out.
 */
function groupBodies(mesh: IndexedMesh, helpers: HelperBodies): Group[] {
  const parts = splitIntoParts(mesh).map((range) => ({ mesh, range }));
  const isGrouped = parts.every(({ range }) => range.group !== undefined);
  const groups = new Map<number | undefined, OutputBody[]>();
  for (const part of parts) {
    const key = isGrouped ? part.range.group : undefined;
    groups.set(key, [...(groups.get(key) ?? []), part]);
  }
  for (const range of helpers.objects) {
    const isListed = range.role !== undefined && ROLE_NAMES[range.role] !== undefined;
    if (isListed) groups.get(isGrouped ? range.group : undefined)?.push({ mesh: helpers, range });
  }
  return [...groups.values()];
}

/** Plans one mesh for each object, and the ranges of its bodies. */
function planRanges(groups: readonly Group[]): OutputPackage {
  const objects = groups.map((bodies, index): OutputObject => {
    return { id: index + 1, type: 'model', name: findName(bodies), bodies, components: [] };
  });
  const entries = objects.map(({ id, name, bodies }) => {
    let first = 0;
    const volumes = bodies.map((body) => {
      const last = first + countTriangles(body) - 1;
      const text = `  <volume firstid="${first}" lastid="${last}">\n${metadata('volume', 'name', body.range.name)}${metadata('volume', 'volume_type', roleNameOf(body, 'prusa'))}  </volume>\n`;
      first = last + 1;
      return text;
    });
    return ` <object id="${id}" instances_count="1">\n${metadata('object', 'name', name)}${volumes.join('')} </object>\n`;
  });
  const text = `<config>\n${entries.join('')}</config>\n`;
  return { objects, items: objects.map(({ id }) => id), config: { path: 'Metadata/Slic3r_PE_model.config', text } };
}

/** Plans an object for each body, which are the components of an object for each group. */
function planComponents(groups: readonly Group[]): OutputPackage {
  const objects: OutputObject[] = [];
  const items: number[] = [];
  const entries = groups.map((bodies) => {
    const components = bodies.map((body) => {
      const id = objects.length + 1;
      const type = body.range.role === undefined ? 'model' : 'other';
      objects.push({ id, type, name: body.range.name, bodies: [body], components: [] });
      return id;
    });
    const id = objects.length + 1;
    const name = findName(bodies);
    objects.push({ id, type: 'model', name, bodies: [], components });
    items.push(id);
    const parts = bodies.map(
      (body, index) =>
        `  <part id="${components[index]}" subtype="${roleNameOf(body, 'bambu')}">\n${metadata(undefined, 'name', body.range.name)}  </part>\n`,
    );
    return ` <object id="${id}">\n${metadata(undefined, 'name', name)}${parts.join('')} </object>\n`;
  });
  const text = `<config>\n${entries.join('')}</config>\n`;
  return { objects, items, config: { path: 'Metadata/model_settings.config', text } };
}

/** Returns the name of an object: that of its first part with a name. */
function findName(bodies: Group): string {
  return bodies.find(({ range }) => range.role === undefined && range.name !== '')?.range.name ?? '';
}

function roleNameOf({ range }: OutputBody, slicer: 'prusa' | 'bambu'): string {
  return (range.role && ROLE_NAMES[range.role]?.[slicer]) ?? PART_NAMES[slicer];
}

/** Counts the triangles that are written. */
function countTriangles({ mesh: { triangles }, range }: OutputBody): number {
  let count = 0;
  for (let triangle = range.firstTriangle; triangle < range.firstTriangle + range.triangleCount; triangle++) {
    const [a, b, c] = triangles.subarray(triangle * 3, triangle * 3 + 3);
    if (isWritten(a, b, c)) count++;
  }
  return count;
}

function metadata(type: 'object' | 'volume' | undefined, key: string, value: string): string {
  const typeText = type === undefined ? '' : ` type="${type}"`;
  return value === '' ? '' : `   <metadata${typeText} key="${key}" value="${encodeXml(value)}"/>\n`;
}
