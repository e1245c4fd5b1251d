import type { MessagePort } from 'node:worker_threads';
import type { Task } from '../../mesh/core/task-runner.js';
import { INTERSECTION_TASKS } from '../../mesh/intersections/intersection-tasks.js';
import { runParts, type TaskMessage, type TaskReply } from './task-parts.js';

/**
 * Runs a thread that helps the job thread: runs parts of the tasks that a `createThreadRunner` offers on this port.
 * `tasks`: those that it can run. Default: all of the kernel.
 */
export function runTaskThread(port: MessagePort, tasks: readonly Task<never, unknown>[] = INTERSECTION_TASKS): void {
  port.on('message', ({ run, task: name, ...offer }: TaskMessage) => {
    const task = tasks.find((known) => known.name === name) as Task<unknown, unknown> | undefined; // offered with its input
    if (!task) throw new Error(`Unknown task ${name}.`);
    runParts(task, offer, (results) => port.postMessage({ run, results } satisfies TaskReply));
  });
}
