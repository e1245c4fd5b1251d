import { GrowingArray } from '../growing-array.js';
import type { IndexedMesh, ObjectRange, OnProgress } from '../mesh.js';
import type { ReportWarning } from '../report.js';
import { keptPositions, weldPoints } from '../topology/weld.js';
import { isPlaceable } from './is-placeable.js';
import type { ModelFile } from './model-file.js';
import { toPlainText } from './plain-text.js';
import { notFinite } from './stl-binary.js';
import { TextScanner } from './text-scanner.js';

const TRIANGLES_PER_CHUNK = 2_000;

/**
 * Reads an ASCII STL. Only `solid`, `vertex`, `endloop` and `endsolid` are looked at, without regard to case or line ends, so that what
 * other programs leave out or misspell does no harm. A loop of more than three corners becomes a fan of triangles. Several `solid`
 * sections become objects. A file that ends early keeps what is whole.
 */
export function parseStlAscii(bytes: Uint8Array, onProgress?: OnProgress): ModelFile {
  const scanner = new TextScanner(toPlainText(bytes));
  const corners = new GrowingArray(); // nine numbers a triangle
  const loop: number[] = [];
  const objects: ObjectRange[] = [];
  let droppedCount = 0;
  let isEnded = false;
  let words = 0;

  const endLoop = () => {
    if (!loop.every(isPlaceable)) droppedCount++;
    else for (let k = 6; k + 2 < loop.length; k += 3) pushTriangle(corners, loop, k);
    loop.length = 0;
  };
  while (scanner.toWord()) {
    if (scanner.takeWord('vertex')) {
      for (let k = 0; k < 3; k++) loop.push(scanner.hasWord() ? scanner.takeNumber() : Number.NaN);
      if ((++words & 0xffff) === 0) onProgress?.(scanner.progress * 0.8);
    } else if (scanner.takeWord('endloop')) endLoop();
    else if (scanner.takeWord('solid')) {
      isEnded = false;
      objects.push({ name: nameOf(scanner.restOfLine()), firstTriangle: corners.length / 9, triangleCount: 0 });
    } else if (scanner.takeWord('endsolid')) {
      isEnded = true;
      scanner.skipLine();
    } else scanner.skipWord();
  }
  const warnings: ReportWarning[] = [];
  if (droppedCount > 0) warnings.push(notFinite(droppedCount));
  if (!isEnded) warnings.push({ code: 'TRUNCATED', message: 'The file ends before endsolid: what was whole was read' });
  const points = corners.values();
  const { vertexOf, firstPoint } = weldPoints(points);
  const mesh: IndexedMesh = { positions: keptPositions(points, firstPoint), triangles: vertexOf };
  const named = withCounts(objects, vertexOf.length / 3);
  if (named.length > 0) mesh.objects = named;
  return { mesh, warnings };
}

/** Triangle of a loop's first corner, the corner before `k`, and `k`. */
function pushTriangle(corners: GrowingArray, loop: readonly number[], k: number): void {
  for (let i = 0; i < 3; i++) corners.push(loop[i]);
  for (let i = k - 3; i < k + 3; i++) corners.push(loop[i]);
}

/** The name behind `solid`, without a colour or comment that some programs append. */
function nameOf(rest: string): string {
  return rest.split(/\s*;/)[0].trim();
}

/** The sections that hold triangles, when there are several: a single one is the file itself, and needs no name. */
function withCounts(objects: ObjectRange[], triangleCount: number): ObjectRange[] {
  objects.forEach((object, index) => {
    object.triangleCount = (objects[index + 1]?.firstTriangle ?? triangleCount) - object.firstTriangle;
  });
  const filled = objects.filter((object) => object.triangleCount > 0);
  return filled.length > 1 ? filled : [];
}

/** Writes an ASCII STL, one `solid` for the whole mesh. Numbers are the shortest that read back as the same float64. */
export function* serializeStlAscii(mesh: IndexedMesh): Iterable<Uint8Array> {
  const encoder = new TextEncoder();
  const { positions, triangles } = mesh;
  const vertexLine = (vertex: number) => {
    const at = vertex * 3;
    return `      vertex ${positions[at] + 0} ${positions[at + 1] + 0} ${positions[at + 2] + 0}\n`;
  };
  let text = 'solid model\n';
  for (let at = 0; at < triangles.length; at += 3) {
    text += `  facet normal ${normalOf(positions, triangles, at).join(' ')}\n    outer loop\n`;
    for (let k = 0; k < 3; k++) text += vertexLine(triangles[at + k]);
    text += '    endloop\n  endfacet\n';
    if ((at / 3) % TRIANGLES_PER_CHUNK === TRIANGLES_PER_CHUNK - 1) {
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(`${text}endsolid model\n`);
}

function normalOf(positions: Float64Array, triangles: Uint32Array, at: number): number[] {
  const [a, b, c] = [triangles[at] * 3, triangles[at + 1] * 3, triangles[at + 2] * 3];
  const u = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
  const v = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
  const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...normal);
  return length > 0 ? normal.map((part) => Math.fround(part / length) + 0) : [0, 0, 1];
}
