import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { Task, TaskRunner } from '../../mesh/core/task-runner.js';
import { type PartResult, runParts, type TaskReply, waitForParts } from './task-parts.js';

/** Below this number of triangles, other threads gain nothing: their code is compiled while they run it. */
const MIN_TRIANGLES = 100_000;

/**
 * Creates a runner that shares the parts of its tasks with the threads at the other ends of these ports, which run
 * `runTaskThread`. A thread that is not ready yet claims no part, and is not waited for. If one dies that has claimed a
 * part, the process must end.
 */
export function createThreadRunner(ports: readonly MessagePort[], minTriangles = MIN_TRIANGLES): TaskRunner {
  /** run → the results of other threads */
  const received = new Map<number, PartResult[]>();
  let runCount = 0;
  const receive = (): void => {
    for (const port of ports) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
        const { run, results }: TaskReply = next.message; // of our own code
        for (const result of results) received.get(run)?.push(result);
      }
    }
  };
  return {
    minTriangles,
    start<Input, Output>(task: Task<Input, Output>, input: Input, partCount: number): () => Output[] {
      const run = runCount++;
      const offer = { input, partCount, progress: new Int32Array(new SharedArrayBuffer(8)) };
      for (const port of ports) port.postMessage({ ...offer, run, task: task.name });
      received.set(run, []);
      return () => {
        let results: PartResult[] = [];
        runParts(task, offer, (own) => {
          results = own;
        });
        waitForParts(offer);
        receive();
        results = results.concat(received.get(run) ?? []);
        received.delete(run);
        results.sort((a, b) => a.part - b.part);
        return results.map((result) => {
          if ('error' in result) throw result.error;
          return result.output as Output; // of the same task
        });
      };
    },
  };
}
