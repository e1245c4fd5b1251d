import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One request of a load. */
export interface LoadRequest {
  method: 'GET' | 'POST';
  /** Such as /web-api/operation/import. */
  path: string;
  token: string;
  body?: object;
}

/** What wrk has counted. */
export interface LoadResult {
  count: number;
  perSecond: number;
}

function toLua({ method, path, token, body }: LoadRequest): string {
  const headers = `{ Authorization = "Bearer ${token}", ["Content-Type"] = "application/json" }`;
  return `wrk.format("${method}", "${path}", ${headers}, ${body ? `[[${JSON.stringify(body)}]]` : 'nil'})`;
}

/**
 * Sends these requests in turn with Debian's wrk, over so many connections, each `pauseMs` (default: 0) after the one
 * before is answered. Throws if a reply is not a success.
 */
export async function runWrk(
  baseUrl: string,
  requests: readonly LoadRequest[],
  { connections, seconds, pauseMs = 0 }: { connections: number; seconds: number; pauseMs?: number | undefined },
): Promise<LoadResult> {
  const script = path.join(os.tmpdir(), `wrk-${process.pid}.lua`);
  await writeFile(
    script,
    `local requests
local index = 0
function init()
  requests = { ${requests.map(toLua).join(',\n')} }
end
function request()
  index = index % #requests + 1
  return requests[index]
end
${pauseMs > 0 ? `function delay() return ${pauseMs} end` : ''}
`,
  );
  try {
    const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script, baseUrl];
    const { stdout } = await run('wrk', args);
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
    return {
      count: Number(/(\d+) requests in/.exec(stdout)?.[1]),
      perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    };
  } finally {
    await rm(script);
  }
}
