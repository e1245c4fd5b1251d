import { cross, dot, subtract } from '../core/vec3.js';

type Vector = readonly number[];

/** A direction whose smallest cosine reaches this is accepted without looking for a better one. */
const SUFFICIENT_COSINE = 0.1;
/** For more normals than this, only their mean is tried: the full search takes cubic time. */
const MAX_NORMALS = 48;

/**
 * Finds the unit vector that points most strongly against all `normals`: it maximizes the smallest cosine between its
 * opposite and any of them. A vertex that moves along it goes behind all planes with these normals.
 *
 * Exact maximum only if the mean of the normals does not reach `SUFFICIENT_COSINE`, and for at most 48 normals, in
 * cubic time. Returns `undefined` if no direction points against all normals.
 *
 * @param normals unit vectors
 */
export function oppositeMostNormal(normals: readonly Vector[]): Vector | undefined {
  let best: Vector | undefined;
  let bestCosine = 0;
  const consider = (toward: Vector) => {
    const length = Math.hypot(...toward);
    if (!(length > 0)) return;
    let minCosine = 1;
    for (let i = 0; i < normals.length && minCosine > bestCosine; i++)
      minCosine = Math.min(minCosine, dot(normals[i], toward) / length);
    if (minCosine <= bestCosine) return;
    bestCosine = minCosine;
    best = toward.map((part) => -part / length);
  };
  consider([0, 1, 2].map((k) => normals.reduce((sum, normal) => sum + normal[k], 0)));
  if (bestCosine < SUFFICIENT_COSINE && normals.length <= MAX_NORMALS) considerLpVertices(normals, consider);
  return best;
}

/**
 * Considers the vertices of the linear program: the optimum has equal cosines with three normals, or bisects two of
 * them.
 */
function considerLpVertices(normals: readonly Vector[], consider: (toward: Vector) => void): void {
  for (let i = 0; i < normals.length; i++) {
    for (let j = i + 1; j < normals.length; j++) {
      consider(normals[i].map((part, k) => part + normals[j][k]));
      for (let m = j + 1; m < normals.length; m++) {
        const equidistant = cross(subtract(normals[j], normals[i]), subtract(normals[m], normals[i]));
        consider(dot(equidistant, normals[i]) < 0 ? equidistant.map((part) => -part) : equidistant);
      }
    }
  }
}
