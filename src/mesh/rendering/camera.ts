import type { IndexedMesh } from '../core/mesh.js';

/** The rotation of a model relative to the viewer, in degrees. */
export interface CameraAngles {
  /** Tilts the model toward the viewer: 90 shows it from above. */
  x: number;
  /** Rolls the image clockwise. */
  y: number;
  /** Turns the model about its vertical axis, counter-clockwise as seen from above. */
  z: number;
}

/** A model in image coordinates. */
export interface ProjectedMesh {
  /**
   * vertex * 3 → x to the right, y down, z toward the viewer, in samples; the centers of samples have integer x and y
   */
  points: Float32Array;
  triangles: Uint32Array;
}

/** Margin on each side of the image, as a fraction of its shorter side. */
const MARGIN_FRACTION = 0.06;

/** Returns the rows of the matrix that rotates about z (turn), then x (tilt), then y (roll). */
function createRotation({ x, y, z }: CameraAngles): number[][] {
  const [a, b, c] = [x, y, z].map((degrees) => (degrees * Math.PI) / 180);
  const [sinX, cosX, sinY, cosY, sinZ, cosZ] = [a, b, c].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
  return [
    [cosY * cosZ + sinY * sinX * sinZ, sinY * sinX * cosZ - cosY * sinZ, sinY * cosX],
    [cosX * sinZ, cosX * cosZ, -sinX],
    [cosY * sinX * sinZ - sinY * cosZ, sinY * sinZ + cosY * sinX * cosZ, cosY * cosX],
  ];
}

/**
 * Projects a rotated model orthographically along its y axis, with z up. Scales it so that it fills an image of
 * `width` × `height` samples, except for a margin.
 */
export function projectMesh(mesh: IndexedMesh, angles: CameraAngles, width: number, height: number): ProjectedMesh {
  const { positions, triangles } = mesh;
  const [right, away, up] = createRotation(angles);
  const axes = [right, up.map((part) => -part), away.map((part) => -part)];
  const origin = positions.subarray(0, 3); // a point near the model, to keep precision far from the origin
  const coordinateAlong = (axis: readonly number[], i: number): number =>
    axis[0] * (positions[i] - origin[0]) +
    axis[1] * (positions[i + 1] - origin[1]) +
    axis[2] * (positions[i + 2] - origin[2]);
  const ranges = axes.map(() => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  // Only used vertices count: others are not visible.
  for (let corner = 0; corner < triangles.length; corner++) {
    for (let k = 0; k < 3; k++) {
      const value = coordinateAlong(axes[k], triangles[corner] * 3);
      if (value < ranges[k][0]) ranges[k][0] = value;
      if (value > ranges[k][1]) ranges[k][1] = value;
    }
  }
  const margin = Math.min(width, height) * MARGIN_FRACTION * 2;
  const [sizeX, sizeY] = ranges.map(([min, max]) => Math.max(max - min, 1e-300));
  const scale = Math.min((width - margin) / sizeX, (height - margin) / sizeY, 1e30);
  const centers = ranges.map(([min, max]) => min / 2 + max / 2);
  const target = [width / 2 - 0.5, height / 2 - 0.5, 0];
  const points = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) points[i + k] = (coordinateAlong(axes[k], i) - centers[k]) * scale + target[k];
  }
  return { points, triangles };
}
