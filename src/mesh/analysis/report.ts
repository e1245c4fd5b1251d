/** What a measurement of a mesh says. Counts are integers, measures are doubles in mm, mm² and mm³. */
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
  /** Edges that are not walked exactly once each way: boundary, non-manifold and inconsistently wound ones. */
  badEdges: number;
  /** Boundary loops. */
  badContours: number;
  solidityParams: {
    /** Triangles of closed shells whose normals point inward though nothing surrounds them. */
    invertedNormals: number;
    badEdges: number;
    badContours: number;
    /** Boundary edges whose ends both lie close to an end of another boundary edge. */
    nearBadEdges: number;
    /** Boundary loops that lie in a plane. */
    planarHoles: number;
  };
  qualityParams: {
    noiseShells: number;
    /** Triangles that lie in one plane with another and share area with it. */
    overlappingTriangles: number;
    /** Triangles that cross or touch another other than along shared edges or vertices. */
    intersectingTriangles: number;
    isFacetingScoreOk: boolean;
  };
  boundaryEdges: number;
  /** Edges with more than two triangles. */
  nonManifoldEdges: number;
  /** Edges that both their triangles walk in the same direction. */
  inconsistentEdges: number;
  /** Of a watertight mesh: how many fans there are beyond one a vertex. Of any other: 0. */
  nonManifoldVertices: number;
  /** Triangles with two equal corners, or with corners exactly on a line. */
  degenerateTriangles: number;
  /** False where too many triangles lie close together to test all pairs: counts of intersecting ones are then lower bounds. */
  isIntersectionCheckComplete: boolean;
  /** Whether the mesh is watertight and the winding number is 0 or 1 everywhere. Decided by shells, so true of a mesh without intersections only. */
  boundsVolume: boolean;
  boxMm: { min: [number, number, number]; max: [number, number, number] };
}

/** From worst to best: see the glossary of docs/architecture.md. */
export type SolidityLevel = 'open' | 'watertight' | 'manifold' | 'solid';

/** The judgement of a mesh. `needsRepair` is true at every level below `solid`; `reasons` say what keeps it there. */
export interface Verdict {
  level: SolidityLevel;
  needsRepair: boolean;
  reasons: string[];
}

/** Something that the user should know: a stable code and a sentence. */
export interface ReportWarning {
  code: string;
  message: string;
}

/** Where a defect is: a point in mm and the size of the spot. Kinds of defect: see `locateDefects`. */
export interface DefectPlace {
  defect: string;
  x: number;
  y: number;
  z: number;
  sizeMm: number;
}

/** How a repair decides about closed shells inside others: see `chooseShellOrientations`. */
export type InnerShellRule = 'auto' | 'void' | 'merge';

/** A closed shell that lay inside another, and what became of it. */
export interface InnerShell {
  /** `kept`: it stays what it was; `void`: it was turned to face inward; `merged`: it went into the body round it. */
  outcome: 'kept' | 'void' | 'merged';
  /** The middle of its box. */
  x: number;
  y: number;
  z: number;
  /** The diagonal of its box. */
  sizeMm: number;
  /** What it encloses, whichever way it faces. */
  volumeMm3: number;
}

/** An analysis, and where the defects are that it counts. */
export interface AnalysisWithPlaces {
  analysis: Analysis;
  places: DefectPlace[];
}

/** What an import or a repair did, and how the mesh stood before and after. */
export interface Report {
  before: Analysis;
  after: Analysis;
  /** Steps in the order they ran; `changed` counts what the step is about (triangles dropped, holes filled, ...). */
  steps: { name: string; changed: number }[];
  /** Where the mesh was defective before: up to 100 places of each kind. */
  places: DefectPlace[];
  filledAreaMm2: number;
  volumeChangeMm3: number;
  areaChangeMm2: number;
  maxDisplacementMm: number;
  /** Of a repair: closed shells that lay inside others, up to a thousand of them. */
  innerShells?: InnerShell[];
  warnings: ReportWarning[];
  verdict: Verdict;
}
