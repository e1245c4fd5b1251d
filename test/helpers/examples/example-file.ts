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

/** Returns the names of the bundled examples, as shown in the import dialog of the editor. */
export async function listExampleNames(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).map((file) => path.parse(file).name);
}

/** Reads the nodes of a bundled example. */
export async function readExample(name: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(path.join(FOLDER, `${name}.json`), 'utf8'));
}
