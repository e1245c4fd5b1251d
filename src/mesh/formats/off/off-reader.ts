import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { OnProgress } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import { pluralize } from '../../core/pluralize.js';
import type { ParsedModel, ReaderWarning } from '../format.js';
import { buildMeshFromFaces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings } from '../reading/losses.js';
import { TextScanner } from '../text/text-scanner.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                          | written by                     |
// | ---------------------------------------------------------------- | ------------------------------ |
// | `OFF` and the counts on the next line                            | Geomview, CGAL, MeshLab, libigl |
// | counts directly after the keyword, with or without a space       | ModelNet40 (`OFF8 12 0`)       |
// | counts on a line each; no edge count; no keyword                 | scripts                        |
// | prefixes for colors, normals and textures in any order (`NCOFF`) | Geomview, CGAL, MeshLab        |
// | comments and empty lines anywhere                                | Geomview, CGAL                 |
// | faces over several lines, colors after a face                    | Geomview, MeshLab              |
//
// `4OFF`, `nOFF` and binary files are refused. Assimp reads the same triangles, but takes the first vertex in place of a
// missing one, where this reader skips the face.

const MAX_KEYWORD_BYTES = 64;
const KEYWORD = /^((?:st|c|n)*)off(?![a-z])/i;
/** A lower-case n means any number of dimensions, a capital one means normals. */
const DIMENSIONS = /^\w*nOFF/;

/**
 * Parses an ASCII OFF and its variants with colors, normals or texture coordinates after the coordinates. The keyword
 * OFF may be missing; comments and empty lines are allowed anywhere, and a face may run over several lines. Reads the
 * complete elements of a truncated file.
 */
export function parseOff(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const scanner = new TextScanner(bytes, { hasComments: true });
  const prefix = readKeyword(scanner, bytes);
  const [vertexCount, faceCount] = [readCount(scanner, 'vertices'), readCount(scanner, 'faces')];
  skipEdgeCount(scanner);
  const points = new GrowableFloat64Array();
  const point = new Float64Array(3);
  let vertexReadCount = 0;
  for (; vertexReadCount < vertexCount && seekWord(scanner); vertexReadCount++) {
    scanner.takeNumbers(point);
    for (let k = 0; k < 3; k++) points.push(point[k]);
    scanner.skipLine();
    if ((vertexReadCount & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
  }
  const faces = readBestFaces(scanner, faceCount, onProgress);
  const warnings: ReaderWarning[] = [];
  const readFraction = faces.faceStarts.length < faceCount ? faces.faceStarts.length / faceCount : undefined;
  if (vertexReadCount < vertexCount || faces.faceStarts.length < faceCount) {
    const message = `The header declares ${pluralize(vertexCount, 'vertex', 'vertices')} and ${pluralize(faceCount, 'face')}; the file contains ${vertexReadCount} and ${faces.faceStarts.length}, which were read.`;
    const missingCount = faceCount - faces.faceStarts.length;
    warnings.push({ code: 'TRUNCATED', message, ...(missingCount > 0 && { skipped: { faces: missingCount } }) });
  }
  const { corners, faceStarts, hasColors } = faces;
  const result = buildMeshFromFaces({
    points: points.values(),
    corners: corners.values(),
    faceStarts: faceStarts.values(),
  });
  const losses = createLossWarnings([
    ...(hasColors || prefix.includes('c') ? (['COLOURS_DROPPED'] as const) : []),
    ...(prefix.includes('st') ? (['MATERIALS_DROPPED'] as const) : []),
  ]);
  return { mesh: result.mesh, warnings: [...warnings, ...result.warnings, ...losses], readFraction };
}

/**
 * Moves past the keyword OFF and returns its prefix in lower case. Throws `FILE_MALFORMED` for an unsupported variant.
 */
function readKeyword(scanner: TextScanner, bytes: Uint8Array): string {
  seekWord(scanner);
  const start = new TextDecoder('latin1').decode(
    bytes.subarray(scanner.position, scanner.position + MAX_KEYWORD_BYTES),
  );
  const match = DIMENSIONS.test(start) ? null : KEYWORD.exec(start);
  if (match) {
    scanner.position += match[0].length;
    if (!/^[ \t]*binary/i.test(start.slice(match[0].length))) return match[1].toLowerCase();
    throw new MeshError('FILE_MALFORMED', 'Could not read the OFF: it is binary. Save it as text.');
  }
  if (/^\d+\s+\d+/.test(start)) return '';
  throw new MeshError(
    'FILE_MALFORMED',
    'Invalid OFF: it begins neither with OFF nor with counts, or is not three-dimensional.',
  );
}

/** Skips the edge count, which is often 0 or missing, and may be on a line of its own. */
function skipEdgeCount(scanner: TextScanner): void {
  const isOnLine = scanner.hasWord();
  scanner.skipLine();
  const start = scanner.position;
  if (isOnLine || !seekWord(scanner)) return;
  scanner.skipWord();
  // More words are the coordinates of the first vertex.
  if (scanner.hasWord()) scanner.position = start;
  else scanner.skipLine();
}

/** Moves to the next word, across lines and comments. Returns false at the end of the text. */
function seekWord(scanner: TextScanner): boolean {
  while (!scanner.isAtEnd) {
    if (scanner.hasWord()) return true;
    scanner.skipLine();
  }
  return false;
}

function readCount(scanner: TextScanner, elements: string): number {
  const count = seekWord(scanner) ? scanner.takeNumber() : Number.NaN;
  if (Number.isInteger(count) && count >= 0) return count;
  throw new MeshError('FILE_MALFORMED', `Invalid OFF: the header has no count of ${elements}.`);
}

interface OffFaces {
  corners: GrowableFloat64Array;
  faceStarts: GrowableFloat64Array;
  /** Whether numbers follow the corners of a face: its color. */
  hasColors: boolean;
  /** The number of faces with as many corners as they declare. */
  completeCount: number;
}

/**
 * Reads one face per line. If lines are short, reads the faces again across line ends, and returns the result with more
 * complete faces: a single short line is damage, after which no other line should be misread.
 */
function readBestFaces(scanner: TextScanner, faceCount: number, onProgress?: OnProgress): OffFaces {
  const start = scanner.position;
  const faces = readFaces(scanner, faceCount, (text) => text.hasWord(), onProgress);
  if (faces.completeCount === faces.faceStarts.length) return faces;
  scanner.position = start;
  const wrapped = readFaces(scanner, faceCount, seekWord, onProgress);
  return wrapped.completeCount > faces.completeCount ? wrapped : faces;
}

/** Reads the faces. `seekCorner` moves to the next corner of a face and returns whether there is one. */
function readFaces(
  scanner: TextScanner,
  faceCount: number,
  seekCorner: (scanner: TextScanner) => boolean,
  onProgress?: OnProgress,
): OffFaces {
  const faces: OffFaces = {
    corners: new GrowableFloat64Array(),
    faceStarts: new GrowableFloat64Array(),
    hasColors: false,
    completeCount: 0,
  };
  while (faces.faceStarts.length < faceCount && seekWord(scanner)) {
    const cornerCount = scanner.takeNumber();
    faces.faceStarts.push(faces.corners.length);
    let readCount = 0;
    for (; readCount < cornerCount && seekCorner(scanner); readCount++) faces.corners.push(scanner.takeNumber());
    // If the count exceeds the corners, one NaN marks the face as invalid.
    if (readCount < cornerCount) faces.corners.push(Number.NaN);
    else faces.completeCount++;
    faces.hasColors ||= scanner.hasWord();
    scanner.skipLine();
    if ((faces.faceStarts.length & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
  }
  return faces;
}
