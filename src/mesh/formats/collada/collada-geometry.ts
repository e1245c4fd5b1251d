import type { ReportWarning } from '../../analysis/report.js';
import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { triangulateWithHoles } from '../../triangulation/triangulate-with-holes.js';
import { buildMeshFromFaces, isValidPoint } from '../reading/build-mesh-from-faces.js';
import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import {
  type ColladaDocument,
  type ColladaElement,
  findChild,
  readCount,
  resolveReference,
} from './collada-element.js';
import { findInput, findSource, inputsOf, readPoints } from './collada-source.js';

/** A polygon that is counted and skipped. */
const INVALID = [Number.NaN];

/** What a geometry contains besides its triangles. */
export interface GeometryFindings {
  warnings: ReportWarning[];
  losses: Set<Loss>;
  /** The number of primitives whose points are missing. */
  missingCount: number;
}

/** The polygons of one list of points. */
interface Polygons {
  points: Float64Array;
  corners: GrowableFloat64Array;
  faceStarts: GrowableFloat64Array;
}

/** Returns the points of a geometry where a morph or a skin moves them. */
export type Deform = (points: Float64Array) => Float64Array;

/** Returns the triangles of a `geometry`, one part for each list of points that it uses. Polygons are deformed first. */
export function readGeometry(
  document: ColladaDocument,
  geometry: ColladaElement,
  findings: GeometryFindings,
  deform: Deform = (points) => points,
): ScenePart[] {
  const { warnings, losses } = findings;
  const mesh = findChild(geometry, 'mesh');
  const polygonsOf = new Map<ColladaElement, Polygons>();
  for (const primitive of mesh?.children ?? []) {
    const addPolygons = PRIMITIVES.get(primitive.name);
    if (!addPolygons) {
      if (primitive.name === 'lines' || primitive.name === 'linestrips') losses.add('LINES_DROPPED');
      continue;
    }
    const inputs = inputsOf(primitive);
    if (inputs.some((input) => input.attributes.get('semantic') === 'COLOR')) losses.add('COLOURS_DROPPED');
    const source = findPositionSource(document, inputs);
    if (!source) {
      if (primitive.children.some(({ name }) => name === 'p' || name === 'ph')) findings.missingCount++;
      continue;
    }
    const polygons = polygonsOf.get(source.element) ?? createPolygons(deform(readPoints(document, source.element)));
    polygonsOf.set(source.element, polygons);
    const stride = Math.max(...inputs.map((input) => readCount(input, 'offset', 0))) + 1;
    addPolygons(primitive, (numbers) => pickCorners(numbers, source.offset, stride), polygons);
  }
  return [...polygonsOf.values()].map(({ points, corners, faceStarts }) => {
    const { mesh: built, warnings: faceWarnings } = buildMeshFromFaces({
      points,
      corners: corners.values(),
      faceStarts: faceStarts.values(),
    });
    warnings.push(...faceWarnings);
    return { points: built.positions, corners: built.triangles };
  });
}

/** Returns the source of the positions of a primitive, and the offset of its indices in a tuple. */
function findPositionSource(
  document: ColladaDocument,
  inputs: readonly ColladaElement[],
): { element: ColladaElement; offset: number } | undefined {
  const input = findInput(inputs, 'VERTEX') ?? findInput(inputs, 'POSITION');
  const target = resolveReference(document, input, 'source', ['vertices', 'source']);
  const element = target?.name === 'vertices' ? findSource(document, inputsOf(target), 'POSITION') : target;
  return input && element ? { element, offset: readCount(input, 'offset', 0) } : undefined;
}

function createPolygons(points: Float64Array): Polygons {
  return { points, corners: new GrowableFloat64Array(), faceStarts: new GrowableFloat64Array() };
}

/** Returns the point indices of the tuples in a `p`. */
function pickCorners(numbers: Float64Array, offset: number, stride: number): Float64Array {
  return Float64Array.from({ length: Math.floor(numbers.length / stride) }, (_, i) => numbers[i * stride + offset]);
}

type AddPolygons = (
  primitive: ColladaElement,
  pick: (numbers: Float64Array) => Float64Array,
  polygons: Polygons,
) => void;

