const MOST_NEIGHBOURS = 32;

/**
 * Pairs of vertices within a distance of each other, found by sorting along the axis on which they spread most. Of a vertex with very
 * many neighbours only the first are told: enough to see that it has some, and bounded where all lie in one spot.
 *
 * @returns pairs, the vertex that stands earlier on the axis first
 */
export function findNearPairs(
  positions: Float64Array,
  vertices: readonly number[],
  withinMm: number,
): [number, number][] {
  const axis = widestAxis(positions, vertices);
  const sorted = [...vertices].sort((a, b) => positions[a * 3 + axis] - positions[b * 3 + axis] || a - b);
  const pairs: [number, number][] = [];
  for (let i = 0; i < sorted.length; i++) {
    const a = sorted[i] * 3;
    let found = 0;
    for (let j = i + 1; j < sorted.length && found < MOST_NEIGHBOURS; j++) {
      const b = sorted[j] * 3;
      if (positions[b + axis] - positions[a + axis] > withinMm) break;
      const distance = Math.hypot(
        positions[a] - positions[b],
        positions[a + 1] - positions[b + 1],
        positions[a + 2] - positions[b + 2],
      );
      if (distance > withinMm) continue;
      pairs.push([sorted[i], sorted[j]]);
      found++;
    }
  }
  return pairs;
}

function widestAxis(positions: Float64Array, vertices: readonly number[]): number {
  const spreads = [0, 1, 2].map((axis) => {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (const vertex of vertices) {
      min = Math.min(min, positions[vertex * 3 + axis]);
      max = Math.max(max, positions[vertex * 3 + axis]);
    }
    return max - min;
  });
  return spreads.indexOf(Math.max(...spreads));
}
