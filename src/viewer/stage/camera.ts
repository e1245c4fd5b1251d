import { type PerspectiveCamera, Quaternion, Spherical, Vector3 } from 'three';

/** The standard views, in the order of their keys 1 to 6. */
export const STANDARD_VIEWS = ['front', 'back', 'left', 'right', 'top', 'bottom'] as const;

/** A standard view, or the one that a model is shown in first, which is that of a thumbnail. */
export type ViewName = 'initial' | (typeof STANDARD_VIEWS)[number];

/** The vertical angle of view, in degrees. */
export const FIELD_OF_VIEW = 35;

/** The directions to the camera, in degrees: from the vertical axis, and around it from the front. */
const DIRECTIONS: Readonly<Record<ViewName, readonly [polar: number, azimuth: number]>> = {
  initial: [65, 35],
  front: [90, 0],
  back: [90, 180],
  left: [90, -90],
  right: [90, 90],
  top: [0, 0],
  bottom: [180, 0],
};

const RADIANS = Math.PI / 180;
/** Rotates z to y: the vertical axis of models to that of three's spherical coordinates. */
const TO_Y_UP = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(0, 1, 0));
const TO_Z_UP = TO_Y_UP.clone().invert();

function toVector(spherical: Spherical): Vector3 {
  return new Vector3().setFromSpherical(spherical.makeSafe()).applyQuaternion(TO_Z_UP);
}

/** Returns the unit vector from the model to the camera in a standard view. */
export function directionOf(name: ViewName): Vector3 {
  const [polar, azimuth] = DIRECTIONS[name];
  return toVector(new Spherical(1, polar * RADIANS, azimuth * RADIANS));
}

/** Returns the distance at which a sphere of this radius fills the image. */
export function fitDistance({ fov, aspect }: PerspectiveCamera, radius: number): number {
  const halfAngle = (fov / 2) * RADIANS;
  const smaller = Math.min(halfAngle, Math.atan(Math.tan(halfAngle) * aspect));
  return radius / Math.sin(smaller);
}

/** Orbits the camera about a target, by angles in degrees: to the right and up. */
export function orbit(camera: PerspectiveCamera, target: Vector3, right: number, up: number): void {
  const offset = camera.position.clone().sub(target).applyQuaternion(TO_Y_UP);
  const spherical = new Spherical().setFromVector3(offset);
  spherical.theta += right * RADIANS;
  spherical.phi = Math.min(Math.PI, Math.max(0, spherical.phi - up * RADIANS));
  camera.position.copy(target).add(toVector(spherical));
}

/** Moves camera and target parallel to the image, by fractions of its height. */
export function pan(camera: PerspectiveCamera, target: Vector3, right: number, up: number): void {
  const height = 2 * Math.tan((camera.fov / 2) * RADIANS) * camera.position.distanceTo(target);
  const move = new Vector3(right * height, up * height, 0).applyQuaternion(camera.quaternion);
  camera.position.add(move);
  target.add(move);
}

/** Moves the camera so that its distance to the target changes by a factor. */
export function zoom(camera: PerspectiveCamera, target: Vector3, factor: number): void {
  camera.position.sub(target).multiplyScalar(factor).add(target);
}

/** Sets the depth range to that of a sphere about the origin, so that the depth buffer has its full precision. */
export function fitDepthRange(camera: PerspectiveCamera, radius: number): void {
  const distance = camera.position.length();
  camera.near = Math.max(distance - radius * 1.02, radius * 0.001);
  camera.far = distance + radius * 1.02;
  camera.updateProjectionMatrix();
}
