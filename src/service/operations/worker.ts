import type { SpaceReserver } from '../blobs/blob-store.js';
import { waitForStorage } from '../blobs/wait-for-storage.js';
import { JobTurn } from '../kernel/job-turn.js';
import type { Logger } from '../logger.js';
import { abortable } from '../machine/abortable.js';
import { delay } from '../machine/delay.js';
import type { ClaimedOperation } from '../store/job-queue.js';
import type { Completion } from '../store/operations.js';
import { type Attempt, attemptOf } from './attempt.js';
import { createProgressThrottle } from './progress-throttle.js';
import { recordCompletion } from './record-completion.js';
import { attemptsUsedUp } from './recover-operations.js';
import { completionForError, runOperation } from './run-operation.js';
import { RunningOperations } from './running-operations.js';
import { Suspensions } from './suspensions.js';
import type { WorkerDependencies } from './worker-dependencies.js';

/**
 * Claims queued operations and runs up to `workers` of them concurrently, beside those that only store their outputs, so
 * that the kernel does not wait for a slow storage. Driven by `wake()`, and by each operation that leaves its slot, at the
 * end of its job or at its own; does not poll. Claims are serialized, so that two never fill the same slot. An operation
 * during which the service crashed several times waits until no other one runs, and none is claimed while it runs; if other
 * processes have workers, it is claimed at once, so that these go on with the next ones, and its attempt counts when it runs.
 * `createOperations` describes the states of an operation.
 *
 * While no slot is free, it looks regularly for an operation of a user who has none running. For that it suspends one of a
 * user who has used more time, which is resumed in the next free slot: nobody waits for the end of long operations.
 */
export class Worker {
  readonly #dependencies: WorkerDependencies;
  readonly #draining = new AbortController();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Those of them whose jobs have ended. Up to `maxStoring` leave their slots to others. */
  readonly #storing = new Set<ClaimedOperation>();
  readonly #suspensions = new Suspensions();
  readonly #cancellable: RunningOperations;
  #suspensionTimer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> = Promise.resolve();
  #isRunningAlone = false;
  #isRetrying = false;

  constructor(dependencies: WorkerDependencies) {
    this.#dependencies = dependencies;
    const { queue, limits, logger } = dependencies;
    const onError = (err: unknown): void => logger.warn({ err }, 'Could not read which operations were cancelled');
    this.#cancellable = new RunningOperations({ queue, checkMs: limits.cancellationCheckMs, onError });
  }

  /** Claims queued operations. To be called whenever one was queued. */
  wake(): void {
    this.#claimNext(() => this.#claimPending());
  }

  /** Claims operations after the earlier claims. */
  #claimNext(claim: () => Promise<void>): void {
    const { logger } = this.#dependencies;
    this.#claiming = this.#claiming
      .then(claim)
      .then(() => this.#scheduleSuspension())
      .catch((err: unknown) => {
        logger.error({ err }, 'Could not read the queue: retrying');
        void this.#retryLater();
      });
  }

  /** Ends the kernel processes of those of these operations that run here. To be called once they were cancelled. */
  abort(ids: readonly string[]): void {
    this.#cancellable.abort(ids);
  }

  /** Whether the queue could not be read, and is read again after a delay. */
  get isRetrying(): boolean {
    return this.#isRetrying;
  }

  /** Wakes after a delay. On a full disk no operation can be started or claimed, so nothing else would call `wake`. */
  async #retryLater(): Promise<void> {
    this.#isRetrying = true;
    await delay(this.#dependencies.limits.storeRetryMs, this.#stopping.signal);
    this.#isRetrying = false;
    this.wake();
  }

