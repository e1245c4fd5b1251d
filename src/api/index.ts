/**
 * The types of the bodies that a client and a service exchange, named as on the wire. Types only: this module contains
 * no code. Client and service define paths and other strings separately, so that tests find differences.
 */

/** The reply of the token endpoint to both grants. `expires_in` is the lifetime of the access token in seconds. */
export interface TokenReply {
  access_token: string;
  token_type: 'bearer';
  expires_in: number;
  refresh_token: string;
  userName: string;
  'as:client_id': string;
  '.issued': string;
  '.expires': string;
}

/** The error reply of the token endpoint (RFC 6749, section 5.2). */
export interface TokenProblem {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';
  error_description?: string;
}

/** One entry of a problem: an integer code, and a message with the cause and the remedy. */
export interface ProblemEntry {
  code: number;
  message: string;
  /** The models in an archive of which an import must choose one. Local service only. */
  entries?: string[];
}

/** The body of every error of the API except those of the token endpoint. Has at least one entry. */
export interface Problem {
  errors: ProblemEntry[];
  message?: string;
}

/** The reply to an upload. `creationDate` is ISO 8601 with fractional seconds and UTC offset. */
export interface UploadedFile {
  fileId: string;
  creationDate: string;
  fileUrl: string;
}

/** The operations that every service supports. A service may support more. */
export type OperationKind = 'import' | 'repair' | 'export';

/** The units of the coordinates in a file. Every service supports `mm` and `inch`. */
export type MeasurementUnit = 'mm' | 'cm' | 'm' | 'um' | 'inch' | 'ft';

/** The body that starts an import. */
export interface ImportRequest {
  fileId: string;
  measurementUnits?: MeasurementUnit | null;
  /** Local service only: the max distance between triangles and the curved surfaces of a CAD file. */
  accuracyMm?: number | null;
  /** Local service only: the max angle between adjacent triangles of a curved surface, in degrees. */
  maxAngle?: number | null;
  /** Local service only: how the helper bodies of a slicer are treated. The default is `apply`. */
  helpers?: HelperHandling | null;
  /** Local service only: the number of the plate of a slicer's project to read. The default is `all`. */
  plate?: number | 'all' | null;
  callbackUrl?: string | null;
}

/**
 * Local service only: how an import treats helper bodies. `apply`: negative volumes are subtracted, others are left out;
 * `keep`: all are kept beside the model; `ignore`: all are left out.
 */
export type HelperHandling = 'apply' | 'keep' | 'ignore';

/** Local service only: how a repair treats closed shells inside others. The default is `auto`. */
export type InnerShellRule = 'auto' | 'void' | 'merge';

/**
 * Local service only: whether a repair keeps the parts of a model, or unites those that touch or overlap. The default
 * is `keep`.
 */
export type PartsRule = 'keep' | 'unite';

/** The body that starts a repair. */
export interface RepairRequest {
  inputId: string;
  innerShells?: InnerShellRule | null;
  parts?: PartsRule | null;
  callbackUrl?: string | null;
}

/** The body that starts an export. */
export interface ExportRequest {
  inputId: string;
  exportToFormat: string;
  callbackUrl?: string | null;
}

/** The reply to the start of any operation. */
export interface OperationHandle {
  operationId: string;
}

/**
 * The status record of an operation. Every service sends the first three fields; the local service sends the others
 * too.
 */
export interface OperationStatus {
  operationId: string;
  isCompleted: boolean;
  isSuccessful: boolean;
  operation?: string;
  /** Absent for a normal one. */
  priority?: 'low';
  /** 0..1, if known. */
  progress?: number;
  createdAt?: string;
  startedAt?: string;
  finishedAt?: string;
  error?: ProblemEntry;
  report?: Report;
}

/**
 * An entry of the list of operations: the status record without its report, the input, and the result of a successful
 * operation. Local service only.
 */
export interface OperationRecord extends Omit<OperationStatus, 'report'> {
  /** The id of the file or model that the operation was started with. */
  inputId?: string;
  filename?: string;
  /** The model in an archive that an import was to read. */
  entry?: string;
  resultId?: string;
  fileId?: string;
}

/** An entry of the list of files and models. `size` is in bytes; `creationDate` is ISO 8601. Local service only. */
export type FileRecord = { filename: string; size: number; creationDate: string; sha256?: string } & (
  | { kind: 'file'; fileId: string }
  | { kind: 'model'; resultId: string }
);

/** The result of an import or a repair. The local service adds its report. */
export interface ModelResult {
  operationId: string;
  resultId: string;
  report?: Report;
}

