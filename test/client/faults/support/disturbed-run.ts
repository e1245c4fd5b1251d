import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ClientError } from '../../../../src/client/index.js';
import { type FakeService, neverReply } from '../../../helpers/fake-service.js';
import { FaultPoints } from '../../../helpers/fault-points.js';
import { countHeldResources, untilReleased } from '../../../helpers/held-resources.js';
import { resetConnections } from '../../../helpers/reset-connections.js';
import { collectUnheard, nextTurn } from '../../../helpers/unheard.js';
import type { Subject, World } from './every-call.js';

/** What happens in the middle of a run. */
export type Disturbance = 'abort' | 'close' | 'reset' | 'refusal' | 'silence';

/** Passes the points of some work, as the functions of `fault-points` do. */
export type PointPasser = <T>(points: FaultPoints, work: () => Promise<T>) => Promise<T>;

/** How many points a run had, and every promise that it broke, in words. */
export interface RunFindings {
  count: number;
  broken: string[];
}

/** Less than a call may take to end, however busy the machine is. */
const ENDS_WITHIN_MS = 20_000;
/** A service that says nothing is waited for only so long. */
const SHORT_MS = 20;
const SHORT = {
  connectTimeoutMs: SHORT_MS,
  replyTimeoutMs: SHORT_MS,
  uploadReplyTimeoutMs: SHORT_MS,
  idleTimeoutMs: SHORT_MS,
};

/**
 * Runs a subject, with a disturbance at the point `at` if one is given; an undisturbed run must succeed. What must hold: the run ends, in
 * an error of ours if in any; no rejection and no exception stays without a handler; nothing is left open, running or on the disk.
 */
export async function runDisturbed(
  world: World,
  open: (world: World) => Subject | Promise<Subject>,
  pass: PointPasser,
  disturbed?: { by: Disturbance; at: number },
): Promise<RunFindings> {
  // The timer of the test itself is set when its first turn has ended.
  await nextTurn();
  const before = countHeldResources();
  const findings: RunFindings = { count: 0, broken: [] };
  const limits = disturbed?.by === 'silence' ? { ...world.limits, ...SHORT } : world.limits;
  const unheard = await collectUnheard(async () => {
    await run(world.service, await open({ ...world, limits }), pass, disturbed, findings);
  });
  findings.broken.push(...unheard.map((reason) => `nobody handled ${describeError(reason)}`));
  // A service that says nothing does not see either that a connection was ended.
  const help = disturbed?.by === 'silence' ? () => resetConnections(world.service.sockets) : undefined;
  await untilReleased(before, { help }).catch((error: Error) => findings.broken.push(error.message));
  findings.broken.push(...leftIn(world.folder), ...leftIn(world.tempDir));
  clear(world);
  return findings;
}

async function run(
  service: FakeService,
  subject: Subject,
  pass: PointPasser,
  disturbed: { by: Disturbance; at: number } | undefined,
  findings: RunFindings,
): Promise<void> {
  const { port } = service;
  const stopping: (void | Promise<void>)[] = [];
  const work = new AbortController();
  const act: Record<Disturbance, () => void> = {
    abort: () => work.abort(),
    close: () => stopping.push(subject.close()),
    reset: () => resetConnections(service.sockets),
    refusal: () => stopping.push(service.stop()),
    silence: () => beSilent(service),
  };
  const points = new FaultPoints(disturbed?.at, disturbed && act[disturbed.by]);
  const error = await errorOf(pass(points, () => subject.run(work.signal)));
  findings.count = points.count;
  if (points.failure !== undefined) findings.broken.push(`the disturbance itself failed: ${points.failure}`);
  const isOurs = error instanceof ClientError || error instanceof TypeError;
  if (error !== undefined && !(disturbed && isOurs)) findings.broken.push(`it ended with ${describeError(error)}`);
  await Promise.all(stopping);
  if (disturbed?.by === 'refusal' && points.hasActed) await service.listen(port);
  await subject.close();
}

function beSilent(service: FakeService): void {
  for (const socket of service.sockets) socket.pause();
  for (const method of ['GET', 'POST']) service.fault(method, /^/, neverReply, Number.POSITIVE_INFINITY);
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise((resolve) => {
    timer = setTimeout(() => resolve(new Error(`it did not end within ${ENDS_WITHIN_MS} ms`)), ENDS_WITHIN_MS);
  });
  const outcome = call.then(
    () => undefined,
    (error: unknown) => error ?? new Error('it rejected with nothing'),
  );
  return Promise.race([outcome, tooLong]).finally(() => clearTimeout(timer));
}

function describeError(error: unknown): string {
  return error instanceof Error ? String(error.stack).split('\n').slice(0, 3).join(' ') : String(error);
}

function leftIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.part') || name.startsWith('model-upload-'));
  return names.map((name) => `left on the disk: ${name}`);
}

function clear({ service, folder }: World): void {
  service.clearFaults();
  service.requests.length = 0;
  service.files.clear();
  service.operations.clear();
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
}
