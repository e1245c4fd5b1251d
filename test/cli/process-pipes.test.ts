import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { eventually, findDescendants, readStatus } from '../helpers/processes.js';
import { useFolder } from '../service/support/data-folder.js';
import { CUBE, OPEN_CUBE, sphere } from '../service/support/models.js';
import { createShell, type Shell } from './support/shell.js';

/** Returns the peak memory of a process in bytes. */
function readPeakMemory(pid: number): number {
  return Number(/^VmHWM:\s*(\d+) kB/m.exec(readStatus(pid))?.[1] ?? 0) * 1024;
}

describe('model-processing process in a shell', () => {
  let folder: string;
  let shell: Shell;

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    shell = await createShell(folder);
    for (const name of ['a', 'b', 'c']) await writeFile(path.join(folder, `${name}.stl`), CUBE);
    await writeFile(path.join(folder, 'open.stl'), OPEN_CUBE);
  });

  /** Asserts that the program has left nothing behind: no temporary file, and no file besides these. */
  async function assertClean(...names: string[]): Promise<void> {
    (await shell.listTemporaryFiles()).should.be.empty();
    const visible = (await readdir(folder)).filter((name) => !name.startsWith('.'));
    visible.sort().should.deepEqual(['a.stl', 'b.stl', 'c.stl', 'open.stl', ...names].sort());
  }

  describe('when the reader of its output ends', () => {
    for (const command of [
      'process *.stl --json',
      'process *.stl --report',
      'process missing.stl *.stl 2>&1',
      'process --help',
      '--version',
    ]) {
      it(`"${command} | head -c 10" ends quietly with 0 and leaves nothing`, async () => {
        const { stdout, stderr } = await shell.run(
          `{ model-processing ${command}; echo "status $?" >&3; } 3>&2 | head -c 10`,
        );
        stdout.length.should.be.within(1, 10);
        stderr.should.equal('status 0\n');
        await assertClean();
      });
    }

    it('ends quietly while it sends a model', async () => {
      await writeFile(path.join(folder, 'large.stl'), sphere(100, 200));
      const { stdout, stderr } = await shell.run(
        '{ model-processing process large.stl --to obj -o -; echo "status $?" >&3; } 3>&2 | head -c 10',
      );
      stdout.should.have.length(10);
      stderr.should.equal('status 0\n');
      await assertClean('large.stl');
    });

    it('also ends quietly if nobody reads from the start', async () => {
      const { stderr } = await shell.run('{ sleep 1; model-processing process a.stl; echo "status $?" >&3; } 3>&2 | :');
      stderr.should.equal('status 0\n');
    });

    it('fails if the output is written to a full disk', async () => {
      const { status, stderr } = await shell.run('model-processing process a.stl --json > /dev/full');
      should(status).equal(1);
      stderr.should.match(/^model-processing: Could not write the output: ENOSPC/);
    });
  });

  describe('when it gets a signal', () => {
    for (const [signal, status] of [
      ['INT', 130],
      ['TERM', 143],
      ['HUP', 129],
    ] as const) {
      it(`exits with ${status} for SIG${signal}, and leaves nothing`, async () => {
        await writeFile(path.join(folder, 'large.stl'), sphere(501, 600));
        const { stdout, stderr } = await shell.run(`
          model-processing process large.stl --repair -o out.stl & pid=$!
          until ls .temp/*/imported > /dev/null 2>&1; do sleep 0.1; done
          kill -${signal} $pid; wait $pid; echo "status $?"`);
        stdout.should.equal(`status ${status}\n`);
        stderr.should.equal(`model-processing: Stopped by a signal (SIG${signal}).\n`);
        await assertClean('large.stl');
      });
    }

    it('exits with 130 for Ctrl-C, which signals all processes of the terminal', async () => {
      await writeFile(path.join(folder, 'large.stl'), sphere(501, 600));
      const script = 'trap : INT; model-processing process a.stl large.stl b.stl --repair -o out; echo "status $?"';
      const { pid, result } = shell.start(script);
      await eventually('the first file is repaired', async () =>
        (await readdir(path.join(folder, 'out')).catch((): string[] => [])).includes('a-repaired.stl'),
      );
      process.kill(-pid, 'SIGINT');
      const { stdout, stderr } = await result;
      stdout.should.match(/^a\.stl → out\/a-repaired\.stl: solid\nstatus 130\n$/);
      stderr.should.match(/Stopped by a signal \(SIGINT\)\.\n1 of 3 files in [\d.]+ s: 1 solid\n$/);
      (await readdir(path.join(folder, 'out'))).should.deepEqual(['a-repaired.stl']);
      await assertClean('large.stl', 'out');
    });

    it('stops to wait for stdin', async () => {
      const { stdout } = await shell.run(`
        mkfifo .fifo; exec 4<> .fifo
        model-processing process - --format stl < .fifo & pid=$!
        until ls .temp/*/input > /dev/null 2>&1; do sleep 0.1; done
        kill -INT $pid; wait $pid; echo "status $?"`);
      stdout.should.equal('status 130\n');
      await assertClean();
    });
  });

  describe('with - as input or output', () => {
    it('repairs from stdin to stdout', async () => {
      const { status, stdout, stderr } = await shell.run(
        'model-processing process - --format stl --repair -o - < open.stl | wc -c',
      );
      should(status).equal(0);
      stdout.trim().should.equal(String(84 + 12 * 50));
      stderr.should.match(/^stdin → stdout: (manifold|solid)\n$/);
      await assertClean();
    });

    it('writes the format of --to, and nothing else, to stdout', async () => {
      const { stdout } = await shell.run('model-processing process a.stl --to obj --report -o - 2> .report');
      stdout.should.match(/^(#.*\n|o .*\n)*v /).and.not.match(/solid/);
      (await readFile(path.join(folder, '.report'), 'utf8')).should.match(
        /a\.stl → stdout: solid\n[\s\S]*triangles +12\n/,
      );
    });

    it('can be chained', async () => {
      const { stdout, stderr } = await shell.run(
        'model-processing process - --format stl --to ply -o - < a.stl | model-processing process - --format .PLY --json',
      );
      JSON.parse(stdout).should.containDeep({ input: '-', verdict: { level: 'solid' } });
      stderr.should.equal('stdin → stdout: solid\n');
    });

    it('names files after stdin in a folder', async () => {
      await shell.run('model-processing process - --format stl --to obj -o out/ --thumbnail out/ < a.stl');
      (await readdir(path.join(folder, 'out'))).sort().should.deepEqual(['stdin.obj', 'stdin.png']);
    });

    it('prints nothing to stdout if the work fails', async () => {
      const { status, stdout, stderr } = await shell.run(
        'model-processing process - --format stl --to obj -o -',
        'no model at all',
      );
      should(status).equal(1);
      stdout.should.equal('');
      stderr.should.match(/^stdin: .*\(FILE_\w+\)\n$/);
      (await shell.run('model-processing process - --format stl < /dev/null')).stderr.should.match(/\(FILE_EMPTY\)/);
    });

    it('stores stdin and sends stdout in chunks', async () => {
      const megabytes = 400;
      const { pid, result } = shell.start(
        `{ cat; head -c ${megabytes}000000 /dev/zero; } | model-processing process - --format off -o - > /dev/null`,
      );
      let peak = 0;
      const isProgram = ({ command }: { command: string }): boolean => /cli\.js process/.test(command);
      let hasEnded = false;
      const ended = result.finally(() => {
        hasEnded = true;
      });
      await eventually('the script has ended', () => {
        const program = findDescendants(pid).find(isProgram);
        if (program) peak = Math.max(peak, readPeakMemory(program.pid));
        return hasEnded;
      });
      (await ended).stderr.should.match(/stdin: /);
      peak.should.be.within(1, 200 * 1024 * 1024);
    });

    for (const [args, message] of [
      ['-', /Stdin has no extension\. Add --format/],
      ['- --format dwg', /Invalid --format "dwg": expected one of stl, obj/],
      ['- - --format stl', /Stdin \(-\) can be read only once/],
      ['a.stl --format stl', /--format is the format of stdin/],
      ['a.stl b.stl -o -', /--output - writes one model to stdout, but there are 2 inputs/],
      ['. -o -', /--output - writes one model to stdout, but the input is a folder/],
      ['a.stl --to obj -o - --json', /both write to stdout/],
      ['a.stl --table -', /Invalid --table "-"/],
    ] as const) {
      it(`refuses "${args}" with 2`, async () => {
        const { status, stderr } = await shell.run(`model-processing process ${args} < a.stl`);
        should(status).equal(2);
        stderr.should.match(message);
        await assertClean();
      });
    }
  });
});
