import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** What a Dockerfile says about its containers. */
export interface Dockerfile {
  /** The commands of all `RUN`, for a shell. */
  run: string[];
  user: string;
  environment: Record<string, string>;
  command: string[];
  healthcheck: string[];
}

function parseArguments(text: string): string[] {
  return JSON.parse(text);
}

/** Reads the Dockerfile of a folder, of one stage with `CMD` and `HEALTHCHECK` in their exec form. Throws on unknown instructions. */
export async function readDockerfile(folder: string): Promise<Dockerfile> {
  const text = (await readFile(path.join(folder, 'Dockerfile'), 'utf8')).replace(/^#.*\n/gm, '').replace(/\\\n/g, ' ');
  const result: Dockerfile = { run: [], user: '', environment: {}, command: [], healthcheck: [] };
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (instruction === 'RUN') result.run.push(rest);
    else if (instruction === 'USER') result.user = rest;
    else if (instruction === 'ENV') Object.assign(result.environment, Object.fromEntries([rest.split('=')]));
    else if (instruction === 'CMD') result.command = parseArguments(rest);
    else if (instruction === 'HEALTHCHECK') result.healthcheck = parseArguments(rest.slice(rest.indexOf('CMD') + 3));
    else if (!['FROM', 'EXPOSE', 'VOLUME'].includes(instruction)) throw new Error(`Unknown instruction: ${line}`);
  }
  return result;
}
