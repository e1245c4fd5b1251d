import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import type { ObjectRange, OnProgress } from '../../core/mesh.js';
import { pluralize } from '../../core/pluralize.js';
import type { ParsedModel, ReaderWarning } from '../format.js';
import { buildMeshFromFaces, type Faces } from '../reading/build-mesh-from-faces.js';
import { createLossWarnings } from '../reading/losses.js';
import { TextScanner } from '../text/text-scanner.js';

// Dialects that are accepted, and what writes them:
//
// | dialect                                                          | written by                         |
// | ---------------------------------------------------------------- | ---------------------------------- |
// | faces with textures and normals, of any number of corners        | Blender, Maya, 3ds Max             |
// | negative indices; faces before their vertices                    | programs that write in one pass    |
// | vertices with a weight or a color                                | MeshLab, ZBrush, photogrammetry    |
// | a backslash that continues `v` and `f`                           | Rhino, Alias                       |
// | a backslash at the end of a comment or name, without meaning     | Windows programs (`# C:\models\`) |
// | names in `o`, or only in `g`                                     | Blender; Maya, 3ds Max             |
// | CR, tabs, decimal commas, UTF-16                                 | old or localized programs          |
//
// Points, lines, curves and surfaces are ignored. The format has no end and declares no counts: a file that is cut within
// a line is recognized by that line, or by vertices that nothing uses. Assimp reads the same triangles, but refuses a file with an invalid
// index, where this reader skips the face, and continues comments and names that end with a backslash.

/** The parsed lines of an OBJ. Indices are not checked yet, because a face may precede its vertices. */
interface ObjLines {
  points: GrowableFloat64Array;
  /** A buffer for the point being read. */
  point: Float64Array;
  /** Zero-based point indices of all faces in sequence; -1 for an invalid index. */
  corners: GrowableFloat64Array;
  /** face → its first entry in `corners` */
  faceStarts: GrowableFloat64Array;
  /** Names of `o` and `g` lines, each with the index of the face that follows. */
  names: { kind: 'o' | 'g'; name: string; firstFace: number }[];
  hasMaterials: boolean;
  /** Whether points, lines, curves or surfaces use vertices, too. */
  hasOtherElements: boolean;
}

const OTHER_ELEMENTS = ['l', 'p', 'curv', 'surf'];

/**
 * A file without a last line end counts as truncated if more vertices than these belong to no face: a few are left over
 * in complete files, too.
 */
const MAX_UNUSED = { count: 2, fraction: 0.005 };

/** The bytes LF and CR, and SUB, which CP/M and DOS programs write at the end of a text. */
const LINE_ENDS = [0x0a, 0x0d, 0x1a];

/**
 * Parses an OBJ: `v`, `f`, `o` and `g`. Triangulates faces of any number of corners. Objects are named by `o` lines or,
 * if there are none, by `g` lines. Skips and counts faces with an index that is zero or out of range, or with an
 * invalid coordinate.
 */
export function parseObj(bytes: Uint8Array, onProgress?: OnProgress): ParsedModel {
  const lines = readLines(bytes, onProgress);
  const faces = {
    points: lines.points.values(),
    corners: lines.corners.values(),
    faceStarts: lines.faceStarts.values(),
  };
  const { mesh, firstTriangleOf, warnings } = buildMeshFromFaces(faces);
  onProgress?.(0.95);
  const objects = objectRanges(lines.names, firstTriangleOf);
  if (objects.length > 0) mesh.objects = objects;
  const truncation = LINE_ENDS.includes(bytes[bytes.length - 1]) ? [] : describeTruncation(lines, faces);
  const losses = createLossWarnings(lines.hasMaterials ? ['MATERIALS_DROPPED'] : []);
  return { mesh, warnings: [...truncation, ...warnings, ...losses] };
}

/**
 * Returns a warning if the last line, which has no end, is incomplete, or if nothing uses many of the vertices. A file without
 * any element is none of this format.
 */
