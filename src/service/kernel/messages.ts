import type { Analysis, InnerShellRule, MeasurementUnit, Report, Verdict } from '../../api/index.js';

/** What an operation is told besides its input. */
export interface JobParameters {
  /** Of an import. Default: what the file says, else mm. */
  measurementUnits?: MeasurementUnit;
  /** Of an export: an id of the kernel's table of formats. */
  exportToFormat?: string;
  /** Of a repair. Default: `auto`. */
  innerShells?: InnerShellRule;
  /** Of a thumbnail: its size in pixels, how the model is turned (degrees), and what is behind it. */
  width?: number;
  height?: number;
  cameraAngleX?: number;
  cameraAngleY?: number;
  cameraAngleZ?: number;
  background?: 'plain' | 'transparent';
  /** Of scale: the axis whose size is told, and that size. */
  axis?: 'x' | 'y' | 'z';
  scaleToSizeMm?: number;
  /**
   * Of reduce-triangles: how far the surface may move, the sharpest bend that may be flattened (degrees), and the passes. Of an import: how far
   * triangles may be from a curved surface, and the largest angle between neighbours (degrees).
   */
  accuracyMm?: number;
  maxAngle?: number;
  numberOfIterations?: number;
  /** Of hollowing. */
  wallThicknessMm?: number;
  /** Of wall-thickness-analysis. */
  minimalWallThicknessMm?: number;
  accuracyWallThickness?: number;
  /** Of shrinkwrap-repair. */
  accuracy?: 'Rough' | 'Smooth' | 'Detailed';
}

/** The line on stdin that tells a kernel process to warm up until its job comes. */
export const WARM_UP = 'warm-up';

/** One kernel run, as it is handed to a kernel process: one line of JSON on its stdin. */
export interface Job {
  operation: string;
  /** The file to read. */
  inputPath: string;
  /** The name that the input has for its user: its extension tells the format. */
  filename: string;
  /** Where the output goes, if the operation makes one. */
  outputPath?: string;
  parameters: JobParameters;
  /** Whether it says what its input is, before it works on it. */
  reportsInputHash: boolean;
  /** The most that the kernel process may hold. */
  memoryBytes: number;
  /** Whether the process has to watch its memory itself, since the system does not cap it. */
  checksOwnMemory: boolean;
}

/** What a kernel run found out, besides the output it wrote. */
export interface JobResult {
  report?: Report;
  analysis?: Analysis;
  verdict?: Verdict;
  walls?: { hasThinWalls: boolean; hasPossibleThinWalls: boolean };
}

/** Why a kernel run made no output. The codes are those of the kernel, and of what can befall a process. */
export type JobFailureCode =
  | 'FORMAT_UNKNOWN'
  | 'FILE_EMPTY'
  | 'FILE_MALFORMED'
  | 'TOO_LARGE'
  | 'CHECKSUM_WRONG'
  | 'REPAIR_INCOMPLETE'
  | 'NOT_SOLID'
  | 'NOTHING_LEFT'
  | 'SIZE_ZERO'
  | 'INPUT_MISSING'
  | 'DISK_FULL'
  | 'OUT_OF_MEMORY'
  | 'DEADLINE_PASSED'
  | 'KERNEL_CRASHED';

/** What a kernel process says, a line of JSON each on its stdout. After `done` or `failed` nothing follows. */
export type JobMessage =
  | { type: 'progress'; progress: number }
  /** SHA-256 of the input's bytes. */
  | { type: 'input'; sha256: string }
  | { type: 'done'; result: JobResult }
  | { type: 'failed'; code: JobFailureCode; message: string; result?: JobResult };

/** How a kernel run ended. */
export type JobOutcome = Extract<JobMessage, { type: 'done' | 'failed' }>;
