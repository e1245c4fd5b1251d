import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const FOLDER = 'examples';

/** A node of a flow, as the file of the flow has it. */
export interface FlowNode {
  id: string;
  type: string;
  name?: string;
  [setting: string]: unknown;
}

/** The names of the bundled examples, as the editor's import dialog shows them. */
export async function exampleNames(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((file) => file.endsWith('.json')).map((file) => path.parse(file).name);
}

/** The nodes of a bundled example. */
export async function readExample(name: string): Promise<FlowNode[]> {
  return JSON.parse(await readFile(path.join(FOLDER, `${name}.json`), 'utf8'));
}
