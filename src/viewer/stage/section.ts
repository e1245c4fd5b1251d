import { type Plane, Vector3 } from 'three';
import type { Placement } from '../scene/placement.js';

/** The direction of a section: an axis of the model, or that of the view when it was selected. */
export type SectionAxis = 'x' | 'y' | 'z' | 'view';

/** A planar section of the model. */
export interface Section {
  axis: SectionAxis;
  /** From one end of the model, 0, to the other, 1. */
  position: number;
  isFlipped: boolean;
}

const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) } as const;

/** Sets `plane` so that it cuts nothing. */
export function clearPlane(plane: Plane): void {
  plane.normal.set(0, 0, 1);
  plane.constant = 1e9;
}

/**
 * Sets `plane` to a section. `viewDirection` points from the camera to the model. The part of the model toward the
 * camera is removed, or the other one if the section is flipped.
 */
export function setSectionPlane(
  plane: Plane,
  { axis, position, isFlipped }: Section,
  { min, max, radius }: Placement,
  viewDirection: Vector3,
): void {
  const normal = axis === 'view' ? viewDirection : AXES[axis];
  const [start, end] = axis === 'view' ? [-radius, radius] : [min.dot(normal), max.dot(normal)];
  const distance = start + (end - start) * position;
  const isNegated = normal.dot(viewDirection) >= 0 === isFlipped;
  plane.normal.copy(normal).multiplyScalar(isNegated ? -1 : 1);
  plane.constant = isNegated ? distance : -distance;
}
