import type { ServeOptions } from '../../../src/service/serve.js';
import { type Calls, logIn } from './account.js';
import { createFolder, removeFolder, useFolder } from './data-folder.js';
import type { ServiceUnderTest } from './database-mode.js';
import { startService } from './running.js';

/** A service on a data folder, and the functions that call its API as its owner. */
export interface ServiceBench {
  folder: string;
  service: ServiceUnderTest;
  api: Calls;
}

/** Starts a service on the folder of this test. */
export type StartService = (options?: Partial<ServeOptions>) => Promise<void>;

/** Registers hooks that start one service for all tests. `assign` receives it. */
export function withService(assign: (bench: ServiceBench) => void, options: Partial<ServeOptions> = {}): void {
  let folder: string;
  let service: ServiceUnderTest;

  before(async () => {
    folder = await createFolder();
    service = await startService(folder, options);
    assign({ folder, service, api: await logIn(folder) });
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });
}

/**
 * Registers hooks that create a folder for each test, and end the last service of the test. Returns the function that
 * starts one. `assign` receives the bench when it has the folder, and again with each service.
 */
export function withServiceOfEachTest(
  assign: (bench: ServiceBench) => void,
  defaults: Partial<ServeOptions> = {},
): StartService {
  const bench = {} as ServiceBench; // each test starts a service before it uses one
  let running: ServiceUnderTest | undefined;
  useFolder((folder) => {
    running = undefined;
    bench.folder = folder;
    assign(bench);
  });

  afterEach(() => running?.close());

  return async (options = {}) => {
    running = await startService(bench.folder, { ...defaults, ...options });
    bench.service = running;
    bench.api = await logIn(bench.folder);
    assign(bench);
  };
}
