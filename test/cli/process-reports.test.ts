import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import should from 'should';
import { sphere } from '../service/support/models.js';
import { runProgram } from '../service/support/program.js';
import { useProcessFolder } from './support/process-folder.js';

describe('model-processing process reports', () => {
  let folder: string;
  const pathOf = (name: string): string => path.join(folder, name);

  useProcessFolder((created) => (folder = created));

  const run = (...args: string[]) => runProgram(['process', ...args]);

  describe('as HTML', () => {
    it('are written under unused names into a folder, one for each file that succeeds', async () => {
      const files = [pathOf('cube.stl'), pathOf('open.stl'), pathOf('note.stl')];
      const { status, lines } = await run(...files, '--html', `${pathOf('reports')}/`, '--json');
      should(status).equal(1);
      lines
        .map((line) => JSON.parse(line).html)
        .should.deepEqual([
          path.join(folder, 'reports', 'cube.html'),
          path.join(folder, 'reports', 'open.html'),
          undefined,
        ]);
      await run(pathOf('cube.stl'), '--html', pathOf('reports'));
      (await readdir(pathOf('reports'))).sort().should.deepEqual(['cube-2.html', 'cube.html', 'open.html']);
    });

    it('are in the language of --language', async () => {
      await run(pathOf('open.stl'), '--html', pathOf('a.html'), '--language', 'de');
      (await readFile(pathOf('a.html'), 'utf8')).should.match(/<html lang="de">[\s\S]*Nicht druckbar/);
    });

    it('are skipped with --skip-existing if they exist', async () => {
      for (const isSkipped of [undefined, true]) {
        const { lines } = await run(pathOf('cube.stl'), '--html', pathOf('a.html'), '--skip-existing', '--json');
        should(JSON.parse(lines.join()).isSkipped).equal(isSkipped);
      }
    });

    it('are refused with other extensions, for several inputs in one file, and in other languages', async () => {
      const cases: [string[], RegExp][] = [
        [[pathOf('cube.stl'), '--html', pathOf('a.txt')], /Invalid --html ".*": expected a \.html file or a folder/],
        [[pathOf('cube.stl'), pathOf('open.stl'), '--html', pathOf('a.html')], /--html .* is a file, but there are 2/],
        [[pathOf('cube.stl'), '--html', pathOf('a.html'), '--language', 'fr'], /Invalid --language "fr"/],
        [[pathOf('cube.stl'), '--language', 'de'], /--language requires --html/],
      ];
      for (const [options, message] of cases) {
        const { status, errors } = await run(...options);
        should(status).equal(2);
        errors.should.match(message);
      }
    });
  });

  it('prints one JSON object per file', async () => {
    const { status, lines } = await run(pathOf('cube.stl'), pathOf('note.stl'), '--json');
    should(status).equal(1);
    const [good, bad] = lines.map((line) => JSON.parse(line));
    good.should.match({ input: pathOf('cube.stl'), isSuccessful: true, verdict: { needsRepair: false } });
    good.report.after.triangles.should.equal(12);
    bad.should.match({ input: pathOf('note.stl'), isSuccessful: false, error: { code: /^FILE_/ } });
  });

  it('prints the analysis with --report', async () => {
    const { lines } = await run(pathOf('open.stl'), '--report');
    lines.join('\n').should.match(/triangles +11\n[\s\S]*boundary edges +3\n[\s\S]*intersecting triangles +0\n/);
  });

  it('prints sizes and small volumes with significant digits', async () => {
    const { lines } = await run(pathOf('cube.stl'), '--units', 'um', '--report');
    const table = lines.join('\n');
    table.should.match(/size x mm +0\.01\n *size y mm +0\.01\n *size z mm +0\.01\n/);
    table.should.match(/volume mm³ +0\.000001\n/);
  });

  it('warns of an implausible unit with every option', async () => {
    const warning =
      /warning: The largest dimension of the model is 0\.01 mm\. Check whether the file is really in um; nothing/;
    for (const option of ['--check', '--report', '--repair'] as const) {
      const { status, lines } = await run(
        pathOf('cube.stl'),
        '--units',
        'um',
        option,
        ...(option === '--repair' ? ['-o', folder] : []),
      );
      should(status).equal(0);
      lines.join('\n').should.match(warning);
    }
    const { lines } = await run(pathOf('cube.stl'), '--units', 'um', '--json');
    JSON.parse(lines.join()).report.warnings.should.containDeep([{ code: 'UNITS_DOUBTFUL' }]);
  });

  it('reports warnings of the import also after a repair', async () => {
    const cut = Buffer.from(sphere(20, 20)).subarray(0, 84 + 50 * 700 + 7);
    await writeFile(pathOf('cut.stl'), cut);
    const repaired = await run(pathOf('cut.stl'), '--repair', '-o', pathOf('out.stl'));
    repaired.lines.join('\n').should.match(/warning: .*700/);
    const [line = ''] = (await run(pathOf('cut.stl'), '--repair', '-o', pathOf('out.stl'), '--json')).lines;
    JSON.parse(line).report.warnings[0].code.should.equal('TRUNCATED');
  });
});
