import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDER = 'examples';

/** A node in the JSON file of a flow. */
export interface FlowNode {
  id: string;
  type: string;
  name?: string;
  [setting: string]: unknown;
}

/** Returns the names of the bundled examples that need no other package, as shown in the import dialog of the editor. */
export async function listExampleNames(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).map((file) => path.parse(file).name);
}

/** Returns the names of all bundled examples: those that need another package follow the name of their folder and `/`. */
export async function listAllExampleNames(): Promise<string[]> {
  const files = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json'));
  return files.map((file) => file.slice(0, -'.json'.length).replaceAll(path.sep, '/'));
}

/** Reads the nodes of a bundled example, by a name as `listAllExampleNames` returns it. */
export async function readExample(name: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(path.join(FOLDER, `${name}.json`), 'utf8'));
}
