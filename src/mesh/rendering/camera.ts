import type { IndexedMesh } from '../core/mesh.js';

/** How a model is turned before it is looked at, in degrees. */
export interface CameraAngles {
  /** Tilts the model toward the viewer: 90 shows it from above. */
  x: number;
  /** Rolls the picture clockwise. */
  y: number;
  /** Turns the model about its vertical axis, counter-clockwise seen from above. */
  z: number;
}

/** A model in the coordinates of a picture. */
export interface ProjectedMesh {
  /** x to the right, y down, z toward the viewer, of each vertex; whole numbers of x and y are the middles of samples */
  points: Float32Array;
  triangles: Uint32Array;
}

// What is left free on each side of the picture, of its shorter side.
const MARGIN_FRACTION = 0.06;

/** The rows of the rotation about z (turn), then x (tilt), then y (roll). */
const rotationOf = ({ x, y, z }: CameraAngles): number[][] => {
  const [a, b, c] = [x, y, z].map((degrees) => (degrees * Math.PI) / 180);
  const [sinX, cosX, sinY, cosY, sinZ, cosZ] = [a, b, c].flatMap((angle) => [Math.sin(angle), Math.cos(angle)]);
  return [
    [cosY * cosZ + sinY * sinX * sinZ, sinY * sinX * cosZ - cosY * sinZ, sinY * cosX],
    [cosX * sinZ, cosX * cosZ, -sinX],
    [cosY * sinX * sinZ - sinY * cosZ, sinY * sinZ + cosY * sinX * cosZ, cosY * cosX],
  ];
};

/**
 * Looks at a model along its y axis, z up, after it was turned by the angles; in parallel, so that what is equally long looks so. It fills a
 * picture of `width` × `height` samples but for a margin, whatever its size.
 */
export function projectMesh(mesh: IndexedMesh, angles: CameraAngles, width: number, height: number): ProjectedMesh {
  const { positions, triangles } = mesh;
  const [right, away, up] = rotationOf(angles);
  const axes = [right, up.map((part) => -part), away.map((part) => -part)];
  const origin = positions.subarray(0, 3); // near the model: far from zero it keeps its digits
  const at = (axis: readonly number[], i: number): number =>
    axis[0] * (positions[i] - origin[0]) +
    axis[1] * (positions[i + 1] - origin[1]) +
    axis[2] * (positions[i + 2] - origin[2]);
  const ranges = axes.map(() => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  // Of the used vertices only: others are not to be seen.
  for (let corner = 0; corner < triangles.length; corner++) {
    for (let k = 0; k < 3; k++) {
      const value = at(axes[k], triangles[corner] * 3);
      if (value < ranges[k][0]) ranges[k][0] = value;
      if (value > ranges[k][1]) ranges[k][1] = value;
    }
  }
  const margin = Math.min(width, height) * MARGIN_FRACTION * 2;
  const [sizeX, sizeY] = ranges.map(([min, max]) => Math.max(max - min, 1e-300));
  const scale = Math.min((width - margin) / sizeX, (height - margin) / sizeY, 1e30);
  const middles = ranges.map(([min, max]) => min / 2 + max / 2);
  const target = [width / 2 - 0.5, height / 2 - 0.5, 0];
  const points = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    for (let k = 0; k < 3; k++) points[i + k] = (at(axes[k], i) - middles[k]) * scale + target[k];
  }
  return { points, triangles };
}
