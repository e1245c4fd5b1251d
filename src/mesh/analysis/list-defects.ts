import type { MeshGeometry } from '../core/mesh.js';
import type { Intersections } from '../intersections/search-pairs.js';
import type { EdgeDefects } from '../topology/connectivity.js';
import { nextOf } from '../topology/half-edge.js';

/** The kinds of defect that have a place: edges, then triangles. */
export type DefectKind =
  | 'boundaryEdge'
  | 'nonManifoldEdge'
  | 'inconsistentEdge'
  | 'intersectingTriangle'
  | 'overlappingTriangle'
  | 'degenerateTriangle';

/** All defects of one kind. */
export interface DefectList {
  kind: DefectKind;
  /** Half-edges or triangles. */
  elements: ArrayLike<number>;
  /** 2 if the elements are edges, 3 if they are triangles. */
  verticesPerElement: 2 | 3;
  /** Returns the vertices of an element. */
  verticesOf(element: number): readonly number[];
}

/** What is known of the defects of a mesh. */
export interface KnownDefects {
  edgeDefects: Omit<EdgeDefects, 'triangleCounts'>;
  intersections: Pick<Intersections, 'crossing' | 'overlapping'>;
  /** triangle → 1 if it is degenerate */
  isDegenerate: Uint8Array;
}

/** Lists the defects of a mesh by kind, in the order of `DefectKind`. Kinds without defects have empty lists. */
export function listDefects(
  { triangles }: MeshGeometry,
  { edgeDefects, intersections, isDegenerate }: KnownDefects,
): DefectList[] {
  const edges = (kind: DefectKind, elements: ArrayLike<number>): DefectList => ({
    ...{ kind, elements, verticesPerElement: 2 },
    verticesOf: (h) => [triangles[h], triangles[nextOf(h)]],
  });
  const faces = (kind: DefectKind, elements: ArrayLike<number>): DefectList => ({
    ...{ kind, elements, verticesPerElement: 3 },
    verticesOf: (triangle) => [...triangles.subarray(triangle * 3, triangle * 3 + 3)],
  });
  return [
    edges('boundaryEdge', edgeDefects.boundary),
    edges('nonManifoldEdge', edgeDefects.nonManifold),
    edges('inconsistentEdge', edgeDefects.inconsistent),
    faces('intersectingTriangle', intersections.crossing),
    faces('overlappingTriangle', intersections.overlapping),
    faces('degenerateTriangle', listMarked(isDegenerate)),
  ];
}

function listMarked(marks: Uint8Array): number[] {
  const marked: number[] = [];
  for (let i = marks.indexOf(1); i >= 0; i = marks.indexOf(1, i + 1)) marked.push(i);
  return marked;
}
