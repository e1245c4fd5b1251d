/** The measures and defect counts of a mesh. Counts are integers, measures are doubles in mm, mm² and mm³. */
export interface Analysis {
  vertices: number;
  triangles: number;
  /** Closed chains of boundary edges. */
  contours: number;
  /** Sets of triangles connected through edges. */
  shells: number;
  volumeMm3: number;
  surfaceAreaMm2: number;
  dimensionXMm: number;
  dimensionYMm: number;
  dimensionZMm: number;
  /** Edges without exactly two opposite triangles: boundary, non-manifold and inconsistently wound edges. */
  badEdges: number;
  /** Boundary loops. */
  badContours: number;
  solidityParams: {
    /** Triangles of closed shells that face inward although no other shell encloses them. */
    invertedNormals: number;
    badEdges: number;
    badContours: number;
    /** Boundary edges whose ends both have another boundary vertex nearby. */
    nearBadEdges: number;
    /** Boundary loops that lie in a plane. */
    planarHoles: number;
  };
  qualityParams: {
    noiseShells: number;
    /** Triangles that are coplanar with another triangle and share area with it. */
    overlappingTriangles: number;
    /** Triangles that cross or touch another triangle beyond their shared edges and vertices. */
    intersectingTriangles: number;
    isFacetingScoreOk: boolean;
  };
  boundaryEdges: number;
  /** Edges with more than two triangles. */
  nonManifoldEdges: number;
  /** How many of them have how many triangles, by the number of triangles. Absent in analyses of earlier versions. */
  edgesByTriangles?: { triangles: number; edges: number }[];
  /** Edges whose two triangles traverse them in the same direction. */
  inconsistentEdges: number;
  /** Number of fans beyond one per vertex if the mesh is watertight, else 0. */
  nonManifoldVertices: number;
  /** Triangles with two equal corners or with exactly collinear corners. */
  degenerateTriangles: number;
  /**
   * False if too many triangles lie close together to test all pairs. The counts of intersecting and overlapping
   * triangles are then lower bounds.
   */
  isIntersectionCheckComplete: boolean;
  /**
   * Whether the mesh is watertight and its winding number is 0 or 1 everywhere. Decided from the nesting of the shells,
   * which is valid only for a mesh without intersections.
   */
  boundsVolume: boolean;
  boxMm: { min: [number, number, number]; max: [number, number, number] };
  /**
   * Set if the model has parts that touch or overlap: the counts are then those of each part by itself. `overlapMm3` is the
   * volume that they share, 0 if they only touch; absent if it is not known.
   */
  parts?: { count: number; overlapMm3?: number };
}

/** From worst to best. docs/geometry.md defines the levels. */
export type SolidityLevel = 'open' | 'watertight' | 'manifold' | 'solid';

/**
 * The level of a mesh. `reasons` lists why it is not higher, and why the model is known not to be what its file meant;
 * `needsRepair` is true if there are any.
 */
export interface Verdict {
  level: SolidityLevel;
  needsRepair: boolean;
  reasons: string[];
}

