import type { HelperRole } from '../../core/mesh.js';
import type { ScenePart } from '../reading/scene.js';
import type { Body } from './body-placer.js';

/** A range of the triangles of a body, by the indices of its first and last one. */
export interface VolumeRange {
  first: number;
  last: number;
  name: string;
  role: HelperRole | undefined;
}

/**
 * Splits a body into its volumes, each with the name of the body if it has none. Triangles of no volume stay a body with
 * the role of the whole; those of several belong to the first. Without volumes, the body stays as it is.
 */
export function splitVolumes(body: Body, volumes: readonly VolumeRange[]): Body[] {
  if (volumes.length === 0) return [body];
  const triangleCount = body.part.corners.length / 3;
  const bodies: Body[] = [];
  let next = 0;
  const addUpTo = (end: number, { name, role }: Pick<Body, 'name' | 'role'>): void => {
    if (end <= next) return;
    const coversBody = next === 0 && end === triangleCount;
    const part = coversBody ? body.part : selectTriangles(body.part, next, end);
    bodies.push({ ...body, part, name: name || body.name, role });
    next = end;
  };
  for (const volume of [...volumes].sort((left, right) => left.first - right.first)) {
    addUpTo(Math.min(volume.first, triangleCount), body);
    addUpTo(Math.min(volume.last + 1, triangleCount), { ...volume, role: body.role ?? volume.role });
  }
  addUpTo(triangleCount, body);
  return bodies;
}

/** Returns consecutive triangles of a part, with the points between the first and the last one that they use. */
function selectTriangles({ points, corners }: ScenePart, first: number, end: number): ScenePart {
  const pointCount = points.length / 3;
  const selected = corners.slice(first * 3, end * 3);
  let [min, max] = [pointCount, -1];
  for (const corner of selected) {
    if (corner >= 0 && corner < pointCount && Number.isInteger(corner)) {
      min = Math.min(min, corner);
      max = Math.max(max, corner);
    }
  }
  for (let i = 0; i < selected.length; i++) selected[i] -= min;
  return { points: points.subarray(min * 3, (max + 1) * 3), corners: selected };
}
