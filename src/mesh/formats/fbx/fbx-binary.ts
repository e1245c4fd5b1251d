import { assertDepth, createFbxNode, type FbxDocument, type FbxNode } from './fbx-node.js';

const SIGNATURE = 'Kaydara FBX Binary';
const VERSION_OFFSET = 23;
const HEADER_BYTES = 27;
/** From this version on, the head of a node has 64-bit numbers. */
const WIDE_VERSION = 7500;
/** Type code of a number → its size and how it is read. */
const NUMBERS: Record<string, { bytes: number; read: (view: DataView, offset: number) => number }> = {
  Y: { bytes: 2, read: (view, offset) => view.getInt16(offset, true) },
  C: { bytes: 1, read: (view, offset) => view.getInt8(offset) },
  I: { bytes: 4, read: (view, offset) => view.getInt32(offset, true) },
  F: { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  D: { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
  L: { bytes: 8, read: (view, offset) => Number(view.getBigInt64(offset, true)) },
};
const STRING_TYPES = 'SR';
const ARRAY_TYPES = 'fdlibc';
const ARRAY_HEAD_BYTES = 12;

/** The head of a node: its end, its name, and where its values begin and end. */
interface NodeHead {
  /** The offset after the node; 0 if it is not declared. */
  end: number;
  name: string;
  valuesStart: number;
  valuesEnd: number;
}

/** Returns the version of a binary FBX, such as 7400, or `undefined` for other content. */
export function readBinaryFbxVersion(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER_BYTES || toText(bytes, 0, SIGNATURE.length) !== SIGNATURE) return undefined;
  return viewOf(bytes).getUint32(VERSION_OFFSET, true);
}

/** Parses the nodes of a binary FBX. Reads the complete nodes of a truncated file, and skips arrays (version 7). */
export function readBinaryFbx(bytes: Uint8Array): FbxDocument {
  const view = viewOf(bytes);
  const root = createFbxNode('');
  const open: { node: FbxNode; end: number }[] = [{ node: root, end: bytes.length }];
  let isTruncated = false;
  for (let offset = HEADER_BYTES; open.length > 0; ) {
    const { node: parent, end: parentEnd } = open[open.length - 1];
    const head = offset < parentEnd ? readHead(bytes, view, offset, parentEnd) : undefined;
    if (!head) {
      // An empty head, or the end of the parent, ends its children. What follows the roots is no node.
      open.pop();
      offset = parentEnd;
      continue;
    }
    if (head === 'truncated') {
      isTruncated = true;
      break;
    }
    const node = createFbxNode(head.name, head.valuesStart);
    readValues(bytes, view, head, node);
    parent.children.push(node);
    offset = head.valuesEnd;
    if (head.end <= head.valuesEnd) continue;
    assertDepth(open.length);
    open.push({ node, end: Math.min(head.end, parentEnd) });
  }
  return { roots: root.children, isTruncated };
}

/**
 * Returns a binary FBX whose nodes all declare their end. Some programs write 0 for a node without children, which
 * assimp rejects. Returns other files unchanged.
 */
export function declareNodeEnds(bytes: Uint8Array): Uint8Array {
  const version = readBinaryFbxVersion(bytes);
  if (version === undefined) return bytes;
  let result = bytes;
  let rootEnd = 0; // the end of the current node without a parent
  for (let offset = HEADER_BYTES; offset < bytes.length; ) {
    const head = readHead(bytes, viewOf(bytes), offset, bytes.length);
    if (head === 'truncated') break;
    if (!head) {
      if (offset >= rootEnd) break; // the end of the last root
      offset += emptyHeadBytes(version);
      continue;
    }
    if (offset >= rootEnd) rootEnd = Math.max(head.end, head.valuesEnd);
    if (head.end === 0) {
      if (result === bytes) result = bytes.slice();
      writeEnd(viewOf(result), offset, version, head.valuesEnd);
    }
    offset = head.valuesEnd;
  }
  return result;
}

/** Reads the head at `offset`: `undefined` if it is empty, `truncated` if it or its values go beyond `limit`. */
function readHead(
  bytes: Uint8Array,
  view: DataView,
  offset: number,
  limit: number,
): NodeHead | 'truncated' | undefined {
  const isWide = view.getUint32(VERSION_OFFSET, true) >= WIDE_VERSION;
  const size = isWide ? 8 : 4;
  const nameStart = offset + size * 3 + 1;
  if (nameStart > limit) return 'truncated';
  const read = (at: number): number => (isWide ? Number(view.getBigUint64(at, true)) : view.getUint32(at, true));
  const end = read(offset);
  const valuesStart = nameStart + bytes[nameStart - 1];
  if (end === 0 && valuesStart === nameStart) return undefined;
  const valuesEnd = valuesStart + read(offset + size * 2);
  if (valuesEnd > limit) return 'truncated';
  return { end, name: toText(bytes, nameStart, valuesStart), valuesStart, valuesEnd };
}

/** Reads the values of a node, up to one of an unknown type. */
function readValues(bytes: Uint8Array, view: DataView, { valuesStart, valuesEnd }: NodeHead, node: FbxNode): void {
  for (let offset = valuesStart; offset < valuesEnd; ) {
    const type = String.fromCharCode(bytes[offset++]);
    const number = Object.hasOwn(NUMBERS, type) ? NUMBERS[type] : undefined;
    if (number) {
      if (offset + number.bytes > valuesEnd) return;
      node.numbers.push(number.read(view, offset));
      offset += number.bytes;
    } else if (STRING_TYPES.includes(type) && offset + 4 <= valuesEnd) {
      const end = offset + 4 + view.getUint32(offset, true);
      if (type === 'S') node.strings.push(toText(bytes, offset + 4, Math.min(end, valuesEnd)));
      offset = end;
    } else if (ARRAY_TYPES.includes(type) && offset + ARRAY_HEAD_BYTES <= valuesEnd) {
      node.arrayLength = view.getUint32(offset, true);
      offset += ARRAY_HEAD_BYTES + view.getUint32(offset + 8, true);
    } else return;
  }
}

function writeEnd(view: DataView, offset: number, version: number, end: number): void {
  if (version >= WIDE_VERSION) view.setBigUint64(offset, BigInt(end), true);
  else view.setUint32(offset, end, true);
}

function emptyHeadBytes(version: number): number {
  return version >= WIDE_VERSION ? 25 : 13;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function toText(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, Math.max(0, end - start)).toString('utf8');
}
