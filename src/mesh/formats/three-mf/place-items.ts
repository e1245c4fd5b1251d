import type { HelperRole } from '../../core/mesh.js';
import { MeshError } from '../../core/mesh-error.js';
import type { Body, BodyPlacer } from '../helper-bodies/body-placer.js';
import { splitVolumes } from '../helper-bodies/split-volumes.js';
import { type AffineTransform, compose, IDENTITY, scaling } from '../reading/affine-transform.js';
import type { SceneBuilder } from '../reading/scene.js';
import type { SlicerConfig, SlicerObject, SlicerPlate, SlicerVolume } from './slicer-config.js';
import type { ThreeMfItem, ThreeMfModel, ThreeMfObject, ThreeMfReference } from './three-mf-model.js';

const MAX_DEPTH = 32;

/** The roles of the types of objects (3MF Core Specification 4.1). Surfaces are printed. */
const ROLE_OF_TYPE: Readonly<Record<string, HelperRole>> = {
  support: 'support',
  solidsupport: 'support',
  other: 'other',
};

/** The models of a package, and where their items are placed. */
export interface ItemPlacement {
  main: ThreeMfModel;
  /** The path of `main`. */
  root: string;
  modelAt: (path: string) => ThreeMfModel | undefined;
  config: SlicerConfig;
  /** The plate whose items are placed. Default: those of all plates. */
  plate?: SlicerPlate | undefined;
  scene: SceneBuilder;
  placer: BodyPlacer;
}

interface Visit {
  reference: ThreeMfReference;
  /** The path of the model part with the reference. */
  path: string;
  /** From the coordinates of the reference to those of the object of the item. */
  transform: AffineTransform;
  name: string;
  /** The role of the object around it, if it has one. */
  role: HelperRole | undefined;
  /** The entries of the slicer's list for the object, and for its volume. */
  entry: SlicerObject | undefined;
  volume: SlicerVolume | undefined;
  depth: number;
}

/** Places all printable build items, or those of one plate. Returns the number of unresolved references. */
export function placeItems(placement: ItemPlacement): number {
  const { main, root, placer } = placement;
  const rootTransform = scaling(main.unitInMm);
  let missingCount = 0;
  for (const item of selectItems(placement)) {
    if (!item.isPrintable) {
      placer.recordUnprintable(findName(item, placement));
      continue;
    }
    const { bodies, missing } = listBodies(item, placement);
    missingCount += missing;
    placer.placeObject(`${item.path ?? root}\n${item.objectId}`, bodies, compose(rootTransform, item.transform));
  }
  return missingCount;
}

/** Returns the items of the plate. An instance is the number of items of the same object before it. */
function selectItems({ main, plate }: ItemPlacement): ThreeMfItem[] {
  if (!plate) return main.items;
  const countOf = new Map<string, number>();
  return main.items.filter(({ objectId }) => {
    const index = countOf.get(objectId) ?? 0;
    countOf.set(objectId, index + 1);
    return plate.instances.has(`${objectId}/${index}`);
  });
}

function findName({ path, objectId }: ThreeMfItem, { root, main, config }: ItemPlacement): string {
  const name = path === undefined || path === root ? main.objects.get(objectId)?.name : undefined;
  return name || (config.objects.get(objectId)?.name ?? '');
}

/** Lists the bodies of an item in the coordinates of its object, with an explicit stack, and counts missing objects. */
function listBodies(
  item: ThreeMfItem,
  { root, modelAt, config, scene }: ItemPlacement,
): { bodies: Body[]; missing: number } {
  const reference = { ...item, transform: IDENTITY };
  const visits: Visit[] = [
    {
      reference,
      path: root,
      transform: IDENTITY,
      name: '',
      role: undefined,
      entry: undefined,
      volume: undefined,
      depth: 1,
    },
  ];
  const bodies: Body[] = [];
  let missing = 0;
  for (let visit = visits.pop(); visit; visit = visits.pop()) {
    scene.countInstance();
    if (visit.depth > MAX_DEPTH)
      throw new MeshError('FILE_MALFORMED', `Invalid 3MF: components nest deeper than ${MAX_DEPTH}.`);
    const path = visit.reference.path ?? visit.path;
    const object = modelAt(path)?.objects.get(visit.reference.objectId);
    if (!object) {
      missing++;
      continue;
    }
    const ownEntry = path === root ? config.objects.get(visit.reference.objectId) : undefined;
    const inside: Visit = { ...visit, path, ...describeObject(object, visit, ownEntry), depth: visit.depth + 1 };
    if (object.part) bodies.push(...listOwnBodies(object.part, inside, ownEntry));
    visits.push(...listComponents(object, inside).reverse());
  }
  return { bodies, missing };
}

/** Returns the name, role and entry of an object, which its components have too unless they have their own. */
function describeObject(
  object: ThreeMfObject,
  { name, role, entry, volume }: Visit,
  ownEntry: SlicerObject | undefined,
) {
  const ownRole = volume
    ? volume.role
    : Object.hasOwn(ROLE_OF_TYPE, object.type)
      ? ROLE_OF_TYPE[object.type]
      : undefined;
  return {
    name: volume?.name || object.name || ownEntry?.name || name,
    role: role ?? ownRole,
    entry: ownEntry ?? entry,
  };
}

/** Returns the mesh of an object as one body, or as one of each volume in the slicer's list. */
function listOwnBodies(
  part: NonNullable<ThreeMfObject['part']>,
  { transform, name, role }: Visit,
  ownEntry: SlicerObject | undefined,
): Body[] {
  const volumes = (ownEntry?.volumes ?? []).flatMap(({ range, ...volume }) => (range ? [{ ...volume, ...range }] : []));
  return splitVolumes({ part, transform, name, role }, volumes);
}

/** Returns the components of an object, each with its entry: of several entries with one id, each is for one component. */
function listComponents({ components }: ThreeMfObject, inside: Visit): Visit[] {
  const countOf = new Map<string, number>();
  return components.map((reference) => {
    const { objectId } = reference;
    const volumes = inside.volume ? [] : (inside.entry?.volumes ?? []).filter(({ id }) => id === objectId);
    const count = countOf.get(objectId) ?? 0;
    countOf.set(objectId, count + 1);
    const volume = volumes[Math.min(count, volumes.length - 1)] ?? inside.volume;
    return { ...inside, reference, transform: compose(inside.transform, reference.transform), volume };
  });
}
