import { type Static, type TUnsafe, Type } from 'typebox';
import type { Report } from '../../api/index.js';
import type { Report as KernelReport } from '../../mesh/analysis/report.js';

// The schemas of the reports and analyses that the kernel creates.

const Count = Type.Integer({ minimum: 0 });
const Measure = Type.Number();
const Size = Type.Number({ minimum: 0 });

function createChoice<const T extends string>(...values: T[]): TUnsafe<T> {
  return Type.Unsafe<T>(Type.Union(values.map((value) => Type.Literal(value))));
}

// `Type.Tuple` writes a keyword that JSON Schema 2020-12 has replaced.
const Vector = Type.Unsafe<[number, number, number]>(Type.Array(Measure, { minItems: 3, maxItems: 3 }));

/** The fields of an analysis: those of every service, then those of this one. */
export const ANALYSIS_FIELDS = {
  vertices: Count,
  triangles: Count,
  contours: Count,
  shells: Count,
  volumeMm3: Measure,
  surfaceAreaMm2: Measure,
  dimensionXMm: Measure,
  dimensionYMm: Measure,
  dimensionZMm: Measure,
  badEdges: Count,
  badContours: Count,
  solidityParams: Type.Object({
    invertedNormals: Count,
    badEdges: Count,
    badContours: Count,
    nearBadEdges: Count,
    planarHoles: Count,
  }),
  qualityParams: Type.Object({
    noiseShells: Count,
    overlappingTriangles: Count,
    intersectingTriangles: Count,
    isFacetingScoreOk: Type.Boolean(),
  }),
  boundaryEdges: Type.Optional(Count),
  nonManifoldEdges: Type.Optional(Count),
  edgesByTriangles: Type.Optional(Type.Array(Type.Object({ triangles: Count, edges: Count }))),
  inconsistentEdges: Type.Optional(Count),
  nonManifoldVertices: Type.Optional(Count),
  degenerateTriangles: Type.Optional(Count),
  isIntersectionCheckComplete: Type.Optional(Type.Boolean()),
  boundsVolume: Type.Optional(Type.Boolean()),
  boxMm: Type.Optional(Type.Object({ min: Vector, max: Vector })),
  parts: Type.Optional(Type.Object({ count: Count, overlapMm3: Type.Optional(Size) })),
};

const AnalysisSchema = Type.Object(ANALYSIS_FIELDS);

/** The verdict on a model. */
export const VerdictSchema = Type.Object({
  level: createChoice('open', 'watertight', 'manifold', 'solid'),
  needsRepair: Type.Boolean(),
  reasons: Type.Array(Type.String()),
});

/** The changes that a step of an operation made. */
const StepEntrySchema = Type.Object({
  name: Type.String(),
  changed: Count,
  removedTriangles: Type.Optional(Count),
  addedTriangles: Type.Optional(Count),
  removedShells: Type.Optional(Count),
  addedShells: Type.Optional(Count),
  removedObjects: Type.Optional(Count),
  volumeChangeMm3: Type.Optional(Measure),
  reason: Type.Optional(Type.String()),
});

/** What an operation did to a model. */
export const ReportSchema = Type.Object({
  before: AnalysisSchema,
  after: AnalysisSchema,
  steps: Type.Array(StepEntrySchema),
  places: Type.Array(Type.Object({ defect: Type.String(), x: Measure, y: Measure, z: Measure, sizeMm: Size })),
  filledAreaMm2: Measure,
  volumeChangeMm3: Measure,
  areaChangeMm2: Measure,
  maxDisplacementMm: Measure,
  innerShells: Type.Optional(
    Type.Array(
      Type.Object({
        outcome: createChoice('kept', 'void', 'merged'),
        x: Measure,
        y: Measure,
        z: Measure,
        sizeMm: Size,
        volumeMm3: Size,
      }),
    ),
  ),
  unitedParts: Type.Optional(Type.Array(Type.String())),
  skipped: Type.Optional(
    Type.Object({ triangles: Type.Optional(Count), faces: Type.Optional(Count), objects: Type.Optional(Count) }),
  ),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
  verdict: VerdictSchema,
});

type Complete<T> = T extends object ? { [Name in keyof T]-?: Complete<T[Name]> } : T;
/** The kernel lists the codes of its warnings, and other services may have more. */
type WithAnyCode<T extends Report> = Omit<T, 'warnings'> & Pick<Report, 'warnings'>;
type IsSame<A, B> = [A, B] extends [B, A] ? true : false;

// The compiler holds schema, API and kernel equal; analyses and verdicts are parts of a report. The API has more optional
// fields than the kernel, because not every service sends them.
true satisfies IsSame<Static<typeof ReportSchema>, Report>;
true satisfies IsSame<Complete<Static<typeof ReportSchema>>, Complete<Report>>;
true satisfies IsSame<Complete<WithAnyCode<KernelReport>>, Complete<Report>>;
