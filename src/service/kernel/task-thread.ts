import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { Task } from '../../mesh/core/task-runner.js';
import { INTERSECTION_TASKS } from '../../mesh/intersections/intersection-tasks.js';
import { runParts, type TaskMessage, type TaskReply } from './task-parts.js';
import { warmUpTasks } from './warm-up-tasks.js';

/**
 * Runs a thread that helps the job thread: runs parts of the tasks that a `createThreadRunner` offers on this port.
 * Warms up until the first one. `tasks`: those that it can run. Default: all of the kernel.
 */
export async function runTaskThread(
  port: MessagePort,
  tasks: readonly Task<never, unknown>[] = INTERSECTION_TASKS,
): Promise<void> {
  let isNeeded = false;
  port.on('message', ({ run, task: name, ...offer }: TaskMessage) => {
    isNeeded = true;
    const task = tasks.find((known) => known.name === name) as Task<unknown, unknown> | undefined; // offered with its input
    if (!task) throw new Error(`Unknown task ${name}.`);
    runParts(task, offer, (results) => port.postMessage({ run, results } satisfies TaskReply));
  });
  const steps = warmUpTasks();
  while (!isNeeded && !steps.next().done) await nextTurn(); // lets a task that was offered meanwhile be received
}
