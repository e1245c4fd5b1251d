import { GrowableFloat64Array } from '../../core/growable-float64-array.js';
import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import type { Loss } from '../reading/losses.js';
import type { ScenePart } from '../reading/scene.js';
import { type StepFile, type StepNumbers, type StepRecord, type StepValue, toIds, toNumbers } from './step-file.js';
import { parseAxisPlacement } from './step-placement.js';

/** Items nest at most so deep. */
const MAX_DEPTH = 20;
/** A triangle in a file has at least so many bytes, unless several items share it. */
const BYTES_PER_TRIANGLE = 2;
/** So many shared triangles are always accepted. */
const MAX_SHARED_TRIANGLES = 2 ** 16;
const CONTAINER = /^TESSELLATED_(?:SOLID|SHELL|GEOMETRIC_SET)$/;
const TRIANGLES = /^(?:COMPLEX_)?TRIANGULATED_(?:FACE|SURFACE_SET)$/;
const LINES = /^TESSELLATED_(?:CURVE_SET|POINT_SET|WIRE|EDGE|CONNECTING_EDGE|VERTEX)$/;
/** Items that are not read. */
const OTHER = /^(?!TESSELLATED_ANNOTATION)(?:\w+_)?(?:TESSELLATED|TRIANGULATED)_/;
/** The supertypes of triangles, which a complex instance writes separately. */
const TRIANGLES_BASE = /^TESSELLATED_(?:FACE|SURFACE_SET)$/;

/** The triangles of an item, in the unit of the file. */
export interface TessellatedItem extends ScenePart {
  name: string;
  /** Whether it is the tessellation of a B-rep. */
  isLinked: boolean;
}

/** An item, with the parameters of its supertypes before its own. */
interface FlatItem {
  keyword: string;
  values: StepValue[];
  /** Of a repositioned item: its placement. */
  location: number | undefined;
}

/** Reads tessellated items of STEP (ISO 10303-42, tessellated geometry), each once. */
export class StepTessellation {
  readonly losses = new Set<Loss>();
  /** The number of items that could not be read. */
  missingCount = 0;
  readonly #file: StepFile;
  /** item → its triangles */
  readonly #items = new Map<number, TessellatedItem | undefined>();
  #triangleCount = 0;
  readonly #maxTriangles: number;

  constructor(file: StepFile) {
    this.#file = file;
    this.#maxTriangles = MAX_SHARED_TRIANGLES + Math.floor(file.byteLength / BYTES_PER_TRIANGLE);
  }

