import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

/** A service of a Compose file, as far as the tests read it. */
export interface ComposeService {
  image?: string;
  build?: string;
  pull_policy?: string;
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  depends_on?: Record<string, unknown> | string[];
  volumes?: string[];
}

/** A Compose file. */
export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
}

/** Reads the Compose file of a folder. */
export async function readCompose(folder: string): Promise<Compose> {
  const text = await readFile(path.join(folder, 'compose.yaml'), 'utf8');
  return Object(load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }));
}
