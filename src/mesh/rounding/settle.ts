import { createRandom } from '../arrangement/jitter.js';
import type { WorkingSurface } from './working-surface.js';

/** How far vertices are moved at most, in steps of float32, one size after the other: the least that helps is kept. */
const REACHES = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Places tried for a vertex at each size. */
const TRIES = 12;
/** An edge of at most this many steps may vanish. */
const SHORT_STEPS = 8;
/** Times that all that is left is gone through at each size. */
const PASSES = 2;
/** More bad triangles than this are no matter of a few vertices: the model is finer than float32 there. */
const MOST_BAD = 20_000;
/** Gives up after this many attempts: some ten seconds. */
const MOST_ATTEMPTS = 100_000;

/**
 * Undoes what rounding did to a surface: triangles in `bad` that lost their area, or cross others. In turn, whichever helps first: a short edge
 * vanishes, the longest edge flips, a vertex goes to a float32 place nearby. Answers the triangles that are still bad.
 */
export function settle(surface: WorkingSurface, bad: readonly number[]): number[] {
  const random = createRandom(1);
  let left = [...bad];
  if (left.length > MOST_BAD) return left;
  for (const reach of REACHES) {
    for (let pass = 0; pass < PASSES; pass++) {
      if (left.length === 0 || surface.attempts > MOST_ATTEMPTS) return left;
      for (const triangle of left) if (surface.attempts <= MOST_ATTEMPTS) improve(surface, triangle, reach, random);
      const seen = new Set([...left, ...surface.takeChanged()]);
      left = [...seen].filter((triangle) => surface.troubleOf([triangle], 1) > 0).sort((a, b) => a - b);
    }
  }
  return left;
}

function improve(surface: WorkingSurface, triangle: number, reach: number, random: () => number): void {
  if (surface.troubleOf([triangle], 1) === 0 || collapse(surface, triangle) || flip(surface, triangle)) return;
  for (const vertex of [...surface.cornersOf(triangle)]) {
    const old = [...surface.positions.subarray(vertex * 3, vertex * 3 + 3)];
    const step = stepAt(surface.positions, vertex);
    for (let i = 0; i < TRIES; i++) {
      const place = old.map((value) => Math.fround(value + Math.round((random() * 2 - 1) * reach) * step));
      if (surface.attempt(surface.starOf(vertex), () => surface.move(vertex, place))) break;
    }
  }
}

/** Lets the shortest edge of a triangle vanish, where it is short and the surface stays closed. */
function collapse(surface: WorkingSurface, triangle: number): boolean {
  const [from, to] = sideOf(surface, triangle, Math.min);
  if (lengthOf(surface, from, to) > SHORT_STEPS * stepAt(surface.positions, from)) return false;
  return collapseInto(surface, from, to) || collapseInto(surface, to, from);
}

function collapseInto(surface: WorkingSurface, from: number, to: number): boolean {
  const star = surface.starOf(from);
  const across = neighboursOf(surface, to);
  // Both have two neighbours in common, those across the edge; else more than the edge would vanish.
  const common = [...neighboursOf(surface, from)].filter((vertex) => across.has(vertex));
  if (common.length !== 2 || (star.length <= 3 && surface.starOf(to).length <= 3)) return false;
  return surface.attempt(star, () => {
    for (const triangle of star) {
      const corners = [...surface.cornersOf(triangle)];
      if (corners.includes(to)) surface.takeOut(triangle);
      else
        surface.setCorners(
          triangle,
          corners.map((vertex) => (vertex === from ? to : vertex)),
        );
    }
  });
}

/** Turns the longest edge of a triangle to the other diagonal of the two triangles there. */
function flip(surface: WorkingSurface, triangle: number): boolean {
  const [a, b] = sideOf(surface, triangle, Math.max);
  const other = surface.starOf(a).find((near) => near !== triangle && surface.cornersOf(near).includes(b));
  if (other === undefined) return false;
  const [c, d] = [triangle, other].map((of) => [...surface.cornersOf(of)].find((v) => v !== a && v !== b) ?? a);
  if (c === d || neighboursOf(surface, c).has(d)) return false;
  return surface.attempt([triangle, other], () => {
    surface.setCorners(triangle, [a, d, c]);
    surface.setCorners(other, [d, b, c]);
  });
}

/** The ends of the shortest or longest side of a triangle, in the order in which it walks it. */
function sideOf(surface: WorkingSurface, triangle: number, choose: (...lengths: number[]) => number): [number, number] {
  const [a, b, c] = surface.cornersOf(triangle);
  const sides: [number, number][] = [
    [a, b],
    [b, c],
    [c, a],
  ];
  const lengths = sides.map(([from, to]) => lengthOf(surface, from, to));
  return sides[lengths.indexOf(choose(...lengths))];
}

function lengthOf({ positions: p }: WorkingSurface, a: number, b: number): number {
  return Math.hypot(p[a * 3] - p[b * 3], p[a * 3 + 1] - p[b * 3 + 1], p[a * 3 + 2] - p[b * 3 + 2]);
}

function neighboursOf(surface: WorkingSurface, vertex: number): Set<number> {
  const found = new Set<number>();
  for (const triangle of surface.starOf(vertex)) for (const corner of surface.cornersOf(triangle)) found.add(corner);
  found.delete(vertex);
  return found;
}

/** What the largest coordinate of a vertex can be told apart by as float32. */
function stepAt(positions: Float64Array, vertex: number): number {
  const size = Math.max(...[0, 1, 2].map((k) => Math.abs(positions[vertex * 3 + k])));
  return 2 ** (Math.floor(Math.log2(Math.max(size, 1e-30))) - 23);
}