/** Element → how its indices form polygons. */
const PRIMITIVES = new Map<string, AddPolygons>([
  ['triangles', addTriangles],
  ['polylist', addPolylist],
  ['polygons', addEachPolygon],
  ['tristrips', addStrips],
  ['trifans', addFans],
]);

function addPolygon({ corners, faceStarts }: Polygons, polygon: ArrayLike<number>): void {
  faceStarts.push(corners.length);
  for (let i = 0; i < polygon.length; i++) corners.push(polygon[i]);
}

function listsOf(primitive: ColladaElement): ColladaElement[] {
  return primitive.children.filter(({ name }) => name === 'p');
}

/** Incomplete triangles at the end of a list are counted as invalid faces. */
function addTriangles(primitive: ColladaElement, pick: (numbers: Float64Array) => Float64Array, polygons: Polygons) {
  for (const { numbers } of listsOf(primitive)) {
    const corners = pick(numbers);
    for (let i = 0; i < corners.length; i += 3) addPolygon(polygons, corners.subarray(i, i + 3));
  }
}

/** Polygons without enough indices, and the indices that are left over, are counted as invalid faces. */
function addPolylist(primitive: ColladaElement, pick: (numbers: Float64Array) => Float64Array, polygons: Polygons) {
  const corners = pick(findChild(primitive, 'p')?.numbers ?? new Float64Array());
  let start = 0;
  for (const count of findChild(primitive, 'vcount')?.numbers ?? []) {
    const isComplete = count >= 0 && start + count <= corners.length;
    addPolygon(polygons, isComplete ? corners.subarray(start, start + count) : INVALID);
    start = isComplete ? start + count : Number.POSITIVE_INFINITY;
  }
  if (start < corners.length) addPolygon(polygons, INVALID);
}

/** Adds the polygons of `p`, and those with holes of `ph`. */
function addEachPolygon(primitive: ColladaElement, pick: (numbers: Float64Array) => Float64Array, polygons: Polygons) {
  for (const child of primitive.children) {
    if (child.name === 'p') addPolygon(polygons, pick(child.numbers));
    if (child.name === 'ph') addPolygonWithHoles(child, pick, polygons);
  }
}

/** Adds the triangles of a `ph`: its outer ring (`p`) and its holes (`h`). One whose rings cross counts as invalid. */
function addPolygonWithHoles(
  element: ColladaElement,
  pick: (numbers: Float64Array) => Float64Array,
  polygons: Polygons,
) {
  const rings = ['p', 'h'].flatMap((name) => element.children.filter((child) => child.name === name));
  const [outer = [], ...holes] = rings
    .map(({ numbers }) => dropRepeated(Array.from(pick(numbers))))
    .filter(({ length }) => length > 0);
  if (holes.length === 0) return addPolygon(polygons, outer);
  const isValid = [outer, ...holes].every(
    (ring) => ring.length >= 3 && ring.every((point) => isValidPoint(polygons.points, point)),
  );
  const triangles = isValid ? triangulateWithHoles(polygons.points, outer, holes) : undefined;
  if (!triangles) return addPolygon(polygons, INVALID);
  for (let i = 0; i < triangles.length; i += 3) addPolygon(polygons, triangles.slice(i, i + 3));
}

/** Drops corners that equal the next one: some programs repeat the first corner of a ring at its end. */
function dropRepeated(ring: readonly number[]): number[] {
  return ring.filter((point, i) => ring.length === 1 || point !== ring[(i + 1) % ring.length]);
}

function addStrips(primitive: ColladaElement, pick: (numbers: Float64Array) => Float64Array, polygons: Polygons) {
  for (const { numbers } of listsOf(primitive)) {
    const strip = pick(numbers);
    for (let i = 0; i + 2 < strip.length; i++) {
      const [second, third] = i % 2 === 0 ? [i + 1, i + 2] : [i + 2, i + 1];
      addPolygon(polygons, [strip[i], strip[second], strip[third]]);
    }
  }
}

function addFans(primitive: ColladaElement, pick: (numbers: Float64Array) => Float64Array, polygons: Polygons) {
  for (const { numbers } of listsOf(primitive)) {
    const fan = pick(numbers);
    for (let i = 1; i + 1 < fan.length; i++) addPolygon(polygons, [fan[0], fan[i], fan[i + 1]]);
  }
}
