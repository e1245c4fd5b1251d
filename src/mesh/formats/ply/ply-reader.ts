import type { ReportWarning } from '../../analysis/report.js';
import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import type { ParsedModel } from '../format.js';
import { buildMeshFromFaces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings, type Loss } from '../reading/losses.js';
import { type PlyElement, type PlyHeader, type PlyProperty, readPlyHeader } from './ply-header.js';
import { PlyBinaryValues, PlyTextValues, type PlyValues } from './ply-values.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                        | written by                         |
// | -------------------------------------------------------------- | ---------------------------------- |
// | text, binary of either byte order                              | MeshLab, CloudCompare, Blender     |
// | `vertex_indices` or `vertex_index`                             | MeshLab; Stanford, VTK             |
// | types by name or by size (`float`, `float32`)                  | Stanford; Open3D, PCL              |
// | strips of triangles (`tristrips`), which -1 separates          | Stanford 3D Scanning Repository    |
// | records that run over lines; more values than declared in a line | scripts                            |
// | other elements and properties                                  | scanners, MeshLab, Gaussian splats |
// | LF, CR or CR LF after the header                               | all systems                        |
//
// Assimp reads the same triangles, but takes the first vertex in place of a missing one, reads one triangle of a strip,
// and reads no records that run over lines.

interface PlyFaces {
  points: GrowableFloat64Array;
  corners: GrowableFloat64Array;
  faceStarts: GrowableFloat64Array;
}

/** The records of a file, as far as they are complete. */
interface PlyRecords {
  faces: PlyFaces;
  /** Reports missing records; empty if there are none. */
  warnings: ReportWarning[];
  /** The fraction of the declared faces that the file contains, if it ends among them. */
  readFraction?: number;
  /** Whether the file contains the declared records and nothing else. */
  isExact: boolean;
}

const FACE_LISTS = ['vertex_indices', 'vertex_index'];

/**
 * Parses a PLY, ASCII or binary of either byte order: `x`, `y`, `z` of `vertex`, the index lists of `face`, and
 * `tristrips`. Skips other elements and properties by their declared types. Reads the complete elements of a truncated
 * file.
 */
export function parsePly(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const header = readPlyHeader(bytes);
  const data = bytes.subarray(header.bytes);
  const { faces, warnings, readFraction } =
    header.encoding === 'ascii'
      ? readText(header, data, onProgress)
      : readRecords(header, new PlyBinaryValues(data, header.encoding === 'binary_little_endian'), onProgress);
  if (faces.faceStarts.length === 0)
    warnings.push({ code: 'NO_FACES', message: 'The file contains points but no faces.' });
  const result = buildMeshFromFaces({
    points: faces.points.values(),
    corners: faces.corners.values(),
    faceStarts: faces.faceStarts.values(),
  });
  const losses = createLossWarnings(lossesIn(header));
  return { mesh: result.mesh, warnings: [...warnings, ...result.warnings, ...losses], readFraction };
}

/**
 * Reads the values of a text as a stream, as its records may be anywhere in a line. If that leaves values over or is
 * incomplete, reads one record per line: some programs write more values than they declare.
 */
function readText(header: PlyHeader, data: Uint8Array, onProgress?: OnProgress): PlyRecords {
  const stream = readRecords(header, new PlyTextValues(data, false), onProgress);
  if (stream.isExact) return stream;
  const lines = readRecords(header, new PlyTextValues(data, true), onProgress);
  const isComplete = lines.warnings.length === 0;
  return isComplete || countUsableFaces(lines.faces) > countUsableFaces(stream.faces) ? lines : stream;
}

/** Returns the number of faces whose corners are all points of the file. Values that are out of step give few. */
function countUsableFaces({ points, corners, faceStarts }: PlyFaces): number {
  const [pointCount, indices, starts] = [points.length / 3, corners.values(), faceStarts.values()];
  let count = 0;
  for (let face = 0; face < starts.length; face++) {
    const end = starts[face + 1] ?? indices.length;
    let isUsable = end - starts[face] >= 3;
    for (let i = starts[face]; i < end && isUsable; i++) isUsable = indices[i] >= 0 && indices[i] < pointCount;
    if (isUsable) count++;
  }
  return count;
}

function readRecords(header: PlyHeader, values: PlyValues, onProgress?: OnProgress): PlyRecords {
  const faces: PlyFaces = {
    points: new GrowableFloat64Array(),
    corners: new GrowableFloat64Array(),
    faceStarts: new GrowableFloat64Array(),
  };
  for (const element of header.elements) {
    const readCount = readElements(element, values, faces, onProgress);
    if (readCount === element.count) continue;
    const message = `The header declares ${element.count} of “${element.name.slice(0, 40)}”; the file contains ${readCount}, which were read.`;
    const isFace = element.name === 'face';
    const skipped = isFace ? { skipped: { faces: element.count - readCount } } : {};
    return {
      ...{ faces, warnings: [{ code: 'TRUNCATED', message, ...skipped }], isExact: false },
      ...(isFace && { readFraction: readCount / element.count }),
    };
  }
  return { faces, warnings: [], isExact: values.isAtEnd() };
}

/** Reads all records of an element. Returns how many were complete. */
function readElements(element: PlyElement, values: PlyValues, faces: PlyFaces, onProgress?: OnProgress): number {
  if (element.properties.length === 0) return element.count;
  const readRecord = createRecordReader(element, values, faces);
  for (let i = 0; i < element.count; i++) {
    if (!readRecord()) return i;
    values.endRecord();
    if ((i & 0xffff) === 0) onProgress?.(values.progress * 0.8);
  }
  return element.count;
}

/** Returns a function that reads one record and returns whether it was complete. An incomplete record adds nothing. */
function createRecordReader({ name, properties }: PlyElement, values: PlyValues, faces: PlyFaces): () => boolean {
  if (name === 'vertex') return createVertexReader(properties, values, faces.points);
  const isStrip = name === 'tristrips';
  const indexList =
    name === 'face' || isStrip
      ? properties.find(({ name, countType }) => countType && FACE_LISTS.includes(name))
      : undefined;
  const list: number[] = [];
  return () => {
    list.length = 0;
    for (const property of properties) {
      if (!readValues(property, values, property === indexList ? list : undefined)) return false;
    }
    if (isStrip) pushStrip(faces, list);
    else if (indexList) pushFace(faces, list);
    return true;
  };
}

/** Returns a function like that of `createRecordReader` for vertices. */
function createVertexReader(
  properties: readonly PlyProperty[],
  values: PlyValues,
  points: GrowableFloat64Array,
): () => boolean {
  // property → 0, 1, 2 for x, y, z; -1 for others
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

/** Reads a scalar or a list into `target`, or skips it. Returns whether it was complete. */
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

/**
 * Adds the triangles of a strip: each corner forms one with the two before it, every second one reversed. -1 restarts
 * the strip.
 */
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
