import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ClientError } from '../../../../src/client/index.js';
import { countActiveResources, untilReleased } from '../../../helpers/active-resources.js';
import { neverReply } from '../../../helpers/fake-replies.js';
import type { FakeService } from '../../../helpers/fake-service.js';
import { FaultPoints } from '../../../helpers/fault-points.js';
import { nextTurn } from '../../../helpers/next-turn.js';
import { resetConnections } from '../../../helpers/reset-connections.js';
import { collectUnhandledErrors } from '../../../helpers/unhandled-errors.js';
import type { Subject, TestEnvironment } from './call-of.js';

/** An event in the middle of a run: abort or close a call, reset connections, stop the service, stop its replies. */
export type Disturbance = 'abort' | 'close' | 'reset' | 'refusal' | 'silence';

/** Runs work and calls `points` at each of its points, as the functions of `fault-points` do. */
export type PointPasser = <T>(points: FaultPoints, work: () => Promise<T>) => Promise<T>;

/** The number of points of a run, and a description of each violated requirement. */
export interface RunResult {
  count: number;
  violations: string[];
}

/** The time after which a call counts as hanging, sufficient on a busy machine. */
const MAX_RUN_MS = 20_000;
/** The timeouts for runs in which the service stops replying. */
const SHORT_MS = 20;
const SHORT_TIMEOUTS = {
  connectTimeoutMs: SHORT_MS,
  replyTimeoutMs: SHORT_MS,
  uploadReplyTimeoutMs: SHORT_MS,
  idleTimeoutMs: SHORT_MS,
};

/**
 * Runs a subject, with a disturbance at point `at` if one is specified. Requirements: the run ends, successfully
 * without a disturbance, else successfully or with an error of the client; there are no unhandled rejections or
 * exceptions; no resource stays open, and no temporary file remains.
 */
export async function runDisturbed(
  environment: TestEnvironment,
  open: (environment: TestEnvironment) => Subject | Promise<Subject>,
  pass: PointPasser,
  disturbed?: { by: Disturbance; at: number },
): Promise<RunResult> {
  // Mocha starts the timer of the test after the first tick.
  await nextTurn();
  const previousResources = countActiveResources();
  const result: RunResult = { count: 0, violations: [] };
  const isSilent = disturbed?.by === 'silence';
  const limits = isSilent ? { ...environment.limits, ...SHORT_TIMEOUTS } : environment.limits;
  const unhandled = await collectUnhandledErrors(async () => {
    await run(environment.service, await open({ ...environment, limits }), pass, disturbed, result);
  });
  result.violations.push(...unhandled.map((reason) => `unhandled: ${describeError(reason)}`));
  // A service with paused sockets does not notice that a connection was closed.
  const help = isSilent ? () => resetConnections(environment.service.sockets) : undefined;
  await untilReleased(previousResources, { help }).catch((error: Error) => result.violations.push(error.message));
  result.violations.push(...listTemporaryFiles(environment.folder), ...listTemporaryFiles(environment.tempDir));
  clear(environment);
  return result;
}

async function run(
  service: FakeService,
  subject: Subject,
  pass: PointPasser,
  disturbed: { by: Disturbance; at: number } | undefined,
  result: RunResult,
): Promise<void> {
  const { port } = service;
  const stopping: (void | Promise<void>)[] = [];
  const controller = new AbortController();
  const disturbances: Record<Disturbance, () => void> = {
    abort: () => controller.abort(),
    close: () => stopping.push(subject.close()),
    reset: () => resetConnections(service.sockets),
    refusal: () => stopping.push(service.stop()),
    silence: () => stopReplying(service),
  };
  const points = new FaultPoints(disturbed?.at, disturbed && disturbances[disturbed.by]);
  const error = await catchError(pass(points, () => subject.run(controller.signal)));
  result.count = points.count;
  if (points.failure !== undefined) result.violations.push(`the disturbance itself failed: ${points.failure}`);
  const isExpected = error instanceof ClientError || error instanceof TypeError;
  if (error !== undefined && !(disturbed && isExpected)) result.violations.push(`it threw ${describeError(error)}`);
  await Promise.all(stopping);
  if (disturbed?.by === 'refusal' && points.hasActed) await service.listen(port);
  await subject.close();
}

function stopReplying(service: FakeService): void {
  for (const socket of service.sockets) socket.pause();
  for (const method of ['GET', 'POST']) service.fault(method, /^/, neverReply, Number.POSITIVE_INFINITY);
}

/** Returns the error of a call, undefined if it succeeds, and an error if it does not end in time. */
async function catchError(call: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(() => resolve(new Error(`it did not end within ${MAX_RUN_MS} ms`)), MAX_RUN_MS);
  });
  const outcome = call.then(
    () => undefined,
    (error: unknown) => error ?? new Error('it rejected with undefined'),
  );
  return Promise.race([outcome, timeout]).finally(() => clearTimeout(timer));
}

function describeError(error: unknown): string {
  return error instanceof Error ? String(error.stack).split('\n').slice(0, 3).join(' ') : String(error);
}

function listTemporaryFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.part') || name.startsWith('model-upload-'));
  return names.map((name) => `temporary file not deleted: ${name}`);
}

function clear({ service, folder }: TestEnvironment): void {
  service.clearFaults();
  service.requests.length = 0;
  service.files.clear();
  service.operations.clear();
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
}
