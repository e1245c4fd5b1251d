/**
 * The shapes that travel between a client and a service. Types only: names are spelt as on the wire, and nothing here runs.
 * Paths and other strings of the wire are written by each side for itself.
 */

/** What the token endpoint answers to either grant. `expires_in` is the life of the access token in seconds. */
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

/** What the token endpoint answers when it refuses (RFC 6749, section 5.2). */
export interface TokenProblem {
  error: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'unsupported_grant_type';
  error_description?: string;
}

/** One entry of a problem: an integer code and a sentence that names the field and the remedy. */
export interface ProblemEntry {
  code: number;
  message: string;
}

/** The body of every error of the API but those of the token endpoint. Holds at least one entry. */
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

/** The operations that service.md fixes. A service may know more. */
export type OperationKind = 'import' | 'repair' | 'export';

/** The units that a file's numbers may be in. `mm` and `inch` are known to every service. */
export type MeasurementUnit = 'mm' | 'cm' | 'm' | 'um' | 'inch' | 'ft';

export interface ImportRequest {
  fileId: string;
  measurementUnits?: MeasurementUnit | null;
  /** How far triangles may be from the curved surfaces of a CAD file. Of the local service. */
  accuracyMm?: number | null;
  /** The largest angle between neighbouring triangles of such a surface, in degrees. Of the local service. */
  maxAngle?: number | null;
  callbackUrl?: string | null;
}

/** What a repair does with closed shells inside others; `auto` is the default. Of the local service. */
export type InnerShellRule = 'auto' | 'void' | 'merge';

export interface RepairRequest {
  inputId: string;
  innerShells?: InnerShellRule | null;
  callbackUrl?: string | null;
}

export interface ExportRequest {
  inputId: string;
  exportToFormat: string;
  callbackUrl?: string | null;
}

/** The reply to the start of any operation. */
export interface OperationHandle {
  operationId: string;
}

/** Where an operation stands. The first three fields are fixed; the local service sends the others too. */
export interface OperationStatus {
  operationId: string;
  isCompleted: boolean;
  isSuccessful: boolean;
  operation?: string;
  /** 0..1, where known. */
  progress?: number;
  createdAt?: string;
  startedAt?: string;
  finishedAt?: string;
  error?: ProblemEntry;
  report?: Report;
}

/** The result of import and of repair. The local service adds its report. */
export interface ModelResult {
  operationId: string;
  resultId: string;
  report?: Report;
}

/** The result of export. */
export interface FileResult {
  operationId: string;
  fileId: string;
}

/** The body of a callback. `isSuccessful` is text here, a boolean in the status record. */
export interface CallbackBody {
  operationId: string;
  isSuccessful: 'true' | 'false';
}

/** What a measurement of a model says. Counts are integers, measures are doubles. */
export interface Analysis {
  vertices: number;
  triangles: number;
  /** Closed chains of boundary edges. */
  contours: number;
  shells: number;
  volumeMm3: number;
  surfaceAreaMm2: number;
  dimensionXMm: number;
  dimensionYMm: number;
  dimensionZMm: number;
  /** Edges that are not walked exactly once each way: boundary, non-manifold and inconsistently wound ones. */
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
  /** Of the local service: what `badEdges` is made of, and the box. */
  boundaryEdges?: number;
  nonManifoldEdges?: number;
  inconsistentEdges?: number;
  boxMm?: { min: [number, number, number]; max: [number, number, number] };
}

/** From worst to best: see the glossary of docs/architecture.md. */
export type SolidityLevel = 'open' | 'watertight' | 'manifold' | 'solid';

/** The judgement of a model. `needsRepair` is true at every level below `solid`. */
export interface Verdict {
  level: SolidityLevel;
  needsRepair: boolean;
  reasons: string[];
}

export interface ReportWarning {
  code: string;
  message: string;
}

/** Where a defect is: a point in mm and the size of the spot. */
export interface DefectPlace {
  defect: string;
  x: number;
  y: number;
  z: number;
  sizeMm: number;
}

/** A closed shell that lay inside another: the middle and the diagonal of its box, and what became of it. */
export interface InnerShell {
  outcome: 'kept' | 'void' | 'merged';
  x: number;
  y: number;
  z: number;
  sizeMm: number;
  volumeMm3: number;
}

/** What an import or a repair did, and how the model stood before and after. */
export interface Report {
  before: Analysis;
  after: Analysis;
  steps: { name: string; changed: number }[];
  places: DefectPlace[];
  filledAreaMm2: number;
  volumeChangeMm3: number;
  areaChangeMm2: number;
  maxDisplacementMm: number;
  /** Of a repair by the local service. */
  innerShells?: InnerShell[];
  warnings: ReportWarning[];
  verdict: Verdict;
}
