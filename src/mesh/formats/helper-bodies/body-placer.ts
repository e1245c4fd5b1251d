import type { ReportWarning } from '../../analysis/report.js';
import type { HelperRole } from '../../core/mesh.js';
import type { WorkCounter } from '../../core/work-counter.js';
import { boxesOverlap, computeBounds } from '../../geometry/bounds.js';
import type { ReadOptions } from '../format.js';
import { type AffineTransform, compose, IDENTITY } from '../reading/affine-transform.js';
import { type BodyLabel, type SceneBuilder, type ScenePart, toPartMesh } from '../reading/scene.js';
import { createNameWarnings, type NamedEvent } from './name-warnings.js';
import type { Solid, SolidTools } from './subtract-negatives.js';

/**
 * How helper bodies are treated. `apply`: negative volumes are subtracted from the parts of their object, all others are
 * left out. `keep`: they are kept beside the model. `ignore`: all are left out.
 */
export type HelperHandling = (typeof HELPER_HANDLINGS)[number];

/** All values of `HelperHandling`; the first one is the default. */
export const HELPER_HANDLINGS = ['apply', 'keep', 'ignore'] as const;

/** A body of an object of a file: a part, or a helper body if it has a role. */
export interface Body {
  part: ScenePart;
  /** From its own coordinates to those of the object. */
  transform: AffineTransform;
  name: string;
  role?: HelperRole | undefined;
}

/** The work of the subtractions of an object is that of so many resolutions of its intersections. */
const WORK_FACTOR = 4;

/**
 * Places the objects of a file in a scene, each once per instance, and treats their helper bodies. A negative volume cuts
 * the parts of its own object only.
 */
export class BodyPlacer {
  readonly #scene: SceneBuilder;
  readonly #handling: HelperHandling;
  readonly #tools: SolidTools | undefined;
  /** object → its bodies after the subtraction of its negative volumes */
  readonly #results = new Map<string, readonly Body[]>();
  readonly #seenKeys = new Set<string>();
  readonly #events: NamedEvent[] = [];
  #groupCount = 0;

  /** Without `solidTools`, no negative volume can be subtracted. */
  constructor(scene: SceneBuilder, { helpers = 'apply', solidTools }: Pick<ReadOptions, 'helpers' | 'solidTools'>) {
    this.#scene = scene;
    this.#handling = helpers;
    this.#tools = solidTools;
  }

  /** Places an instance of an object. `key` identifies the object, whose bodies are the same each time. */
  placeObject(key: string, bodies: readonly Body[], transform: AffineTransform): void {
    const isKept = this.#handling === 'keep';
    const group = isKept ? this.#groupCount++ : undefined;
    const helpers = bodies.filter(({ role }) => role !== undefined);
    for (const body of helpers.length === 0 || isKept ? bodies : this.#selectParts(key, bodies)) {
      const label: BodyLabel = {
        name: body.name,
        ...(body.role && { role: body.role }),
        ...(group !== undefined && { group }),
      };
      this.#scene.place(body.part, compose(transform, body.transform), label);
    }
    if (isKept && !this.#seenKeys.has(key)) this.#record('kept', helpers);
    this.#seenKeys.add(key);
  }

  /** Records that an object is left out because it is not to be printed. */
  recordUnprintable(name: string): void {
    this.#events.push({ event: 'unprintable', name });
  }

  /** Describes what happened to helper bodies, with their names. */
  createWarnings(): ReportWarning[] {
    return createNameWarnings(this.#events);
  }

  /** Returns why the model is not what its file meant. */
  listReasons(): string[] {
    return this.#events.some(({ event }) => event === 'failed') ? ['negative volumes could not be subtracted'] : [];
  }

  #record(event: NamedEvent['event'], bodies: readonly Body[]): void {
    for (const { name, role } of bodies) this.#events.push({ event, name, role });
  }

  /** Returns the parts of an object without its helper bodies, less its negative volumes if these are to be applied. */
  #selectParts(key: string, bodies: readonly Body[]): readonly Body[] {
    const known = this.#results.get(key);
    if (known) return known;
    const parts = bodies.filter(({ role }) => role === undefined);
    const negatives = bodies.filter(({ role }) => role === 'negative');
    const isApplied = this.#handling === 'apply' && parts.length > 0 && negatives.length > 0;
    this.#record(
      'dropped',
      bodies.filter(({ role }) => role !== undefined && !(isApplied && role === 'negative')),
    );
    const result = isApplied ? this.#subtract(parts, negatives) : parts;
    this.#results.set(key, result);
    return result;
  }

  #subtract(parts: readonly Body[], negatives: readonly Body[]): Body[] {
    const triangleCount = [...parts, ...negatives].reduce((sum, { part }) => sum + part.corners.length / 3, 0);
    const tools = this.#tools;
    if (!tools) {
      this.#record('failed', negatives);
      return [...parts];
    }
    const work = tools.createWork(triangleCount * WORK_FACTOR);
    const cutters = negatives.map((body) => ({
      body,
      solid: tools.toSolid(toPartMesh(body.part, body.transform), work),
    }));
    const failed = new Set(cutters.flatMap(({ body, solid }) => (solid ? [] : [body])));
    this.#recordRepaired(cutters);
    const solids = cutters.flatMap(({ body, solid }) => (solid ? [{ body, solid }] : []));
    const result = parts.flatMap((body) => {
      const difference = this.#subtractFrom(body, solids, { ...tools, work });
      if (difference.failed) for (const negative of difference.failed) failed.add(negative);
      return difference.body ?? [];
    });
    this.#record('failed', [...failed]);
    this.#record(
      'subtracted',
      negatives.filter((body) => !failed.has(body)),
    );
    return result;
  }

  /** Returns a part less its negative volumes, if anything of it remains, or the part and those that failed. */
  #subtractFrom(
    body: Body,
    cutters: readonly { body: Body; solid: Solid }[],
    { work, toSolid, subtractNegatives }: SolidTools & { work: WorkCounter },
  ): { body?: Body; failed?: Body[] } {
    const mesh = toPartMesh(body.part, body.transform);
    const box = computeBounds(mesh.positions);
    const touching = cutters.filter(({ solid }) => boxesOverlap(solid.box, box));
    if (!work.add(cutters.length) && touching.length > 0)
      return { body, failed: touching.map((cutter) => cutter.body) };
    if (touching.length === 0) return { body };
    const part = toSolid(mesh, work);
    const solids = touching.map(({ solid }) => solid);
    const difference = part && subtractNegatives(part, solids, work);
    if (!difference) return { body, failed: touching.map((cutter) => cutter.body) };
    this.#recordRepaired([{ body, solid: part }]);
    if (difference.triangles.length > 0)
      return {
        body: { ...body, part: { points: difference.positions, corners: difference.triangles }, transform: IDENTITY },
      };
    this.#record('swallowed', [body]);
    return {};
  }

  #recordRepaired(bodies: readonly { body: Body; solid: Solid | undefined }[]): void {
    const repaired = bodies.filter(({ solid }) => solid?.isRepaired);
    this.#record(
      'repaired',
      repaired.map(({ body }) => body),
    );
  }
}
