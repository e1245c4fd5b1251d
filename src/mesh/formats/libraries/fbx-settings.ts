import { type AffineTransform, yUpToZUp } from '../affine-transform.js';

const MM_PER_UNIT = 10;
/** Where the axes to the right, up and to the front point: a model stands with Z up and its front to -Y. */
const DIRECTIONS = [
  [1, 0, 0],
  [0, 0, 1],
  [0, -1, 0],
];

/**
 * The placement in mm, with Z up, of what an FBX holds: by its unit and its axes, which the library that reads the rest does not tell. Default:
 * centimetres with Y up. The settings are found by their names, in files of text and of bytes alike.
 */
export function readFbxPlacement(bytes: Uint8Array): AffineTransform {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const from = file.indexOf('GlobalSettings');
  const numberOf = (name: string, otherwise: number): number => {
    const value = from < 0 ? undefined : (binaryNumber(file, name, from) ?? textNumber(file, name, from));
    return value !== undefined && Number.isFinite(value) ? value : otherwise;
  };
  const unitScale = numberOf('UnitScaleFactor', 1);
  const unitInMm = (unitScale > 0 ? unitScale : 1) * MM_PER_UNIT;
  const axes = [numberOf('CoordAxis', 0), numberOf('UpAxis', 1), numberOf('FrontAxis', 2)];
  if (axes.toSorted().join() !== '0,1,2') return yUpToZUp(unitInMm);
  const signs = ['CoordAxisSign', 'UpAxisSign', 'FrontAxisSign'].map((name) => (numberOf(name, 1) < 0 ? -1 : 1));
  const images = axes.map((_, row) => {
    const which = axes.indexOf(row);
    return DIRECTIONS[which].map((value) => value * signs[which] * unitInMm + 0);
  });
  return [...images.flat(), 0, 0, 0];
}

/** The value of a property in a binary FBX: its name, some texts, then one number, each behind a letter for its type. */
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

/** The value of a property in an FBX of text: `P: "UnitScaleFactor", "double", "Number", "",2.54`. */
function textNumber(file: Buffer, name: string, from: number): number | undefined {
  const start = file.indexOf(`"${name}"`, from);
  if (start < 0) return undefined;
  const line = file.toString('latin1', start, start + 200);
  const value = /^"\w+"(?:\s*,\s*"[^"]*")*\s*,\s*([-+.\deE]+)/.exec(line)?.[1];
  return value === undefined ? undefined : Number(value);
}
