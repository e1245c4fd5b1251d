/** The vertical angle of view, and the margin around a model that fits the picture, as documented. */
const FIELD_OF_VIEW = 35;
const FIT_MARGIN = 1.05;

/** A model with its bounds, in mm. */
export interface Box {
  min: readonly [number, number, number];
  max: readonly [number, number, number];
}

/** Returns the scale of a picture from the top, in pixels per mm, at a height in mm. Independent of the viewer. */
export function scaleFromTop({ min, max }: Box, width: number, height: number, z: number): number {
  const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2;
  const half = ((FIELD_OF_VIEW / 2) * Math.PI) / 180;
  const smaller = Math.min(half, Math.atan((Math.tan(half) * width) / height));
  const distance = (radius * FIT_MARGIN) / Math.sin(smaller);
  return height / 2 / Math.tan(half) / (distance - (z - (min[2] + max[2]) / 2));
}

/** Projects a point in mm to a picture from the top. */
export function projectFromTop(box: Box, point: readonly [number, number, number], width: number, height: number) {
  const scale = scaleFromTop(box, width, height, point[2]);
  const { min, max } = box;
  return {
    x: width / 2 + (point[0] - (min[0] + max[0]) / 2) * scale,
    y: height / 2 - (point[1] - (min[1] + max[1]) / 2) * scale,
  };
}
