import { BOX_FACES, BOX_POINTS_Y_UP } from './box.js';

/** A property of a node: a string, a 32-bit or 64-bit number, a double, or an array of doubles or integers. */
export type FbxProperty =
  | string
  | { int: number }
  | { long: number }
  | { double: number }
  | { doubles: number[] }
  | { ints: number[] };

export interface FbxNode {
  name: string;
  properties?: FbxProperty[];
  children?: FbxNode[];
}

function numbered(letter: string, size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(1 + size);
  bytes.write(letter);
  write(bytes);
  return bytes;
}
function array(letter: string, count: number, data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(letter), Buffer.from(new Uint32Array([count, 0, data.length]).buffer), data]);
}

function serializeProperty(value: FbxProperty): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([numbered('S', 4, (bytes) => bytes.writeUInt32LE(text.length, 1)), text]);
  }
  if ('int' in value) return numbered('I', 4, (bytes) => bytes.writeInt32LE(value.int, 1));
  if ('long' in value) return numbered('L', 8, (bytes) => bytes.writeBigInt64LE(BigInt(value.long), 1));
  if ('double' in value) return numbered('D', 8, (bytes) => bytes.writeDoubleLE(value.double, 1));
  if ('ints' in value) return array('i', value.ints.length, Buffer.from(new Int32Array(value.ints).buffer));
  return array('d', value.doubles.length, Buffer.from(new Float64Array(value.doubles).buffer));
}

/** How a binary file is written. */
interface FbxForm {
  version: number;
  /** Whether nodes without children declare 0 as their end. */
  omitsEnds: boolean;
}

/** Serializes a node at a file offset. Nodes contain the absolute offset of their end. */
function serializeNode(
  { name, properties = [], children = [] }: FbxNode,
  offset: number,
  form: FbxForm,
): Buffer<ArrayBuffer> {
  const isWide = form.version >= 7500;
  const size = isWide ? 8 : 4;
  const head = Buffer.alloc(size * 3 + 1 + name.length);
  const write = (value: number, index: number) => {
    if (isWide) head.writeBigUInt64LE(BigInt(value), index * size);
    else head.writeUInt32LE(value, index * size);
  };
  const data = Buffer.concat(properties.map(serializeProperty));
  const parts: Uint8Array[] = [head, data];
  let end = offset + head.length + data.length;
  for (const child of children) {
    const part = serializeNode(child, end, form);
    parts.push(part);
    end += part.length;
  }
  if (children.length > 0) {
    parts.push(Buffer.alloc(size * 3 + 1));
    end += size * 3 + 1;
  }
  write(form.omitsEnds && children.length === 0 ? 0 : end, 0);
  write(properties.length, 1);
  write(data.length, 2);
  head.writeUInt8(name.length, size * 3);
  head.write(name, size * 3 + 1);
  return Buffer.concat(parts);
}

function setting(name: string, value: FbxProperty): FbxNode {
  return {
    name: 'P',
    properties: [name, 'type', 'label', '', value],
  };
}

/** Returns a binary FBX of the box in inches. */
export function binaryFbxBox(form: Partial<FbxForm> = {}): Buffer {
  const settings = [setting('UpAxis', { int: 1 }), setting('UnitScaleFactor', { double: 2.54 })];
  const geometry: FbxNode[] = [
    { name: 'Vertices', properties: [{ doubles: BOX_POINTS_Y_UP.flat() }] },
    { name: 'PolygonVertexIndex', properties: [{ ints: BOX_FACES.flatMap(([a, b, c, d]) => [a, b, c, -d - 1]) }] },
  ];
  const roots: FbxNode[] = [
    { name: 'FBXHeaderExtension', children: [{ name: 'FBXVersion', properties: [{ int: 7400 }] }] },
    { name: 'GlobalSettings', children: [{ name: 'Properties70', children: settings }] },
    {
      name: 'Objects',
      children: [
        { name: 'Geometry', properties: [{ long: 1001 }, '\0\x01Geometry', 'Mesh'], children: geometry },
        {
          name: 'Model',
          properties: [{ long: 2001 }, 'lid\0\x01Model', 'Mesh'],
          children: [{ name: 'Shading', properties: ['T'] }],
        },
      ],
    },
    {
      name: 'Connections',
      children: [
        { name: 'C', properties: ['OO', { long: 2001 }, { long: 0 }] },
        { name: 'C', properties: ['OO', { long: 1001 }, { long: 2001 }] },
      ],
    },
  ];
  return serializeFbx(roots, form);
}

/** Serializes a binary FBX, of version 7.4 by default. */
export function serializeFbx(roots: readonly FbxNode[], form: Partial<FbxForm> = {}): Buffer {
  const { version = 7400, omitsEnds = false } = form;
  const parts: Uint8Array[] = [
    Buffer.from('Kaydara FBX Binary  \0\x1a\0', 'latin1'),
    Buffer.from(new Uint32Array([version]).buffer),
  ];
  let offset = 27;
  for (const root of roots) {
    const part = serializeNode(root, offset, { version, omitsEnds });
    parts.push(part);
    offset += part.length;
  }
  return Buffer.concat([...parts, Buffer.alloc(25)]);
}
