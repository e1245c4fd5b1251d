import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import should from 'should';
import { createKernelRunner } from '../../../src/service/kernel/kernel-runner.js';
import { LIBRARY_FILES } from '../../mesh/formats/files/library-files.js';

const MIB = 1024 ** 2;

describe('a kernel process with a library reader', () => {
  const signal = new AbortController().signal;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'library-formats-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const importFile = async (name: string, memoryBytes: number) => {
    const make = LIBRARY_FILES[name];
    if (!make) throw new Error(`Unknown file ${name}.`);
    const inputPath = path.join(folder, name);
    await writeFile(inputPath, await make());
    const program = path.resolve('dist/src/service/kernel-process.js');
    const runJob = createKernelRunner({ program, memoryBytes, timeoutMs: 120_000 });
    const outputPath = path.join(folder, 'model');
    return runJob({ operation: 'import', inputPath, outputPath, filename: name, parameters: {} }, { signal });
  };

  for (const name of Object.keys(LIBRARY_FILES)) {
    it(`imports ${name} within 512 MiB`, async () => {
      const outcome = await importFile(name, 512 * MIB);
      should(outcome).match({ type: 'done', result: { report: { verdict: { level: 'solid' } } } });
    });
  }

  // One format per library: loading a library takes the same memory for all its formats.
  for (const name of ['box.step', 'box.fbx', 'box.3dm', 'box.ifc']) {
    it(`imports ${name}, or fails with OUT_OF_MEMORY or TOO_LARGE, with the minimum memory of a job`, async () => {
      const outcome = await importFile(name, 128 * MIB);
      if (outcome.type === 'failed') outcome.code.should.match(/^(OUT_OF_MEMORY|TOO_LARGE)$/, outcome.message);
    });
  }
});
