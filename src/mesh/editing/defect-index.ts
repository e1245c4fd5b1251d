import type { MeshGeometry } from '../core/mesh.js';
import { areCollinear } from '../geometry/predicates.js';
import { classifyTrianglePair } from '../intersections/classify-triangle-pair.js';
import { type Bvh, forEachTriangleInBox } from '../spatial/bvh.js';

/** Units of work of a query of the BVH, besides the pairs of triangles that it tests. */
const QUERY_WORK = 4;

/** The defects of a triangle. */
export interface TriangleDefects {
  readonly isDegenerate: boolean;
  /** The triangles that this one intersects beyond what they share. Empty if it is degenerate. */
  readonly partners: Set<number>;
}

const INTACT: TriangleDefects = { isDegenerate: false, partners: new Set() };
const DEGENERATE: TriangleDefects = { isDegenerate: true, partners: new Set() };

/**
 * The defects of the triangles of a mesh that changes. Those of a triangle are found when they are first requested, and
 * kept up to date by `replace`. Counts the work, and finds nothing more after a limit.
 */
export class DefectIndex {
  readonly #mesh: MeshGeometry;
  readonly #tree: Bvh;
  /** Returns whether a triangle is ignored: it has no defects, and is no defect of others. */
  readonly #isExcluded: (triangle: number) => boolean;
  readonly #maxTests: number;
  readonly #known = new Map<number, TriangleDefects>();
  #testCount = 0;

  /**
   * @param tree the BVH of the triangles of `mesh`
   * @param isExcluded returns whether a triangle is ignored
   * @param maxTests limit of the work
   */
  constructor(mesh: MeshGeometry, tree: Bvh, isExcluded: (triangle: number) => boolean, maxTests: number) {
    this.#mesh = mesh;
    this.#tree = tree;
    this.#isExcluded = isExcluded;
    this.#maxTests = maxTests;
  }

  /** Units of work so far: one for each tested pair of triangles, four for each query of the BVH, and those added. */
  get testCount(): number {
    return this.#testCount;
  }

  /** Whether the work exceeds its limit. */
  get isExhausted(): boolean {
    return this.#testCount > this.#maxTests;
  }

  /** Adds units of work. */
  addTests(count: number): void {
    this.#testCount += count;
  }

  /** Returns the defects of a triangle. `undefined` if they are not known, and the work exceeds its limit. */
  find(triangle: number): TriangleDefects | undefined {
    const known = this.#known.get(triangle);
    if (known) return known;
    const found = this.search(triangle);
    if (found) this.#known.set(triangle, found);
    return found;
  }

  /** Finds the defects of a triangle in the current state of the mesh. `undefined` if the work exceeds its limit. */
  search(triangle: number): TriangleDefects | undefined {
    if (this.#isExcluded(triangle)) return INTACT;
    if (this.#isDegenerate(triangle)) return DEGENERATE;
    const { positions, triangles } = this.#mesh;
    const partners = new Set<number>();
    const { min, max } = this.#boxOf(triangle);
    this.#testCount += QUERY_WORK;
    forEachTriangleInBox(this.#tree, min, max, (other) => {
      if (this.isExhausted) return;
      this.#testCount++;
      if (other === triangle || this.#isExcluded(other)) return;
      if (classifyTrianglePair(positions, triangles, triangle, other) === 'apart') return;
      if (!this.#isDegenerate(other)) partners.add(other); // last, since most pairs are apart
    });
    if (this.isExhausted) return undefined;
    return partners.size > 0 ? { isDegenerate: false, partners } : INTACT;
  }

  /**
   * Counts the known defects of triangles that are defects in the current state of the mesh too. Stops at `stopAt`. Most
   * edits that fail remove no defect, and are rejected without a search.
   */
  countRemaining(triangles: readonly number[], stopAt: number): number {
    const counted = new Set<number>();
    let count = 0;
    for (const triangle of triangles) {
      const known = this.#known.get(triangle) ?? INTACT;
      counted.add(triangle);
      if (!hasDefects(known) || this.#isExcluded(triangle)) continue;
      if (this.#isDegenerate(triangle)) count++;
      else
        for (const other of known.partners) if (!counted.has(other) && this.#areIntersecting(triangle, other)) count++;
      if (count >= stopAt) break;
    }
    return count;
  }

  #areIntersecting(triangle: number, other: number): boolean {
    const { positions, triangles } = this.#mesh;
    this.#testCount++;
    return (
      !this.#isExcluded(other) &&
      classifyTrianglePair(positions, triangles, triangle, other) !== 'apart' &&
      !this.#isDegenerate(other)
    );
  }

  /** Replaces the defects of the triangles that an edit changed. Those before must have been found. */
  replace(changed: ReadonlyMap<number, TriangleDefects>): void {
    for (const triangle of changed.keys())
      for (const other of this.#known.get(triangle)?.partners ?? []) this.#known.get(other)?.partners.delete(triangle);
    for (const [triangle, defects] of changed) this.#known.set(triangle, defects);
    for (const [triangle, { partners }] of changed)
      for (const other of partners) if (!changed.has(other)) this.#addPartner(other, triangle);
  }

  /** Adds a partner to a triangle, unless its defects have not been found yet. */
  #addPartner(triangle: number, partner: number): void {
    const known = this.#known.get(triangle);
    if (known === INTACT) this.#known.set(triangle, { isDegenerate: false, partners: new Set([partner]) });
    else known?.partners.add(partner);
  }

  #isDegenerate(triangle: number): boolean {
    const { positions, triangles } = this.#mesh;
    return areCollinear(positions, triangles[triangle * 3], triangles[triangle * 3 + 1], triangles[triangle * 3 + 2]);
  }

  #boxOf(triangle: number) {
    const { positions: p, triangles } = this.#mesh;
    const a = triangles[triangle * 3] * 3;
    const b = triangles[triangle * 3 + 1] * 3;
    const c = triangles[triangle * 3 + 2] * 3;
    return {
      min: [0, 1, 2].map((k) => Math.min(p[a + k], p[b + k], p[c + k])),
      max: [0, 1, 2].map((k) => Math.max(p[a + k], p[b + k], p[c + k])),
    };
  }
}

/** Returns whether a triangle is degenerate or intersects another. */
export function hasDefects({ isDegenerate, partners }: TriangleDefects): boolean {
  return isDegenerate || partners.size > 0;
}
