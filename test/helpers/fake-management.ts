import type { ServerResponse } from 'node:http';
import { send, sendError } from './fake-replies.js';
import type { FakeService, RecordedRequest } from './fake-service.js';

const CANCELLED = { code: 42217, message: 'The operation was cancelled. Start it again if you need its result.' };

/** Replies to requests for the additions that a fake service announces. Returns whether the request was one of them. */
export function handleManagement(service: FakeService, request: RecordedRequest, reply: ServerResponse): boolean {
  const { features } = service;
  if (!features) return false;
  const { pathname, searchParams } = new URL(request.path, 'http://localhost');
  const [, id = ''] = /^\/web-api\/operation\/(?:file\/)?([^/]+)$/.exec(pathname) ?? [];
  if (pathname === '/formats') send(reply, 200, { import: [], export: [], features });
  else if (request.method === 'DELETE' && pathname.includes('/file/')) removeFile(service, id, reply);
  else if (request.method === 'DELETE') cancelOperation(service, id, reply);
  else if (request.method === 'GET' && pathname === '/web-api/operation') listOperations(service, searchParams, reply);
  else return false;
  return true;
}

function cancelOperation({ operations }: FakeService, operationId: string, reply: ServerResponse): void {
  const operation = operations.get(operationId);
  if (!operation) {
    sendError(reply, 404, 'No operation has this id.');
    return;
  }
  if (operation.pollsLeft > 0) Object.assign(operation, { pollsLeft: 0, isSuccessful: false, error: CANCELLED });
  const { isSuccessful, error } = operation;
  send(reply, 200, { operationId, isCompleted: true, isSuccessful, error });
}

/** Deletes a file, and cancels all operations that have not completed: the fake service does not know their inputs. */
function removeFile({ files, operations }: FakeService, fileId: string, reply: ServerResponse): void {
  if (!files.delete(fileId)) {
    sendError(reply, 410, 'The file was deleted.');
    return;
  }
  const unfinished = [...operations].filter(([, { pollsLeft }]) => pollsLeft > 0);
  for (const [, operation] of unfinished)
    Object.assign(operation, { pollsLeft: 0, isSuccessful: false, error: CANCELLED });
  send(reply, 200, { fileId, cancelledOperations: unfinished.map(([id]) => id) });
}

function listOperations({ operations }: FakeService, query: URLSearchParams, reply: ServerResponse): void {
  const limit = Number(query.get('limit') ?? 100);
  const newestFirst = [...operations].reverse();
  const first = newestFirst.findIndex(([id]) => id === query.get('before')) + 1;
  const page = newestFirst.slice(first, first + limit);
  send(reply, 200, {
    operations: page.map(([operationId, { operation, pollsLeft, isSuccessful, result }]) => {
      const isCompleted = pollsLeft <= 0;
      const { resultId, fileId } = result;
      return { operationId, operation, isCompleted, isSuccessful: isCompleted && isSuccessful, resultId, fileId };
    }),
    ...(first + limit < newestFirst.length && { next: page.at(-1)?.[0] }),
  });
}
