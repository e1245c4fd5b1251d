import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { eventually, kernelProcessesOf } from '../helpers/processes.js';
import { stepCylinder } from '../mesh/formats/files/step.js';
import { makeCrowd } from '../mesh/models/crowd.js';
import { createFolder, removeFolder } from '../service/support/data-folder.js';
import { CUBE, OPEN_CUBE, sphere } from '../service/support/models.js';
import { CLI, runProgram, startProgram } from '../service/support/program.js';

// Node itself handles no SIGHUP: a process that does has come as far as our own code. Bit 0 of the caught signals.
function handlesHangup({ pid }: { pid: number }): boolean {
  const [, caught = ''] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return (BigInt(`0x0${caught}`) & 1n) === 1n;
}

describe('model-processing process', () => {
  let folder: string;
  const at = (name: string): string => path.join(folder, name);

  beforeEach(async () => {
    folder = await createFolder();
    await writeFile(at('cube.stl'), CUBE);
    await writeFile(at('open.stl'), OPEN_CUBE);
    await writeFile(at('note.stl'), 'no model at all');
  });

  afterEach(() => removeFolder(folder));

  const run = (...args: string[]) => runProgram(['process', ...args]);

  it('without more says what it found, and writes nothing', async () => {
    const before = await readdir(folder);
    const { status, lines } = await run(at('open.stl'));
    should(status).equal(0);
    lines.join().should.match(/open\.stl: open: 3 boundary edges.*try --repair/);
    (await readdir(folder)).should.deepEqual(before);
  });

  it('repairs a file', async () => {
    const { status, lines, errors } = await run(at('open.stl'), '--repair', '-o', at('out.stl'));
    should(status).equal(0, errors);
    lines.join().should.match(/→ .*out\.stl: (manifold|solid)/);
    (await readFile(at('out.stl'))).length.should.equal(84 + 12 * 50);
  });

  it('knows the rules for inner shells, and that they belong to a repair', async () => {
    const repairs = await run(at('open.stl'), '--repair', '--inner-shells', 'void', '-o', at('out.stl'));
    should(repairs.status).equal(0, repairs.errors);
    for (const [wrong, why] of [
      [['--inner-shells', 'void'], /requires --repair/],
      [['--repair', '--inner-shells', 'melt'], /"melt": expected one of auto, void, merge/],
    ] as const) {
      const { status, errors } = await run(at('open.stl'), ...wrong);
      should(status).equal(2);
      errors.should.match(why);
    }
  });

  it('converts a file to the format of --to, or to that of the name of --output', async () => {
    await run(at('cube.stl'), '--to', 'obj', '-o', `${folder}/`);
    (await readFile(at('cube.obj'), 'utf8')).should.match(/^v /m);
    await run(at('cube.stl'), '-o', at('second.obj'));
    (await readFile(at('second.obj'), 'utf8')).should.match(/^v /m);
  });

  it('draws a picture of what came out, under a free name', async () => {
    for (const picture of ['open.png', 'open-2.png']) {
      const { status, lines } = await run(at('open.stl'), '--thumbnail', at('open.png'), '--json');
      should(status).equal(0);
      JSON.parse(lines.join()).thumbnail.should.equal(at(picture));
      (await readFile(at(picture))).toString('latin1', 1, 4).should.equal('PNG');
    }
    await run(at('cube.stl'), at('open.stl'), '--thumbnail', `${at('pictures')}/`);
    (await readdir(at('pictures'))).should.deepEqual(['cube.png', 'open.png']);
  });

  it('refuses a name of a picture that is none, or one name for several', async () => {
    should((await run(at('cube.stl'), '--thumbnail', at('cube.jpg'))).status).equal(2);
    should((await run(at('cube.stl'), at('open.stl'), '--thumbnail', at('one.png'))).status).equal(2);
  });

  it('says of the file that it wrote where a solid could not be kept one in it', async () => {
    await writeFile(at('crowd.off'), Buffer.concat([...serializeModel(makeCrowd(), 'off')]));
    const { lines } = await run(at('crowd.off'), '--to', 'stl', '-o', at('crowd.stl'));
    lines
      .join('\n')
      .should.match(/crowd\.stl: (open|watertight|manifold): [\s\S]*warning: The format stl stores about seven/);
    (await run(at('crowd.off'), '--to', 'ply', '-o', at('crowd.ply'))).lines.join().should.match(/crowd\.ply: solid$/);
  });

  it('never writes over a file: the new one gets another name', async () => {
    await run(at('cube.stl'), '--to', 'stl', '-o', folder);
    await run(at('cube.stl'), '--to', 'stl', '-o', at('cube.stl'));
    (await readFile(at('cube.stl'), 'utf8')).should.equal(CUBE);
    const created = (await readdir(folder)).filter((name) => /^cube-/.test(name));
    new Set(created).should.deepEqual(new Set(['cube-2.stl', 'cube-3.stl']));
  });

  it('works through many files into a folder, and tells which failed', async () => {
    await mkdir(at('in'));
    await writeFile(at('in/a.stl'), CUBE);
    const { status, lines, errors } = await run(
      at('in/a.stl'),
      at('note.stl'),
      at('cube.stl'),
      '--to',
      'obj',
      '-o',
      at('out'),
    );
    should(status).equal(1);
    lines.should.have.length(2);
    errors.should.match(/note\.stl: .*\(FILE_\w+\)/);
    new Set(await readdir(at('out'))).should.deepEqual(new Set(['a.obj', 'cube.obj']));
  });

  it('reads the numbers of a file in the unit of --units', async () => {
    const { lines } = await run(at('cube.stl'), '--units', 'inch', '--json');
    JSON.parse(lines[0] ?? '').report.after.dimensionXMm.should.be.approximately(254, 1e-9);
  });

  it('meshes curved surfaces by --accuracy and --max-angle', async () => {
    await writeFile(at('cylinder.step'), stepCylinder());
    const trianglesOf = async (...more: string[]): Promise<number> => {
      const { lines } = await run(at('cylinder.step'), '--json', ...more);
      return JSON.parse(lines.join()).report.after.triangles;
    };
    const usual = await trianglesOf();
    (await trianglesOf('--accuracy', '0.002')).should.be.above(usual);
    (await trianglesOf('--accuracy', '1', '--max-angle', '45')).should.be.below(usual);
  });

  it('prints one JSON object a file', async () => {
    const { status, lines } = await run(at('cube.stl'), at('note.stl'), '--json');
    should(status).equal(1);
    const [good, bad] = lines.map((line) => JSON.parse(line));
    good.should.match({ input: at('cube.stl'), isSuccessful: true, verdict: { needsRepair: false } });
    good.report.after.triangles.should.equal(12);
    bad.should.match({ input: at('note.stl'), isSuccessful: false, error: { code: /^FILE_/ } });
  });

  it('prints what was found with --report', async () => {
    const { lines } = await run(at('open.stl'), '--report');
    lines.join('\n').should.match(/triangles +11\n[\s\S]*bad edges +3\n/);
  });

  it('says what was wrong with the file itself, also after a repair', async () => {
    const cut = Buffer.from(sphere(20, 20)).subarray(0, 84 + 50 * 700 + 7);
    await writeFile(at('cut.stl'), cut);
    const told = await run(at('cut.stl'), '--repair', '-o', at('out.stl'));
    told.lines.join('\n').should.match(/warning: .*700/);
    const [line = ''] = (await run(at('cut.stl'), '--repair', '-o', at('out.stl'), '--json')).lines;
    JSON.parse(line).report.warnings[0].code.should.equal('TRUNCATED');
  });

  it('makes files that others may read, as far as the user lets them', async () => {
    await writeFile(at('plain'), '');
    await run(at('cube.stl'), '--to', 'obj', '-o', at('cube.obj'));
    should((await stat(at('cube.obj'))).mode).equal((await stat(at('plain'))).mode);
  });

  it('judges with --check: status 0 where the model is printable, 1 where it is not', async () => {
    should((await run(at('cube.stl'), '--check')).status).equal(0);
    should((await run(at('open.stl'), '--check')).status).equal(1);
    should((await run(at('note.stl'), '--check')).status).equal(1);
    should((await run(at('cube.stl'), at('open.stl'), '--check')).status).equal(1);
  });

  it('fails where the file is missing', async () => {
    const { status, errors } = await run(at('missing.stl'));
    should(status).equal(1);
    errors.should.match(/missing\.stl: No such file\. \(FILE_UNREADABLE\)/);
  });

  it('tells a folder from a file', async () => {
    const { status, errors } = await run(folder);
    should(status).equal(1);
    errors.should.match(/is a folder\. Specify the files in it\. \(FILE_UNREADABLE\)/);
  });

  it('works on through other files where the format of one is unknown', async () => {
    await writeFile(at('drawing.dwg'), 'AC1032');
    const { status, lines, errors } = await run(at('drawing.dwg'), at('cube.stl'));
    should(status).equal(1);
    errors.should.match(/drawing\.dwg: .*stl.*\(FORMAT_UNKNOWN\)/);
    lines.join().should.match(/cube\.stl: solid/);
  });

  it('fails where the output cannot be written', async () => {
    const { status, errors } = await run(at('cube.stl'), '--to', 'obj', '-o', at('note.stl/out.obj'));
    should(status).equal(1);
    errors.should.match(/\(FILE_UNWRITABLE\)/);
  });

  it('leaves nothing behind when it is stopped', async () => {
    await writeFile(at('large.stl'), sphere(501, 600));
    const environment = { TMPDIR: at('temp') };
    await mkdir(at('temp'));
    const program = startProgram(['process', at('large.stl'), '--repair', '-o', at('out.stl')], environment);
    await eventually('the kernel process runs', () => kernelProcessesOf(program.pid)[0]);
    program.child.kill('SIGTERM');
    should(await program.ended).equal(1);
    (await readdir(at('temp'))).should.be.empty();
    (await readdir(folder)).should.not.containEql('out.stl');
  });

  it('blames nobody when a terminal stops it, which signals its kernel process too', async () => {
    await writeFile(at('large.stl'), sphere(501, 600));
    const child = spawn(process.execPath, [CLI, 'process', at('large.stl'), '--repair', '-o', at('out.stl')], {
      detached: true, // a group of its own, as a terminal gives it
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const pid = child.pid ?? 0;
    await eventually('the kernel process watches its parent', () => kernelProcessesOf(pid).some(handlesHangup));
    process.kill(-pid, 'SIGINT');
    const [status] = await once(child, 'close');
    should(status).equal(1);
    errors.should.match(/Stopped by a signal/).and.not.match(/KERNEL_CRASHED/);
  });

  const WRONG = [
    [],
    ['a.stl', '--units', 'yard'],
    ['a.stl', '--accuracy', '0'],
    ['a.stl', '--max-angle', 'wide'],
    ['a.stl', '--to', 'dwg'],
    ['a.stl', '-o', 'a.dwg'],
    ['a.stl', '--check', '--to', 'obj'],
    ['a.stl', '--mend'],
    ['a.stl', '--to', 'obj', '-o', 'a.stl'],
    ['a.stl', 'b.stl', '-o', 'c.stl'],
  ];
  for (const args of WRONG) {
    it(`ends with status 2 for "${args.join(' ')}"`, async () => {
      const { status, errors } = await run(...args);
      should(status).equal(2);
      errors.should.match(/^model-processing: /);
    });
  }
});
