import { execFile } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import 'should';
import {
  createArguments,
  filterEnvironment,
  readLocalSettings,
} from '../../../../nodes/shared/local-service/local-program.js';

describe('local-program', () => {
  it('createArguments selects loopback, a free port and the end with the parent process', () => {
    const commandLine = createArguments({ dataDir: '/home/maker/.node-red/model-processing' }).join(' ');
    commandLine.should.equal(
      'serve --host 127.0.0.1 --port 0 --data /home/maker/.node-red/model-processing --callbacks loopback --parent-pipe',
    );
  });

  it('createArguments passes on the settings of settings.js', () => {
    const saved = { dataDir: 'models', keepDays: 3, diskQuota: '5GiB', workers: 2, memory: '1GiB', sandbox: 'on' };
    const settings = readLocalSettings(saved, '/data');
    settings.dataDir.should.equal(path.resolve('/data/models'));
    const commandLine = createArguments(settings).join(' ');
    commandLine.should.endWith('--keep-days=3 --disk-quota=5GiB --workers=2 --memory=1GiB --sandbox=on');
  });

  it('readLocalSettings resolves ~ as the home folder', () => {
    const dataDir = path.join(os.homedir(), 'models');
    readLocalSettings({ dataDir: '~/models' }, '/data').should.deepEqual({ dataDir });
  });

  it('readLocalSettings uses the user directory by default', () => {
    readLocalSettings(undefined, '/data').should.deepEqual({ dataDir: path.join('/data', 'model-processing') });
  });

  it('filterEnvironment keeps only variables for programs, folders and locales', () => {
    const environment = {
      PATH: '/bin',
      HOME: '/home/maker',
      NODE_OPTIONS: '--inspect',
      MODEL_PROCESSING_PASSWORD: 'pw',
      AWS_SECRET_ACCESS_KEY: 'key',
    };
    filterEnvironment(environment).should.deepEqual({ PATH: '/bin', HOME: '/home/maker' });
  });

  it('startProgram reports the reason if no file descriptor is left', async () => {
    const script = `
      import { openSync, closeSync } from 'node:fs';
      import { startProgram } from './dist/nodes/shared/local-service/local-program.js';
      const opened = [];
      try { for (;;) opened.push(openSync('/dev/null')); } catch {}
      const program = startProgram({ dataDir: '/nowhere' }, () => {});
      const outcome = [await program.baseUrl ?? 'no address', (await program.exit).lastLine];
      for (const each of opened) closeSync(each);
      console.log(outcome.join(': '));`;
    const command = 'ulimit -n 64; exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, script]);
    stdout.should.match(/^no address: spawn .*EMFILE\n$/);
  });
});
