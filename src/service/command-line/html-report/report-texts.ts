import type { Analysis, ReportWarning, SolidityLevel } from '../../../api/index.js';

/** The languages of reports. */
export const REPORT_LANGUAGES = ['en', 'de'] as const;

/** The language of a report. */
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number];

/** The measures of the table of a report. */
export const MEASURES = {
  triangles: ({ triangles }: Analysis) => triangles,
  shells: ({ shells }: Analysis) => shells,
  boundaryEdges: ({ boundaryEdges, badEdges }: Analysis) => boundaryEdges ?? badEdges,
  holes: ({ badContours }: Analysis) => badContours,
  nonManifoldEdges: ({ nonManifoldEdges }: Analysis) => nonManifoldEdges ?? 0,
  inconsistentEdges: ({ inconsistentEdges }: Analysis) => inconsistentEdges ?? 0,
  intersectingTriangles: ({ qualityParams }: Analysis) => qualityParams.intersectingTriangles,
  overlappingTriangles: ({ qualityParams }: Analysis) => qualityParams.overlappingTriangles,
  degenerateTriangles: ({ degenerateTriangles }: Analysis) => degenerateTriangles ?? 0,
  volume: ({ volumeMm3 }: Analysis) => volumeMm3,
  area: ({ surfaceAreaMm2 }: Analysis) => surfaceAreaMm2,
} as const;

/** The texts of a report. */
export interface ReportTexts {
  printable: string;
  notPrintable: string;
  /** Of a solid that may not be what its file meant. */
  unconfirmed: string;
  level: Record<SolidityLevel, string>;
  reasons: string;
  /** Translates a reason of a verdict. */
  translateReason: (reason: string) => string;
  dimensions: string;
  /** `{count}` parts that touch, that overlap by `{volume}`, or either. */
  parts: { touch: string; overlap: string; either: string };
  pictures: string;
  before: string;
  after: string;
  model: string;
  view: string;
  measures: string;
  measure: string;
  measureNames: Record<keyof typeof MEASURES, string>;
  /** What of the file was not read. */
  skipped: { title: string; triangles: string; faces: string; objects: string };
  steps: string;
  noSteps: string;
  /** The steps of a repair, by their names in its report. */
  stepNames: Record<string, string>;
  maxDisplacement: string;
  warnings: string;
  /** Translates a warning. Returns `undefined` for one that is not known: it stays in English. */
  translateWarning: (warning: ReportWarning) => string | undefined;
  createdBy: string;
}