/** The codes of warnings of reports, also of the operations that other layers add. */
export type WarningCode =
  | 'EXTENSION_WRONG'
  | 'TRUNCATED'
  | 'COUNT_WRONG'
  | 'TRAILING_BYTES'
  | 'NOT_FINITE'
  | 'FACES_DROPPED'
  | 'NO_FACES'
  | 'OBJECTS_MISSING'
  | 'ANIMATION_DROPPED'
  | 'BEAMS_DROPPED'
  | 'COLOURS_DROPPED'
  | 'MATERIALS_DROPPED'
  | 'CURVES_DROPPED'
  | 'INLINE_DROPPED'
  | 'LINES_DROPPED'
  | 'PAINTING_DROPPED'
  | 'SETTINGS_DROPPED'
  | 'SHAPES_DROPPED'
  | 'SLICES_DROPPED'
  | 'SURFACES_DROPPED'
  | 'PLATES_COMBINED'
  | 'PLATE_SELECTED'
  | 'HELPERS_DROPPED'
  | 'HELPERS_KEPT'
  | 'NEGATIVES_SUBTRACTED'
  | 'NEGATIVES_FAILED'
  | 'UNPRINTABLE_DROPPED'
  | 'SLICER_CONFIG_DAMAGED'
  | 'INTERSECTIONS_LEFT'
  | 'WORK_LIMIT_REACHED'
  | 'VOLUME_CHANGED'
  | 'UNEXPLAINED_LOSS'
  | 'UNEXPLAINED_GAIN'
  | 'HOLES_FILLED'
  | 'GAPS_CLOSED'
  | 'SHEETS_DROPPED'
  | 'ZERO_THICKNESS'
  | 'PARTS_DROPPED'
  | 'PARTS_UNITED'
  | 'PARTS_FILLED'
  | 'SHRINKWRAP_SUGGESTED'
  | 'SURFACE_REPLACED'
  | 'ROUNDING_BROKE_TRIANGLES'
  | 'ROUNDING_CHANGED_SHAPE'
  | 'UNITS_DOUBTFUL'
  | 'TARGET_NOT_REACHED'
  | 'CAVITY_CLOSED'
  | 'DRAIN_HOLES_ADDED'
  | 'DRAIN_HOLES_MISSING'
  | 'LOOSE_BODIES';

/** A warning for the user: a stable code and a sentence. */
export interface ReportWarning {
  code: WarningCode;
  message: string;
}

/** What a reader skipped, so that its file has so many more: triangles, faces of any number of corners, objects. */
export interface SkippedContent {
  triangles?: number;
  faces?: number;
  objects?: number;
}

/** The location of a defect: a point in mm and its size. `DefectKind` has the kinds of defect. */
export interface DefectPlace {
  defect: string;
  x: number;
  y: number;
  z: number;
  sizeMm: number;
}

/** Whether a repair keeps the parts of a model that has several, or unites those that touch or overlap. */
export type PartsRule = 'keep' | 'unite';

/** How a repair treats closed shells inside others. See `chooseShellOrientations`. */
export type InnerShellRule = 'auto' | 'void' | 'merge';

/** A closed shell that was inside another, and how the repair treated it. */
export interface InnerShell {
  /** `kept`: unchanged. `void`: turned to face inward. `merged`: united with the shell around it. */
  outcome: 'kept' | 'void' | 'merged';
  /** The center of its bounds, in mm. */
  x: number;
  y: number;
  z: number;
  /** The diagonal of its bounds. */
  sizeMm: number;
  /** The enclosed volume, positive for either orientation. */
  volumeMm3: number;
}

/** An analysis and the places of the defects that it counts. */
export interface AnalysisWithPlaces {
  analysis: Analysis;
  places: DefectPlace[];
}

/**
 * The changes that a step of an operation made. Numbers that are 0 are absent. The steps of an operation add up to the
 * difference between the mesh before and after it.
 */
export interface StepEntry {
  name: string;
  /** What the step counts: triangles dropped, holes filled, ... */
  changed: number;
  /** Net numbers of triangles and of shells. */
  removedTriangles?: number;
  addedTriangles?: number;
  removedShells?: number;
  addedShells?: number;
  /** Named objects of which no triangle is left. */
  removedObjects?: number;
  /** Change of the signed volume, which has no meaning while the mesh is open. */
  volumeChangeMm3?: number;
  /** Why the step removes and adds triangles. Absent if it did nothing. */
  reason?: string;
}

/** What an operation did to a mesh, and its analysis before and after. */
export interface Report {
  before: Analysis;
  after: Analysis;
  /** Steps in the order in which they ran. */
  steps: StepEntry[];
  /** The places of the defects before the operation, up to 100 of each kind. */
  places: DefectPlace[];
  filledAreaMm2: number;
  volumeChangeMm3: number;
  areaChangeMm2: number;
  maxDisplacementMm: number;
  /** Only for repairs: up to 1000 closed shells that were inside others. */
  innerShells?: InnerShell[];
  /** Only for repairs: the names of up to 1000 parts that were united with others. */
  unitedParts?: string[];
  /** What the import of the model skipped. Absent if it read all. */
  skipped?: SkippedContent;
  warnings: ReportWarning[];
  verdict: Verdict;
}
