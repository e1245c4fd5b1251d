import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import 'should';
import {
  passedEnvironment,
  programArguments,
  readLocalSettings,
} from '../../../../nodes/shared/local-service/local-program.js';

describe('the program of the local service', () => {
  it('listens on loopback, on a free port, and ends with its parent', () => {
    const given = programArguments({ dataDir: '/home/maker/.node-red/model-processing' }).join(' ');
    given.should.equal(
      'serve --host 127.0.0.1 --port 0 --data /home/maker/.node-red/model-processing --callbacks loopback --parent-pipe',
    );
  });

  it('gets what settings.js says', () => {
    const saved = { dataDir: 'models', keepDays: 3, diskQuota: '5GiB', workers: 2, memory: '1GiB' };
    const settings = readLocalSettings(saved, '/data');
    settings.dataDir.should.equal(path.resolve('/data/models'));
    const given = programArguments(settings).join(' ');
    given.should.endWith('--keep-days=3 --disk-quota=5GiB --workers=2 --memory=1GiB');
  });

  it('keeps its data in the user directory where settings.js says nothing', () => {
    readLocalSettings(undefined, '/data').should.deepEqual({ dataDir: path.join('/data', 'model-processing') });
  });

  it('gets no environment but what finds programs, folders and languages', () => {
    const environment = {
      PATH: '/bin',
      HOME: '/home/maker',
      NODE_OPTIONS: '--inspect',
      MODEL_PROCESSING_PASSWORD: 'pw',
      AWS_SECRET_ACCESS_KEY: 'key',
    };
    passedEnvironment(environment).should.deepEqual({ PATH: '/bin', HOME: '/home/maker' });
  });

  it('ends at once, with the reason, where no file descriptor is left to start it with', async () => {
    const script = `
      import { openSync, closeSync } from 'node:fs';
      import { startProgram } from './dist/nodes/shared/local-program.js';
      const opened = [];
      try { for (;;) opened.push(openSync('/dev/null')); } catch {}
      const program = startProgram({ dataDir: '/nowhere' }, () => {});
      const outcome = [await program.baseUrl ?? 'no address', (await program.end).lastLine];
      for (const each of opened) closeSync(each);
      console.log(outcome.join(': '));`;
    const command = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script]);
    stdout.should.match(/^no address: spawn .*EMFILE\n$/);
  });
});