  /**
   * Returns the triangles of an item, or `undefined` for one that is not tessellated. Throws `TOO_LARGE` if items share
   * so many triangles that a small file becomes a large model.
   */
  read(id: number): TessellatedItem | undefined {
    if (!this.#items.has(id)) this.#items.set(id, this.#readItem(id));
    return this.#items.get(id);
  }

  #readItem(id: number): TessellatedItem | undefined {
    const records = this.#file.read(id);
    const top = flatten(records);
    if (!top) {
      if (records.some(({ keyword }) => OTHER.test(keyword))) this.missingCount++;
      return undefined;
    }
    const points = new GrowableFloat64Array();
    const corners = new GrowableFloat64Array();
    // An item contains sets: no child is read twice.
    const visited = new Set([id]);
    const pending: Visit[] = [{ item: top, outer: IDENTITY, depth: 0 }];
    for (let visit = pending.pop(); visit; visit = pending.pop()) {
      const { item, outer, depth } = visit;
      const placement = item?.location === undefined ? IDENTITY : parseAxisPlacement(this.#file, item.location, 1);
      if (!item || !placement || depth > MAX_DEPTH) this.missingCount++;
      else if (LINES.test(item.keyword)) this.losses.add('LINES_DROPPED');
      else if (TRIANGLES.test(item.keyword)) this.#addTriangles(item, compose(outer, placement), points, corners);
      else {
        for (const child of toIds(item.values[1]).toReversed()) {
          if (visited.has(child)) continue;
          visited.add(child);
          pending.push({ item: flatten(this.#file.read(child)), outer: compose(outer, placement), depth: depth + 1 });
        }
      }
    }
    const [name] = top.values;
    return {
      name: typeof name === 'string' ? name : '',
      isLinked: CONTAINER.test(top.keyword) && toIds(top.values[2]).length > 0,
      points: points.values().slice(),
      corners: corners.values().slice(),
    };
  }

  /** Adds the triangles of a face or set, and the points that they use. */
  #addTriangles(
    { keyword, values }: FlatItem,
    t: AffineTransform,
    points: GrowableFloat64Array,
    corners: GrowableFloat64Array,
  ): void {
    const list = toIds(values[1])
      .flatMap((id) => this.#file.read(id))
      .find((record) => record.keyword === 'COORDINATES_LIST');
    if (!list) this.missingCount++;
    const { numbers: source } = toNumbers(list?.values.at(-1));
    // name, coordinates, number of points and normals; a face has a link to a surface, too
    const [indices, ...rows] = values.slice(keyword.endsWith('FACE') ? 5 : 4).map(toNumbers);
    const triangles = keyword.startsWith('COMPLEX') ? unrollStripsAndFans(rows) : (rows[0]?.numbers ?? []);
    this.#triangleCount += triangles.length / 3;
    if (this.#triangleCount > this.#maxTriangles) {
      const message = `Could not read the STEP file: its tessellated items share more than ${this.#maxTriangles} triangles.`;
      throw new MeshError('TOO_LARGE', message);
    }
    const newPointOf = new Map<number, number>();
    for (const index of triangles) {
      const point = (indices && indices.numbers.length > 0 ? indices.numbers[index - 1] : index) - 1;
      const existing = newPointOf.get(point);
      corners.push(existing ?? points.length / 3);
      if (existing !== undefined) continue;
      newPointOf.set(point, points.length / 3);
      const [x, y, z] = [source[point * 3], source[point * 3 + 1], source[point * 3 + 2]];
      for (let k = 0; k < 3; k++) points.push(x * t[k] + y * t[3 + k] + z * t[6 + k] + t[9 + k]);
    }
  }
}

interface Visit {
  item: FlatItem | undefined;
  outer: AffineTransform;
  depth: number;
}

/** Returns a tessellated item with all its parameters in sequence, or `undefined` for any other instance. */
function flatten(records: readonly StepRecord[]): FlatItem | undefined {
  const item = records.find(({ keyword }) => [CONTAINER, TRIANGLES, LINES].some((kind) => kind.test(keyword)));
  if (!item) return undefined;
  if (records.length === 1) return { ...item, location: undefined };
  const valuesOf = (pattern: RegExp): StepValue[] => records.find(({ keyword }) => pattern.test(keyword))?.values ?? [];
  const [location] = toIds(valuesOf(/^REPOSITIONED_TESSELLATED_ITEM$/));
  const [name = ''] = valuesOf(/^REPRESENTATION_ITEM$/);
  return { keyword: item.keyword, values: [name, ...valuesOf(TRIANGLES_BASE), ...item.values], location };
}

/** Returns the corners of the triangles of strips, whose every second triangle is reversed, and of fans. */
function unrollStripsAndFans([strips, fans]: readonly StepNumbers[]): number[] {
  const corners: number[] = [];
  for (const strip of rowsOf(strips))
    for (let i = 0; i + 2 < strip.length; i++)
      corners.push(strip[i], ...(i % 2 === 0 ? [strip[i + 1], strip[i + 2]] : [strip[i + 2], strip[i + 1]]));
  for (const fan of rowsOf(fans)) for (let i = 1; i + 1 < fan.length; i++) corners.push(fan[0], fan[i], fan[i + 1]);
  return corners;
}

function rowsOf(list: StepNumbers | undefined): Float64Array[] {
  if (!list || list.numbers.length === 0) return [];
  return list.rowStarts.map((start, row) => list.numbers.subarray(start, list.rowStarts[row + 1]));
}
