import type { ReportWarning } from '../analysis/report.js';
import { GrowableFloat64Array } from '../core/growable-float64-array.js';
import type { IndexedMesh, OnProgress } from '../core/mesh.js';
import { MeshError } from '../core/mesh-error.js';
import { pluralize } from '../core/pluralize.js';
import { buildMeshFromFaces } from './build-mesh-from-faces.js';
import { createLossWarnings } from './losses.js';
import type { ParsedModel } from './parsed-model.js';
import { TextScanner } from './text/text-scanner.js';

const LINES_PER_CHUNK = 10_000;
const MAX_HEADER_BYTES = 4096;

/**
 * Reads an OFF in text: `OFF` and its kin with colours, normals or texture coordinates behind the coordinates (`COFF`, `NOFF`, `STOFF`).
 * The word OFF may be missing, comments and empty lines may stand anywhere. A file that ends early keeps what is whole.
 */
export function parseOff(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const scanner = new TextScanner(bytes, { hasComments: true });
  const prefix = readHeader(scanner, bytes);
  const [vertexCount, faceCount] = [takeCount(scanner, 'vertices'), takeCount(scanner, 'faces')];
  scanner.skipLine(); // the count of edges, which many write as 0
  const points = new GrowableFloat64Array();
  const point = new Float64Array(3);
  let wholeVertices = 0;
  for (; wholeVertices < vertexCount && seekWord(scanner); wholeVertices++) {
    scanner.takeNumbers(point);
    for (let k = 0; k < 3; k++) points.push(point[k]);
    scanner.skipLine();
    if ((wholeVertices & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
  }
  const faces = readFaces(scanner, faceCount, onProgress);
  const warnings: ReportWarning[] = [];
  if (wholeVertices < vertexCount || faces.faceStarts.length < faceCount) {
    const message = `The header counts ${pluralize(vertexCount, 'vertex', 'vertices')} and ${pluralize(faceCount, 'face')}, the file holds ${wholeVertices} and ${faces.faceStarts.length}: these were read`;
    warnings.push({ code: 'TRUNCATED', message });
  }
  const { corners, faceStarts, hasColors } = faces;
  const read = buildMeshFromFaces({
    points: points.values(),
    corners: corners.values(),
    faceStarts: faceStarts.values(),
  });
  const losses = createLossWarnings([
    ...(hasColors || prefix.includes('c') ? (['COLOURS_DROPPED'] as const) : []),
    ...(prefix.includes('st') ? (['MATERIALS_DROPPED'] as const) : []),
  ]);
  return { mesh: read.mesh, warnings: [...warnings, ...read.warnings, ...losses] };
}

/** Goes behind the word OFF, and answers what stands before it in that word. Throws for a kind that cannot be read. */
function readHeader(scanner: TextScanner, bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, MAX_HEADER_BYTES)).replace(/#.*/g, '').trimStart();
  const match = /^((?:st)?c?n?)off\b[ \t]*(binary)?/i.exec(start);
  if (!match) {
    if (/^\d+\s+\d+/.test(start)) return '';
    throw new MeshError(
      'FILE_MALFORMED',
      'This is no OFF of three dimensions: it begins neither with OFF nor with counts',
    );
  }
  if (match[2]) throw new MeshError('FILE_MALFORMED', 'This OFF is binary: save it as text');
  seekWord(scanner);
  scanner.skipWord();
  return (match[1] ?? '').toLowerCase();
}

/** Goes to the next word, over line ends and comments; false at the end of the text. */
function seekWord(scanner: TextScanner): boolean {
  while (!scanner.isAtEnd) {
    if (scanner.hasWord()) return true;
    scanner.skipLine();
  }
  return false;
}

function takeCount(scanner: TextScanner, what: string): number {
  const count = seekWord(scanner) ? scanner.takeNumber() : Number.NaN;
  if (Number.isInteger(count) && count >= 0) return count;
  throw new MeshError('FILE_MALFORMED', `This is no sound OFF: its header counts no ${what}`);
}

interface OffFaces {
  corners: GrowableFloat64Array;
  faceStarts: GrowableFloat64Array;
  /** Whether numbers stand behind the corners of a face: its colour. */
  hasColors: boolean;
}

function readFaces(scanner: TextScanner, faceCount: number, onProgress?: OnProgress): OffFaces {
  const faces: OffFaces = {
    corners: new GrowableFloat64Array(),
    faceStarts: new GrowableFloat64Array(),
    hasColors: false,
  };
  while (faces.faceStarts.length < faceCount && seekWord(scanner)) {
    const cornerCount = scanner.takeNumber();
    faces.faceStarts.push(faces.corners.length);
    // A count that is more than the line has corners ends with it: what is missing is no vertex.
    for (let k = 0; k < cornerCount; k++) {
      const isThere = scanner.hasWord();
      faces.corners.push(isThere ? scanner.takeNumber() : Number.NaN);
      if (!isThere) break;
    }
    faces.hasColors ||= scanner.hasWord();
    scanner.skipLine();
    if ((faces.faceStarts.length & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
  }
  return faces;
}

/** Writes an OFF in text, in millimetres. Numbers are the shortest that read back as the same float64. */
export function* serializeOff({ positions, triangles }: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `OFF\n${positions.length / 3} ${triangles.length / 3} 0\n`;
  const lineCount = (positions.length + triangles.length) / 3;
  for (let line = 0; line < lineCount; line++) {
    const offset = line * 3;
    const triangle = offset - positions.length;
    text +=
      triangle < 0
        ? `${positions[offset] + 0} ${positions[offset + 1] + 0} ${positions[offset + 2] + 0}\n`
        : `3 ${triangles[triangle]} ${triangles[triangle + 1]} ${triangles[triangle + 2]}\n`;
    if (line % LINES_PER_CHUNK === LINES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(text);
}
