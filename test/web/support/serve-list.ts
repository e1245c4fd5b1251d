import type { Page } from 'playwright-core';

/** What `serveList` was asked for. */
export interface ServedList {
  /** The number of ids in each request for verdicts. */
  readonly verdictCounts: readonly number[];
  /** The operations of the models; the next request for them gets what was changed. */
  readonly operations: readonly object[];
}

/** Serves a list of solid models that were read, as the service does. They have no pictures. */
export async function serveList(page: Page, count: number): Promise<ServedList> {
  const id = (kind: number, index: number): string =>
    `0000000${kind}-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const indices = Array.from({ length: count }, (_, index) => index);
  const timeOf = (index: number): string => new Date(Date.now() - index * 60_000).toISOString();
  const files = indices.flatMap((index) => {
    const common = { filename: `model ${index}.stl`, size: 1_000_000, creationDate: timeOf(index) };
    return [
      { kind: 'file', fileId: id(1, index), ...common },
      { kind: 'model', resultId: id(2, index), ...common },
    ];
  });
  const operations = indices.map((index) => ({
    ...{ operationId: id(3, index), operation: 'import', filename: `model ${index}.stl`, createdAt: timeOf(index) },
    ...{ isCompleted: true, isSuccessful: true, inputId: id(1, index), resultId: id(2, index) },
  }));
  const verdictCounts: number[] = [];
  await page.route('**/web-api/operation/file?*', (route) => route.fulfill({ json: { files } }));
  await page.route('**/web-api/operation?*', (route) => route.fulfill({ json: { operations } }));
  await page.route('**/ui/verdicts?*', (route) => {
    const ids = new URL(route.request().url()).searchParams.get('ids')?.split(',') ?? [];
    verdictCounts.push(ids.length);
    const solid = { level: 'solid', needsRepair: false };
    return route.fulfill({ json: { verdicts: Object.fromEntries(ids.map((operationId) => [operationId, solid])) } });
  });
  return { verdictCounts, operations };
}
