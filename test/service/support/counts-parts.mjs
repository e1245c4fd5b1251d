// A thread that helps with the tasks of the kernel, and counts the parts that it runs: `counts`, task → parts.
import { workerData } from 'node:worker_threads';
import { tsImport } from 'tsx/esm/api';

const load = (path) => tsImport(`../../../src/${path}.ts`, import.meta.url);

const { INTERSECTION_TASKS } = await load('mesh/intersections/intersection-tasks');
const { runTaskThread } = await load('service/kernel/task-thread');
const { port, counts } = workerData;
const tasks = INTERSECTION_TASKS.map((task, index) => ({
  name: task.name,
  runPart: (input, part) => {
    Atomics.add(counts, index, 1);
    Atomics.notify(counts, index);
    return task.runPart(input, part);
  },
}));
await runTaskThread(port, tasks);
