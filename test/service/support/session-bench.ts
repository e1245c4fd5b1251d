import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { useFolder } from './data-folder.js';
import { readCredentials, startService } from './running.js';
import { addUserWithPassword } from './users.js';
import { signInToPage } from './web-session.js';

/** The user of the tests, who is no owner. */
export const [ANN, PASSWORD] = ['ann', 'password of ann'];

/** A folder with the user `ANN`, and a service with a page. */
export interface SessionBench {
  folder: string;
  service: RunningService;
  port: number;
  /** Starts the service. */
  start(options?: Partial<ServeOptions>): Promise<void>;
  /** Starts the service. Resolves with the header `Cookie` of a session of its owner. */
  startAsOwner(options?: Partial<ServeOptions>): Promise<string>;
}

/** Registers hooks that create a folder for each test, and end the service that the test starts. */
export function registerSessionBench(): SessionBench {
  const bench = {
    async start(options = {}) {
      bench.service = await startService(bench.folder, { hasWebPage: true, ...options });
      bench.port = Number(new URL(bench.service.baseUrl).port);
    },
    async startAsOwner(options) {
      await bench.start(options);
      const { username, password } = await readCredentials(bench.folder);
      return signInToPage(bench.port, username, password);
    },
  } as SessionBench;

  useFolder((created) => (bench.folder = created));

  beforeEach(() => addUserWithPassword(bench.folder, ANN, PASSWORD));

  afterEach(() => bench.service.close());

  return bench;
}
