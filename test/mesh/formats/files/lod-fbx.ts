import { type FbxNode, type FbxProperty, serializeFbx } from './binary-fbx.js';
import { BOX_FACES, BOX_POINTS_Y_UP } from './box.js';

/** A model of an FBX. */
export interface LodModel {
  name: string;
  /** Default: `Mesh`. */
  type?: string;
  /** Default: the scene. */
  parent?: string;
  /** The number of faces of the box that its geometry has. Default: no geometry. */
  faceCount?: number;
  /** Whether its attribute, not the model itself, has the type `LodGroup`. Default: false. */
  hasLodAttribute?: boolean;
  /** The factor by which the box is scaled. Default: 1. */
  factor?: number;
}

/** A version of FBX and its encoding. */
export type FbxForm = '7, text' | '7, binary' | '6, text' | '6, binary';
export const FBX_FORMS: readonly FbxForm[] = ['7, text', '7, binary', '6, text', '6, binary'];

/** A group of two levels, of which the first is a closed box. */
export const LEVELS: readonly LodModel[] = [
  { name: 'group', type: 'LodGroup' },
  { name: 'fine', parent: 'group', faceCount: 6 },
  { name: 'coarse', parent: 'group', faceCount: 2 },
];

const POINTS = BOX_POINTS_Y_UP.flat();
const FIRST_MODEL = 1000;
const FIRST_GEOMETRY = 5000;
const FIRST_ATTRIBUTE = 9000;

/** Serializes models in one form, in centimeters with Y up. Connections are in the order of the models. */
export function lodFbx(models: readonly LodModel[], form: FbxForm): Buffer {
  const isText = form.endsWith('text');
  const label = (name: string, kind: string) => (isText ? `${kind}::${name}` : `${name}\0\x01${kind}`);
  const roots = form.startsWith('7') ? createIdRoots(models, label) : createNamedRoots(models, label);
  if (!isText) return serializeFbx(roots, { version: form.startsWith('7') ? 7400 : 6100 });
  return Buffer.from(`; FBX\n${roots.map((root) => serializeText(root)).join('')}`);
}

type Label = (name: string, kind: string) => string;

function createIdRoots(models: readonly LodModel[], label: Label): FbxNode[] {
  const idOf = (name: string | undefined) => FIRST_MODEL + models.findIndex((model) => model.name === name);
  const objects: FbxNode[] = [];
  const connections: FbxNode[] = [];
  const connect = (child: number, parent: number) =>
    connections.push({ name: 'C', properties: ['OO', { long: child }, { long: parent }] });
  models.forEach((model, i) => {
    const { name, type = 'Mesh', parent, faceCount, hasLodAttribute } = model;
    objects.push({
      name: 'Model',
      properties: [{ long: idOf(name) }, label(name, 'Model'), type],
      children: [VERSION],
    });
    connect(idOf(name), parent === undefined ? 0 : idOf(parent));
    if (hasLodAttribute) {
      const properties = [{ long: FIRST_ATTRIBUTE + i }, label('', 'NodeAttribute'), 'LodGroup'];
      objects.push({ name: 'NodeAttribute', properties, children: [VERSION] });
      connect(FIRST_ATTRIBUTE + i, idOf(name));
    }
    if (faceCount === undefined) return;
    const children: FbxNode[] = [
      { name: 'Vertices', properties: [{ doubles: pointsOf(model) }] },
      { name: 'PolygonVertexIndex', properties: [{ ints: cornersOf(faceCount) }] },
    ];
    const properties = [{ long: FIRST_GEOMETRY + i }, label('', 'Geometry'), 'Mesh'];
    objects.push({ name: 'Geometry', properties, children });
    connect(FIRST_GEOMETRY + i, idOf(name));
  });
  return createRoots(7400, objects, connections);
}

function createNamedRoots(models: readonly LodModel[], label: Label): FbxNode[] {
  const objects = models.map((model): FbxNode => {
    const { name, type = 'Mesh', faceCount } = model;
    const children: FbxNode[] = [VERSION];
    if (faceCount !== undefined) {
      children.push({ name: 'Vertices', properties: pointsOf(model).map((double) => ({ double })) });
      children.push({ name: 'PolygonVertexIndex', properties: cornersOf(faceCount).map((int) => ({ int })) });
    }
    return { name: 'Model', properties: [label(name, 'Model'), type], children };
  });
  const connections = models.map(({ name, parent = 'Scene' }): FbxNode => {
    return { name: 'Connect', properties: ['OO', label(name, 'Model'), label(parent, 'Model')] };
  });
  return createRoots(6100, objects, connections);
}

const VERSION: FbxNode = { name: 'Version', properties: [{ int: 232 }] };

function createRoots(version: number, objects: FbxNode[], connections: FbxNode[]): FbxNode[] {
  return [
    { name: 'FBXHeaderExtension', children: [{ name: 'FBXVersion', properties: [{ int: version }] }] },
    { name: 'Objects', children: objects },
    { name: 'Connections', children: connections },
  ];
}

function pointsOf({ factor = 1 }: LodModel): number[] {
  return POINTS.map((value) => value * factor);
}

function cornersOf(faceCount: number): number[] {
  return BOX_FACES.slice(0, faceCount).flatMap(([a, b, c, d]) => [a, b, c, -d - 1]);
}

function serializeText({ name, properties = [], children = [] }: FbxNode, indent = ''): string {
  const values = properties.map(serializeProperty).join(',');
  if (values.includes('{')) return `${indent}${name}: ${values}\n`;
  const body = children.map((child) => serializeText(child, `${indent}  `)).join('');
  return `${indent}${name}: ${values}${children.length > 0 ? ` {\n${body}${indent}}` : ''}\n`;
}

function serializeProperty(property: FbxProperty): string {
  if (typeof property === 'string') return `"${property}"`;
  if ('doubles' in property) return `*${property.doubles.length} {\n a: ${property.doubles.join()}\n}`;
  if ('ints' in property) return `*${property.ints.length} {\n a: ${property.ints.join()}\n}`;
  return String(Object.values(property)[0]);
}
