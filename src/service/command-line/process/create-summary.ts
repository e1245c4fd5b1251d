import type { ProcessedFile } from './process-file.js';

// In the order of the line. A solid of an incomplete file, for example, is not what the file meant.
const KINDS = [
  'solid',
  'solid but not as meant',
  'manifold',
  'watertight',
  'open',
  'done',
  'failed',
  'skipped',
] as const;

type Kind = (typeof KINDS)[number];

function kindOf({ isSuccessful, isSkipped, verdict }: ProcessedFile): Kind {
  if (isSkipped) return 'skipped';
  if (!isSuccessful) return 'failed';
  return verdict?.level === 'solid' && verdict.needsRepair ? 'solid but not as meant' : (verdict?.level ?? 'done');
}

/** Counts files by their level or result. */
export interface Summary {
  count: (processed: ProcessedFile) => void;
  /** Returns the counts in one line. `plannedCount`: if the work was interrupted, the number of files to process. */
  format: (elapsedMs: number, plannedCount?: number) => string;
}

/** Creates a summary of no files. */
export function createSummary(): Summary {
  const counts = new Map<Kind, number>();
  let total = 0;
  return {
    count(processed) {
      const kind = kindOf(processed);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      total++;
    },
    format(elapsedMs, plannedCount = total) {
      const parts = KINDS.flatMap((kind) => (counts.has(kind) ? [`${counts.get(kind)} ${kind}`] : []));
      const duration = `${(elapsedMs / 1000).toFixed(1)} s`;
      const ofPlanned = total === plannedCount ? '' : ` of ${plannedCount}`;
      return `${total}${ofPlanned} ${plannedCount === 1 ? 'file' : 'files'} in ${duration}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`;
    },
  };
}
