import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FakeService } from '../../helpers/fake-service.js';
import type { WaitingNodeRed } from './waiting-node-red.js';

const JOURNAL = 'model-processing-waits.jsonl';
const MAX_LOG_LINES = 60;

/**
 * Describes waits whose messages were not sent: their journal entries, the requests to the service and the end of the
 * Node-RED log. Returns an empty string if there are none.
 */
export function describeLostWaits(lost: string[], nodeRed: WaitingNodeRed, service: FakeService): string {
  if (lost.length === 0) return '';
  const journal = readOrReason(path.join(nodeRed.userDir, JOURNAL)).split('\n');
  const arrivals = nodeRed.arrivals();
  const descriptions = lost.map((operationId) => {
    const lines = journal.filter((line) => line.includes(operationId));
    const keys = lines.map((line) => /"wait":"([^"]+)"/.exec(line)?.[1] ?? '').filter((key) => key !== '');
    const marks = journal.filter((line) => !lines.includes(line) && keys.some((key) => line.includes(key)));
    const requests = service.requests.filter((request) => request.path.includes(operationId));
    return [
      `operation ${operationId}, ${service.operations.get(operationId)?.pollsLeft} looks left`,
      ...[...lines, ...marks].map((line) => `  journal: ${line}`),
      ...requests.map(
        ({ at: time, method, path: url }) => `  request at ${new Date(time).toISOString()}: ${method} ${url}`,
      ),
      ...arrivals
        .filter((each) => each.operationId === operationId)
        .map((each) => `  message sent: ${JSON.stringify(each)}`),
    ].join('\n');
  });
  const log = nodeRed.log().split('\n').slice(-MAX_LOG_LINES);
  return [`now ${new Date().toISOString()}`, ...descriptions, 'Node-RED log:', ...log].join('\n');
}

/** Returns the content of a file, or the reason why it could not be read. */
function readOrReason(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return `Could not read the file: ${Object(error).message}`;
  }
}
