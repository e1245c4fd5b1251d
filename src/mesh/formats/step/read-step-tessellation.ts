// Dialects of tessellated STEP that the reader accepts. B-rep, of any application protocol, is read by OpenCASCADE
// (src/mesh/formats/occt), which does not import these:
//
// | dialect | written by |
// |---|---|
// | `TRIANGULATED_FACE` and `COMPLEX_TRIANGULATED_FACE` in `TESSELLATED_SOLID` or `_SHELL` (AP242) | CATIA, NX, Creo, Datakit, CAD Exchanger |
// | `TRIANGULATED_SURFACE_SET` and `COMPLEX_TRIANGULATED_SURFACE_SET` | 3DEXPERIENCE, CAD Assistant, converters of scans |
// | items as such, in geometric sets, and repositioned ones (complex instances) | CATIA |
// | point indices (`pnindex`), or triangles that refer to the coordinates | all |
// | assemblies of relationships with a transform, in either direction, and of mapped items | all; mapped items: Datakit, I-DEAS |
// | a unit for each representation, SI or by conversion; no unit: that of the caller | all |
// | products with a B-rep beside tessellated ones; a tessellation that repeats a B-rep is skipped | NX, CATIA |
//
// Triangles of annotations (PMI), which belong to draughting models, are no geometry. Curved triangles
// (`CUBIC_BEZIER_TRIANGULATED_FACE`) are skipped with a warning.

import type { ReportWarning } from '../../analysis/report.js';
import { MeshError } from '../../core/mesh-error.js';
import { type AffineTransform, compose, IDENTITY, scaling } from '../reading/affine-transform.js';
import { type Loss, missingObjectsWarning } from '../reading/losses.js';
import type { SceneBuilder } from '../reading/scene.js';
import { listStepTruncation } from './list-step-truncation.js';
import { StepFile } from './step-file.js';
import { StepProducts, type StepRepresentation, type StepShape, withComponents } from './step-products.js';
import { StepTessellation, type TessellatedItem } from './step-tessellation.js';

/** Assemblies nest at most so deep. */
const MAX_DEPTH = 1000;

/** The tessellated shapes of a STEP file. */
export interface StepTessellations {
  /** Whether the file has other shapes, too. */
  hasBrep: boolean;
  /** Whether the file does not declare the unit of a tessellated shape. */
  isUnitless: boolean;
  losses: Loss[];
  warnings: ReportWarning[];
  /** Adds the triangles of all tessellated shapes. */
  addTo: (scene: SceneBuilder) => void;
}

interface Visit {
  shape: StepShape;
  transform: AffineTransform;
  name: string;
  depth: number;
}

/**
 * Reads the tessellated shapes of a STEP file (AP242), which OpenCASCADE does not import, in mm. Those that only repeat a
 * B-rep of the same product are skipped, and so are the triangles of annotations. Returns `undefined` for a file without
 * any. Throws `FILE_EMPTY` if all of them are of an unknown kind, `TOO_LARGE` for assemblies that nest deeper than 1,000.
 */
export function readStepTessellation(bytes: Uint8Array): StepTessellations | undefined {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('TRIANGULATED_')) return undefined;
  const file = new StepFile(bytes);
  const products = new StepProducts(file);
  const tessellation = new StepTessellation(file);
  const roots = products.findRoots(({ representations }) =>
    representations.some(({ hasBrep, items }) => hasBrep || [...items].some((id) => tessellation.read(id))),
  );
  const shapes = withComponents(roots);
  const representations = [...shapes].flatMap((shape) => shape.representations);
  const hasBrep = representations.some((representation) => representation.hasBrep);
  const itemsOf = new Map([...shapes].map((shape) => [shape, readItems(shape, tessellation, hasBrep)] as const));
  const items = [...itemsOf.values()].flat();
  if (items.length === 0 && !hasBrep && tessellation.missingCount > 0) throw unreadableError();
  if (items.length === 0) return undefined;
  return {
    hasBrep,
    isUnitless: items.some(({ representation }) => representation.unitInMm === undefined),
    losses: [...tessellation.losses],
    warnings: [
      ...listStepTruncation(bytes),
      ...missingObjectsWarning(file.malformedCount + products.missingCount + tessellation.missingCount),
    ],
    addTo: (scene) => placeShapes(roots, itemsOf, scene),
  };
}

function unreadableError(): MeshError {
  const message =
    'Could not read the STEP file: it is tessellated STEP without triangles that can be read. Save it with exact surfaces (B-rep), or as STL.';
  return new MeshError('FILE_EMPTY', message);
}

interface PlacedItem {
  item: TessellatedItem;
  representation: StepRepresentation;
}

/** Returns the tessellated items of a shape that do not repeat a B-rep of the file. */
function readItems(shape: StepShape, tessellation: StepTessellation, hasBrep: boolean): PlacedItem[] {
  const isExact = shape.representations.some((representation) => representation.hasBrep);
  return shape.representations
    .filter((representation) => !isExact || representation.hasBrep)
    .flatMap((representation) =>
      [...representation.items].flatMap((id): PlacedItem[] => {
        const item = tessellation.read(id);
        return !item || (hasBrep && item.isLinked) ? [] : [{ item, representation }];
      }),
    );
}

/** Places shapes and their components with an explicit stack. */
function placeShapes(
  roots: readonly StepShape[],
  itemsOf: ReadonlyMap<StepShape, readonly PlacedItem[]>,
  scene: SceneBuilder,
): void {
  const visits: Visit[] = [];
  // Counted when pushed: in a cycle, each visit adds all components of a shape.
  const push = (visit: Visit): void => {
    scene.countInstance();
    visits.push(visit);
  };
  for (const shape of roots.toReversed()) push({ shape, transform: IDENTITY, name: '', depth: 1 });
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    const { shape, transform, depth } = visit;
    if (depth > MAX_DEPTH)
      throw new MeshError('TOO_LARGE', `Could not read the STEP file: assemblies nest deeper than ${MAX_DEPTH}.`);
    const name = shape.name || visit.name;
    for (const { item, representation } of itemsOf.get(shape) ?? [])
      scene.place(item, compose(transform, scaling(representation.unitInMm ?? 1)), item.name || name);
    for (const component of shape.components.toReversed())
      push({ shape: component.shape, transform: compose(transform, component.transform), name, depth: depth + 1 });
  }
}