function describeTruncation({ hasOtherElements }: ObjLines, { points, corners, faceStarts }: Faces): ReaderWarning[] {
  const isLineIncomplete = corners.length - (faceStarts.at(-1) ?? 0) < 3;
  const pointCount = points.length / 3;
  const isUsed = new Uint8Array(pointCount);
  for (const corner of corners) isUsed[corner] = 1;
  const unusedCount = hasOtherElements ? 0 : isUsed.reduce((count, used) => count - used, pointCount);
  const isUsedEnough = unusedCount <= Math.max(MAX_UNUSED.count, MAX_UNUSED.fraction * pointCount);
  const hasFaces = faceStarts.length > 0 || hasOtherElements;
  if (!hasFaces || (!isLineIncomplete && isUsedEnough)) return [];
  const unused =
    unusedCount === 0 ? '' : `, and ${unusedCount} of ${pluralize(pointCount, 'vertex', 'vertices')} belong to no face`;
  return [{ code: 'TRUNCATED', message: `The file ends within a line${unused}; only complete faces were read.` }];
}

function readLines(bytes: Uint8Array, onProgress?: OnProgress): ObjLines {
  const scanner = new TextScanner(bytes, { hasContinuations: true, hasComments: true });
  const lines: ObjLines = {
    points: new GrowableFloat64Array(),
    point: new Float64Array(3),
    corners: new GrowableFloat64Array(),
    faceStarts: new GrowableFloat64Array(),
    names: [],
    hasMaterials: false,
    hasOtherElements: false,
  };
  for (let count = 1; !scanner.isAtEnd; count++) {
    if (scanner.hasWord()) readLine(scanner, lines);
    scanner.skipLine();
    if ((count & 0xffff) === 0) onProgress?.(scanner.progress * 0.7);
  }
  return lines;
}

function readLine(scanner: TextScanner, lines: ObjLines): void {
  if (scanner.acceptWord('v')) {
    scanner.takeNumbers(lines.point);
    for (let k = 0; k < 3; k++) lines.points.push(lines.point[k]);
  } else if (scanner.acceptWord('f')) {
    const pointCount = lines.points.length / 3;
    lines.faceStarts.push(lines.corners.length);
    while (scanner.hasWord()) {
      const index = scanner.takeInteger();
      scanner.skipWord();
      // Positive indices count from 1, negative ones back from the last vertex read.
      lines.corners.push(index > 0 ? index - 1 : index < 0 ? Math.max(-1, pointCount + index) : -1);
    }
  } else if (scanner.acceptWord('vn') || scanner.acceptWord('vt')) return;
  else if (scanner.acceptWord('o')) pushName(lines, 'o', scanner.restOfLine());
  else if (scanner.acceptWord('g')) pushName(lines, 'g', scanner.restOfLine());
  else if (scanner.acceptWord('usemtl')) lines.hasMaterials = true;
  else if (OTHER_ELEMENTS.some((word) => scanner.acceptWord(word))) lines.hasOtherElements = true;
}

function pushName(lines: ObjLines, kind: 'o' | 'g', name: string): void {
  lines.names.push({ kind, name, firstFace: lines.faceStarts.length });
}

function objectRanges(names: ObjLines['names'], firstTriangleOf: Float64Array): ObjectRange[] {
  const kind = names.some((entry) => entry.kind === 'o') ? 'o' : 'g';
  const entries = names.filter((entry) => entry.kind === kind && entry.name !== '');
  return entries
    .map(({ name, firstFace }, index) => {
      const endFace = entries[index + 1]?.firstFace ?? firstTriangleOf.length - 1;
      const firstTriangle = firstTriangleOf[firstFace];
      return { name, firstTriangle, triangleCount: firstTriangleOf[endFace] - firstTriangle };
    })
    .filter((object) => object.triangleCount > 0);
}