/** The result of an export. The local service adds a report if the format required changes to the model. */
export interface FileResult {
  operationId: string;
  fileId: string;
  report?: Report;
}

/** The body of a callback. `isSuccessful` is a string here, and a boolean in the status record. */
export interface CallbackBody {
  operationId: string;
  isSuccessful: 'true' | 'false';
}

/** The analysis of a model. Counts are integers, measures are doubles. */
export interface Analysis {
  vertices: number;
  triangles: number;
  /** Boundary loops. */
  contours: number;
  shells: number;
  volumeMm3: number;
  surfaceAreaMm2: number;
  dimensionXMm: number;
  dimensionYMm: number;
  dimensionZMm: number;
  /**
   * Edges that do not have exactly two triangles in opposite directions: boundary, non-manifold and inconsistently
   * wound edges.
   */
  badEdges: number;
  badContours: number;
  solidityParams: {
    invertedNormals: number;
    badEdges: number;
    badContours: number;
    nearBadEdges: number;
    planarHoles: number;
  };
  qualityParams: {
    noiseShells: number;
    overlappingTriangles: number;
    intersectingTriangles: number;
    isFacetingScoreOk: boolean;
  };
  /** Local service only: the parts of `badEdges`. */
  boundaryEdges?: number;
  nonManifoldEdges?: number;
  /** Local service only: how many non-manifold edges have how many triangles. */
  edgesByTriangles?: { triangles: number; edges: number }[];
  inconsistentEdges?: number;
  /** Local service only: the number of fans beyond one per vertex of a watertight model. */
  nonManifoldVertices?: number;
  degenerateTriangles?: number;
  /** Local service only: false if the counts of intersecting and overlapping triangles are lower bounds. */
  isIntersectionCheckComplete?: boolean;
  /** Local service only: whether the shells bound a volume: its winding number is 0 or 1 everywhere. */
  boundsVolume?: boolean;
  /** Local service only: the bounds. */
  boxMm?: { min: [number, number, number]; max: [number, number, number] };
  /**
   * Local service only: if the model has parts that touch or overlap, their number and the volume that they share. The
   * counts are then those of each part by itself.
   */
  parts?: { count: number; overlapMm3?: number };
}

/** The solidity of a model, from worst to best. docs/geometry.md defines the levels. */
export type SolidityLevel = 'open' | 'watertight' | 'manifold' | 'solid';

/**
 * The verdict on a model. `needsRepair` is true below `solid`, and if a reason is known why the model is not what its file
 * meant, such as an incomplete file.
 */
export interface Verdict {
  level: SolidityLevel;
  needsRepair: boolean;
  reasons: string[];
}

/** A verdict without its reasons. */
export type VerdictSummary = Pick<Verdict, 'level' | 'needsRepair'>;

/** A warning of a report. `code` is stable. */
export interface ReportWarning {
  code: string;
  message: string;
}

/** The position of a defect in mm, and the size of the affected region. */
export interface DefectPlace {
  defect: string;
  x: number;
  y: number;
  z: number;
  sizeMm: number;
}

/** A closed shell inside another: the center and the diagonal of its bounds, and how the repair treated it. */
export interface InnerShell {
  outcome: 'kept' | 'void' | 'merged';
  x: number;
  y: number;
  z: number;
  sizeMm: number;
  volumeMm3: number;
}

/** The changes that a step of an operation made. */
export interface StepEntry {
  name: string;
  changed: number;
  /** Local service only, as the following fields: net numbers, which add up; absent if 0. */
  removedTriangles?: number;
  addedTriangles?: number;
  removedShells?: number;
  addedShells?: number;
  /** Named objects of which no triangle is left. */
  removedObjects?: number;
  volumeChangeMm3?: number;
  /** Why the step removes and adds triangles. */
  reason?: string;
}

/** The report of an operation: the analyses before and after, and the changes. */
export interface Report {
  before: Analysis;
  after: Analysis;
  steps: StepEntry[];
  places: DefectPlace[];
  filledAreaMm2: number;
  volumeChangeMm3: number;
  areaChangeMm2: number;
  maxDisplacementMm: number;
  /** Local service only: of a repair. */
  innerShells?: InnerShell[];
  /** Local service only: the names of the parts that a repair united with others. */
  unitedParts?: string[];
  /** Local service only: what the import of the model skipped: its file has so many more. */
  skipped?: { triangles?: number; faces?: number; objects?: number };
  warnings: ReportWarning[];
  verdict: Verdict;
}
