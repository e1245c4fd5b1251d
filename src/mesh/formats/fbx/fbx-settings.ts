import { type AffineTransform, yUpToZUp } from '../reading/affine-transform.js';

const MM_PER_UNIT = 10;
/** Directions in which the right, up and front axes point in our coordinates: Z up, front toward -Y. */
const DIRECTIONS = [
  [1, 0, 0],
  [0, 0, 1],
  [0, -1, 0],
];

/**
 * Returns the transform of an FBX to mm with Z up, by its unit and axes. For our reader of FBX 6, and for assimp, which does not report
 * them. Default: centimeters with Y up. Finds the settings by name in text and binary files.
 */
export function readFbxTransform(bytes: Uint8Array): AffineTransform {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = file.indexOf('GlobalSettings');
  const readNumber = (name: string, fallback: number): number => {
    const value = from < 0 ? undefined : (binaryNumber(file, name, from) ?? textNumber(file, name, from));
    return value !== undefined && Number.isFinite(value) ? value : fallback;
  };
  const unitScale = readNumber('UnitScaleFactor', 1);
  const unitInMm = (unitScale > 0 ? unitScale : 1) * MM_PER_UNIT;
  const axes = [readNumber('CoordAxis', 0), readNumber('UpAxis', 1), readNumber('FrontAxis', 2)];
  if (axes.toSorted().join() !== '0,1,2') return yUpToZUp(unitInMm);
  const signs = ['CoordAxisSign', 'UpAxisSign', 'FrontAxisSign'].map((name) => (readNumber(name, 1) < 0 ? -1 : 1));
  const images = axes.map((_, row) => {
    const axis = axes.indexOf(row);
    return DIRECTIONS[axis].map((value) => value * signs[axis] * unitInMm + 0);
  });
  return [...images.flat(), 0, 0, 0];
}

/**
 * Returns the value of a property in a binary FBX: its name, several strings, then a number, each preceded by a type
 * code.
 */
function binaryNumber(file: Buffer, name: string, from: number): number | undefined {
  const head = Buffer.from(`S\0\0\0\0${name}`, 'latin1');
  head.writeUInt32LE(name.length, 1);
  const start = file.indexOf(head, from);
  if (start < 0) return undefined;
  let offset = start + head.length;
  while (offset + 5 <= file.length && file[offset] === 0x53) offset += 5 + file.readUInt32LE(offset + 1);
  const type = offset + 9 <= file.length ? String.fromCharCode(file[offset]) : '';
  if (type === 'D') return file.readDoubleLE(offset + 1);
  if (type === 'F') return file.readFloatLE(offset + 1);
  return type === 'I' ? file.readInt32LE(offset + 1) : undefined;
}

/** Returns the value of a property in an ASCII FBX: `P: "UnitScaleFactor", "double", "Number", "",2.54`. */
function textNumber(file: Buffer, name: string, from: number): number | undefined {
  const start = file.indexOf(`"${name}"`, from);
  if (start < 0) return undefined;
  const line = file.toString('latin1', start, start + 200);
  const value = /^"\w+"(?:\s*,\s*"[^"]*")*\s*,\s*([-+.\deE]+)/.exec(line)?.[1];
  return value === undefined ? undefined : Number(value);
}