  /** Claims no more, and waits up to `ms` for the operations that are running. */
  async drain(ms: number): Promise<void> {
    this.#draining.abort();
    await this.#claiming;
    const drained = new AbortController();
    const isDrained = Promise.all(this.#running).then(() => drained.abort());
    await Promise.race([isDrained, delay(ms, drained.signal)]);
  }

  /** Stops the kernel processes, requeues their operations and claims no more. */
  async close(): Promise<void> {
    const reason = new Error('The service is stopping.');
    this.#draining.abort();
    clearTimeout(this.#suspensionTimer);
    this.#stopping.abort(reason);
    this.#cancellable.stop(reason);
    await this.#claiming;
    await Promise.all(this.#running);
    await this.#claiming; // the last operation may have started another claim
    await this.#cancellable.close();
  }

  /** How many operations only store their outputs, and have left their slots. */
  get #storingCount(): number {
    return Math.min(this.#storing.size, this.#dependencies.maxStoring ?? 0);
  }

  /** How many operations occupy a slot beyond the number of slots; below 0: how many slots are free. */
  get #excess(): number {
    return this.#running.size - this.#storingCount - this.#dependencies.workers;
  }

  get #hasSlot(): boolean {
    return this.#excess < this.#suspensions.count;
  }

  async #claimPending(): Promise<void> {
    const { queue, limits, now } = this.#dependencies;
    // One that runs alone waits for those that are suspended.
    while ((this.#hasSlot || this.#isRunningAlone) && this.#suspensions.resumeOne());
    while (this.#hasSlot && !this.#isRunningAlone && !this.#draining.signal.aborted) {
      const isIdle = this.#running.size === 0;
      const startedAt = performance.now();
      const row = await queue.claim(now(), isIdle ? undefined : limits.maxSharedAttempts);
      if (!row) return;
      this.#isRunningAlone = attemptOf(row) > limits.maxSharedAttempts;
      this.#start(row, this.#isRunningAlone, startedAt);
    }
  }

  /** Looks for an operation that may run beside others after a delay, once in each. */
  #scheduleSuspension(): void {
    const { limits } = this.#dependencies;
    if (!this.#canSuspend || this.#suspensionTimer) return;
    this.#suspensionTimer = setTimeout(() => {
      this.#suspensionTimer = undefined;
      this.#claimNext(() => this.#claimBeside());
    }, limits.suspensionCheckMs).unref();
  }

  get #canSuspend(): boolean {
    if (this.#hasSlot || this.#isRunningAlone || this.#draining.signal.aborted) return false;
    return this.#excess < (this.#dependencies.maxSuspended ?? 0);
  }

  async #claimBeside(): Promise<void> {
    const { queue, limits, now } = this.#dependencies;
    const running = this.#suspensions.findSuspendable(limits.minRunMs);
    if (!this.#canSuspend || running.size === 0) return;
    const startedAt = performance.now();
    const claimed = await queue.claimBeside(now(), running, limits.maxSharedAttempts);
    if (!claimed) return;
    if (process.platform !== 'win32') this.#suspensions.suspendOne(claimed.suspendedOwner);
    this.#start(claimed.row, false, startedAt);
  }

