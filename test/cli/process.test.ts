import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { serializeModel } from '../../src/mesh/formats/serialize-model.js';
import { eventually, findKernelProcesses, isRunning, readStatus } from '../helpers/processes.js';
import { stepCylinder } from '../mesh/formats/files/step.js';
import { bambuProject, prusaProject } from '../mesh/formats/helper-bodies/slicer-files.js';
import { joinBodies, makeBox } from '../mesh/models/compositions.js';
import { makeCrowd } from '../mesh/models/crowd.js';
import { CUBE, sphere } from '../service/support/models.js';
import { CLI, runProgram, startProgram } from '../service/support/program.js';
import { useProcessFolder } from './support/process-folder.js';

// Node itself does not handle SIGHUP (bit 0 of the caught signals): a process that does has started our own code.
function handlesHangup({ pid }: { pid: number }): boolean {
  const [, caught = ''] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readStatus(pid)) ?? [];
  return (BigInt(`0x0${caught}`) & 1n) === 1n;
}

describe('model-processing process', () => {
  let folder: string;
  const pathOf = (name: string): string => path.join(folder, name);

  useProcessFolder((created) => (folder = created));

  const run = (...args: string[]) => runProgram(['process', ...args]);

  it('without options prints the verdict and writes nothing', async () => {
    const before = await readdir(folder);
    const { status, lines } = await run(pathOf('open.stl'));
    should(status).equal(0);
    lines.join().should.match(/open\.stl: open: 3 boundary edges.*try --repair/);
    (await readdir(folder)).should.deepEqual(before);
  });

  it('repairs a file', async () => {
    const { status, lines, errors } = await run(pathOf('open.stl'), '--repair', '-o', pathOf('out.stl'));
    should(status).equal(0, errors);
    lines.join().should.match(/→ .*out\.stl: (manifold|solid)/);
    (await readFile(pathOf('out.stl'))).length.should.equal(84 + 12 * 50);
  });

  it('reads and writes paths that begin with ~ below the home folder', async () => {
    const environment = { HOME: folder, USERPROFILE: folder };
    const { status, errors } = await runProgram(['process', '~/open.stl', '--repair', '--output=~/out/'], environment);
    should(status).equal(0, errors);
    (await readdir(pathOf('out'))).should.deepEqual(['open-repaired.stl']);
  });

  it('says that an input is a URL', async () => {
    for (const url of ['https://example.com/part.stl', 'https://example.com/models/']) {
      const { status, errors } = await run(url);
      should(status).equal(1);
      errors.should.startWith(`${url}: This is a URL, not a file. Download the file first.`);
    }
  });

  it('creates a folder for an output without an extension, also for a thumbnail', async () => {
    const outputs = ['--output', pathOf('repaired'), '--thumbnail', pathOf('images')];
    const { status, lines, errors } = await run(pathOf('open.stl'), '--repair', ...outputs);
    should(status).equal(0, errors);
    const [model, image] = [pathOf('repaired/open-repaired.stl'), pathOf('images/open.png')];
    lines.join().should.startWith(`${pathOf('open.stl')} → ${model}, ${image}: `);
    for (const file of [model, image]) (await stat(file)).size.should.be.above(0);
  });

  it('accepts a rule for inner shells only with --repair', async () => {
    const repair = await run(pathOf('open.stl'), '--repair', '--inner-shells', 'void', '-o', pathOf('out.stl'));
    should(repair.status).equal(0, repair.errors);
    for (const [args, message] of [
      [['--inner-shells', 'void'], /requires --repair/],
      [['--repair', '--inner-shells', 'melt'], /"melt": expected one of auto, void, merge/],
    ] as const) {
      const { status, errors } = await run(pathOf('open.stl'), ...args);
      should(status).equal(2);
      errors.should.match(message);
    }
  });

  it('keeps or unites the parts of a model by --parts, and names those that it unites', async () => {
    const touching = joinBodies(
      [0, 1].map((x) => {
        const mesh = makeBox([x, 0, 0], [1, 9, 9]);
        return { kind: 'box', mesh, solids: [mesh], cavities: [] };
      }),
      true,
    );
    await writeFile(pathOf('touching.3mf'), Buffer.concat([...serializeModel(touching, '3mf')]));
    const repair = (...args: string[]) =>
      run(pathOf('touching.3mf'), '--repair', ...args, '--report', '--check', '-o', pathOf('united.obj'));
    for (const args of [[], ['--parts', 'keep']]) {
      const kept = await repair(...args);
      should(kept.status).equal(0, kept.errors);
      should(kept.lines.join('\n')).match(/parts: 2, which touch/);
      should(kept.lines.join('\n')).not.match(/warning/);
    }
    const united = await repair('--parts', 'UNITE');
    should(united.lines.join('\n')).match(/warning: 2 parts were united: box 1, box 2\./);
    should((await run(pathOf('touching.3mf'), '--parts', 'keep')).errors).match(/requires --repair/);
    should((await repair('--parts', 'melt')).errors).match(/"melt": expected one of keep, unite/);
  });

  it('converts a file to the format of --to, or of the extension of --output', async () => {
    await run(pathOf('cube.stl'), '--to', 'obj', '-o', `${folder}/`);
    (await readFile(pathOf('cube.obj'), 'utf8')).should.match(/^v /m);
    await run(pathOf('cube.stl'), '-o', pathOf('second.obj'));
    (await readFile(pathOf('second.obj'), 'utf8')).should.match(/^v /m);
  });

  it('renders a thumbnail under an unused filename', async () => {
    for (const image of ['open.png', 'open-2.png']) {
      const { status, lines } = await run(pathOf('open.stl'), '--thumbnail', pathOf('open.png'), '--json');
      should(status).equal(0);
      JSON.parse(lines.join()).thumbnail.should.equal(pathOf(image));
      (await readFile(pathOf(image))).toString('latin1', 1, 4).should.equal('PNG');
    }
    await run(pathOf('cube.stl'), pathOf('open.stl'), '--thumbnail', `${pathOf('pictures')}/`);
    (await readdir(pathOf('pictures'))).should.deepEqual(['cube.png', 'open.png']);
  });

  it('refuses a thumbnail that is not PNG, and one file for several inputs', async () => {
    should((await run(pathOf('cube.stl'), '--thumbnail', pathOf('cube.jpg'))).status).equal(2);
    should((await run(pathOf('cube.stl'), pathOf('open.stl'), '--thumbnail', pathOf('one.png'))).status).equal(2);
  });

  it('reports the verdict of the output if the format cannot store a solid', async () => {
    await writeFile(pathOf('crowd.off'), Buffer.concat([...serializeModel(makeCrowd(), 'off')]));
    const { lines } = await run(pathOf('crowd.off'), '--to', 'stl', '-o', pathOf('crowd.stl'));
    lines
      .join('\n')
      .should.match(/crowd\.stl: (open|watertight|manifold): [\s\S]*warning: The format stl stores about seven/);
    const ply = await run(pathOf('crowd.off'), '--units', 'mm', '--to', 'ply', '-o', pathOf('crowd.ply'));
    should(ply.lines[0]).match(/crowd\.ply: solid$/);
  });

  it('never overwrites a file, and chooses another name', async () => {
    await run(pathOf('cube.stl'), '--to', 'stl', '-o', folder);
    await run(pathOf('cube.stl'), '--to', 'stl', '-o', pathOf('cube.stl'));
    (await readFile(pathOf('cube.stl'), 'utf8')).should.equal(CUBE);
    const created = (await readdir(folder)).filter((name) => /^cube-/.test(name));
    new Set(created).should.deepEqual(new Set(['cube-2.stl', 'cube-3.stl']));
  });

  it('processes many files into a folder, and reports failed ones', async () => {
    await mkdir(pathOf('in'));
    await writeFile(pathOf('in/a.stl'), CUBE);
    const { status, lines, errors } = await run(
      pathOf('in/a.stl'),
      pathOf('note.stl'),
      pathOf('cube.stl'),
      '--to',
      'obj',
      '-o',
      pathOf('out'),
    );
    should(status).equal(1);
    lines.should.have.length(2);
    errors.should.match(/note\.stl: .*\(FILE_\w+\)/);
    new Set(await readdir(pathOf('out'))).should.deepEqual(new Set(['a.obj', 'cube.obj']));
  });

  it('reads coordinates in the unit of --units', async () => {
    const { lines } = await run(pathOf('cube.stl'), '--units', 'inch', '--json');
    JSON.parse(lines[0] ?? '').report.after.dimensionXMm.should.be.approximately(254, 1e-9);
  });

  it('triangulates curved surfaces with --accuracy and --max-angle', async () => {
    await writeFile(pathOf('cylinder.step'), stepCylinder());
    const trianglesOf = async (...more: string[]): Promise<number> => {
      const { lines } = await run(pathOf('cylinder.step'), '--json', ...more);
      return JSON.parse(lines.join()).report.after.triangles;
    };
    const byDefault = await trianglesOf();
    (await trianglesOf('--accuracy', '0.002')).should.be.above(byDefault);
    (await trianglesOf('--accuracy', '1', '--max-angle', '45')).should.be.below(byDefault);
  });

  it('treats helper bodies as --helpers says', async () => {
    const body = { min: [0, 0, 0], max: [20, 20, 10] } as const;
    const hole = { min: [5, 5, 5], max: [15, 15, 30], role: 'NegativeVolume' } as const;
    await writeFile(pathOf('project.3mf'), prusaProject([[body, hole]]));
    const volumeOf = async (...more: string[]): Promise<number> => {
      const { lines } = await run(pathOf('project.3mf'), '--json', ...more);
      return JSON.parse(lines.join()).report.after.volumeMm3;
    };
    (await volumeOf()).should.be.approximately(3500, 1e-6);
    (await volumeOf('--helpers', 'Keep')).should.be.approximately(4000, 1e-6);
  });

  it('reads the plate of --plate, and names the plates if there is no such one', async () => {
    const plates = [2, 4].map((objectId, index) => {
      const instance = `<model_instance><metadata key="object_id" value="${objectId}"/></model_instance>`;
      return `<plate><metadata key="plater_id" value="${index + 1}"/>${instance}</plate>`;
    });
    const boxes = [10, 20].map((height) => [{ min: [0, 0, 0], max: [20, 20, height] }] as const);
    await writeFile(pathOf('plates.3mf'), bambuProject(boxes, { more: plates.join('') }));
    const { lines } = await run(pathOf('plates.3mf'), '--json', '--plate', '2');
    JSON.parse(lines.join()).report.after.dimensionZMm.should.equal(20);
    const failed = await run(pathOf('plates.3mf'), '--json', '--plate', '3');
    JSON.parse(failed.lines.join()).error.should.match({ code: 'PLATE_UNKNOWN', message: /1, 2/ });
  });

  it('creates files with the default permissions of the user', async () => {
    await writeFile(pathOf('plain'), '');
    await run(pathOf('cube.stl'), '--to', 'obj', '-o', pathOf('cube.obj'));
    should((await stat(pathOf('cube.obj'))).mode).equal((await stat(pathOf('plain'))).mode);
  });

  it('does not call a truncated file printable, also after its repair', async () => {
    const whole = Buffer.from(sphere(20, 20));
    await writeFile(pathOf('cut.stl'), whole.subarray(0, 84 + 50 * 400));
    for (const options of [['--check'], ['--check', '--repair', '-o', pathOf('out/')]]) {
      const { status, lines } = await run(pathOf('cut.stl'), ...options);
      should(status).equal(1);
      lines[0]?.should.match(/incomplete file: 53 % of the triangles/);
    }
    const { lines } = await run(pathOf('cut.stl'), '--repair', '-o', pathOf('out/'), '--html', pathOf('a.html'));
    lines[0]?.should.match(/: solid, but incomplete file: 53 % of the triangles$/);
    (await readFile(pathOf('a.html'), 'utf8')).should.match(/Check before printing.*[\s\S]*<li>incomplete file: 53 %/);
  });

  it('does not call a model of an implausible size printable unless a unit is given', async () => {
    await writeFile(pathOf('inches.stl'), CUBE.replaceAll('10', '1.5'));
    await writeFile(pathOf('meters.stl'), CUBE.replaceAll('10', '0.07'));
    for (const name of ['inches.stl', 'meters.stl']) {
      const { status, lines } = await run(pathOf(name), '--check');
      should(status).equal(1);
      lines[0]?.should.match(/: solid, but implausible size: .*, and the file states no unit$/);
      should((await run(pathOf(name), '--check', '--units', 'mm')).status).equal(0);
    }
  });

  it('exits with 0 for a printable model and with 1 for others with --check', async () => {
    should((await run(pathOf('cube.stl'), '--check')).status).equal(0);
    should((await run(pathOf('open.stl'), '--check')).status).equal(1);
    should((await run(pathOf('note.stl'), '--check')).status).equal(1);
    should((await run(pathOf('cube.stl'), pathOf('open.stl'), '--check')).status).equal(1);
  });

  it('fails if the file does not exist', async () => {
    const { status, errors } = await run(pathOf('missing.stl'));
    should(status).equal(1);
    errors.should.match(/missing\.stl: No such file\. \(FILE_UNREADABLE\)/);
  });

  it('reads a file by its content if the extension is unknown or that of another format', async () => {
    for (const name of ['cube.bin', 'cube.obj', 'cube']) {
      await copyFile(pathOf('cube.stl'), pathOf(name));
      const { status, lines } = await run(pathOf(name), '--json');
      should(status).equal(0, name);
      const { report } = JSON.parse(lines[0] ?? '');
      should(report.warnings).match([{ code: 'EXTENSION_WRONG', message: /^This is an STL file / }]);
    }
  });

  it('processes other files if one is not a model, or its format is unknown', async () => {
    await writeFile(pathOf('drawing.dwg'), 'AC1032');
    await writeFile(pathOf('notes.txt'), 'any text');
    const { status, lines, errors } = await run(pathOf('drawing.dwg'), pathOf('notes.txt'), pathOf('cube.stl'));
    should(status).equal(1);
    errors.should.match(/drawing\.dwg: .*it is a DWG drawing, not a model.*\(FILE_MALFORMED\)/);
    errors.should.match(/notes\.txt: .*stl.*\(FORMAT_UNKNOWN\)/);
    lines.join().should.match(/cube\.stl: solid/);
  });

  it('fails if the output cannot be written', async () => {
    const { status, errors } = await run(pathOf('cube.stl'), '--to', 'obj', '-o', pathOf('note.stl/out.obj'));
    should(status).equal(1);
    errors.should.match(/\(FILE_UNWRITABLE\)/);
  });

  for (const [signal, status] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    it(`leaves no files and no kernel process behind after ${signal}`, async () => {
      await writeFile(pathOf('large.stl'), sphere(501, 600));
      const environment = { TMPDIR: pathOf('temp') };
      await mkdir(pathOf('temp'));
      const program = startProgram(['process', pathOf('large.stl'), '--repair', '-o', pathOf('out.stl')], environment);
      await eventually('the kernel process runs', () => findKernelProcesses(program.pid)[0]);
      const kernels = findKernelProcesses(program.pid);
      program.child.kill(signal);
      should(await program.ended).equal(status);
      await eventually('no kernel process remains', () => kernels.every(({ pid }) => !isRunning(pid)));
      (await readdir(pathOf('temp'))).should.be.empty();
      (await readdir(folder)).should.not.containEql('out.stl');
    });

  it('reports no crash when a terminal signals its kernel process too', async () => {
    await writeFile(pathOf('large.stl'), sphere(501, 600));
    const child = spawn(process.execPath, [CLI, 'process', pathOf('large.stl'), '--repair', '-o', pathOf('out.stl')], {
      detached: true, // a process group, as in a terminal
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const pid = child.pid ?? 0;
    await eventually('the kernel process handles signals', () => findKernelProcesses(pid).some(handlesHangup));
    process.kill(-pid, 'SIGINT');
    const [status] = await once(child, 'close');
    should(status).equal(130);
    errors.should.match(/Stopped by a signal/).and.not.match(/KERNEL_CRASHED/);
  });

  const INVALID = [
    [],
    ['a.stl', '--units', 'yard'],
    ['a.stl', '--accuracy', '0'],
    ['a.stl', '--max-angle', 'wide'],
    ['a.3mf', '--helpers', 'drop'],
    ['a.3mf', '--plate', '0'],
    ['a.3mf', '--plate', 'first'],
    ['a.stl', '--to', 'dwg'],
    ['a.stl', '-o', 'a.dwg'],
    ['a.stl', '--check', '--to', 'obj'],
    ['a.stl', '--mend'],
    ['a.stl', '--to', 'obj', '-o', 'a.stl'],
    ['a.stl', 'b.stl', '-o', 'c.stl'],
  ];
  for (const args of INVALID) {
    it(`exits with 2 for "${args.join(' ')}"`, async () => {
      const { status, errors } = await run(...args);
      should(status).equal(2);
      errors.should.match(/^model-processing: /);
    });
  }
});
