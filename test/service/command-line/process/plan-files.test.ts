import should from 'should';
import { planFiles } from '../../../../src/service/command-line/process/plan-files.js';
import { readProcessOptions } from '../../../../src/service/command-line/process/process-options.js';

describe('planFiles', () => {
  /** Plans files that were found in folders, given as `subfolder/name`. */
  const plan = (names: readonly string[], ...args: string[]) => {
    const inputs = names.map((name) => ({ name: `in/${name}`, subfolder: name.split('/').slice(0, -1).join('/') }));
    return planFiles(inputs, readProcessOptions(['in.stl', ...args], {}));
  };
  const outputsOf = (files: ReturnType<typeof planFiles>) => files.map(({ outputPath }) => outputPath);

  it('plans no output for an analysis', () => {
    outputsOf(plan(['a.stl'])).should.deepEqual([undefined]);
  });

  it('mirrors the folders of the inputs', () => {
    const files = plan(['a.stl', 'b/c/a.step'], '--repair', '-o', 'out/', '--thumbnail', 'images/');
    outputsOf(files).should.deepEqual(['out/a-repaired.stl', 'out/b/c/a-repaired.stl']);
    should(files[1]?.thumbnailPath).equal('images/b/c/a.png');
  });

  it('names the output after the format', () => {
    outputsOf(plan(['a.obj', 'a.fbx'], '-o', 'out/')).should.deepEqual(['out/a.obj', 'out/a.stl']);
    outputsOf(plan(['a.obj'], '--to', 'stl-ascii')).should.deepEqual(['a.stl']);
  });

  it('gives each input its own output with --skip-existing', () => {
    const names = ['part.obj', 'part.step', 'part.stl', 'below/part.stl'];
    outputsOf(plan(names, '--to', 'ply', '-o', 'out/', '--skip-existing')).should.deepEqual([
      'out/part.ply',
      'out/part-2.ply',
      'out/part-3.ply',
      'out/below/part.ply',
    ]);
  });

  it('recognizes outputs of other inputs, with --skip-existing', () => {
    const files = plan(['a-repaired.stl', 'a.stl'], '--repair', '-o', 'in/', '--skip-existing');
    files.map(({ isOutput }) => isOutput).should.deepEqual([true, false]);
  });

  it('lets an input that has the format already take no name from others', () => {
    const files = plan(['a.obj', 'a.stl'], '--to', 'obj', '-o', 'in/', '--skip-existing');
    outputsOf(files).should.deepEqual(['in/a.obj', 'in/a.obj']);
  });
});
