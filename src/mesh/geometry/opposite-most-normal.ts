type Vector = readonly number[];

/** The cosine at which a direction is steep enough, and a steeper one not looked for. */
const SUFFICIENT_COSINE = 0.1;
/** Round vertices of more triangles than this only the mean of the normals is tried. */
const MAX_NORMALS = 48;

/**
 * A direction that leads behind every plane with one of these normals, and as steeply as can be behind the one that it leads least behind.
 * `undefined` where none leads behind all. All vectors have length 1.
 */
export function oppositeMostNormal(normals: readonly Vector[]): Vector | undefined {
  let best: Vector | undefined;
  let bestCosine = 0;
  const consider = (toward: Vector) => {
    const length = Math.hypot(...toward);
    if (!(length > 0)) return;
    let min = 1;
    for (let i = 0; i < normals.length && min > bestCosine; i++) min = Math.min(min, dot(normals[i], toward) / length);
    if (min <= bestCosine) return;
    bestCosine = min;
    best = toward.map((part) => -part / length);
  };
  consider([0, 1, 2].map((k) => normals.reduce((sum, normal) => sum + normal[k], 0)));
  if (bestCosine < SUFFICIENT_COSINE && normals.length <= MAX_NORMALS) considerLpVertices(normals, consider);
  return best;
}

/** The best direction leans equally to three of the normals, or to two and lies between them (linear programming, by trying all corners). */
function considerLpVertices(normals: readonly Vector[], consider: (toward: Vector) => void): void {
  for (let i = 0; i < normals.length; i++) {
    for (let j = i + 1; j < normals.length; j++) {
      consider(normals[i].map((part, k) => part + normals[j][k]));
      for (let m = j + 1; m < normals.length; m++) {
        const equal = cross(between(normals[i], normals[j]), between(normals[i], normals[m]));
        consider(dot(equal, normals[i]) < 0 ? equal.map((part) => -part) : equal);
      }
    }
  }
}

const dot = (u: Vector, v: Vector): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

const between = (u: Vector, v: Vector): Vector => [v[0] - u[0], v[1] - u[1], v[2] - u[2]];

const cross = (u: Vector, v: Vector): Vector => [
  u[1] * v[2] - u[2] * v[1],
  u[2] * v[0] - u[0] * v[2],
  u[0] * v[1] - u[1] * v[0],
];
