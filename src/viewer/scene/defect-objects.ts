import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GreaterDepth,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  LessEqualDepth,
  Mesh,
  MeshBasicMaterial,
  type Object3D,
  type Plane,
} from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';
import type { Defects, Primitive } from '../preview/read-preview.js';
import { DEFECT_COLORS, OTHER_DEFECT_COLOR } from './colors.js';

const LINE_WIDTH_PX = 3;
const HIDDEN_OPACITY = 0.3;
/** Visible defects are drawn over hidden ones, and boundary edges over the other defects at the same place. */
const ORDER = { hidden: 3, visible: 4, boundary: 5 } as const;
const WORDS_PER_VERTEX = 4;

/** The objects of the defects of one kind, in the coordinates of the preview's grid. */
export interface DefectObjects {
  kind: string;
  objects: readonly Object3D[];
  dispose(): void;
}

/** Creates a geometry of a primitive. The GPU gets its 16-bit coordinates as they are. */
export function createGeometry({ positions, indices }: Primitive): BufferGeometry {
  const geometry = new BufferGeometry();
  const buffer = new InterleavedBuffer(positions, WORDS_PER_VERTEX);
  geometry.setAttribute('position', new InterleavedBufferAttribute(buffer, 3, 0, false));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

/**
 * Creates the lines or triangles of the defects of one kind, twice: where they are visible, and faintly where the
 * surface hides them. `plane` cuts them.
 */
export function createDefectObjects(defects: Defects, plane: Plane): DefectObjects {
  const { geometry, visible, hidden } = defects.verticesPerElement === 2 ? toLines(defects) : toTriangles(defects);
  const objects = [visible, hidden];
  for (const { material } of objects) material.clippingPlanes = [plane];
  // three draws what is transparent last, so both are.
  Object.assign(visible.material, { depthFunc: LessEqualDepth, transparent: true });
  Object.assign(hidden.material, {
    ...{ depthFunc: GreaterDepth, depthWrite: false, transparent: true, opacity: HIDDEN_OPACITY },
  });
  const isBoundary = defects.kind === 'boundaryEdge';
  Object.assign(hidden, { frustumCulled: false, renderOrder: ORDER.hidden });
  Object.assign(visible, { frustumCulled: false, renderOrder: isBoundary ? ORDER.boundary : ORDER.visible });
  return {
    kind: defects.kind,
    objects,
    dispose() {
      geometry.dispose();
      for (const { material } of objects) material.dispose();
    },
  };
}

function colorOf({ kind }: Defects): number {
  return DEFECT_COLORS[kind] ?? OTHER_DEFECT_COLOR;
}

function toLines(defects: Defects) {
  const { positions, indices } = defects;
  const points = new Float32Array(indices.length * 3);
  for (const [i, vertex] of indices.entries())
    for (let k = 0; k < 3; k++) points[i * 3 + k] = positions[vertex * WORDS_PER_VERTEX + k] ?? 0;
  const geometry = new LineSegmentsGeometry().setPositions(points);
  const create = () =>
    new LineSegments2(geometry, new LineMaterial({ color: colorOf(defects), linewidth: LINE_WIDTH_PX }));
  return { geometry, visible: create(), hidden: create() };
}

function toTriangles(defects: Defects) {
  const geometry = createGeometry(defects);
  const create = () => new Mesh(geometry, new MeshBasicMaterial({ color: colorOf(defects), side: DoubleSide }));
  return { geometry, visible: create(), hidden: create() };
}
