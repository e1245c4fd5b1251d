import { analyzeModel, analyzeWithParts, mergeAnalyses, selectWholeAnalysis } from '../analysis/analyze-parts.js';
import { createLedgerEntry, sumEntries } from '../analysis/ledger-numbers.js';
import { addReasons } from '../analysis/model-notes.js';
import type { RepairResult } from '../analysis/repair-result.js';
import type { AnalysisWithPlaces, InnerShell, Report, ReportWarning, StepEntry } from '../analysis/report.js';
import { verdictOf } from '../analysis/verdict.js';
import type { IndexedMesh } from '../core/mesh.js';
import { pluralize } from '../core/pluralize.js';
import { namePart, splitParts } from '../spatial/split-parts.js';
import { joinMeshes } from '../topology/join-meshes.js';
import { combineWarnings, listNames } from './combine-warnings.js';
import { listLossReasons } from './ledger.js';
import { type RepairOptions, repair } from './repair.js';

/** The name of the step that drops parts without volume. */
const DROP_PARTS = 'parts';
const MAX_INNER_SHELLS = 1000;

/** A part of the model, and what its repair gave. */
interface RepairedPart {
  name: string;
  source: IndexedMesh;
  result: RepairResult;
}

/**
 * Repairs each part of a model by itself, as `repair` does: parts that touch or overlap stay separate. Parts that enclose no
 * volume are dropped, with a warning, unless none is left. `precomputed`: the analysis of the model or of its parts.
 * Returns a model whose parts are solids unchanged. Fails if a part cannot be closed.
 */
export function repairParts(mesh: IndexedMesh, options: RepairOptions = {}): RepairResult {
  const { precomputed, innerShells, onProgress } = options;
  const parts = splitParts(mesh);
  const whole = selectWholeAnalysis(precomputed);
  const isSolid = whole !== undefined && verdictOf(whole.analysis).level === 'solid';
  if (parts.length < 2) return repair(mesh, { ...options, precomputed: whole });
  if (isSolid && innerShells !== 'merge')
    return repair(mesh, { ...options, precomputed: whole, preserveTopology: true });
  let triangleCount = 0;
  const repaired = parts.map((source, index): RepairedPart => {
    const toTotal = (progress: number) =>
      ((triangleCount + (progress * source.triangles.length) / 3) * 3) / mesh.triangles.length;
    const partOptions = {
      ...options,
      precomputed: undefined,
      onProgress: (part: number) => onProgress?.(toTotal(part)),
    };
    const result = repair(source, partOptions);
    triangleCount += source.triangles.length / 3;
    return { name: namePart(source, index), source, result };
  });
  const known = precomputed ?? analyzeModel(mesh, options.runner);
  if (repaired.every(({ result }) => result.isUnchanged))
    return {
      mesh,
      analyzed: known,
      report: mergeReports(repaired, known, known),
      isSuccessful: true,
      isUnchanged: true,
    };
  const before = mergeBefore(repaired, known);
  const kept = repaired.filter(({ result }) => !result.isSheet);
  const failed = kept.find(({ result }) => !result.isSuccessful) ?? (kept.length === 0 ? repaired[0] : undefined);
  if (!failed) {
    const result = joinMeshes(kept.map((part) => part.result.mesh));
    const after = analyzeWithParts(
      result,
      kept.map((part) => part.result),
      options.runner,
    );
    return { mesh: result, analyzed: after, report: mergeReports(repaired, before, after), isSuccessful: true };
  }
  const reason = `${failed.result.reason ?? 'defects are left'} (part “${failed.name}”)`;
  return { mesh, analyzed: before, report: mergeReports(repaired, before, before), isSuccessful: false, reason };
}

/** Returns the analysis of the parts before their repair, so that the report of all adds up. */
function mergeBefore(repaired: readonly RepairedPart[], known: AnalysisWithPlaces): AnalysisWithPlaces {
  const analyses = repaired.map(({ result: { report } }) => ({ analysis: report.before, places: report.places }));
  const merged = mergeAnalyses(analyses, known.analysis);
  const { parts } = known.analysis;
  return { ...merged, analysis: { ...merged.analysis, ...(parts && { parts }) } };
}

/** Merges the reports of parts: adds their steps, and names the part in each warning. */
function mergeReports(
  repaired: readonly RepairedPart[],
  before: AnalysisWithPlaces,
  after: AnalysisWithPlaces,
): Report {
  const reports = repaired.filter(({ result }) => !result.isSheet).map(({ result }) => result.report);
  const sheets = repaired.filter(({ result }) => result.isSheet);
  const sum = (read: (report: Report) => number) => reports.reduce((total, report) => total + read(report), 0);
  const warnings = [
    ...combineWarnings(repaired.map(({ name, result }) => ({ name, warnings: result.report.warnings }))),
    ...createDropWarnings(sheets),
  ];
  const innerShells = reports.flatMap((report): InnerShell[] => report.innerShells ?? []);
  return {
    before: before.analysis,
    after: after.analysis,
    steps: [...mergeSteps(reports), ...createDropEntries(sheets)],
    places: before.places,
    filledAreaMm2: sum((report) => report.filledAreaMm2),
    volumeChangeMm3: after.analysis.volumeMm3 - before.analysis.volumeMm3,
    areaChangeMm2: after.analysis.surfaceAreaMm2 - before.analysis.surfaceAreaMm2,
    maxDisplacementMm: reports.reduce((max, report) => Math.max(max, report.maxDisplacementMm), 0),
    innerShells: innerShells.slice(0, MAX_INNER_SHELLS),
    warnings,
    verdict: addReasons(verdictOf(after.analysis), listLossReasons(warnings)),
  };
}

function createDropWarnings(sheets: readonly RepairedPart[]): ReportWarning[] {
  if (sheets.length === 0) return [];
  const [verb, auxiliary] = sheets.length === 1 ? ['encloses', 'was'] : ['enclose', 'were'];
  const parts = pluralize(sheets.length, 'part');
  const names = listNames(sheets.map(({ name }) => name));
  return [{ code: 'PARTS_DROPPED', message: `${parts} ${verb} no volume and ${auxiliary} dropped: ${names}.` }];
}

function createDropEntries(sheets: readonly RepairedPart[]): StepEntry[] {
  if (sheets.length === 0) return [];
  const sum = (read: (report: Report) => number) =>
    sheets.reduce((total, { result }) => total + read(result.report), 0);
  return [
    {
      name: DROP_PARTS,
      changed: sheets.length,
      removedTriangles: sum(({ before }) => before.triangles),
      removedShells: sum(({ before }) => before.shells),
      removedObjects: sheets.reduce((count, { source }) => count + (source.objects?.length ?? 1), 0),
      volumeChangeMm3: -sum(({ before }) => before.volumeMm3),
      reason: 'parts enclosed no volume',
    },
  ];
}

/** Adds the entries of the same step. Net numbers of opposite sign cancel each other. */
function mergeSteps(reports: readonly Report[]): StepEntry[] {
  const entriesOf = new Map<string, StepEntry[]>();
  for (const entry of reports.flatMap(({ steps }) => steps))
    entriesOf.set(entry.name, [...(entriesOf.get(entry.name) ?? []), entry]);
  return [...entriesOf].map(([name, entries]) => mergeEntries(name, entries));
}

function mergeEntries(name: string, entries: readonly StepEntry[]): StepEntry {
  const changed = entries.reduce((sum, entry) => sum + entry.changed, 0);
  const reason = entries.find((entry) => entry.reason !== undefined)?.reason;
  return createLedgerEntry(name, changed, sumEntries(entries), reason);
}