  /** Starts an operation whose claim began at `startedAt`, a time of `performance.now`. */
  #start(row: ClaimedOperation, isAlone: boolean, startedAt: number): void {
    const { logger, metrics, now } = this.#dependencies;
    const [waitMs, claimMs] = [now() - row.created_at, performance.now() - startedAt];
    metrics?.countClaim({ isRepeated: attemptOf(row) > 1, waitMs, claimMs });
    const claim = { id: row.id, lease: row.lease ?? null };
    const signal = this.#cancellable.add(claim);
    const turn = new JobTurn(this.#dependencies.monotonicNow);
    const states = { isCharged: false, isStored: false, isRequeued: false };
    const attempt: Attempt = { row, claim, signal, turn, reservations: [], ...states };
    this.#suspensions.add(attempt);
    const ready = isAlone ? Promise.all(this.#running) : undefined;
    const run: Promise<void> = this.#process(attempt, ready)
      .catch((err: unknown) =>
        logger.error({ err, operationId: row.id }, 'Could not record the completion of an operation'),
      )
      .then(async () => {
        this.#endTurn(attempt);
        this.#cancellable.remove(claim); // not before: recording the completion may take long
        for (const reservation of attempt.reservations) await reservation.release(attempt.isStored);
      })
      .finally(() => {
        const hadSlot = this.#hasSlot;
        this.#running.delete(run);
        const hasLeft = this.#storing.delete(row) && hadSlot; // and the next one was claimed then, if there was one
        metrics?.setStoringCount(this.#storingCount);
        if (isAlone) this.#isRunningAlone = false;
        if (!hasLeft || isAlone || attempt.isRequeued || !this.#dependencies.maxStoring) this.wake();
      });
    this.#running.add(run);
  }

  /** Ends the time in the slot, of the job and of what preceded it, and charges the user for it. */
  #endTurn(attempt: Attempt): void {
    if (!attempt.isCharged) this.#dependencies.queue.charge(attempt.row.owner, attempt.turn.usedMs);
    attempt.isCharged = true;
    this.#suspensions.remove(attempt);
  }

  /**
   * Completes a claimed operation, or requeues it if the service is stopping or its output was deleted meanwhile. Does
   * neither if it was cancelled. Adds the reservations of its output to `attempt`, which are to be released after that.
   */
  async #process(attempt: Attempt, ready?: Promise<unknown>): Promise<void> {
    const { row } = attempt;
    const { queue, limits, onCompleted, metrics, now, logger } = this.#dependencies;
    const log = logger.child({ operationId: row.id, operation: row.kind });
    const claimedAt = now();
    const isUsedUp = attemptOf(row) > limits.maxAttempts; // claimed again after as many crashes of workers
    const completion = isUsedUp ? attemptsUsedUp(limits.maxAttempts) : await this.#run(attempt, log, ready);
    const onSucceeded = (): void => {
      attempt.isStored = true;
    };
    const recordDependencies = { ...this.#dependencies, storeRetryMs: limits.storeRetryMs, onSucceeded };
    const outcome = completion
      ? await recordCompletion(row, completion, recordDependencies, this.#stopping.signal)
      : 'aborted';
    if (outcome === 'output-lost' || (outcome === 'aborted' && this.#stopping.signal.aborted)) {
      await queue.release(row.id, row.lease);
      attempt.isRequeued = true;
      log.info(outcome === 'aborted' ? 'Service stopping: requeued' : 'Output deleted meanwhile: requeued');
      return;
    }
    const details = { isSuccessful: completion?.isSuccessful, ms: now() - (row.started_at ?? claimedAt) };
    if (outcome === 'recorded') log.info(details, 'Completed');
    else if (await this.#isCancelled(row)) log.info(details, 'Cancelled');
    else {
      log.warn(details, 'Claim lost: another worker may run the operation');
      if (outcome === 'completed') metrics?.countFencedCompletion();
    }
    onCompleted(row);
  }

  /** An operation gets several threads if no other one runs: then none waits for a core either. */
  #countThreads(): number {
    return this.#running.size - this.#storing.size === 1 ? (this.#dependencies.maxThreads ?? 1) : 1;
  }

  /** Resolves with whether an operation that another process changed was cancelled, and not claimed again. */
  async #isCancelled({ id, owner, lease = null }: ClaimedOperation): Promise<boolean> {
    if (lease === null) return true; // there is no other worker
    const row = await this.#dependencies.operations.find(id, owner).catch(() => undefined);
    return row?.state === 'completed' && row.lease === lease;
  }

  /**
   * Runs the operation, once `ready` has resolved. Returns its completion, or `undefined` if it was cancelled, its claim was
   * lost, or the service is stopping.
   */
  async #run(attempt: Attempt, log: Logger, ready?: Promise<unknown>): Promise<Completion | undefined> {
    const { row, claim, signal, reservations } = attempt;
    const { queue, storageQuota, metrics, now } = this.#dependencies;
    const onError = (err: unknown): void => log.warn({ err }, 'Could not record the progress');
    const throttle = createProgressThrottle((progress) => queue.setProgress(claim, progress), now, onError);
    const beginAttempt = (): Promise<boolean> => queue.beginAttempt(claim, now());
    const reserveOutput: SpaceReserver = async (bytes, key) => {
      reservations.push(await storageQuota.reserve(row.owner, bytes, key));
    };
    try {
      await abortable(Promise.resolve(ready), signal);
      if (row.isWaiting && !(await waitForStorage(beginAttempt, signal))) return undefined;
      const onJobEnd = (): void => {
        this.#endTurn(attempt);
        this.#storing.add(row);
        metrics?.setStoringCount(this.#storingCount);
        this.wake();
      };
      const countThreads = (): number => this.#countThreads();
      const options = {
        signal,
        onProgress: throttle.report,
        onJobEnd,
        countThreads,
        reserveOutput,
        turn: attempt.turn,
      };
      return await runOperation(row, this.#dependencies, options);
    } catch (error) {
      if (signal.aborted) return undefined;
      log.error({ err: error }, 'Could not run the operation');
      return completionForError(error);
    } finally {
      await throttle.flush();
    }
  }
}
