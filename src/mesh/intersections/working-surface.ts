import { areCollinear } from '../spatial/predicates.js';
import { type Bvh, forEachTriangleInBox, refitTriangle } from '../spatial/triangle-tree.js';
import { buildOneRings } from '../topology/stars.js';
import { meetingOf } from './meeting.js';

/** Triangles that a change is about. */
export interface Group {
  triangles: readonly number[];
  /** How much is wrong with them. */
  trouble: number;
}

/** A surface that is changed a little at a time, each change kept only where it does good. */
export class WorkingSurface {
  readonly positions: Float64Array;
  readonly triangles: Uint32Array;
  /** triangle → 1 where it was taken out */
  readonly isGone: Uint8Array;
  /** triangle → 1 where nobody asks after it */
  readonly #isIgnored: Uint8Array;
  readonly #starAtFirst: (vertex: number) => readonly number[];
  /** vertex → its triangles, where they are others than at first */
  readonly #starNow = new Map<number, readonly number[]>();
  /** vertex that vanished → the one that it became one with */
  readonly #becameOf = new Map<number, number>();
  readonly #tree: Bvh;
  /** triangle → its place in the tree */
  readonly #placeOf: Uint32Array;
  /** Triangles of all attempts that stayed. */
  readonly #changed = new Set<number>();
  #work = 0;
  /** How to take back what was changed since the attempt began, last change last. */
  #undo: (() => void)[] = [];

  /** Works on these arrays and the tree of these triangles themselves. */
  constructor(positions: Float64Array, triangles: Uint32Array, isIgnored: Uint8Array, tree: Bvh) {
    this.positions = positions;
    this.triangles = triangles;
    this.isGone = new Uint8Array(triangles.length / 3);
    this.#isIgnored = isIgnored;
    this.#starAtFirst = buildOneRings(triangles, positions.length / 3);
    this.#tree = tree;
    this.#placeOf = new Uint32Array(this.isGone.length);
    for (let place = 0; place < tree.order.length; place++) this.#placeOf[tree.order[place]] = place;
  }

  /** The triangles that were changed since this was asked last. */
  takeChanged(): number[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** The triangles round a vertex. */
  starOf(vertex: number): readonly number[] {
    return this.#starNow.get(vertex) ?? this.#starAtFirst(vertex);
  }

  cornersOf(triangle: number): Uint32Array {
    return this.triangles.subarray(triangle * 3, triangle * 3 + 3);
  }

  /** How much was done: pairs of triangles that were looked at. */
  get work(): number {
    return this.#work;
  }

  /** The vertices that an edge joins with this one. */
  neighboursOf(vertex: number): number[] {
    const found = new Set<number>();
    for (const triangle of this.starOf(vertex)) for (const corner of this.cornersOf(triangle)) found.add(corner);
    found.delete(vertex);
    return [...found];
  }

  /** These triangles with what is wrong with them, for attempts on them: those come first that something is wrong with, as they mostly stay so. */
  groupOf(triangles: readonly number[]): Group {
    const wrong: number[] = [];
    const right: number[] = [];
    for (const triangle of triangles) (this.troubleOf([triangle], 1) > 0 ? wrong : right).push(triangle);
    return { triangles: [...wrong, ...right], trouble: this.troubleOf(wrong) };
  }

  /** Makes a change to a group, and takes it back unless less is wrong with it then. Answers whether it stays. */
  attempt({ triangles, trouble }: Group, change: () => void): boolean {
    if (trouble === 0) return false;
    this.#work++;
    this.#undo = [];
    change();
    if (this.troubleOf(triangles, trouble) < trouble) {
      for (const triangle of triangles) this.#changed.add(triangle);
      return true;
    }
    for (const undo of this.#undo.reverse()) undo();
    return false;
  }

  /** Moves a vertex. Within an attempt on its triangles. */
  move(vertex: number, place: readonly number[]): void {
    const old = [...this.positions.subarray(vertex * 3, vertex * 3 + 3)];
    this.#place(vertex, place);
    this.#undo.push(() => this.#place(vertex, old));
  }

  #place(vertex: number, place: readonly number[]): void {
    this.positions.set(place, vertex * 3);
    for (const triangle of this.starOf(vertex)) this.#follow(triangle);
  }

  /** Gives a triangle other corners. Within an attempt on it. */
  setCorners(triangle: number, corners: readonly number[]): void {
    const old = [...this.cornersOf(triangle)];
    this.#give(triangle, corners);
    this.#undo.push(() => this.#give(triangle, old));
  }

  #give(triangle: number, corners: readonly number[]): void {
    this.#leaveStars(triangle);
    this.triangles.set(corners, triangle * 3);
    this.#joinStars(triangle);
    this.#follow(triangle);
  }

