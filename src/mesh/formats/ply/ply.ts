import type { ReportWarning } from '../../analysis/report.js';
import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import { buildMeshFromFaces } from '../build-mesh-from-faces.js';
import { createLossWarnings, type Loss } from '../losses.js';
import type { ParsedModel } from '../parsed-model.js';
import { type PlyElement, type PlyHeader, type PlyProperty, readPlyHeader } from './ply-header.js';
import { PlyBinaryValues, PlyTextValues, type PlyValues } from './ply-values.js';

interface PlyFaces {
  points: GrowableFloat64Array;
  corners: GrowableFloat64Array;
  faceStarts: GrowableFloat64Array;
}

const FACE_LISTS = ['vertex_indices', 'vertex_index'];

/**
 * Reads a PLY, text or binary of either byte order: `x`, `y`, `z` of `vertex`, the index lists of `face`, and `tristrips`. Elements and
 * properties that it does not know are skipped by their declared types. A file that ends early keeps what is whole.
 */
export function parsePly(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const header = readPlyHeader(bytes);
  const values = valuesOf(header, bytes.subarray(header.bytes));
  const faces = {
    points: new GrowableFloat64Array(),
    corners: new GrowableFloat64Array(),
    faceStarts: new GrowableFloat64Array(),
  };
  const warnings: ReportWarning[] = [];
  for (const element of header.elements) {
    const wholeCount = readElements(element, values, faces, onProgress);
    if (wholeCount === element.count) continue;
    const message = `The header counts ${element.count} of “${element.name.slice(0, 40)}”, the file holds ${wholeCount}: these were read`;
    warnings.push({ code: 'TRUNCATED', message });
    break;
  }
  if (faces.faceStarts.length === 0) warnings.push({ code: 'NO_FACES', message: 'It has points, but no faces' });
  const read = buildMeshFromFaces({
    points: faces.points.values(),
    corners: faces.corners.values(),
    faceStarts: faces.faceStarts.values(),
  });
  return { mesh: read.mesh, warnings: [...warnings, ...read.warnings, ...createLossWarnings(lossesIn(header))] };
}

function valuesOf({ encoding }: PlyHeader, data: Uint8Array): PlyValues {
  return encoding === 'ascii'
    ? new PlyTextValues(data)
    : new PlyBinaryValues(data, encoding === 'binary_little_endian');
}

/** Reads all records of an element. Answers how many were whole. */
function readElements(element: PlyElement, values: PlyValues, faces: PlyFaces, onProgress?: OnProgress): number {
  if (element.properties.length === 0) return element.count;
  const readOne = createRecordReader(element, values, faces);
  for (let i = 0; i < element.count; i++) {
    if (!readOne()) return i;
    if ((i & 0xffff) === 0) onProgress?.(values.progress * 0.8);
  }
  return element.count;
}

/** A routine that reads one record, and answers whether it was whole. What is not whole leaves no trace. */
function createRecordReader({ name, properties }: PlyElement, values: PlyValues, faces: PlyFaces): () => boolean {
  if (name === 'vertex') return createVertexReader(properties, values, faces.points);
  const isStrip = name === 'tristrips';
  const wanted =
    name === 'face' || isStrip
      ? properties.find(({ name, countType }) => countType && FACE_LISTS.includes(name))
      : undefined;
  const list: number[] = [];
  return () => {
    list.length = 0;
    for (const property of properties) {
      if (!readValues(property, values, property === wanted ? list : undefined)) return false;
    }
    if (isStrip) pushStrip(faces, list);
    else if (wanted) pushFace(faces, list);
    return true;
  };
}

function createVertexReader(
  properties: readonly PlyProperty[],
  values: PlyValues,
  points: GrowableFloat64Array,
): () => boolean {
  // property → 0, 1, 2 for x, y, z; -1 for the others
  const axes = properties.map(({ name, countType }) => (countType ? -1 : ['x', 'y', 'z'].indexOf(name)));
  const point = [0, 0, 0];
  return () => {
    for (let k = 0; k < properties.length; k++) {
      const { type, countType } = properties[k];
      if (countType) {
        if (!readValues(properties[k], values, undefined)) return false;
        continue;
      }
      const value = values.next(type);
      if (value === undefined) return false;
      if (axes[k] >= 0) point[axes[k]] = value;
    }
    for (let k = 0; k < 3; k++) points.push(point[k]);
    return true;
  };
}

/** Reads a scalar or a list into `target`, or past it. Answers whether it was there. */
function readValues({ type, countType }: PlyProperty, values: PlyValues, target: number[] | undefined): boolean {
  if (!countType) return values.next(type) !== undefined;
  const count = values.next(countType);
  if (count === undefined || !(count >= 0 && count <= values.maxRemaining(type))) return false;
  for (let i = 0; i < count; i++) {
    const value = values.next(type);
    if (value === undefined) return false;
    target?.push(value);
  }
  return true;
}

function pushFace({ corners, faceStarts }: PlyFaces, face: readonly number[]): void {
  faceStarts.push(corners.length);
  for (let i = 0; i < face.length; i++) corners.push(face[i]);
}

/** A strip: each corner makes a triangle with the two before it, every second one turned; -1 begins anew. */
function pushStrip(faces: PlyFaces, strip: readonly number[]): void {
  let start = 0;
  for (let i = 0; i < strip.length; i++) {
    if (strip[i] === -1) start = i + 1;
    else if (i - start >= 2) {
      const [a, b, c] = [strip[i - 2], strip[i - 1], strip[i]];
      pushFace(faces, (i - start) % 2 === 0 ? [a, b, c] : [b, a, c]);
    }
  }
}

function lossesIn({ elements }: PlyHeader): Loss[] {
  const names = new Set(elements.flatMap(({ properties }) => properties.map(({ name }) => name)));
  const losses: Loss[] = [];
  if (names.has('red') || names.has('diffuse_red')) losses.push('COLOURS_DROPPED');
  if (names.has('texcoord') || names.has('texture_u') || names.has('s')) losses.push('MATERIALS_DROPPED');
  return losses;
}
