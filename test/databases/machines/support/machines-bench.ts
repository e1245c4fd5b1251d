import type { Calls } from '../../../service/support/account.js';
import { CUBE } from '../../../service/support/models.js';
import type { StartedProgram } from '../../../service/support/program.js';
import { Machines } from './machines.js';

/** A service on many machines with one API process, and the calls of a user. */
export interface MachinesBench {
  machines: Machines;
  api: StartedProgram;
  calls: Calls;
  /** Uploads a file of this name and starts an import of it. Resolves with the id of the operation. */
  startImport(filename: string): Promise<string>;
}

/** Registers hooks that start the servers for all tests, and for each one a database, a bucket and an API process. */
export function registerMachinesBench(): MachinesBench {
  const bench = {
    async startImport(filename) {
      const { fileId } = (await bench.calls.upload(CUBE, filename)).body;
      return (await bench.calls.post('import', { fileId })).body.operationId;
    },
  } as MachinesBench;

  before(async () => {
    bench.machines = await Machines.start();
  });

  after(() => bench.machines.stop());

  beforeEach(async () => {
    await bench.machines.reset();
    bench.api = await bench.machines.startApi();
    bench.calls = await bench.machines.logIn(bench.api.baseUrl);
  });

  afterEach(() => bench.machines.end());

  return bench;
}