  /** Takes a triangle out. Within an attempt on it. */
  takeOut(triangle: number): void {
    this.#leaveStars(triangle);
    this.isGone[triangle] = 1;
    this.#undo.push(() => {
      this.isGone[triangle] = 0;
      this.#joinStars(triangle);
    });
  }

  /** Notes that a vertex became one with another. Within an attempt. */
  vanish(from: number, to: number): void {
    this.#becameOf.set(from, to);
    this.#undo.push(() => this.#becameOf.delete(from));
  }

  /** What a vertex is now: itself, or the one that it became one with. */
  becameOf(vertex: number): number {
    let now = vertex;
    for (let next = this.#becameOf.get(now); next !== undefined; next = this.#becameOf.get(now)) now = next;
    return now;
  }

  /**
   * How much is wrong with these triangles: those without area, and pairs that one of them makes with any triangle and that cross, overlap or
   * touch beyond what they share. Counts on from `enough` no further.
   */
  troubleOf(group: readonly number[], enough = Number.POSITIVE_INFINITY): number {
    let count = 0;
    const seen = new Set<number>();
    for (const triangle of group) {
      seen.add(triangle);
      if (this.isGone[triangle] === 1 || this.#isIgnored[triangle] === 1) continue;
      count += this.#isFlat(triangle) ? 1 : this.#meetingsOf(triangle, seen);
      if (count >= enough) break;
    }
    return count;
  }

  #isFlat(triangle: number): boolean {
    const at = triangle * 3;
    return areCollinear(this.positions, this.triangles[at], this.triangles[at + 1], this.triangles[at + 2]);
  }

  /** How many triangles meet this one, but for those in `seen`. */
  #meetingsOf(triangle: number, seen: ReadonlySet<number>): number {
    let count = 0;
    for (const other of this.meetersOf(triangle)) if (!seen.has(other)) count++;
    return count;
  }

  /** Triangles that cross, overlap or touch this one beyond what they share. */
  meetersOf(triangle: number): number[] {
    const met: number[] = [];
    if (this.#isFlat(triangle)) return met;
    const box = this.#boxOf(triangle);
    forEachTriangleInBox(this.#tree, box.subarray(0, 3), box.subarray(3), (other) => {
      this.#work++;
      if (other === triangle || this.isGone[other] === 1 || this.#isIgnored[other] === 1 || this.#isFlat(other)) return;
      if (meetingOf(this.positions, this.triangles, triangle, other) !== 'apart') met.push(other);
    });
    return met;
  }

  #boxOf(triangle: number): Float64Array {
    const box = new Float64Array(6);
    const { positions } = this;
    const [a, b, c] = this.cornersOf(triangle);
    for (let k = 0; k < 3; k++) {
      box[k] = Math.min(positions[a * 3 + k], positions[b * 3 + k], positions[c * 3 + k]);
      box[k + 3] = Math.max(positions[a * 3 + k], positions[b * 3 + k], positions[c * 3 + k]);
    }
    return box;
  }

  #follow(triangle: number): void {
    refitTriangle(this.#tree, this.positions, this.triangles, this.#placeOf[triangle]);
  }

  #leaveStars(triangle: number): void {
    for (const vertex of this.cornersOf(triangle)) {
      const others = this.starOf(vertex).filter((other) => other !== triangle);
      this.#starNow.set(vertex, others);
    }
  }

  #joinStars(triangle: number): void {
    for (const vertex of this.cornersOf(triangle)) this.#starNow.set(vertex, [...this.starOf(vertex), triangle]);
  }
}
