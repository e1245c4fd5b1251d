import type { Analysis, InnerShellRule, MeasurementUnit, Report, Verdict } from '../../api/index.js';

/** The parameters of an operation. */
export interface JobParameters {
  /** Of an import. Default: the unit that the file declares, else mm. */
  measurementUnits?: MeasurementUnit;
  /** Of an export: an id of `FORMATS`. */
  exportToFormat?: string;
  /** Of a repair. Default: `auto`. */
  innerShells?: InnerShellRule;
  /** Of a thumbnail: its size in pixels, the rotation of the model in degrees, and the background. */
  width?: number;
  height?: number;
  cameraAngleX?: number;
  cameraAngleY?: number;
  cameraAngleZ?: number;
  background?: 'plain' | 'transparent';
  /** Of scale: an axis, and the size of the scaled model along it. */
  axis?: 'x' | 'y' | 'z';
  scaleToSizeMm?: number;
  /**
   * Of reduce-triangles: the max displacement of the surface, the max dihedral angle that may be flattened (degrees),
   * and the number of passes. Of an import: the max distance between triangles and a curved surface, and the max angle
   * between neighbors (degrees).
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

/** The line on stdin that makes a kernel process warm up until it receives its job. */
export const WARM_UP = 'warm-up';

/** One kernel run, sent to a kernel process as one line of JSON on its stdin. */
export interface Job {
  operation: string;
  /** The path of the input. */
  inputPath: string;
  /** The filename that the user gave the input. Its extension determines the format. */
  filename: string;
  /** The path of the output, for operations that have one. */
  outputPath?: string;
  parameters: JobParameters;
  /** Whether to report the SHA-256 of the input before running. */
  reportsInputHash: boolean;
  /** The memory limit of the kernel process. */
  memoryBytes: number;
  /** Whether the process must check its memory itself, because the system does not cap it. */
  checksOwnMemory: boolean;
}

/** The result of a kernel run besides its output file. */
export interface JobResult {
  report?: Report;
  analysis?: Analysis;
  verdict?: Verdict;
  walls?: { hasThinWalls: boolean; hasPossibleThinWalls: boolean };
}

/** The failure codes of a kernel run: those of the kernel, and those of its process. */
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

/** A message of a kernel process, one line of JSON on its stdout. `done` or `failed` is the last one. */
export type JobMessage =
  | { type: 'progress'; progress: number }
  /** SHA-256 of the input. */
  | { type: 'input'; sha256: string }
  | { type: 'done'; result: JobResult }
  | { type: 'failed'; code: JobFailureCode; message: string; result?: JobResult };

/** The outcome of a kernel run. */
export type JobOutcome = Extract<JobMessage, { type: 'done' | 'failed' }>;
