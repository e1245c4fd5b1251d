import { Plane, Raycaster, Vector3 } from 'three';
import type { DefectPlace } from '../../api/index.js';
import type { ModelScene } from '../scene/model-scene.js';
import { type Placement, toScene } from '../scene/placement.js';
import { directionOf, STANDARD_VIEWS } from './camera.js';

/** The part of the view that a defect takes, and the smallest and largest part of the model that is shown. */
const VIEW_FACTOR = 5;
const MIN_RADIUS = 0.03;
const MAX_RADIUS = 0.6;
/** What is nearer to a defect than this does not count as hiding it, as a part of the model. */
const MARGIN = 0.004;

/** A view of a defect. */
export interface Focus {
  target: Vector3;
  /** The unit vector from the defect to the camera. */
  direction: Vector3;
  /** The radius of the sphere around the defect that fills the view. */
  radius: number;
  /** The plane that cuts away what hides the defect; absent if nothing does. */
  cut: Plane | undefined;
}

/**
 * Finds a view of a defect: from the direction of the camera if nothing hides it, else from the nearest diagonal or
 * standard direction without an obstacle. If the model hides it in all of them, cuts the model in front of the defect.
 */
export function findFocus(model: ModelScene, placement: Placement, place: DefectPlace, current: Vector3): Focus {
  const target = toScene(placement, place);
  const size = place.sizeMm / placement.extentMm;
  const radius = Math.min(MAX_RADIUS, Math.max(MIN_RADIUS, size * VIEW_FACTOR));
  const surface = model.createRayTarget();
  const isHidden = (direction: Vector3): boolean => {
    const start = target.clone().addScaledVector(direction, MARGIN);
    return new Raycaster(start, direction).intersectObject(surface, false).length > 0;
  };
  const byNearness = (a: Vector3, b: Vector3): number => b.dot(current) - a.dot(current);
  const standard = STANDARD_VIEWS.map(directionOf).sort(byNearness);
  const free = [current, ...listDiagonals().sort(byNearness), ...standard].find((direction) => !isHidden(direction));
  const direction = (free ?? current).clone();
  const cut = new Plane().setFromNormalAndCoplanarPoint(
    direction.clone().negate(),
    target.clone().addScaledVector(direction, MARGIN),
  );
  return { target, direction, radius, cut: free ? undefined : cut };
}

/** Lists the directions to the corners of a cube. Most models have sides along the axes, which are not edge-on there. */
function listDiagonals(): Vector3[] {
  const signs = [-1, 1];
  return signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => new Vector3(x, y, z).normalize())));
}
